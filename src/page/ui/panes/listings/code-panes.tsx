// The text tabs of View B: TIR, C with its call site, WASM as text, graph JSON and metadata.
import { useEffect, type ReactNode } from "react";
import type { Summary } from "../../../../protocol/compile.ts";
import { listingText, sameListing, type ListingId } from "../../../../protocol/listing-id.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp, useAppObject, usePinned, useShown, useView } from "../../kit/context.tsx";
import { saveFile } from "../../kit/save-file.ts";
import { shapeText } from "../../kit/labels.ts";
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
  id: ListingId,
  label: (symbol: string, index: number) => string,
): Fold[] {
  const lines = listingLines(listing);
  return summary.primitives
    .filter(
      (primitive) =>
        primitive[ranges][1] > primitive[ranges][0] &&
        (ranges === "watLines" || sameListing(primitive.cListing, id)),
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

type ListingOption = readonly [id: ListingId, label: string];

/** C files as the select names them; those of external functions say their generator. */
function cOptions(summary: Summary | undefined): ListingOption[] {
  return (summary?.listings ?? [])
    .filter(({ language }) => language === "c")
    .map(({ id, title }) => {
      const generator = summary?.primitives.find(
        (primitive) => sameListing(primitive.cListing, id) && primitive.external !== null,
      )?.external;
      return [id, generator == null ? title : `${title} (${generator})`] as const;
    });
}

function ListingSelect<Id extends ListingId>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: Id;
  readonly options: readonly (readonly [id: Id, label: string])[];
  readonly onChange: (id: Id) => void;
}): ReactNode {
  return (
    <HeaderSelect
      label={label}
      value={listingText(value)}
      options={options.map(([id, name]) => [listingText(id), name])}
      onChange={(text) => {
        const chosen = options.find(([id]) => listingText(id) === text);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    />
  );
}

export function CPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const id = useApp((state) => state.layout.cFile);
  const pinned = usePinned(run);
  const summary = run?.summary;
  // A call site may stand in either file; the call's own owner row says in which.
  const other = useView(
    run,
    run === null ? null : { kind: "listing", id: { kind: "c-library", library: 0 } },
  );
  // What is pinned may have a file of its own: it comes to the front, and the common one again with the next
  // pin.
  const lit = pinned === null ? -1 : Math.min(...pinned.primitives, Infinity);
  const own = summary?.primitives[lit]?.cListing;
  useEffect(() => {
    if (own !== undefined) actions.setLayout({ cFile: own });
  }, [actions, own]);
  const options = cOptions(summary);
  const name = summary?.listings.find((listing) => sameListing(listing.id, id))?.title ?? "lib1.c";
  const isCode = summary?.primitives.some((primitive) => sameListing(primitive.cListing, id)) ?? false;
  const tools = options.length > 0 && (
    <ListingSelect
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
          lib1={id.kind === "c-library" && id.library === 1 ? listing : null}
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

function cFolds(run: ShownRun, listing: ListingView, id: ListingId): readonly Fold[] {
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
      { kind: "wat" },
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
  const options = summary === undefined ? [] : tirOptions(summary);
  if (summary !== undefined && options.length === 0)
    return (
      <div className="bd">
        <p className="paneword">No TIR: nothing was lowered.</p>
      </div>
    );
  const id = other ?? shownTir(options, chosen);
  if (id.kind === "kernel")
    options.push([id, `${primitiveStyle(id.primitive).label} for ${id.inputs.map(shapeText).join(", ")}`]);
  const name = summary === undefined ? "primitive" : tirName(summary, id);
  const choose = (next: TirListing): void =>
    actions.setLayout({
      tirPrimitive: next.kind === "aot" ? -1 : next.primitive,
      tirListing: next.kind === "shape" || next.kind === "kernel" ? next : null,
    });
  const tools = <ListingSelect label="Function" value={id} options={options} onChange={choose} />;
  return (
    <ListingPane
      run={run}
      id={id}
      language="tir"
      label={`TIR of ${name}`}
      fileName={`${name}.tir`}
      tools={tools}
      {...(id.kind === "aot" ? { flag: 3 } : {})}
      below={(current) =>
        id.kind === "tir" ? <SchedulePeek key={id.primitive} run={current} primitive={id.primitive} /> : null
      }
    />
  );
}

type TirListing = ListingId & ({ readonly kind: "aot" } | { readonly primitive: number });

/** The AOT main, and of each primitive its kernel and its shape function, as far as there are such. */
function tirOptions({ listings, primitives }: Summary): (readonly [id: TirListing, label: string])[] {
  const has = (wanted: ListingId): boolean => listings.some(({ id }) => sameListing(id, wanted));
  const main: TirListing = { kind: "aot" };
  return [
    ...(has(main) ? [[main, "main (AOT)"] as const] : []),
    ...primitives.flatMap(({ index, name, shapeFunc }) => {
      const kernel: TirListing = { kind: "tir", primitive: index };
      const shape: TirListing = { kind: "shape", primitive: index };
      const { label } = primitiveStyle(index);
      return [
        ...(has(kernel) ? [[kernel, `${label} ${name.replace(/^fused_/, "")}`] as const] : []),
        ...(shapeFunc === null ? [] : [[shape, `${label} ${shapeFunc.name}`] as const]),
      ];
    }),
  ];
}

/** Of a primitive its kernel; where that waits for shapes there is its shape function alone. */
function shownTir(
  options: readonly (readonly [id: TirListing, label: string])[],
  primitive: number,
): TirListing {
  if (primitive < 0) return { kind: "aot" };
  const own = options.map(([id]) => id).find((id) => "primitive" in id && id.primitive === primitive);
  return own ?? { kind: "tir", primitive };
}

function tirName({ primitives }: Summary, id: TirListing): string {
  if (id.kind === "aot") return "main";
  const primitive = primitives[id.primitive];
  return id.kind === "shape" ? (primitive?.shapeFunc?.name ?? "shapes") : (primitive?.name ?? "primitive");
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
      id={{ kind: "wat" }}
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
      id={{ kind: file }}
      language="json"
      label={file === "graph-json" ? "Graph JSON" : "Metadata"}
      fileName={file === "graph-json" ? "graph.json" : "metadata.json"}
      tools={tools}
    />
  );
}
