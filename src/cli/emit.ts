// `compile --emit KIND[,KIND] --out PATH`: any stage as a file; the Model Library Format as a tar.
import {
  type Compilation,
  aotPlan,
  cModule,
  graphPlan,
  metadataOf,
  refusal,
} from "../compiler/compilation.ts";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packTar } from "modern-tar";
import { graphJson } from "../compiler/executor/graph-json.ts";
import type { Diagnostic } from "../compiler/ir/diagnostic.ts";
import { staticShape } from "../compiler/ir/type.ts";
import { printPrimFunc } from "../compiler/tir/print.ts";
import { type EmitKind } from "./args.ts";
import { UsageError } from "../node/usage-error.ts";
import { fusedText, printRelay, typedText } from "../node/compile-json.ts";
import { modelLibraryFiles } from "../node/model-library.ts";

type Write = (path: string, content: string | Uint8Array) => void;

/** Kinds that hold the entry point of the AOT executor where that was chosen. */
const withEntry: readonly EmitKind[] = ["c", "header", "mlf", "aot"];

/**
 * Where something was asked for that the chosen AOT executor refused to make, its reason is an error: kernels
 * without their runner are not what was asked for.
 */
export function withEmitErrors(done: Compilation, kinds: readonly EmitKind[]): Compilation {
  const refused = refusal(done, "aot");
  if (done.options.executor !== "aot" || refused === null || !kinds.some((kind) => withEntry.includes(kind)))
    return done;
  const diagnostics = done.diagnostics.map((found): Diagnostic => ({
    ...found,
    severity: found.code === refused.code ? "error" : found.severity,
  }));
  return { ...done, diagnostics };
}

/** Kind -> [file name, content]; null content where that stage was not reached. */
async function contentOf(
  done: Compilation,
  kind: EmitKind,
): Promise<readonly (readonly [string, string | Uint8Array])[] | null> {
  const { steps } = done.trace;
  const aot = aotPlan(done);
  const graph = graphPlan(done);
  const metadata = metadataOf(done);
  if (withEntry.includes(kind) && done.options.executor === "aot" && refusal(done, "aot") !== null)
    return null;
  const fuse = steps.findIndex((step) => step.pass === "FuseOps");
  const [typed, fused] = [typedText(done), fusedText(done)];
  const cFiles = (headers: boolean): readonly (readonly [string, string])[] | null => {
    const c = cModule(done);
    const files = [...(c?.files ?? [])]
      .filter(([name]) => (c?.roles.get(name)?.kind !== "library") === headers)
      .map(([name, listing]) => [name, listing.text] as const);
    return files.length > 0 ? files : null;
  };
  switch (kind) {
    case "typed":
      return typed === null ? null : [["typed.relay", typed]];
    case "optimized":
      return fuse < 0 ? null : [["optimized.relay", printRelay(steps[fuse]!.before)]];
    case "fused":
      return fused === null ? null : [["fused.relay", fused]];
    case "tir": {
      // A primitive with dynamic dimensions has loops only once its shapes are given.
      const known = done.primitives.filter((primitive) =>
        [...primitive.inputTypes, ...primitive.outputTypes].every((type) => staticShape(type) !== null),
      );
      return known.length === 0
        ? null
        : [["primitives.tir", known.map((p) => printPrimFunc(p.forC).text).join("\n")]];
    }
    case "shape": {
      const shapeFuncs = done.teCompiler.shapeFuncs() ?? [];
      return shapeFuncs.length === 0
        ? null
        : [
            [
              "shape-functions.tir",
              shapeFuncs.map((shapeFunc) => printPrimFunc(shapeFunc.forC).text).join("\n"),
            ],
          ];
    }
    case "aot":
      return aot === null ? null : [["aot.tir", printPrimFunc(aot.main).text]];
    case "c":
      return cFiles(false);
    case "header":
      return cFiles(true);
    case "graph-json":
      return graph === null ? null : [["graph.json", `${JSON.stringify(graphJson(graph), null, 2)}\n`]];
    case "wat":
      return done.reached !== "wasm" ? null : [["model.wat", done.wasm.wat().text]];
    case "wasm":
      return done.reached !== "wasm" ? null : [["model.wasm", done.wasm.bytes]];
    case "metadata":
      return metadata === null ? null : [["metadata.json", `${JSON.stringify(metadata, null, 2)}\n`]];
    case "mlf": {
      if (cModule(done) === null) return null;
      return [["model.tar", await tar(modelLibraryFiles(done))]];
    }
  }
}

/** Folders before the files in them, as TVM's archives have them. */
async function tar(files: readonly (readonly [string, Uint8Array])[]): Promise<Uint8Array> {
  const folders = new Set(
    files.flatMap(([path]) =>
      path
        .split("/")
        .slice(0, -1)
        .map((_, i, parts) => parts.slice(0, i + 1).join("/")),
    ),
  );
  const mtime = new Date(0);
  return packTar([
    ...[...folders]
      .sort((a, b) => (a < b ? -1 : 1))
      .map((name) => ({ header: { name: `${name}/`, size: 0, mtime, type: "directory" as const } })),
    ...files.map(([name, body]) => ({ header: { name, size: body.length, mtime }, body })),
  ]);
}

/**
 * Writes what was asked for: to `out` itself for one kind of one file, into the folder `out` for several
 * kinds and for C and its headers, to standard output without --out.
 * Returns the kinds that this compilation did not make. Throws UsageError where `out` cannot be written.
 */
export async function emitFiles(
  done: Compilation,
  kinds: readonly EmitKind[],
  out: string | null,
  write: Write,
): Promise<readonly EmitKind[]> {
  const files: (readonly [string, string | Uint8Array])[] = [];
  const missing: EmitKind[] = [];
  for (const kind of kinds) {
    const found = await contentOf(done, kind);
    if (found === null) missing.push(kind);
    else files.push(...found);
  }
  if (out === null) for (const [, content] of files) process.stdout.write(content);
  else {
    try {
      writeAll(files, out, write, kinds.length > 1 || kinds.includes("c") || kinds.includes("header"));
    } catch (error) {
      throw new UsageError(`cannot write ${out}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return missing;
}

function writeAll(
  files: readonly (readonly [string, string | Uint8Array])[],
  out: string,
  write: Write,
  isFolder: boolean,
): void {
  if (files.length === 0) return;
  if (!isFolder) return write(out, files[0]![1]);
  mkdirSync(out, { recursive: true });
  for (const [name, content] of files) write(join(out, name), content);
}
