// npm run conformance -- DIR [--verify]: compares what we answer with golden records of the real TVM 0.8, per
// group and aspect, and names every miss. The records and how they compare: DIR/README.md.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  compileText,
  nodeHost,
  verifyingHost,
  version,
  runCompiled,
  type CompiledText,
} from "../node/engine.ts";
import { compileJson, printRelay } from "../node/compile-json.ts";
import { compareOutputs, type GoldenOutput } from "../testing/harness/compare-outputs.ts";
import { compareDynamic, type DynamicRecord } from "../testing/harness/compare-dynamic.ts";
import { departures } from "../testing/harness/departures.ts";
import { comparePasses, compareRelay, type PassStep } from "../testing/harness/relay-compare.ts";
import {
  compareAot,
  compareGraph,
  compareMemory,
  type GoldenLevel,
} from "../testing/harness/compare-plans.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";

interface GoldenRecord {
  readonly name: string;
  readonly group: string;
  readonly input: string;
  readonly bound_params?: readonly string[];
  readonly outputs?: readonly GoldenOutput[] | { readonly error: string };
  readonly departures?: readonly string[];
  /** devices/: DLDeviceType -> TVM's target, and TVM's refusal where there is one. */
  readonly targets?: Readonly<Record<string, string>>;
  readonly error?: string;
  readonly [level: string]: unknown;
}

type Verdict = { readonly ok: true } | { readonly ok: false; readonly why: string };
/** The first that a record has gives the outputs. */
const levels: readonly (readonly [name: string, patch: Partial<Options>])[] = [
  ["o3", { optLevel: 3 }],
  ["o4", { optLevel: 4 }],
  ["o2", { optLevel: 2 }],
  ["o1", { optLevel: 1 }],
  ["o0", { optLevel: 0 }],
];

interface Tally {
  agree: number;
  total: number;
}

const words = process.argv.slice(2).filter((word) => word !== "--verify");
const host = process.argv.includes("--verify") ? verifyingHost : nodeHost;

function compiled({ input, name }: GoldenRecord, options: Options): Promise<CompiledText> {
  return compileText(input, options, name, new Map(), host);
}

const tallies = new Map<string, Map<string, Tally>>();
const misses: string[] = [];
const departed: string[] = [];

function count(record: GoldenRecord, aspect: string, verdict: Verdict): void {
  const group = tallies.get(record.group) ?? new Map<string, Tally>();
  tallies.set(record.group, group);
  const kind = aspect.replace(/^o\d\./, "");
  const tally = group.get(kind) ?? { agree: 0, total: 0 };
  group.set(kind, tally);
  const reason = verdict.ok
    ? undefined
    : (departures[`${record.name}:${kind}`] ?? departures[`${record.group} group:${kind}`]);
  if (reason !== undefined) {
    departed.push(`${record.group}/${record.name} ${aspect}: ${reason}`);
    return;
  }
  tally.total++;
  if (verdict.ok) tally.agree++;
  else misses.push(`${record.group}/${record.name} ${aspect}: ${verdict.why.slice(0, 400)}`);
}

function isError(value: unknown): value is { readonly error: string } {
  return typeof value === "object" && value !== null && "error" in value;
}

function failed(done: CompiledText): string {
  const first = done.diagnostics.find((found) => found.severity === "error");
  return first === undefined
    ? "nothing was made"
    : `${first.code} ${first.message}${first.got === null ? "" : ` (got ${first.got})`}`;
}

/** `want` is the record's aspect: a result or TVM's refusal; `got` is null where we refused. */
function judge(want: unknown, got: unknown, why: string, compare: () => string | null): Verdict {
  if (isError(want))
    return got === null || isError(got)
      ? { ok: true }
      : { ok: false, why: `TVM refuses (${want.error.slice(0, 120)}), we do not` };
  if (got === null || isError(got)) return { ok: false, why: `we refuse: ${why}` };
  const difference = compare();
  return difference === null ? { ok: true } : { ok: false, why: difference };
}

/** TFLite records were compiled from the file; their `input` has six digits of each scale. */
function relayDifference(got: string, want: string, roundedScales: boolean): string | null {
  const found = compareRelay(want, got, { types: true, roundedScales });
  return found === null ? null : `line ${found.line} is "${found.got}", expected "${found.expected}"`;
}

async function compareLevel(
  record: GoldenRecord,
  name: string,
  patch: Partial<Options>,
): Promise<CompiledText | null> {
  const want = record[name] as GoldenLevel | { readonly error: string } | undefined;
  if (want === undefined) return null;
  const options: Options = { ...defaultOptions, ...patch, bindFill: record.bound_params ?? [] };
  const done = await compiled(record, options);
  const why = failed(done);
  if (isError(want)) {
    count(
      record,
      `${name}.fused`,
      judge(want, done.fused, why, () => null),
    );
    return done;
  }
  count(
    record,
    `${name}.fused`,
    judge(want.fused, done.fused, why, () =>
      relayDifference(done.fused!, String(want.fused), record.group === "tflite"),
    ),
  );
  if (want.graph !== undefined)
    count(
      record,
      `${name}.graph`,
      judge(want.graph, done.json.graph, why, () => compareGraph(done.json.graph, want.graph)),
    );
  if (want.aot_unpacked !== undefined) {
    count(
      record,
      `${name}.aot`,
      judge(want.aot_unpacked, done.json.aot, why, () => compareAot(done.json, want.aot_unpacked)),
    );
    if (!isError(want.aot_unpacked))
      count(
        record,
        `${name}.memory`,
        judge(want.aot_unpacked, done.json.memory, why, () =>
          compareMemory(done.json.memory, want.aot_unpacked),
        ),
      );
  }
  return done;
}

/** devices/: the fused text and the graph JSON, device_index included. */
async function compareDevices(record: GoldenRecord): Promise<void> {
  const targets = Object.entries(record.targets ?? {}).map(([device, name]) => ({
    device: Number(device),
    kind: name.includes("opencl") ? ("opencl" as const) : ("c" as const),
  }));
  const done = await compiled(record, { ...defaultOptions, targets });
  const why = failed(done);
  const want =
    record.error === undefined ? record : { fused: { error: record.error }, graph: { error: record.error } };
  count(
    record,
    "fused",
    judge(want["fused"], done.fused, why, () => relayDifference(done.fused!, String(want["fused"]), false)),
  );
  count(
    record,
    "graph",
    judge(want["graph"], done.json.graph, why, () => compareGraph(done.json.graph, want["graph"])),
  );
}

/** dynamic/: shape functions and kernels by name, every run's shapes and values. */
async function compareOpen(record: GoldenRecord): Promise<void> {
  for (const [aspect, difference] of await compareDynamic(record as unknown as DynamicRecord, host))
    count(record, aspect, difference === null ? { ok: true } : { ok: false, why: difference });
}

/** passes/: the module after every pass of relay.optimize, steps paired by name and occurrence. */
async function comparePassList(record: GoldenRecord): Promise<void> {
  const done = await compiled(record, defaultOptions);
  const { passes } = compileJson(done.compilation, version(), true);
  const ours = {
    input: printRelay(done.compilation.trace.steps[0]?.after ?? done.compilation.parsed),
    passes: passes as unknown as readonly PassStep[],
  };
  const golden = record["passes"] as readonly PassStep[];
  const found = comparePasses(golden, ours, { roundedScales: /\bqnn\./.test(record.input) })[0];
  const at = found?.difference ?? null;
  const why =
    found === undefined
      ? ""
      : `${found.kind} at ${found.name} #${found.occurrence}${at === null ? "" : `: line ${at.line} is "${at.got}", expected "${at.expected}"`}`;
  count(record, "steps", found === undefined ? { ok: true } : { ok: false, why });
}

async function compareRecord(record: GoldenRecord): Promise<void> {
  if (record.group === "dynamic") return compareOpen(record);
  if (record.group === "passes") return comparePassList(record);
  if (record.group === "devices") return compareDevices(record);
  let first: CompiledText | null = null;
  for (const [name, patch] of levels) {
    const done = await compareLevel(record, name, patch);
    first ??= done;
  }
  if (record.outputs === undefined || first === null) return;
  const { outputs } = record;
  const ran = first.wasm === null ? null : runCompiled(first);
  count(
    record,
    "outputs",
    judge(outputs, ran, failed(first), () =>
      compareOutputs(ran!, outputs as readonly GoldenOutput[], {
        network: record.group === "net" || record.group === "tflite",
        quantised: /\bqnn\./.test(record.input),
      }),
    ),
  );
}

function jsonFiles(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith(".json"))
        .sort()
        .map((file) => join(folder, file))
    : [];
}

async function main(): Promise<void> {
  const [folder, only] = words;
  if (folder === undefined) {
    process.stderr.write("usage: npm run conformance -- DIR [GROUP or NAME, comma between] [--verify]\n");
    process.exit(2);
  }
  const records = [
    ...jsonFiles(folder),
    ...["devices", "dynamic", "passes", "layout", "more"].flatMap((part) => jsonFiles(join(folder, part))),
  ]
    .map(
      (file) =>
        ({
          group: basename(dirname(file)),
          ...(JSON.parse(readFileSync(file, "utf8")) as object),
        }) as GoldenRecord,
    )
    .filter(
      (record) =>
        only === undefined || only.split(",").includes(record.group) || only.split(",").includes(record.name),
    );
  for (const record of records) {
    try {
      await compareRecord(record);
    } catch (error) {
      count(record, "crash", {
        ok: false,
        why:
          error instanceof Error
            ? `${error.message} ${error.stack?.split("\n").slice(1, 4).join(" ") ?? ""}`
            : String(error),
      });
    }
  }
  for (const line of departed) process.stdout.write(`departure  ${line}\n`);
  for (const miss of misses) process.stdout.write(`miss  ${miss.replaceAll("\n", " ")}\n`);
  for (const [group, aspects] of tallies) {
    const cells = [...aspects].map(
      ([aspect, tally]) =>
        `${aspect} ${tally.agree}/${tally.total}${tally.total > 0 ? ` (${Math.floor((100 * tally.agree) / tally.total)} %)` : ""}`,
    );
    process.stdout.write(`${group.padEnd(10)} ${cells.join("   ")}\n`);
  }
  if (misses.length > 0) process.exitCode = 1;
}

await main();
