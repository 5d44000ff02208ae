// Compiles generated C with gcc and runs it: the C leg of the three-way tests, and `run --backend c`. Node
// only.
import { type Compilation, aotPlan, cModule } from "../compiler/compilation.ts";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emitHarness } from "../compiler/codegen/c/harness.ts";
import { entryFile, type CModule } from "../compiler/codegen/c/module.ts";
import { paramSymbol } from "../compiler/codegen/c/params.ts";
import type { AotPlan } from "../compiler/executor/plan.ts";
import { dividedByZero } from "../compiler/ir/arithmetic-fault.ts";
import {
  elementCount,
  tensorBytes,
  tensorData,
  viewArray,
  type TensorData,
} from "../compiler/ir/tensor-data.ts";
import { byteSize } from "../compiler/ir/dtype.ts";
import type { TensorType } from "../compiler/ir/type.ts";
import type { Options } from "../compiler/options.ts";

/** What the generated C must compile under. */
const strictFlags: readonly string[] = ["-std=c99", "-Wall", "-Wextra", "-Werror"];

interface CProgram {
  readonly c: CModule;
  readonly plan: AotPlan;
  readonly options: Options;
}

interface CRun {
  readonly outputs: readonly TensorData[];
  /** Milliseconds of the shortest of `repeats` runs, null without repeats. */
  readonly ms: number | null;
}

/**
 * Builds and runs `program` on `inputs` (one per parameter of main, in order). Throws with gcc's words where
 * it complains.
 */
export function runCProgram(
  program: CProgram,
  inputs: readonly TensorData[],
  settings: { readonly flags?: readonly string[]; readonly repeats?: number } = {},
): CRun {
  const folder = mkdtempSync(join(tmpdir(), "relayscope-c-"));
  try {
    const at = (name: string): string => join(folder, name);
    const files = programFiles(program, folder);
    for (const { name, text } of files) writeFileSync(at(name), text);
    const sources = files.filter((file) => file.compiled).map((file) => at(file.name));
    gcc([...strictFlags, ...(settings.flags ?? ["-O1"]), "-o", at("program"), ...sources, "-lm"]);
    writeFileSync(at("in"), Buffer.concat(inputs.map(tensorBytes)));
    const repeats = settings.repeats ?? 0;
    const printed = execute(at("program"), [at("in"), at("out"), ...(repeats > 0 ? [String(repeats)] : [])]);
    return {
      outputs: readOutputs(new Uint8Array(readFileSync(at("out"))), program.plan),
      ms: repeats > 0 ? Number(printed) / 1e6 : null,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function execute(program: string, args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8" });
  } catch (error) {
    if ((error as { readonly signal?: string }).signal === "SIGFPE") dividedByZero();
    throw error;
  }
}

/** Parameters above this are linked in as bytes: gcc takes a minute over ten million numbers. */
const textParameterBytes = 2 ** 20;

interface ProgramFile {
  readonly name: string;
  readonly text: string;
  /** gcc takes it; others are included. */
  readonly compiled: boolean;
}

function programFiles({ c, plan, options }: CProgram, folder: string): readonly ProgramFile[] {
  const bytes = [...plan.params.values()].reduce((sum, data) => sum + tensorBytes(data).length, 0);
  const asBytes = bytes > textParameterBytes && process.platform === "linux";
  const files = [...c.files].map(([name, listing]): ProgramFile => {
    const role = c.roles.get(name);
    const compiled = role?.kind === "library";
    const entry = compiled && role.number === 0;
    return { name, text: (asBytes && entry ? entryFile(plan, options) : listing).text, compiled };
  });
  files.push({ name: "main.c", text: emitHarness(plan, options).text, compiled: true });
  if (!asBytes) return files;
  const parts = [...plan.params].map(([name, data]) => {
    const path = join(folder, `${name}.bin`);
    writeFileSync(path, tensorBytes(data));
    const symbol = paramSymbol(options.modName, name);
    return `.balign 16\n.globl ${symbol}\n${symbol}:\n.incbin "${path}"\n`;
  });
  const text = `.section .rodata\n${parts.join("")}.section .note.GNU-stack,"",%progbits\n`;
  return [...files, { name: "params.S", text, compiled: true }];
}

/** The same for a whole compilation, inputs by name. */
export function runC(done: Compilation, inputs: ReadonlyMap<string, TensorData>): readonly TensorData[] {
  const plan = aotPlan(done);
  const c = cModule(done);
  if (c === null || plan === null)
    throw new Error("there is no C runner: the AOT executor refused this model");
  const values = plan.inputs.map(({ name }) => {
    const value = inputs.get(name);
    if (value === undefined) throw new Error(`no value for input ${name}`);
    return value;
  });
  return runCProgram({ c, plan, options: done.options }, values, { flags: ["-O2"] }).outputs;
}

function gcc(args: readonly string[]): void {
  try {
    execFileSync("gcc", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr;
    if (/-Wdiv-by-zero|-Werror=div-by-zero/.test(said ?? "")) dividedByZero();
    throw new Error(`gcc refused the generated C:\n${(said ?? String(error)).slice(0, 4000)}`, {
      cause: error,
    });
  }
}

export function readOutputs(bytes: Uint8Array, plan: AotPlan): readonly TensorData[] {
  let offset = 0;
  return plan.outputs.map(({ type }) => {
    const { dtype, shape }: TensorType = type;
    const count = elementCount(shape as readonly number[]);
    const size = count * byteSize(dtype);
    const data = viewArray(dtype, bytes.slice(offset, offset + size).buffer, 0, count);
    offset += size;
    return tensorData(dtype, shape as readonly number[], data);
  });
}
