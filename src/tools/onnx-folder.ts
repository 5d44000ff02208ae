// npm run onnx-folder -- DIR [--only TEXT]: every .onnx file below DIR in ours and in onnxruntime-web, on the
// same seeded inputs (or those of a test_data_set_0 beside the file), on WebAssembly both. Prints how many of
// those that ONNX Runtime runs agree, and names the rest with the reason. DIR holds any collection of ONNX
// files, such as the tests of burn-onnx, tract and onnx2c.
// A dimension that the file leaves open gets the first of a few extents with which ONNX Runtime runs the
// model; ours gets the shapes as --shape gives them, and values that the program depends on as --bind.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { at } from "../support/assert.ts";
import { decodeModel, type GraphProto, type ValueInfoProto } from "../compiler/frontend/onnx/model-proto.ts";
import { neededInputs } from "../compiler/frontend/onnx/needed-inputs.ts";
import { initializedNames } from "../compiler/frontend/onnx/sparse.ts";
import { elementType, elementWord } from "../compiler/frontend/onnx/tensor.ts";
import { fromNumbers } from "../compiler/frontend/values.ts";
import { isFloat } from "../compiler/ir/dtype.ts";
import { elementCount, type TensorData } from "../compiler/ir/tensor-data.ts";
import { fnv1aText } from "../support/hash.ts";
import { firstDifference, runOurBytes, runOnnxRuntimeBytes } from "../testing/harness/onnx-runtime.ts";
import { readPb } from "../node/tensor-proto.ts";

/** Of the files that ONNX Runtime runs, this share must agree: fewer is exit code 1. */
const leastShare = 0.98;
/** ONNX Runtime's own sums differ from ours in their order. */
const relativeError = 1e-3;

/** Operators whose results are drawn at random: no two programs agree. */
const random: ReadonlySet<string> = new Set([
  "RandomNormal",
  "RandomNormalLike",
  "RandomUniform",
  "RandomUniformLike",
  "Bernoulli",
  "Multinomial",
]);

type Status = "agrees" | "differs" | "refused" | "crashed" | "random" | "not run by ONNX Runtime";

interface Result {
  readonly name: string;
  readonly status: Status;
  readonly why: string;
}

/** How open dimensions and whole numbers are filled. */
interface Filling {
  readonly extent: number;
  /** Whole numbers lie below it. */
  readonly below: number;
}

const fillings: readonly Filling[] = [2, 3, 1, 4, 8, 16, 32, 64, 224].flatMap((extent) =>
  [2, 1].map((below) => ({ extent, below })),
);

/** Larger inputs than this are not tried. */
const mostElements = 2 ** 22;

function filled(info: ValueInfoProto, { extent, below }: Filling): TensorData {
  const proto = info.type?.tensor_type ?? null;
  const dtype = proto === null ? null : elementType(proto.elem_type);
  if (proto === null) throw new Error(`its input ${info.name} is no tensor`);
  if (dtype === null) throw new Error(`its input ${info.name} holds ${elementWord(proto.elem_type)}`);
  const shape = (proto.shape?.dim ?? []).map(({ dim_param, dim_value }) =>
    dim_param !== "" || dim_value <= 0 ? extent : dim_value,
  );
  if (elementCount(shape) > mostElements) throw new Error(`its input ${info.name} has too large a shape`);
  let state = fnv1aText(info.name);
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return fromNumbers(
    dtype,
    shape,
    Array.from({ length: elementCount(shape) }, () =>
      isFloat(dtype) ? 2 * next() - 1 : Math.floor(next() * below),
    ),
  );
}

/** Values of a data set beside the file; null where there is none. */
function stored(file: string, infos: readonly ValueInfoProto[]): readonly TensorData[] | null {
  const paths = infos.map((_, i) => join(dirname(file), "test_data_set_0", `input_${i}.pb`));
  if (infos.length === 0 || !paths.every((path) => existsSync(path))) return null;
  return paths.map((path) => readPb(fileBytes(path), path));
}

const fileBytes = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

/** Inputs with which ONNX Runtime runs the file, and what it gives; else why it does not. */
async function runReference(
  file: string,
  bytes: Uint8Array,
  infos: readonly ValueInfoProto[],
): Promise<
  { readonly inputs: ReadonlyMap<string, TensorData>; readonly want: readonly TensorData[] } | string
> {
  let why = "";
  const own = stored(file, infos);
  for (const filling of own === null ? fillings : [at(fillings, 0, "filling")]) {
    try {
      const inputs = new Map(
        infos.map((info, i) => [info.name, own === null ? filled(info, filling) : at(own, i, "value")]),
      );
      return { inputs, want: await runOnnxRuntimeBytes(bytes, inputs) };
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
      if (!/dim|shape|size|index|indices|range|rank|Expand|Reshape/i.test(why)) break;
    }
  }
  return why;
}

function drawsAtRandom(graph: GraphProto): boolean {
  return graph.node.some(
    ({ op_type, attribute }) =>
      random.has(op_type) || attribute.some(({ g }) => g !== null && drawsAtRandom(g)),
  );
}

async function compareFile(folder: string, file: string): Promise<Result> {
  const name = relative(folder, file);
  const bytes = fileBytes(file);
  const model = decodeModel(bytes);
  const { graph } = model;
  if (graph === null) return { name, status: "not run by ONNX Runtime", why: "it holds no graph" };
  const initialized = initializedNames(graph);
  const infos = graph.input.filter((info) => !initialized.has(info.name));
  const reference = await runReference(file, bytes, infos);
  if (typeof reference === "string") return { name, status: "not run by ONNX Runtime", why: reference };
  if (drawsAtRandom(graph)) return { name, status: "random", why: "its results are drawn at random" };
  const { inputs, want } = reference;
  const bound = neededInputs(model);
  const free = [...inputs].filter(([input]) => !bound.has(input));
  const shapes = Object.fromEntries(free.map(([input, { shape }]) => [input, shape]));
  try {
    const got = await runOurBytes(bytes, inputs, { bound: [...bound], shapes });
    const why = firstDifference(got, want, relativeError);
    return why === null ? { name, status: "agrees", why: "" } : { name, status: "differs", why };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const refused = /^RS\d{4} /.test(why) && !why.startsWith("RS9");
    return { name, status: refused ? "refused" : "crashed", why };
  }
}

/** All .onnx files below `folder`, sorted. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : path.endsWith(".onnx") ? [path] : [];
    });
}

function report(results: readonly Result[]): number {
  const of = (status: Status): readonly Result[] => results.filter((result) => result.status === status);
  for (const status of ["not run by ONNX Runtime", "random", "crashed", "differs", "refused"] as const)
    for (const { name, why } of of(status))
      process.stdout.write(`${status}  ${name}: ${why.replaceAll(/\s+/g, " ").slice(0, 240)}\n`);
  const agree = of("agrees").length;
  const run = results.length - of("not run by ONNX Runtime").length - of("random").length;
  const share = run === 0 ? 1 : agree / run;
  process.stdout.write(
    `${results.length} files, of which ONNX Runtime runs ${run} (and ${of("random").length} that draw at random): ` +
      `${agree} agree, ${(100 * share).toFixed(1)} %\n`,
  );
  return share >= leastShare && of("crashed").length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { only: { type: "string", default: "" } },
    allowPositionals: true,
  });
  const [folder] = positionals;
  if (folder === undefined || !existsSync(folder)) {
    process.stderr.write("give the folder of the .onnx files: npm run onnx-folder -- DIR\n");
    return 2;
  }
  const results: Result[] = [];
  for (const file of filesBelow(folder).filter((path) => path.includes(values.only)))
    results.push(await compareFile(folder, file));
  return report(results);
}

process.exitCode = await main();
