// The loop of one fuzzing process: trials by share of time, C in batches, what was found reduced.
import { runBatch, type CJob } from "./c-batch.ts";
import { seedOf } from "./random.ts";
import { trials, type TrialResult } from "./trials.ts";
import type { Problem } from "./ways.ts";

export interface WorkOrder {
  readonly seed: number;
  /** Number of the first trial. */
  readonly first: number;
  readonly kinds: readonly string[];
  readonly seconds: number;
}

export type Report =
  | { readonly kind: "start"; readonly name: string }
  | { readonly kind: "working" }
  | { readonly kind: "found"; readonly name: string; readonly problem: Problem; readonly source: string }
  | {
      readonly kind: "done";
      readonly trial: string;
      readonly runs: number;
      readonly c: number;
      readonly refused: boolean;
    };

/** A program in this many is run as C too, this many a gcc call. */
const oneInC = 3;
const batchSize = 16;
/** Milliseconds for making one problem small. */
const reduceMs = 20_000;

interface Waiting {
  readonly name: string;
  readonly job: CJob;
  readonly result: TrialResult;
}

export async function work(order: WorkOrder, send: (report: Report) => void): Promise<void> {
  const until = performance.now() + order.seconds * 1000;
  const spent = new Map(order.kinds.map((kind) => [kind, 0]));
  const known = new Set<string>();
  let waiting: Waiting[] = [];
  const report = async (name: string, result: TrialResult, problems: readonly Problem[]): Promise<void> => {
    for (const problem of problems) {
      const seen = known.has(problem.key);
      known.add(problem.key);
      send({ kind: "working" });
      send({ kind: "found", name, problem, source: await result.source(problem, seen ? 0 : reduceMs) });
    }
  };
  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    send({ kind: "working" });
    for (const [i, problems] of runBatch(batch.map(({ job }) => job)).entries()) {
      const { name, result } = batch[i]!;
      await report(name, result, problems);
      send({ kind: "done", trial: "c", runs: 0, c: 1, refused: false });
    }
  };
  let programs = 0;
  for (let n = order.first; performance.now() < until; n++) {
    const kind = leastSpent(spent);
    const name = `${kind}:${n}`;
    const start = performance.now();
    send({ kind: "start", name });
    const result = await trials[kind]!.run({
      seed: seedOf(order.seed, kind, n),
      n,
      module: `m${waiting.length}`,
      alive: () => send({ kind: "start", name }),
    });
    await report(name, result, result.problems.slice(0, 1));
    spent.set(kind, spent.get(kind)! + (performance.now() - start));
    send({ kind: "done", trial: kind, runs: result.runs, c: 0, refused: result.refused });
    if (result.c !== null && programs++ % oneInC === 0) waiting.push({ name, job: result.c, result });
    if (waiting.length >= batchSize) await flush();
  }
  if (waiting.length > 0) await flush();
}

/** The kind that has had the least of its share. */
function leastSpent(spent: ReadonlyMap<string, number>): string {
  const rank = (kind: string): number => (spent.get(kind) ?? 0) / (trials[kind]?.share ?? 1);
  return [...spent.keys()].reduce((best, kind) => (rank(kind) < rank(best) ? kind : best));
}

/** What is said of a trial that found nothing: why it was asked for again. */
const slow: Problem = { kind: "hang", key: "", detail: "nothing but time" };

/** Tries "kind:n" again, C included; what was found in words, with the reduced case. */
export async function tryAgain(name: string, seed: number): Promise<string> {
  const [kind, n] = name.split(":") as [string, string];
  const result = await trials[kind]!.run({ seed: seedOf(seed, kind, Number(n)), n: Number(n), module: "m0" });
  const inC = result.c === null ? [] : (runBatch([result.c])[0] ?? []);
  const found = [...result.problems, ...inC];
  if (found.length === 0) return `${result.runs} runs\n${await result.source(slow, 0)}`;
  const parts = await Promise.all(
    found.slice(0, 3).map(async (problem) => `${problem.detail}\n${await result.source(problem, 60_000)}`),
  );
  return `${result.runs} runs, ${found.length} problems\n${parts.join("\n\n")}\n`;
}
