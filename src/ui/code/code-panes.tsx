// The text tabs of View B: TIR, C with its call site, WASM as text, graph JSON and metadata.
import { useEffect, type ReactNode } from "react";
import type { Summary } from "../../protocol/compile.ts";
import type { ListingView } from "../../protocol/views.ts";
import type { ShownRun } from "../../store/state.ts";
import { useActions, useApp, useAppObject, usePinned, useShown, useView } from "../app/context.tsx";
import { saveFile } from "../app/save-file.ts";
import { primitiveStyle } from "../primitive-style.tsx";
import { CallSite } from "./call-site.tsx";
import { listingLines } from "./code-view.tsx";
import { HeaderSelect } from "./header-select.tsx";
import { ListingPane } from "./listing-pane.tsx";
import type { Fold } from "./rows.ts";

function short(symbol: string): string {
  return symbol.replace(/^tvmgen_[A-Za-z0-9]+_fused_/, "…").replace("…nn_", "…");
}

function primitiveFolds(summary: Summary, listing: ListingView, ranges: "cLines" | "watLines", label: (symbol: string, index: number) => string): Fold[] {
  const lines = listingLines(listing);
  return summary.primitives
    .filter((primitive) => primitive[ranges][1] > primitive[ranges][0])
    .map((primitive) => {
      const [first, last] = primitive[ranges];
      let to = last - 1;
      while (to + 1 < lines.length && lines[to + 1] === "") to++;
      return { from: first - 1, to, count: last - first + 1, key: primitive.symbol, label: label(primitive.symbol, primitive.index) };
    });
}

const cFiles = { lib0: "default_lib0.c", lib1: "default_lib1.c", header: "tvmgen_default.h" } as const;

/** File names as the module is called: TVM writes default_lib0.c for mod name "default". */
function cFileName(file: keyof typeof cFiles, modName: string): string {
  return cFiles[file].replace("default", modName);
}

export function CPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const file = useApp((state) => state.layout.cFile);
  const modName = run?.options.modName ?? "default";
  // A call site may stand in either file; the call's own owner row says in which.
  const other = useView(run, run === null ? null : { kind: "listing", id: "c/lib0" });
  const tools = (
    <HeaderSelect label="C file" value={file} options={Object.keys(cFiles).map((key) => [key, cFileName(key as keyof typeof cFiles, modName)] as const)}
      onChange={(value) => actions.setLayout({ cFile: value as keyof typeof cFiles })} />
  );
  return (
    <ListingPane run={run} id={`c/${file}`} language="c" label={`C, ${cFileName(file, modName)}`} fileName={cFileName(file, modName)} tools={tools}
      {...(file === "lib1" ? { flag: 5, folds: cFolds } : {})}
      below={(shown, listing) => <CallSite run={shown} lib1={file === "lib1" ? listing : null} lib0={other !== null && other !== "gone" && other.run === shown ? other.view.listing : null} />} />
  );
}

const foldCache = new WeakMap<ListingView, readonly Fold[]>();

/** Folds are asked for on every render; the same listing gets the same list. */
function cached(listing: ListingView, make: () => readonly Fold[]): readonly Fold[] {
  let list = foldCache.get(listing);
  if (!list) foldCache.set(listing, (list = make()));
  return list;
}

function cFolds(run: ShownRun, listing: ListingView): readonly Fold[] {
  return cached(listing, () => primitiveFolds(run.summary, listing, "cLines", (symbol) => `int32_t ${short(symbol)}`));
}

function watFolds(run: ShownRun, listing: ListingView): readonly Fold[] {
  return cached(listing, () => primitiveFolds(run.summary, listing, "watLines", (symbol, index) => `  (func $p${index} ;; ${short(symbol)}`));
}

export function TirPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const chosen = useApp((state) => state.layout.tirPrimitive);
  const pinned = usePinned(run);
  // The pinned primitive is what the reader means; a choice by hand holds until the next pin.
  const lit = pinned === null ? -1 : Math.min(...pinned.primitives, Infinity);
  useEffect(() => {
    if (Number.isFinite(lit) && lit >= 0) actions.setLayout({ tirPrimitive: lit });
  }, [actions, lit]);
  const summary = run?.summary;
  const has = (id: string): boolean => summary?.listings.some((listing) => listing.id === id) ?? false;
  const options: (readonly [string, string])[] = [
    ...(has("aot") ? [["-1", "main (AOT)"] as const] : []),
    ...(summary?.primitives ?? []).map((primitive) => [String(primitive.index), `${primitiveStyle(primitive.index).label} ${primitive.name.replace(/^fused_/, "")}`] as const),
  ];
  const id = chosen < 0 ? "aot" : `tir/${chosen}`;
  const name = chosen < 0 ? "main" : summary?.primitives[chosen]?.name ?? "primitive";
  const tools = <HeaderSelect label="Function" value={String(chosen)} options={options} onChange={(value) => actions.setLayout({ tirPrimitive: Number(value) })} />;
  return <ListingPane run={run} id={id} language="tir" label={`TIR of ${name}`} fileName={`${name}.tir`} tools={tools} {...(chosen < 0 ? { flag: 3 } : {})} />;
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
    <ListingPane run={run} id="wat" language="wat" label="WebAssembly text" fileName={`${run?.options.modName ?? "default"}.wat`} flag={6}
      folds={watFolds} tools={tools} />
  );
}

export function JsonPane(): ReactNode {
  const run = useShown();
  const actions = useActions();
  const file = useApp((state) => state.layout.jsonFile);
  const tools = (
    <HeaderSelect label="JSON file" value={file} options={[["graph-json", "graph.json"], ["metadata", "metadata.json"]]}
      onChange={(value) => actions.setLayout({ jsonFile: value as "graph-json" | "metadata" })} />
  );
  const error = file === "graph-json" ? run?.summary.graphError ?? null : null;
  if (error !== null) return <div className="bd"><p className="note">The graph executor refused: {error}</p></div>;
  return <ListingPane run={run} id={file} language="json" label={file === "graph-json" ? "Graph JSON" : "Metadata"} fileName={file === "graph-json" ? "graph.json" : "metadata.json"} tools={tools} />;
}
