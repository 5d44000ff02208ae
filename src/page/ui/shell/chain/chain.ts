// The pinned chain, link by link: where one thing is in Relay, primitives, the runner's calls, memory, C,
// WebAssembly and time. Pure: joins of the summary, the memory plan and the last run.
import type { SourceNodeView, Summary } from "../../../../protocol/compile.ts";
import type { MemoryBlockView, PlanView } from "../../../../protocol/views.ts";
import { tensorName } from "../../../../protocol/call-arg.ts";
import { sameListing } from "../../../../protocol/listing-id.ts";
import { outputSids, type Lit } from "../../../store/selection.ts";
import { cutStart, formatBytes, formatCount, formatMicros, formatShare } from "../../kit/labels.ts";
import { address } from "../../panes/memory/model.ts";
import type { ChainNumber } from "../../kit/primitive-style.tsx";

export interface ChainLink {
  readonly number: ChainNumber;
  readonly title: string;
  /** What counts, and the quieter words behind it. */
  readonly value: string;
  readonly rest: string;
  /** Primitive whose swatch stands beside the title, -1 for none. */
  readonly primitive: number;
  /** False: nothing there to go to. */
  readonly there: boolean;
}

interface ChainInput {
  readonly summary: Summary;
  readonly lit: Lit;
  readonly plan: PlanView | null;
  readonly callMicros: Float64Array | null;
}

export function chainLinks(input: ChainInput): readonly ChainLink[] {
  const calls = sorted(input.lit.calls);
  const call = calls[0] ?? -1;
  const primitive = input.summary.calls[call]?.primitive ?? sorted(input.lit.primitives)[0] ?? -1;
  return [
    relayLink(input),
    primitiveLink(input, primitive),
    callLink(input, calls),
    storageLink(input, call),
    codeLink(input, primitive),
    wasmLink(input, primitive),
    timeLink(input, calls),
  ];
}

function sorted(set: ReadonlySet<number>): number[] {
  return [...set].sort((a, b) => a - b);
}

function link(number: ChainNumber, title: string, value: string, rest = "", primitive = -1): ChainLink {
  return { number, title, value, rest, primitive, there: true };
}

function nothing(number: ChainNumber, title: string, why: string): ChainLink {
  return { number, title, value: "–", rest: why, primitive: -1, there: false };
}

function relayLink({ summary, lit }: ChainInput): ChainLink {
  const nodes = sorted(lit.sources)
    .map((id) => summary.sources[id])
    .filter((n) => n !== undefined)
    .filter((n) => n.line > 0);
  // Parameters and constants are read by the thing; they are not it, unless nothing else is pinned.
  const body = nodes.filter((n) => n.op !== "");
  const own = body.length > 0 ? body : nodes;
  if (own.length === 0) return nothing(1, "Relay", "made by the compiler");
  // A node that was pointed at is meant alone, not what it was fused with.
  if (summary.model !== null)
    return fileLink(
      lit.primary.kind === "source" ? nodes.filter((n) => n === summary.sources[lit.primary.id]) : own,
    );
  const first = own.reduce((least, n) => Math.min(least, n.line), Infinity);
  const last = own.reduce((most, n) => Math.max(most, n.endLine), 0);
  const names = own.map((n) => n.name).filter((name) => name !== "");
  const [head = ""] = names;
  const span = names.length <= 1 ? head : `${head} … ${names.at(-1)}`;
  return link(1, "Relay", first === last ? `${first}` : `${first}–${last}`, span);
}

/** Exporters join the names of what they fused by ";", and names are paths: the end says most. */
function shortNode(name: string): string {
  return cutStart(name.replace(/;.*/s, ""), 24);
}

/** What of a file carries values and computes nothing. */
const carriers: ReadonlySet<string> = new Set(["Input", "Initializer", "Constant"]);

/** Nodes of an imported file, and the locals of its Relay that they became: "Conv conv1 → %4". */
function fileLink(nodes: readonly SourceNodeView[]): ChainLink {
  const told = nodes.filter((n) => !carriers.has(n.op));
  const own = told.length > 0 ? told : nodes;
  const words = own.slice(0, 1).map((n) => (n.name === "" ? n.op : `${n.op} ${shortNode(n.name)}`));
  const locals = own.map((n) => n.local).filter((local) => local !== "");
  const became = locals.length === 0 ? "" : `→ ${locals[0]}${locals.length > 1 ? ` … ${locals.at(-1)}` : ""}`;
  return link(
    1,
    "File node",
    own.length > 1 ? `${words[0]} and ${own.length - 1} more` : (words[0] ?? ""),
    became,
  );
}

function primitiveLink({ summary, lit }: ChainInput, primitive: number): ChainLink {
  const view = summary.primitives[primitive];
  if (view === undefined) {
    const given = summary.sources[lit.primary.kind === "source" ? lit.primary.id : -1]?.op === "";
    return nothing(
      2,
      "Primitive",
      lit.calls.size > 0
        ? "a copy to the output"
        : given
          ? "an input or constant, computed by none"
          : "folded away before fusion",
    );
  }
  const others = lit.primitives.size - 1;
  return link(2, "Primitive", view.name, others > 0 ? `and ${others} more` : "", primitive);
}

function callLink({ summary }: ChainInput, calls: readonly number[]): ChainLink {
  if (calls.length === 0) return nothing(3, "AOT call", "never called");
  const told = calls.length <= 3 ? calls.join(", ") : `${calls.slice(0, 2).join(", ")} … ${calls.at(-1)}`;
  return link(3, "AOT call", told, `of 0–${summary.calls.length - 1}`);
}

/** The block that a call writes under a plan. */
function blockOf(plan: PlanView | null, call: number): MemoryBlockView | undefined {
  return plan?.blocks.find((b) => b.from === call);
}

function storageLink({ summary, lit, plan }: ChainInput, call: number): ChainLink {
  const sid = lit.primary.kind === "sid" ? lit.primary.id : -1;
  const hold = plan?.holds.find((h) => h.sid === sid);
  if (hold) return link(4, "Storage", `sid_${sid} @ ${address(hold.offset)}`, formatBytes(hold.bytes));
  const block = blockOf(plan, call);
  if (block) {
    const where =
      block.sid >= 0 ? `sid_${block.sid} @ ${address(block.offset)}` : `@ ${address(block.offset)}`;
    const bytes =
      block.held > block.bytes
        ? `${formatCount(block.bytes)} of ${formatBytes(block.held)}`
        : formatBytes(block.bytes);
    return link(4, "Storage", where, bytes);
  }
  const view = summary.calls[call];
  const output = view?.args.slice(view.inputCount).find((arg) => arg.kind === "output");
  if (output !== undefined) return link(4, "Storage", tensorName(output), "the caller's buffer");
  const sids = view ? outputSids(view) : [];
  return sids.length > 0 ? link(4, "Storage", `sid_${sids[0]}`) : nothing(4, "Storage", "holds no memory");
}

function codeLink({ summary }: ChainInput, primitive: number): ChainLink {
  const view = summary.primitives[primitive];
  const lines = view?.cLines;
  if (view === undefined || lines === undefined || lines[0] <= 0)
    return nothing(5, "C", "no code of its own");
  return link(
    5,
    "C",
    lines[0] === lines[1] ? `${lines[0]}` : `${lines[0]}–${lines[1]}`,
    summary.listings.find((l) => sameListing(l.id, view.cListing))?.title ?? "",
  );
}

function wasmLink({ summary }: ChainInput, primitive: number): ChainLink {
  const view = summary.primitives[primitive];
  if (view === undefined || view.wasmFunction < 0 || view.wasmBytes === 0)
    return nothing(6, "WASM", "no function of its own");
  return link(6, "WASM", `func ${view.wasmFunction}`, formatBytes(view.wasmBytes));
}

function timeLink({ callMicros }: ChainInput, calls: readonly number[]): ChainLink {
  if (callMicros === null || calls.length === 0)
    return nothing(7, "Time", calls.length === 0 ? "nothing to run" : "not run yet");
  const total = callMicros.reduce((sum, t) => sum + t, 0);
  const own = calls.reduce((sum, call) => sum + (callMicros[call] ?? 0), 0);
  return link(7, "Time", formatMicros(own), formatShare(own, total));
}
