// What the memory map shows, as numbers: who is alive at a call, what is held and not used, ticks of the
// address axis. Pure.
import { at } from "../../../../support/assert.ts";
import type { CallView, Summary } from "../../../../protocol/compile.ts";
import type { MemoryBlockView, MemoryView, PlanView } from "../../../../protocol/views.ts";
import { inputSids } from "../../../store/selection.ts";
import { shortOp } from "../../kit/labels.ts";

/** The plan asked for, else the first that is there; null where no executor gave any. */
export function planOf(memory: MemoryView, planner: PlanView["planner"]): PlanView | null {
  return (
    memory.plans.find((p) => p.planner === planner) ??
    memory.plans.find((p) => p.planner !== "lower-bound") ??
    null
  );
}

export interface StepFigures {
  readonly alive: readonly MemoryBlockView[];
  readonly live: number;
  /**
   * Bytes that a storage holds and its tensor does not use; 0 for arenas, which hold nothing beyond their
   * tensors.
   */
  readonly slack: number;
  readonly notHeld: number;
  readonly total: number;
  readonly freed: readonly MemoryBlockView[];
}

export function figuresAt(plan: PlanView, step: number): StepFigures {
  const alive = plan.blocks
    .filter((b) => b.from <= step && step <= b.to)
    .sort((a, b) => a.from - b.from || a.offset - b.offset);
  const live = alive.reduce((sum, b) => sum + b.bytes, 0);
  const held =
    plan.holds.length === 0
      ? live
      : plan.holds.reduce((sum, h) => sum + (h.from <= step && step <= h.to ? h.bytes : 0), 0);
  return {
    alive,
    live,
    slack: Math.max(0, held - live),
    notHeld: Math.max(0, plan.totalBytes - held),
    total: plan.totalBytes,
    freed: alive.filter((b) => b.to === step),
  };
}

/** Slack of every step, by running sums. */
export function slackByStep(plan: PlanView, steps: number): Float64Array {
  const change = new Float64Array(steps + 1);
  const add = (step: number, bytes: number): void => {
    if (step <= steps) change[step] = at(change, step, "step") + bytes;
  };
  for (const { from, to, bytes } of plan.holds) {
    add(from, bytes);
    add(to + 1, -bytes);
  }
  for (const { from, to, bytes } of plan.blocks) {
    add(from, -bytes);
    add(to + 1, bytes);
  }
  const slack = new Float64Array(steps);
  let sum = 0;
  for (let s = 0; s < steps; s++) {
    sum += at(change, s, "step");
    slack[s] = plan.holds.length === 0 ? 0 : Math.max(0, sum);
  }
  return slack;
}

/**
 * Addresses for the axis: multiples of a power of two, at least `leastPx` apart, none that would touch the
 * total.
 */
export function addressTicks(total: number, px: number, leastPx = 22): number[] {
  if (total <= 0 || px <= 0) return [0];
  let step = 1;
  while ((step / total) * px < leastPx) step *= 2;
  const ticks: number[] = [];
  for (let offset = 0; offset < total; offset += step) {
    if (offset === 0 || ((total - offset) / total) * px >= 13) ticks.push(offset);
  }
  return ticks;
}

export function address(bytes: number): string {
  return `0x${bytes.toString(16).padStart(4, "0")}`;
}

/** 640 B, 23.6 kB, 4.2 MB. */
export function shortBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** "sid_16 @ 0x0000 4=opencl"; arenas have no sids, `device` is "" where there is one. */
export function placeOf(block: MemoryBlockView, device: string): string {
  return `${block.sid >= 0 ? `sid_${block.sid} ` : ""}@ ${address(block.offset)}${device === "" ? "" : ` ${device}`}`;
}

/**
 * Bytes that a plan takes on each device, by DLDeviceType: of its storages, or from the first to the last
 * byte of an arena.
 */
export function bytesByDevice(plan: PlanView): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>();
  const deviceOf = new Map(plan.blocks.map((b) => [b.sid, b.device]));
  for (const h of plan.holds) {
    const device = deviceOf.get(h.sid);
    if (device !== undefined) bytes.set(device, (bytes.get(device) ?? 0) + h.bytes);
  }
  if (plan.holds.length > 0) return bytes;
  for (const device of new Set(plan.blocks.map((b) => b.device))) {
    const own = plan.blocks.filter((b) => b.device === device);
    const first = own.reduce((least, b) => Math.min(least, b.offset), Infinity);
    bytes.set(device, own.reduce((most, b) => Math.max(most, b.offset + b.bytes), 0) - first);
  }
  return bytes;
}

const passOf: Partial<Readonly<Record<PlanView["planner"], string>>> = {
  "storage-rewrite": "StorageRewrite",
  "graph-plan": "GraphPlanMemory",
};

/** Why a tensor lies where it does: what the planner's pass remarked on the nodes that it comes from. */
export function blockRemarks(
  { remarks }: Pick<Summary, "remarks">,
  plan: PlanView,
  block: MemoryBlockView,
): readonly string[] {
  const pass = passOf[plan.planner];
  if (pass === undefined || block.sources.length === 0) return [];
  const own = new Set(block.sources);
  const shared = remarks
    .filter((remark) => remark.pass === pass)
    .map((remark) => ({ text: remark.text, count: remark.sources.filter((id) => own.has(id)).length }));
  const most = shared.reduce((max, { count }) => Math.max(max, count), 0);
  return most === 0 ? [] : [...new Set(shared.filter(({ count }) => count === most).map(({ text }) => text))];
}

export function writerLabel(primitive: number): string {
  return primitive >= 0 ? `p${primitive}` : "copy";
}

/** "conv2d…relu", "dense add", "softmax": the operators of a call in about a dozen characters. */
export function callName(summary: Summary, step: number): string {
  const call = summary.calls[step];
  if (call === undefined) return "";
  const ops = summary.primitives[call.primitive]?.ops ?? [];
  if (ops.length === 0) return call.symbol === "memcpy" ? "copy" : call.symbol;
  const names = ops.map((op) => shortOp(op.name));
  return names.length <= 2 ? names.join(" ") : `${names[0]}…${names.at(-1)}`;
}

/** "reads p1, writes p2"; inputs of the model by their names. */
export function callSentence(summary: Summary, memory: MemoryView, step: number): string {
  const call = summary.calls[step];
  if (call === undefined) return "";
  const parts: string[] = [];
  const read = [...inputsRead(summary, call), ...writersRead(memory, call, step)];
  if (read.length > 0) parts.push(`reads ${read.join(", ")}`);
  parts.push(
    call.primitive >= 0
      ? `writes p${call.primitive}`
      : call.symbol === "memcpy"
        ? "copies to the output"
        : "chooses what runs",
  );
  return parts.join(", ");
}

function inputsRead(summary: Summary, call: CallView): string[] {
  const [first] = call.args;
  const name = first?.kind === "input" ? summary.inputs[first.index]?.name : undefined;
  return name === undefined ? [] : [name];
}

function writersRead(memory: MemoryView, call: CallView, step: number): string[] {
  const plan =
    memory.plans.find((p) => p.planner === "storage-rewrite") ??
    memory.plans.find((p) => p.planner === "graph-plan");
  if (plan === undefined) return [];
  const written = inputSids(call).map((sid) =>
    plan.blocks.find((b) => b.sid === sid && b.from < step && b.to >= step),
  );
  return [...new Set(written.filter((b) => b !== undefined).map((b) => writerLabel(b.primitive)))];
}

/** Which steps the map shows, as a half-open range that may start and end inside a step. */
export interface StepRange {
  readonly from: number;
  readonly to: number;
}

export function zoomRange(range: StepRange, steps: number, factor: number, fixed: number): StepRange {
  const least = Math.min(steps, 4);
  const width = Math.min(steps, Math.max(least, (range.to - range.from) / factor));
  const from = fixed - ((fixed - range.from) * width) / Math.max(1e-9, range.to - range.from);
  return moveRange({ from, to: from + width }, steps, 0);
}

export function moveRange(range: StepRange, steps: number, by: number): StepRange {
  const width = range.to - range.from;
  const from = Math.min(steps - width, Math.max(0, range.from + by));
  return { from, to: from + width };
}

/** The same range if `step` shows, else moved so that it does. */
export function rangeWith(range: StepRange, steps: number, step: number): StepRange {
  if (step < range.from) return moveRange(range, steps, step - range.from);
  if (step + 1 > range.to) return moveRange(range, steps, step + 1 - range.to);
  return range;
}

/** Largest live bytes of the steps under each of `columns` equal parts of the range: the map as one area. */
export function liveArea(live: Uint32Array, range: StepRange, columns: number): Float64Array {
  const area = new Float64Array(columns);
  const width = (range.to - range.from) / columns;
  for (let c = 0; c < columns; c++) {
    const first = Math.floor(range.from + c * width);
    const last = Math.max(first, Math.ceil(range.from + (c + 1) * width) - 1);
    area[c] = live.subarray(first, last + 1).reduce((most, bytes) => Math.max(most, bytes), 0);
  }
  return area;
}
