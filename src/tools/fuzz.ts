// npm run fuzz -- --minutes N [--seed S] [--kinds a,b] [--jobs J] [--out DIR]: random programs, operators,
// attributes and damaged files against each other and against references (testing/fuzz), in processes of
// their own with a deadline and a limit on memory. Prints what was tried and found, with seeds; what fails is
// reduced and written to DIR as case files. Exit 1 if anything was found.
// --only KIND:N tries one again in this process.
import { fork, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { work, tryAgain, type Report, type WorkOrder } from "../testing/fuzz/worker.ts";
import { seedOf } from "../testing/fuzz/random.ts";
import { trials } from "../testing/fuzz/trials.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    kinds: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    out: { type: "string", default: "fuzz-found" },
    only: { type: "string" },
    worker: { type: "string" },
  },
});

/** CPU seconds that one trial may take, and bytes that a process may hold. */
const hangSeconds = 10;
const mostBytes = 2 ** 31;
/** Wall seconds without a word after which a process is stuck, whatever its clock says. */
const silentSeconds = 180;

interface Found {
  readonly kind: string;
  readonly key: string;
  readonly detail: string;
  readonly name: string;
  count: number;
}

interface Totals {
  readonly tried: Map<string, number>;
  runs: number;
  c: number;
  refused: number;
  readonly found: Map<string, Found>;
}

const seconds = (): number => performance.now() / 1000;

/** CPU seconds and resident bytes of a process, from /proc; null where there is none. */
function usage(pid: number): { readonly cpu: number; readonly bytes: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, bytes: Number(fields[21]) * 4096 };
  } catch {
    return null;
  }
}

interface Slot {
  readonly child: ChildProcess;
  trial: string;
  busy: boolean;
  since: number;
  cpuSince: number;
}

/** What "kind:n" tries. */
function textOf(trial: string): string {
  const [kind = "", n] = trial.split(":");
  return (
    trials[kind]?.text({ seed: seedOf(Number(values.seed), kind, Number(n)), n: Number(n), module: "m" }) ??
    ""
  );
}

function note(totals: Totals, found: Omit<Found, "count">, source: string): void {
  const key = `${found.kind} ${found.key}`;
  const known = totals.found.get(key);
  if (known !== undefined) {
    known.count++;
    return;
  }
  totals.found.set(key, { ...found, count: 1 });
  process.stdout.write(`${found.kind} ${found.name}: ${found.detail.slice(0, 400)}\n`);
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, `${found.name.replace(":", "-")}.relay`), source);
}

function startWorker(totals: Totals, order: WorkOrder, ended: (slot: Slot) => void): Slot {
  const child = fork(fileURLToPath(import.meta.url), ["--worker", JSON.stringify(order)], {
    execArgv: ["--experimental-wasm-relaxed-simd", "--max-old-space-size=2000"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const slot: Slot = { child, trial: "", busy: false, since: seconds(), cpuSince: 0 };
  child.on("message", (report: Report) => {
    slot.since = seconds();
    slot.cpuSince = usage(child.pid ?? 0)?.cpu ?? 0;
    slot.busy = report.kind === "start";
    if (report.kind === "start") slot.trial = report.name;
    else if (report.kind === "found") note(totals, { ...report.problem, name: report.name }, report.source);
    else if (report.kind === "done") {
      totals.tried.set(report.trial, (totals.tried.get(report.trial) ?? 0) + 1);
      totals.runs += report.runs;
      totals.c += report.c;
      totals.refused += report.refused ? 1 : 0;
    }
  });
  child.on("exit", (code) => {
    if (code !== 0 && code !== null)
      note(
        totals,
        { kind: "crash", key: `process ${slot.trial}`, detail: `exit ${code}`, name: slot.trial },
        textOf(slot.trial),
      );
    ended(slot);
  });
  return slot;
}

function watch(totals: Totals, slot: Slot): void {
  const used = usage(slot.child.pid ?? 0);
  const kill = (kind: string, detail: string): void => {
    note(totals, { kind, key: slot.trial, detail, name: slot.trial }, textOf(slot.trial));
    slot.child.kill("SIGKILL");
  };
  const silent = seconds() - slot.since;
  if (slot.busy && used !== null && silent > hangSeconds && used.cpu - slot.cpuSince > hangSeconds)
    kill("hang", `${(used.cpu - slot.cpuSince).toFixed(0)} s`);
  else if (silent > silentSeconds) kill("hang", `silent for ${silent.toFixed(0)} s`);
  else if (used !== null && used.bytes > mostBytes) kill("memory", `${used.bytes} bytes`);
}

function reportText(totals: Totals): string {
  const of = (...kinds: string[]): number =>
    [...totals.found.values()]
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((n, { count }) => n + count, 0);
  const sum = [...totals.tried.values()].reduce((a, b) => a + b, 0);
  return [
    `seed ${values.seed}`,
    `tried ${sum}: ${[...totals.tried].map(([kind, n]) => `${kind} ${n}`).join(", ")} (${totals.refused} refused with a message)`,
    `program runs ${totals.runs + totals.c}, of them C with sanitizers ${totals.c}`,
    `mismatches ${of("mismatch")}, crashes ${of("crash")}, hangs ${of("hang")}, memory ${of("memory")}, sanitizer reports ${of("sanitizer")}, messages ${of("message")}`,
    ...[...totals.found.values()].map(
      ({ kind, key, name, count }) => `  ${count} x ${kind} ${key} (first: ${name})`,
    ),
    "",
  ].join("\n");
}

async function main(): Promise<number> {
  const until = seconds() + Number(values.minutes) * 60;
  const jobs = Math.max(1, Number(values.jobs));
  const kinds = values.kinds?.split(",") ?? Object.keys(trials);
  const totals: Totals = { tried: new Map(), runs: 0, c: 0, refused: 0, found: new Map() };
  let generation = 0;
  await new Promise<void>((resolve) => {
    const slots = new Set<Slot>();
    const start = (): void => {
      const order: WorkOrder = {
        seed: Number(values.seed),
        // Workers do not meet.
        first: generation++ * 1_000_003,
        kinds,
        seconds: until - seconds(),
      };
      slots.add(
        startWorker(totals, order, (slot) => {
          slots.delete(slot);
          if (until - seconds() > 2) start();
          else if (slots.size === 0) {
            clearInterval(timer);
            resolve();
          }
        }),
      );
    };
    const timer = setInterval(() => slots.forEach((slot) => watch(totals, slot)), 500);
    for (let i = 0; i < jobs; i++) start();
  });
  process.stdout.write(reportText(totals));
  return totals.found.size > 0 ? 1 : 0;
}

if (values.worker !== undefined)
  await work(JSON.parse(values.worker) as WorkOrder, (report) => process.send?.(report));
else if (values.only !== undefined) process.stdout.write(await tryAgain(values.only, Number(values.seed)));
else process.exitCode = await main();
