// The text tabs of View B: TIR, C with its call site, WASM as text, graph JSON and metadata.
import { useEffect, type ReactNode } from "react";
import type { Summary } from "../../../../protocol/compile.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useAppObject, usePinned, useShown, useView } from "../../kit/context.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { CallSite } from "./call-site.tsx";
import { listingLines } from "../../code/rows.ts";
import { HeaderSelect } from "../../kit/header-select.tsx";
import { ListingPane } from "../../code/listing-pane.tsx";
import { SchedulePeek } from "./schedule-peek.tsx";
import type { Fold } from "../../code/rows.ts";

function short(symbol: string): string {
  return symbol.replace(/^tvmgen_[A-Za-z0-9]+_fused_/, "…").replace("…nn_", "…");
}

function primitiveFolds(
  summary: Summary,
  listing: ListingView,
  ranges: "cLines" | "watLines",
  id: string,
  label: (symbol: string, index: number) => string,
): Fold[] {
  const lines = listingLines(listing);
  return summary.primitives
    .filter(
      (primitive) =>
        primitive[ranges][1] > primitive[ranges][0] && (ranges === "watLines" || primitive.cListing === id),
    )
    .map((primitive) => {
      const [first, last] = primitive[ranges];
      let to = last - 1;
      while (to + 1 < lines.length && lines[to + 1] === "") to++;
      return {
        from: first - 1,
        to,
        count: last - first + 1,
        key: primitive.symbol,
        label: label(primitive.symbol, primitive.index),
      };
    });
}

/** C files as the select names them; those of external functions say their generator. */
function cOptions(summary: Summary | undefined): (readonly [string, string])[] {
  return (summary?.listings ?? [])
    .filter(({ id }) => id.startsWith("c/"))
    .map(({ id, title }) => {
      const generator = summary?.primitives.find(
        (primitive) => primitive.cListing === id && primitive.external !== null,
      )?.external;
      return [id, generator == null ? title : `${title} (${generator})`] as const;
    });
}

export function CPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const id = useApp((state) => state.layout.cFile);
  const pinned = usePinned(run);
  const summary = run?.summary;
  // A call site may stand in either file; the call's own owner row says in which.
  const other = useView(run, run === null ? null : { kind: "listing", id: "c/lib0" });
  // What is pinned may have a file of its own: it comes to the front, and the common one again with the next pin.
  const lit = pinned === null ? -1 : Math.min(...pinned.primitives, Infinity);
  const own = summary?.primitives[lit]?.cListing;
  useEffect(() => {
    if (own !== undefined) actions.setLayout({ cFile: own });
  }, [actions, own]);
  const options = cOptions(summary);
  const name = summary?.listings.find((listing) => listing.id === id)?.title ?? `${id.slice(2)}.c`;
  const isCode = summary?.primitives.some((primitive) => primitive.cListing === id) ?? false;
  const tools = options.length > 0 && (
    <HeaderSelect
      label="C file"
      value={id}
      options={options}
      onChange={(cFile) => actions.setLayout({ cFile })}
    />
  );
  if (summary !== undefined && options.length === 0)
    return (
      <div className="bd">
        <p className="paneword">{noCode(summary)}</p>
      </div>
    );
  return (
    <ListingPane
      run={run}
      id={id}
      language="c"
      label={`C, ${name}`}
      fileName={name}
      tools={tools}
      {...(isCode
        ? { flag: 5, folds: (shown: ShownRun, listing: ListingView) => cFolds(shown, listing, id) }
        : {})}
      below={(shown, listing) => (
        <CallSite
          run={shown}
          lib1={id === "c/lib1" ? listing : null}
          lib0={other !== null && other !== "gone" && other.run === shown ? other.view.listing : null}
        />
      )}
    />
  );
}

function noCode(summary: Summary): string {
  if (summary.dynamic)
    return "No code yet: it is made for the shapes at hand. Fix shapes in the Shapes tab to see it.";
  return `No code: ${summary.aotError ?? summary.graphError ?? "nothing was lowered"}`;
}

const foldCache = new WeakMap<ListingView, readonly Fold[]>();

/** Folds are asked for on every render; the same listing gets the same list. */
function cached(listing: ListingView, make: () => readonly Fold[]): readonly Fold[] {
  let list = foldCache.get(listing);
  if (!list) foldCache.set(listing, (list = make()));
  return list;
}

function cFolds(run: ShownRun, listing: ListingView, id: string): readonly Fold[] {
  return cached(listing, () =>
    primitiveFolds(run.summary, listing, "cLines", id, (symbol) => `int32_t ${short(symbol)}`),
  );
}

function watFolds(run: ShownRun, listing: ListingView): readonly Fold[] {
  return cached(listing, () =>
    primitiveFolds(
      run.summary,
      listing,
      "watLines",
      "wat",
      (symbol, index) => `  (func $p${index} ;; ${short(symbol)}`,
    ),
  );
}

export function TirPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const chosen = useApp((state) => state.layout.tirPrimitive);
  const other = useApp((state) => state.layout.tirListing);
  const pinned = usePinned(run);
  // The pinned primitive is what the reader means; a choice by hand holds until the next pin.
  const lit = pinned === null ? -1 : Math.min(...pinned.primitives, Infinity);
  useEffect(() => {
    if (Number.isFinite(lit) && lit >= 0) actions.setLayout({ tirPrimitive: lit, tirListing: null });
  }, [actions, lit]);
  const summary = run?.summary;
  const has = (id: string): boolean => summary?.listings.some((listing) => listing.id === id) ?? false;
  const options: (readonly [string, string])[] = [
    ...(has("aot") ? [["aot", "main (AOT)"] as const] : []),
    ...(summary?.primitives ?? []).flatMap(({ index, name, shapeFunc }) => [
      ...(has(`tir/${index}`)
        ? [[`tir/${index}`, `${primitiveStyle(index).label} ${name.replace(/^fused_/, "")}`] as const]
        : []),
      ...(shapeFunc === null
        ? []
        : [[shapeFunc.listing, `${primitiveStyle(index).label} ${shapeFunc.name}`] as const]),
    ]),
  ];
  const primitive = summary?.primitives[chosen];
  // Of a primitive whose kernel waits for shapes there is its shape function alone.
  const waits = primitive?.shapeFunc != null && !has(`tir/${chosen}`);
  const id = other ?? (chosen < 0 ? "aot" : waits ? primitive.shapeFunc!.listing : `tir/${chosen}`);
  const kernel = kernelWord(id);
  if (kernel !== null) options.push([id, `${primitiveStyle(kernel.primitive).label} for ${kernel.shapes}`]);
  const shown = summary?.primitives[Number(id.split("/")[1] ?? "-1")];
  const name =
    id === "aot"
      ? "main"
      : id.startsWith("shape/")
        ? (shown?.shapeFunc?.name ?? "shapes")
        : (shown?.name ?? "primitive");
  if (summary !== undefined && options.length === 0)
    return (
      <div className="bd">
        <p className="paneword">No TIR: nothing was lowered.</p>
      </div>
    );
  const choose = (value: string): void =>
    actions.setLayout({
      tirPrimitive: value === "aot" ? -1 : Number(value.split("/")[1]),
      tirListing: /^(shape|kernel)\//.test(value) ? value : null,
    });
  const tools = <HeaderSelect label="Function" value={id} options={options} onChange={choose} />;
  return (
    <ListingPane
      run={run}
      id={id}
      language="tir"
      label={`TIR of ${name}`}
      fileName={`${name}.tir`}
      tools={tools}
      {...(id === "aot" ? { flag: 3 } : {})}
      below={(current) =>
        id.startsWith("tir/") ? <SchedulePeek key={id} run={current} primitive={Number(id.slice(4))} /> : null
      }
    />
  );
}

/** "kernel/2/3x8,1x8/3x2x4": which primitive it is and the shapes that it was made for. */
function kernelWord(id: string): { readonly primitive: number; readonly shapes: string } | null {
  const [kind, primitive, inputs] = id.split("/");
  return kind === "kernel"
    ? { primitive: Number(primitive), shapes: (inputs ?? "").replaceAll("x", "×").replaceAll(",", ", ") }
    : null;
}

export function WasmPane(): ReactNode {
  const run = useShown();
  const { views } = useAppObject();
  async function save(): Promise<void> {
    if (run === null) return;
    const reply = await views.load(run.runId, { kind: "wasm" });
    if (reply.status === "wasm") saveFile(`${run.options.modName}.wasm`, [reply.bytes], "application/wasm");
  }
  const tools = run !== null && (
    <button type="button" className="hbtn mono" title="Save the module" onClick={() => void save()}>
      {run.summary.wasmBytes.toLocaleString("en")} B .wasm
    </button>
  );
  return (
    <ListingPane
      run={run}
      id="wat"
      language="wat"
      label="WebAssembly text"
      fileName={`${run?.options.modName ?? "default"}.wat`}
      flag={6}
      folds={watFolds}
      tools={tools}
    />
  );
}

export function JsonPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const file = useApp((state) => state.layout.jsonFile);
  const tools = (
    <HeaderSelect
      label="JSON file"
      value={file}
      options={[
        ["graph-json", "graph.json"],
        ["metadata", "metadata.json"],
      ]}
      onChange={(value) => actions.setLayout({ jsonFile: value as "graph-json" | "metadata" })}
    />
  );
  const error = file === "graph-json" ? (run?.summary.graphError ?? null) : null;
  if (error !== null)
    return (
      <div className="bd">
        <p className="note">The graph executor refused: {error}</p>
      </div>
    );
  return (
    <ListingPane
      run={run}
      id={file}
      language="json"
      label={file === "graph-json" ? "Graph JSON" : "Metadata"}
      fileName={file === "graph-json" ? "graph.json" : "metadata.json"}
      tools={tools}
    />
  );
}
