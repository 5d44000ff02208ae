// Every operator: its declaration equals TVM's facts, every example has a type and computes tensors of that
// type.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import facts from "../../testing/harness/ops-facts.json" with { type: "json" };
import {
  computeCall,
  disagreement,
  parseTypeText,
  runCall,
  typeOfCall,
} from "../../testing/harness/op-runner.ts";
import { completeAttrs, type AttrField } from "../ir/attrs.ts";
import { diagnosticCodes } from "../ir/diagnostic-codes.ts";
import { OpPattern } from "../ir/op.ts";
import { flattenTensorTypes, staticShape } from "../ir/type.ts";
import { constInt } from "../tir/build.ts";
import { ops } from "./index.ts";

interface AttrFact {
  readonly name: string;
  readonly type: string;
  readonly default?: unknown;
}
interface OpFact {
  readonly inputs: readonly string[];
  readonly pattern: string | null;
  readonly attrsKey?: string;
  readonly attrs: readonly AttrFact[];
  readonly reshape_only?: boolean;
  readonly stateful?: boolean;
  readonly non_computational?: boolean;
}

const patterns: Readonly<Record<string, keyof typeof OpPattern>> = {
  elemwise: "elemWise",
  broadcast: "broadcast",
  injective: "injective",
  comm_reduce: "commReduce",
  out_elemwise_fusable: "outEWiseFusable",
  opaque: "opaque",
};

/** TVM's C++ type of an attribute -> the kind that the parser and the metadata reader go by. */
function kindOf(type: string): string {
  if (type === "Array<FloatImm>") return "float-array";
  if (/^Array|^Optional<Array/.test(type)) return "array";
  if (/Integer|IndexExpr/.test(type)) return "shape-dim";
  if (/string|String/.test(type)) return "string";
  return (
    (
      {
        int: "int",
        int32_t: "int",
        double: "float",
        bool: "bool",
        DataType: "dtype",
        "Optional<FloatImm>": "any",
        ObjectRef: "any",
        Expr: "any",
        Bool: "any",
      } as Record<string, string>
    )[type] ?? type
  );
}

const table = new Map<string, OpFact>(Object.entries(facts as unknown as Record<string, OpFact>));

/** Files of this folder that declare one operator: `export const name = defineUnary({` or a sister of it. */
function declarations(): readonly (readonly [string, string])[] {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((file) => {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) return [];
    const text = readFileSync(join(folder, file), "utf8");
    const found = /^export const (\w+) = define\w+\(/m.exec(text);
    return found?.[1] === undefined ? [] : [[file, found[1]] as const];
  });
}

test.each(declarations())("%s is in the list", (file, exported) => {
  const list = readFileSync(new URL("index.ts", import.meta.url), "utf8");
  expect(
    new RegExp(`\\b${exported}\\b`).test(list),
    `${file} declares an operator that nobody sees: import { ${exported} } in ops/index.ts and put it in the list there`,
  ).toBe(true);
});

describe.each([...ops.values()].map((op) => [op.name, op] as const))("%s", (name, op) => {
  // An operator that TVM lacks has no facts, and needs none.
  test.skipIf(!table.has(name))("declares what TVM declares", () => {
    const fact = table.get(name)!;
    // TVM names the scales before the zero points of these four and takes them after.
    const swapped = ["qnn.conv2d", "qnn.conv2d_transpose", "qnn.dense", "qnn.batch_matmul"].includes(name);
    expect(swapped ? [...op.inputs].sort() : op.inputs).toEqual(
      swapped ? [...fact.inputs].sort() : fact.inputs,
    );
    expect(op.pattern).toBe(OpPattern[patterns[fact.pattern ?? "opaque"]!]);
    if (name.startsWith("qnn.")) expect(op.noPattern).toBe(fact.pattern === null);
    expect(op.attrsKey).toBe(fact.attrsKey ?? null);
    expect(Object.keys(completeAttrs(op.attrs, {}))).toEqual(fact.attrs.map((attr) => attr.name));
    expect([op.reshapeOnly, op.stateful, op.nonComputational]).toEqual([
      fact.reshape_only ?? false,
      fact.stateful ?? false,
      fact.non_computational ?? false,
    ]);
    for (const attr of fact.attrs) {
      const field: AttrField<unknown> = op.attrs[attr.name]!;
      expect([attr.name, field.kind, "default" in field, field.default]).toEqual([
        attr.name,
        kindOf(attr.type),
        "default" in attr,
        attr.default,
      ]);
    }
  });

  test("is documented and has examples", () => {
    expect(
      op.doc.length,
      `${name}: give the declaration a \`doc\`, a sentence for the docs pane`,
    ).toBeGreaterThan(10);
    expect(
      op.examples.length,
      `${name}: give the declaration \`examples\`; they run on the interpreter, WASM and C`,
    ).toBeGreaterThan(0);
    const bare = Object.entries(op.attrs).filter(([, field]) => field.doc.length <= 3);
    expect(
      bare.map(([attr]) => attr),
      `${name}: these attributes need a \`doc\``,
    ).toEqual([]);
    const given = op.examples.flatMap((example) => Object.keys(example.attrs ?? {}));
    expect(
      given.filter((attr) => !(attr in op.attrs)),
      `${name}: its examples set attributes that \`attrs\` does not declare`,
    ).toEqual([]);
  });

  test.each(op.examples.map((example) => [example.name, example] as const))("example: %s", (_, example) => {
    const typed = typeOfCall(name, example.args, example.attrs);
    expect(typed.diagnostics).toEqual([]);
    const types = flattenTensorTypes(typed.type!);
    if (op.compute === null) return;
    const known = example.results?.map(parseTypeText).flatMap(flattenTensorTypes) ?? types;
    expect(known.every((type) => staticShape(type) !== null)).toBe(true);
    expect(known.map((type) => [type.dtype, type.shape.length])).toEqual(
      types.map((type) => [type.dtype, type.shape.length]),
    );
    const { outs } = computeCall(name, example);
    expect(outs.map((out) => [out.dtype.name, out.shape.map(constInt)])).toEqual(
      known.map((type) => [type.dtype.name, type.shape]),
    );
    const plain = runCall(name, example, { schedule: "plain" });
    for (const target of ["c", "wasm"] as const) {
      expect(
        runCall(name, example, { target }).outs.map((out, i) => disagreement(out, plain.outs[i]!)),
      ).toEqual(plain.outs.map(() => null));
    }
  });

  test("waits for argument types that are not known yet, and refuses what is no tensor", () => {
    if (op.inputs.length === 0) return;
    const holes = op.inputs.map(() => "?");
    expect(typeOfCall(name, holes, op.examples[0]!.attrs)).toMatchObject({ type: null, diagnostics: [] });
    if (name === "on_device" || name.startsWith("annotation.")) return;
    const wrong = typeOfCall(
      name,
      op.inputs.map(() => (op.tupleInput ? "float32" : "(float32, float32)")),
      op.examples[0]!.attrs,
    );
    expect(wrong.type).toBeNull();
    expect(wrong.diagnostics[0]).toMatchObject({ code: "RS2101", severity: "error" });
    expect(wrong.diagnostics[0]!.message.startsWith(`${name}: `)).toBe(true);
    expect(wrong.diagnostics.every((found) => found.code in diagnosticCodes)).toBe(true);
  });
});
