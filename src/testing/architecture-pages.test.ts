// The pages of docs/architecture: their snippets, tables and pictures of LeNet are what the compiler makes
// today, and the names, numbers, links and rows that they speak of are there. A page that fails here is
// mended by hand: what the compiler gives stands in the failure.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { aotPlan, cModule, graphPlan, metadataOf, type Compilation } from "../compiler/compilation.ts";
import { argName } from "../compiler/executor/arg-name.ts";
import { isOperator, type GraphPlan } from "../compiler/executor/graph-plan.ts";
import { graphJson } from "../compiler/executor/graph-json.ts";
import { aotEvents, graphEvents } from "../compiler/executor/memory-events.ts";
import type { AotPlan } from "../compiler/executor/plan.ts";
import { planGreedy, planHillClimb } from "../compiler/memory/arena.ts";
import { planAssigned, planOnDemand } from "../compiler/memory/assigned.ts";
import { planLowerBound } from "../compiler/memory/lives.ts";
import type { MemoryPlan } from "../compiler/memory/plan.ts";
import { ops } from "../compiler/ops/index.ts";
import { defaultOptions } from "../compiler/options.ts";
import { lowerPasses } from "../compiler/tir/passes/pipeline.ts";
import { printPrimFunc } from "../compiler/tir/print.ts";
import { compileText } from "../node/engine.ts";
import { at, get, present } from "../support/assert.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const folder = "docs/architecture";
const pages = readdirSync(join(root, folder)).map((name): readonly [string, string] => [
  name,
  read(join(folder, name)),
]);
const architecture = read("ARCHITECTURE.md");
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."))
  .map((name) => read(join("src", name)))
  .join("\n");

const { compilation } = await compileText(
  read("src/page/ui/examples/lenet.relay"),
  defaultOptions,
  "lenet.relay",
);
const live = listings(compilation);

/** What a page may quote, by the name in the comment before the block. */
function listings(done: Compilation): ReadonlyMap<string, string> {
  const aot = present(aotPlan(done), "AOT plan");
  const graph = present(graphPlan(done), "graph plan");
  const c = present(cModule(done), "C module");
  if (done.reached !== "wasm") throw new Error("LeNet made no WebAssembly");
  const conv = at(done.primitives, 0, "primitive");
  const text = (file: string): string => get(c.files, file, "file").text;
  const remarks = done.remarks.filter(({ kind }) => kind.startsWith("memory."));
  return new Map([
    ["main", printPrimFunc(aot.main).text],
    ["calls", callTable(done, aot, graph)],
    ["graph.json", JSON.stringify(graphJson(graph), null, 2)],
    ["memory map", memoryMap(plans(aot, graph))],
    ["planners", plannerTable(plans(aot, graph))],
    ["memory events", aotEvents(aot).map(eventLine).join("\n")],
    ["memory remarks", remarks.map(({ pass, text: said }) => `${pass}: ${said}`).join("\n")],
    ["metadata", JSON.stringify(metadataOf(done), null, 2)],
    ["TIR passes", passNames("c")],
    ["TIR for C", printPrimFunc(conv.forC).text],
    ["TIR for WASM", printPrimFunc(conv.forWasm).text],
    ["default_lib0.c", text("default_lib0.c")],
    ["default_lib1.c", text("default_lib1.c")],
    ["WAT", done.wasm.wat().text],
    ["owners", ownerTable(done)],
    ["layout", layoutTable(done)],
  ]);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

function passNames(target: "c" | "wasm"): string {
  return lowerPasses(target)
    .map(({ name }) => name)
    .join("\n");
}

function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

function callTable({ primitives }: Compilation, aot: AotPlan, { nodes, entries }: GraphPlan): string {
  const operators = nodes.filter(isOperator);
  const storages = (list: readonly number[]): string =>
    list.map((entry) => at(entries, entry, "entry").storage).join(", ");
  const rows = aot.calls.map((call, i) => {
    const { name } = at(primitives, call.primitive, "primitive");
    const node = at(operators, i, "node");
    const args = call.args.map((arg) => argName(arg, aot));
    const first = nodes.indexOf(node);
    const sides = [args.slice(0, -1).join(", "), args.slice(-1).join(", ")];
    return [i, `\`${name}\``, ...sides, first, storages(node.inputs), storages(node.outputs)];
  });
  const head = ["row", "primitive", "AOT reads", "AOT writes", "graph node", "graph reads", "graph writes"];
  return table(head, rows);
}

function plans(aot: AotPlan, graph: GraphPlan): readonly MemoryPlan[] {
  const events = aotEvents(aot);
  return [
    planOnDemand(events),
    planAssigned("storage-rewrite", events, (tensor) => get(aot.storageOf, tensor, "storage")),
    planAssigned("graph-plan", graphEvents(graph), (entry) => at(graph.entries, entry, "entry").storage),
    planGreedy(events),
    planHillClimb(events),
    planLowerBound(events),
  ];
}

function plannerTable(all: readonly MemoryPlan[]): string {
  const maker = new Map([
    ["on-demand", "`planOnDemand`"],
    ["storage-rewrite", "`rewriteStorage`"],
    ["graph-plan", "`planGraphMemory`"],
    ["greedy", "`planGreedy`"],
    ["hill-climb", "`planHillClimb`"],
    ["lower-bound", "`planLowerBound`"],
  ]);
  return table(
    ["planner", "made by", "bytes"],
    all.map(({ planner, totalBytes }) => [planner, get(maker, planner, "planner"), grouped(totalBytes)]),
  );
}

/** The plans that run, a row a storage, six columns a call. */
function memoryMap(all: readonly MemoryPlan[]): string {
  const wide = 6;
  const drawn = all.filter(({ planner }) => planner === "storage-rewrite" || planner === "graph-plan");
  const calls = Math.max(...drawn.flatMap(({ blocks }) => blocks.map(({ to }) => to))) + 1;
  const label = (text: string): string => text.padEnd(26);
  const head = label("call") + Array.from({ length: calls }, (_, i) => String(i).padEnd(wide)).join("");
  const map = ({ planner, totalBytes, holds, blocks }: MemoryPlan): string[] => [
    `${planner}, ${grouped(totalBytes)} bytes`,
    ...holds.map(({ sid, offset, bytes }) => {
      const cells = blocks
        .filter((block) => block.sid === sid)
        .map(({ tensor, from, to }) => ({ from, text: bracket(String(tensor), (to - from + 1) * wide) }));
      const name = planner === "graph-plan" ? `storage ${sid}` : `sid_${sid}`;
      const line = cells.reduce((soFar, { from, text }) => soFar.padEnd(from * wide) + text, "");
      return label(`  ${name.padEnd(11)}${offset}..${offset + bytes}`) + line;
    }),
  ];
  return [head, ...drawn.flatMap(map)].map((line) => line.trimEnd()).join("\n");
}

function bracket(text: string, width: number): string {
  return `[${text.padEnd(width - 2, "─")}]`;
}

function eventLine(event: ReturnType<typeof aotEvents>[number]): string {
  const bytes = event.kind === "allocate" ? `, ${event.bytes} bytes` : "";
  return `step ${event.step}: ${event.kind} ${event.tensor}${bytes}`;
}

/** Owners of the runner's lines in default_lib1.c. */
function ownerTable(done: Compilation): string {
  const { text, owners } = get(present(cModule(done), "C module").files, "default_lib1.c", "file");
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.includes("int32_t tvmgen_default_run_model("));
  const rows = lines.slice(start, start + 6).flatMap((line, i) => {
    if (i === 0) return [];
    const owner = present(at(owners, start + i, "owner"), "owner");
    const code = line.trim().replace(/\(void\)(tvmgen_default_\w+)\(.*/, "$1(…)");
    return [[`\`${code}\``, owner.primitive, owner.call, owner.storage]];
  });
  return table(["line", "primitive", "call", "storage"], rows);
}

function layoutTable(done: Compilation): string {
  if (done.reached !== "wasm") throw new Error("LeNet made no WebAssembly");
  const { arenaBlocks, graphBlocks, inputs, outputs, workspace } = done.wasm.layout;
  const row = (
    what: string,
    { offset, bytes }: { readonly offset: number; readonly bytes: number },
  ): readonly string[] => [what, grouped(offset), grouped(bytes)];
  const first = at(graphBlocks, 9, "storage");
  return table(
    ["block", "offset", "bytes"],
    [
      ...[...arenaBlocks].map(([sid, block]) => row(`sid_${sid}`, block)),
      row("storage 9 of the graph", first),
      row("input", at(inputs, 0, "input")),
      row("input1", at(inputs, 1, "input")),
      row("output", at(outputs, 0, "output")),
      row("workspace", workspace),
    ],
  );
}

/** Blocks of `page` that quote LeNet: name of the listing and the text. */
function quotes(page: string): readonly (readonly [string, string])[] {
  const marked = /<!-- lenet: ([^>]+?) -->\n(?:```\w*\n([\s\S]*?)\n```|((?:\|.*\n)+))/g;
  return [...page.matchAll(marked)].map(([, name, code, rows]) => [name!, (code ?? rows!).trimEnd()]);
}

/** `page` without its blocks and its quoted tables. */
function prose(page: string): string {
  return page.replace(/```[\s\S]*?\n```/g, "").replace(/<!-- lenet: .* -->\n(?:\|.*\n)+/g, "");
}

/** A quote with lines that are "…" is runs of lines that follow each other; a table or a map is whole. */
function firstMissing(listing: string, quote: string): string | null {
  let rest = `\n${listing}\n`;
  for (const run of quote.split(/\n\s*…\n/)) {
    const start = rest.indexOf(`\n${run}\n`);
    if (start < 0) return run;
    rest = rest.slice(start + run.length + 1);
  }
  return null;
}

const whole = new Set(["TIR passes", "calls", "memory map", "planners", "owners", "layout"]);

describe.each(pages)("docs/architecture/%s", (_, page) => {
  it("quotes what the compiler makes of LeNet", () => {
    expect(quotes(page).length).toBeGreaterThanOrEqual(3);
    expect(quotes(page).length).toBe(page.split("<!-- lenet:").length - 1);
    for (const [name, quote] of quotes(page)) {
      const listing = get(live, name, "listing");
      if (whole.has(name)) expect(quote).toBe(listing);
      else expect(firstMissing(listing, quote)).toBeNull();
    }
  });

  it("names what is there", () => {
    const pictures = [...page.matchAll(/^```\n([\s\S]*?)\n```/gm)].map((match) => match[1]!).join("\n");
    const said = [
      ...[...prose(page).matchAll(/`([\w$]+)`/g)].map((match) => match[1]!),
      ...[...pictures.matchAll(/\b\w*[a-z][A-Z]\w*\b/g)].map(([word]) => word),
    ];
    const known = `${sources}\n${[...live.values()].join("\n")}`;
    expect(said.length).toBeGreaterThan(15);
    expect(said.filter((word) => !new RegExp(`\\b${word}\\b`).test(known))).toEqual([]);
  });

  it("says numbers that the compiler says", () => {
    const known = new Set(
      [...live.values()]
        .join("\n")
        .replaceAll(/(\d),(?=\d{3}\b)/g, "$1")
        .match(/\d+/g),
    );
    const said = [...prose(page).matchAll(/\b(\d{1,3}(?:,\d{3})+|\d+(?= bytes)|(?<=sid_)\d+)\b/g)].map(
      (match) => match[1]!.replaceAll(",", ""),
    );
    // Of limits and tests, not of LeNet.
    const others = new Set(["10000", "16"]);
    expect(said.filter((number) => !known.has(number) && !others.has(number))).toEqual([]);
  });

  it("links to rows and headings that are there", () => {
    const part = present(page.split("## Where it differs from TVM")[1]?.split("\n## ")[0], "section");
    const rows = new Set([...architecture.matchAll(/^\| ([^|]+?) \|/gm)].map((match) => match[1]!));
    const said = [...part.matchAll(/\*([^*]+)\*/g)].map((match) => match[1]!);
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((row) => !rows.has(row))).toEqual([]);
    const links = [...page.matchAll(/\]\(([^)#]+)(?:#([\w-]+))?\)/g)];
    for (const [, file, heading] of links) {
      const text = read(join(folder, file!));
      const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
        match[1]!
          .toLowerCase()
          .replaceAll(/[^\w ]/g, "")
          .replaceAll(" ", "-"),
      );
      if (heading !== undefined) expect(headings).toContain(heading);
    }
  });
});

it("ARCHITECTURE.md links to each page", () => {
  expect(pages.map(([name]) => name)).toEqual(["codegen.md", "executor.md", "memory.md"]);
  for (const [name] of pages) expect(architecture).toContain(`(${folder}/${name})`);
});

it("ARCHITECTURE.md names operators that take known dimensions only", () => {
  const row = present(
    /those without one \(([^)]*)\) take known/.exec(architecture)?.[1],
    "list of operators",
  );
  const names = [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(3);
  const shapeFuncs = names.map((name) => get(ops, name, "operator").shapeFunc);
  expect(shapeFuncs).toEqual(names.map(() => null));
  expect(get(ops, "nn.conv2d", "operator").shapeFunc).not.toBeNull();
});

it("both targets run passes of the same names", () => {
  expect(passNames("wasm")).toBe(passNames("c"));
});
