// The command line's words; `--help` lists them. A wrong word is a UsageError (exit 2), never a guess.
import { parseArgs } from "node:util";
import { UsageError } from "../node/usage-error.ts";
import { defaultOptions, type Options, type TargetSpec } from "../compiler/options.ts";

/** Nothing was asked for: the whole usage is the answer. */
export class NoCommand extends UsageError {}

/** What `compile --emit` writes. */
const emitKinds = [
  "typed",
  "optimized",
  "fused",
  "tir",
  "shape",
  "c",
  "header",
  "graph-json",
  "wat",
  "wasm",
  "metadata",
  "mlf",
  "aot",
] as const;

export type EmitKind = (typeof emitKinds)[number];

export interface Invocation {
  readonly command: "compile" | "run" | "bench";
  readonly model: string;
  readonly options: Options;
  readonly json: boolean;
  readonly verify: boolean;
  readonly passes: boolean;
  readonly emit: readonly EmitKind[];
  readonly out: string | null;
  /** name -> file (.npy or .pb). */
  readonly inputs: ReadonlyMap<string, string>;
  readonly binds: ReadonlyMap<string, string>;
  readonly fill: boolean;
  readonly backend: "wasm" | "interp" | "c";
}

export const usage = `usage: relayscope compile|run|bench MODEL [options]
       relayscope --version

MODEL is Relay text (.relay, .txt, or - for standard input), an .onnx or a .tflite file.

  --target c|wasm          code for; several devices: repeat as DLDeviceType=target (1=c, 4=opencl)
  --executor aot|graph     which executor runs the model, and whose metadata is told
  --opt-level 0..4         default 3 (AlterOpLayout disabled unless required)
  --disable-pass NAME      repeat
  --required-pass NAME     repeat
  --config KEY=VALUE       PassContext config: relay.FuseOps.max_depth, relay.fallback_device_type, tir.disable_vectorize
  --unpacked-api 0|1       --interface-api packed|c    --link-params 0|1    --mod-name NAME
  --shape NAME=2x3x4       fixes dynamic dimensions; repeat
  --bind NAME=FILE.npy     binds a parameter of main as a constant; repeat (.pb: ONNX TensorProto)
  --bind-fill NAME[,NAME]  binds parameters by the fill rule
  --tflite-rounding        integers of a TFLite file are scaled as TFLite's kernels do (two roundings; TVM: one)
  --partition NAME[=OP,OP] gives operators to an external code generator (ccompiler) before compiling; repeat
  --json                   one JSON object on standard output
  --verify                 compile and run: checks the IR after every pass; a violation exits 70 and names the pass
compile:
  --emit KIND[,KIND]       ${emitKinds.join(" ")}
  --out PATH               file; a folder for several kinds, and for c and header
  --passes                 with --json: the text after every pass
run:
  --input NAME=FILE.npy    repeat (.pb: ONNX TensorProto)    --fill   the other inputs by the fill rule
  --backend wasm|interp|c  WebAssembly, the TIR interpreter, or C by gcc
bench: --input and --fill as run has them; times WebAssembly
`;

function pair(word: string, flag: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at <= 0) throw new UsageError(`${flag} takes NAME=VALUE, got "${word}"`);
  return [word.slice(0, at), word.slice(at + 1)];
}

function oneOf<T extends string>(value: string, allowed: readonly T[], flag: string): T {
  const found = allowed.find((word) => word === value);
  if (found === undefined) throw new UsageError(`${flag} takes ${allowed.join(" or ")}, got "${value}"`);
  return found;
}

function targets(words: readonly string[]): readonly TargetSpec[] {
  if (words.length === 0) return defaultOptions.targets;
  const found = words.map(target);
  const twice = found.find(({ device }, i) => found.findIndex((other) => other.device === device) < i);
  if (twice !== undefined)
    throw new UsageError(
      `--target gives device ${twice.device} twice; a second device is DLDeviceType=TARGET, as 4=opencl`,
    );
  return found;
}

function target(word: string): TargetSpec {
  if (!word.includes("=")) return { device: 1, kind: oneOf(word, ["c", "wasm"], "--target") };
  const [device, kind] = pair(word, "--target");
  if (!/^[1-9]\d{0,3}$/.test(device))
    throw new UsageError(`--target takes DLDeviceType=TARGET, got "${word}"`);
  return { device: Number(device), kind: oneOf(kind, ["c", "wasm", "opencl"], "--target") };
}

function shape(word: string): readonly number[] {
  if (!/^\d+(?:x\d+)*$/.test(word)) throw new UsageError(`--shape takes NAME=2x3x4, got "${word}"`);
  return word.split("x").map(Number);
}

const flags = {
  target: { type: "string", multiple: true },
  executor: { type: "string" },
  "opt-level": { type: "string" },
  "disable-pass": { type: "string", multiple: true },
  "required-pass": { type: "string", multiple: true },
  config: { type: "string", multiple: true },
  "unpacked-api": { type: "string" },
  "interface-api": { type: "string" },
  "link-params": { type: "string" },
  "mod-name": { type: "string" },
  shape: { type: "string", multiple: true },
  bind: { type: "string", multiple: true },
  "bind-fill": { type: "string", multiple: true },
  partition: { type: "string", multiple: true },
  "tflite-rounding": { type: "boolean" },
  json: { type: "boolean" },
  verify: { type: "boolean" },
  emit: { type: "string", multiple: true },
  out: { type: "string" },
  passes: { type: "boolean" },
  input: { type: "string", multiple: true },
  fill: { type: "boolean" },
  backend: { type: "string" },
} as const;

/** Options that only some commands have. */
const commandsOf: Readonly<Record<string, readonly Invocation["command"][]>> = {
  verify: ["compile", "run"],
  emit: ["compile"],
  out: ["compile"],
  passes: ["compile"],
  input: ["run", "bench"],
  fill: ["run", "bench"],
  backend: ["run"],
};

function read(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: flags });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads the words after the program's name. Throws UsageError. */
export function parseInvocation(argv: readonly string[]): Invocation {
  const { values, positionals } = read(argv);
  const [word, model, ...rest] = positionals;
  if (word === undefined) throw new NoCommand("no command");
  const command = oneOf(word, ["compile", "run", "bench"], "the command");
  if (model === undefined) throw new NoCommand(`${command} needs a MODEL`);
  if (rest.length > 0) throw new UsageError(`unexpected "${rest[0]}"`);
  for (const [flag, commands] of Object.entries(commandsOf)) {
    if (flag in values && !commands.includes(command))
      throw new UsageError(`--${flag} goes with ${commands.join(" or ")}, not with ${command}`);
  }
  if (values.emit !== undefined && values.json === true && values.out === undefined)
    throw new UsageError("--json and --emit both write to standard output: give --out PATH");
  const level = Number(oneOf(values["opt-level"] ?? "3", ["0", "1", "2", "3", "4"], "--opt-level"));
  const required = values["required-pass"] ?? [];
  const options: Options = {
    executor: oneOf(values.executor ?? "aot", ["aot", "graph"], "--executor"),
    targets: targets(values.target ?? []),
    optLevel: level as Options["optLevel"],
    disabledPasses: [
      ...new Set([
        ...(required.includes("AlterOpLayout") ? [] : defaultOptions.disabledPasses),
        ...(values["disable-pass"] ?? []),
      ]),
    ],
    requiredPasses: required,
    config: Object.fromEntries((values.config ?? []).map((entry) => pair(entry, "--config"))),
    unpackedApi: oneOf(values["unpacked-api"] ?? "1", ["0", "1"], "--unpacked-api") === "1",
    interfaceApi: oneOf(values["interface-api"] ?? "c", ["packed", "c"], "--interface-api"),
    linkParams: oneOf(values["link-params"] ?? "1", ["0", "1"], "--link-params") === "1",
    modName: values["mod-name"] ?? "default",
    shapes: Object.fromEntries(
      (values.shape ?? []).map((entry) => pair(entry, "--shape")).map(([name, dims]) => [name, shape(dims)]),
    ),
    bindFill: (values["bind-fill"] ?? []).flatMap((names) => names.split(",")).filter((name) => name !== ""),
    bindValues: {},
    partition: values.partition ?? [],
    tfliteRounding: values["tflite-rounding"] ?? false,
  };
  return {
    command,
    model,
    options,
    json: values.json ?? false,
    verify: values.verify ?? false,
    passes: values.passes ?? false,
    emit: (values.emit ?? [])
      .flatMap((kinds) => kinds.split(","))
      .map((kind) => oneOf(kind, emitKinds, "--emit")),
    out: values.out ?? null,
    inputs: new Map((values.input ?? []).map((entry) => pair(entry, "--input"))),
    binds: new Map((values.bind ?? []).map((entry) => pair(entry, "--bind"))),
    fill: values.fill ?? false,
    backend: oneOf(values.backend ?? "wasm", ["wasm", "interp", "c"], "--backend"),
  };
}
