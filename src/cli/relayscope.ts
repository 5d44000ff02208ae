#!/usr/bin/env node
// The command line: the same compiler as the page's, its JSON a contract (node/compile-json.ts).
// Exit 0 ok, 1 the model is at fault, 2 usage, 70 a bug of ours with a repro line.
import { type Compilation, inputName, wasmModule } from "../compiler/compilation.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { lineStarts, positionAt } from "../compiler/ir/span.ts";
import { diagnosticNotes, type Diagnostic } from "../compiler/ir/diagnostic.ts";
import { CompileError } from "../compiler/ir/diagnostic.ts";
import { compile, type CompileHost } from "../compiler/compile.ts";
import type { CompileInput } from "../compiler/frontend/read-source.ts";
import { NoCommand, parseInvocation, usage, type Invocation } from "./args.ts";
import { UsageError } from "../node/usage-error.ts";
import { compileJson, diagnosticJson } from "../node/compile-json.ts";
import { emitFiles, withEmitErrors } from "./emit.ts";
import { filledInputs, nodeHost, verifyingHost, version } from "../node/engine.ts";
import { readNpy } from "../node/npy.ts";
import { benchModel, byParameter, checkInputs, runBackend } from "./run-model.ts";
import { readPb } from "../node/tensor-proto.ts";

/** A plain array: Buffer's slice shares where Uint8Array's copies, and the compiler means the latter. */
function readBytes(path: string): Uint8Array {
  const { buffer, byteOffset, length } = readFileSync(path);
  return new Uint8Array(buffer, byteOffset, length);
}

/** Reads MODEL; external data of an ONNX file is looked for beside it when the file asks for it. */
function readModel(path: string): CompileInput {
  try {
    const name = path === "-" ? "stdin" : basename(path);
    const kind = /\.(onnx|tflite)$/i.exec(path)?.[1]?.toLowerCase() as "onnx" | "tflite" | undefined;
    if (kind === undefined)
      return { kind: "relay", text: readFileSync(path === "-" ? 0 : path, "utf8"), name };
    return { kind, name, bytes: readBytes(path), files: filesBeside(path) };
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The other files of the model's folder, read when asked for by name. */
function filesBeside(path: string): ReadonlyMap<string, Uint8Array> {
  const folder = dirname(path);
  const files = new Map<string, Uint8Array>();
  const get = files.get.bind(files);
  files.get = (name) => {
    const known = get(name);
    if (known !== undefined || name.includes("..") || isAbsolute(name) || !existsSync(join(folder, name)))
      return known;
    const bytes = readBytes(join(folder, name));
    files.set(name, bytes);
    return bytes;
  };
  return files;
}

function readTensors(files: ReadonlyMap<string, string>): ReadonlyMap<string, TensorData> {
  return new Map(
    [...files].map(([name, file]) => {
      if (!/\.(npy|pb)$/.test(file))
        throw new UsageError(`${file}: inputs are .npy or .pb (ONNX TensorProto) files`);
      let bytes: Uint8Array;
      try {
        bytes = readBytes(file);
      } catch (error) {
        throw new UsageError(
          `cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      return [name, file.endsWith(".pb") ? readPb(bytes, file) : readNpy(bytes, file)] as const;
    }),
  );
}

function printDiagnostic(found: Diagnostic, name: string, starts: Uint32Array): string {
  const place =
    found.span === null
      ? name
      : `${name}:${positionAt(starts, found.span.start).line}:${positionAt(starts, found.span.start).column}`;
  const parts = [
    ["expected", found.expected],
    ["got", found.got],
    ["because", found.because],
    ["hint", found.hint],
  ] as const;
  const rest = parts.filter(([, text]) => text !== null).map(([label, text]) => `\n  ${label}: ${text}`);
  return `${place}: ${found.severity} ${found.code}: ${found.message}${rest.join("")}${diagnosticNotes(
    found,
    starts,
  )
    .map((note) => `\n  note: ${note}`)
    .join("")}\n`;
}

function hostFor({ verify }: Invocation): CompileHost {
  return verify ? verifyingHost : nodeHost;
}

function atFault(done: Compilation): boolean {
  return done.stoppedAt !== null || done.diagnostics.some((found) => found.severity === "error");
}

async function execute(invocation: Invocation): Promise<number> {
  const input = readModel(invocation.model);
  const { name } = input;
  const compiled = await compile(
    input,
    invocation.options,
    hostFor(invocation),
    readTensors(invocation.binds),
  );
  const done = withEmitErrors(compiled, invocation.emit);
  const starts = lineStarts(done.text);
  // A run's numbers are read by people even where a program reads the JSON.
  if (!invocation.json || invocation.command !== "compile")
    for (const found of done.diagnostics) process.stderr.write(printDiagnostic(found, name, starts));
  if (invocation.command === "compile") {
    const missing = await emitFiles(done, invocation.emit, invocation.out, writeFileSync);
    for (const kind of missing) process.stderr.write(`relayscope: ${name} has no ${kind}\n`);
    if (invocation.json)
      process.stdout.write(`${JSON.stringify(compileJson(done, version(), invocation.passes))}\n`);
    else if (invocation.emit.length === 0 && !atFault(done)) process.stdout.write(summary(done));
    return atFault(done) || missing.length > 0 ? 1 : 0;
  }
  if (atFault(done)) {
    if (invocation.json)
      process.stdout.write(
        `${JSON.stringify({ diagnostics: compileJson(done, version(), false).diagnostics })}\n`,
      );
    return 1;
  }
  const named = readTensors(invocation.inputs);
  checkInputs(done, named);
  const given = byParameter(done, named);
  const inputs = filledInputs(done, given);
  const filled = [...inputs.keys()]
    .filter((param) => !given.has(param))
    .map((param) => inputName(done, param));
  if (!invocation.fill && filled.length > 0)
    process.stderr.write(
      `${name}: no value was given for ${filled.join(", ")}: filled by the rule of --fill\n`,
    );
  try {
    const result =
      invocation.command === "bench"
        ? benchModel(done, inputs)
        : await runBackend(await forBackend(done, input, inputs, invocation), inputs, invocation.backend);
    const diagnostics = done.diagnostics.map((found) => diagnosticJson(found, starts));
    process.stdout.write(
      invocation.json
        ? `${JSON.stringify({ ...result, ...(diagnostics.length > 0 ? { diagnostics } : {}) })}\n`
        : `${JSON.stringify(result, null, 1)}\n`,
    );
    return 0;
  } catch (error) {
    if (error instanceof RangeError && /alloc|memory|length/i.test(error.message)) {
      process.stderr.write(
        `${name}: error: this machine has not enough memory to run the model (${wasmModule(done)?.layout.totalBytes ?? 0} bytes): ${error.message}\n`,
      );
      return 1;
    }
    // Shapes that are known only now may not fit together.
    if (!(error instanceof CompileError)) throw error;
    process.stderr.write(printDiagnostic(error.diagnostic, name, starts));
    if (invocation.json)
      process.stdout.write(
        `${JSON.stringify({ diagnostics: [diagnosticJson(error.diagnostic, starts)] })}\n`,
      );
    return 1;
  }
}

/** C takes no dynamic extents: the program again, for the shapes of its inputs. */
async function forBackend(
  done: Compilation,
  input: CompileInput,
  inputs: ReadonlyMap<string, TensorData>,
  invocation: Invocation,
): Promise<Compilation> {
  if (invocation.backend !== "c" || done.reached !== "dynamic") return done;
  const shapes = Object.fromEntries(
    [...inputs].map(([param, tensor]) => [inputName(done, param), tensor.shape]),
  );
  return compile(
    input,
    { ...invocation.options, shapes },
    hostFor(invocation),
    readTensors(invocation.binds),
  );
}

function summary(done: Compilation): string {
  const names = done.primitives
    .map((primitive) => `  ${primitive.symbol}  x${primitive.callSites}\n`)
    .join("");
  const shapes = done.teCompiler
    .shapeFuncs()
    .map((shapeFunc) => `  ${shapeFunc.symbol}  x${shapeFunc.callSites}\n`)
    .join("");
  return `${done.source.name}: ${done.primitives.length} primitives in ${done.totalMs.toFixed(1)} ms\n${names}${shapes}`;
}

async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  if (argv.includes("--version")) {
    process.stdout.write(`relayscope ${version()}\n`);
    return 0;
  }
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    return await execute(parseInvocation(argv));
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(
        `relayscope: ${error.message}\n${error instanceof NoCommand ? usage : "relayscope --help lists commands and options.\n"}`,
      );
      return 2;
    }
    const why =
      error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
    process.stderr.write(
      `relayscope: a bug of ours (RS9001). Please report it with the model and this line:\n  relayscope ${argv.map((word) => JSON.stringify(word)).join(" ")}\n${why}\n`,
    );
    return 70;
  }
}

process.exitCode = await main();
