// The list of panes, by tab. A pane that is not shown costs nothing: its code is loaded when it is first
// opened.
import { lazy, type ComponentType } from "react";
import { useShallow } from "zustand/react/shallow";
import { useApp } from "../kit/context.tsx";
import { CPane, JsonPane, TirPane, WasmPane } from "./listings/code-panes.tsx";
import type { ChainNumber } from "../kit/primitive-style.tsx";
import type { AppState, TabA, TabB } from "../../store/state.ts";

interface PaneProps {
  /** The header's right end, for the pane's own buttons. */
  readonly toolbar: HTMLElement | null;
}

export interface Pane<Id extends string> {
  readonly id: Id;
  readonly title: string;
  /** The flag that the tab carries while it hides something pinned. */
  readonly flag: ChainNumber | null;
  /**
   * Shows the last good output, so it dims while that is stale; the others tell of the newest run themselves.
   */
  readonly dims: boolean;
  readonly component: ComponentType<PaneProps>;
  /** The tab is there only then; without, always. */
  readonly when?: (state: AppState) => boolean;
}

/**
 * Whether something about shapes can be asked: a dynamic program, a dynamic input, or shapes that were fixed.
 */
function hasShapes({ compile, options }: AppState): boolean {
  const summary = compile.shown?.summary;
  return (
    summary !== undefined &&
    (summary.dynamic || summary.dynamicInputs.length > 0 || Object.keys(options.shapes).length > 0)
  );
}

/** The panes whose tabs are there now. */
export function usePanes<Id extends string>(panes: readonly Pane<Id>[]): readonly Pane<Id>[] {
  return useApp(useShallow((state) => panes.filter((pane) => pane.when?.(state) ?? true)));
}

export const panesA: readonly Pane<TabA>[] = [
  {
    id: "graph",
    title: "Graph",
    flag: 2,
    dims: true,
    component: lazy(() => import("./graph/graph-pane.tsx").then((module) => ({ default: module.GraphPane }))),
  },
  {
    id: "diff",
    title: "IR diff",
    flag: null,
    dims: false,
    component: lazy(() => import("./diff/ir-diff.tsx").then((module) => ({ default: module.IrDiffPane }))),
  },
  {
    id: "primitives",
    title: "Primitives",
    flag: null,
    dims: true,
    component: lazy(() =>
      import("./primitives/primitives-pane.tsx").then((module) => ({ default: module.PrimitivesPane })),
    ),
  },
  {
    id: "shapes",
    title: "Shapes",
    flag: null,
    dims: true,
    when: hasShapes,
    component: lazy(() =>
      import("./shapes/shapes-pane.tsx").then((module) => ({ default: module.ShapesPane })),
    ),
  },
];

export const panesB: readonly Pane<TabB>[] = [
  { id: "tir", title: "TIR", flag: null, dims: true, component: TirPane },
  { id: "c", title: "C", flag: 5, dims: true, component: CPane },
  { id: "wasm", title: "WASM", flag: 6, dims: true, component: WasmPane },
  { id: "json", title: "Graph JSON", flag: null, dims: true, component: JsonPane },
  {
    id: "result",
    title: "Result",
    flag: null,
    dims: false,
    component: lazy(() =>
      import("./runner/result-pane.tsx").then((module) => ({ default: module.ResultPane })),
    ),
  },
];

export const MemoryPane = lazy(() =>
  import("./memory/memory-map.tsx").then((module) => ({ default: module.MemoryMap })),
);
