// What importing makes and what it says. Values are compared elsewhere: src/testing/onnx-ops-*.test.ts, npm
// run onnx-suite.
import { describe, expect, it } from "vitest";
import { fillTensor } from "../fill.ts";
import { bool, float32, int64, type DType } from "../../ir/dtype.ts";
import { expandOrigin } from "../../ir/origin.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import { tensorType } from "../../ir/type.ts";
import { calledOp } from "../../relay/expr.ts";
import { postOrder } from "../../relay/visit.ts";
import { printModule } from "../../relay/text/print.ts";
import { ops } from "../../ops/index.ts";
import { defaultOptions } from "../../options.ts";
import { writeOnnx, type FileTensor, type OnnxFile } from "../../../testing/harness/onnx-writer.ts";
import { relayContext } from "../../../testing/harness/relay-text.ts";
import { inferType } from "../../relay/passes/infer-type/infer-type.ts";
import { fromNumbers } from "../values.ts";
import { importOnnx } from "./import.ts";
import { decodeModel } from "./model-proto.ts";
import { neededInputs } from "./needed-inputs.ts";

const f = (...shape: (number | string)[]): FileTensor => ({ dtype: float32, shape });
const of = (dtype: DType, shape: readonly number[], values: readonly number[]): TensorData =>
  fromNumbers(dtype, shape, values);
const weights = (name: string, ...shape: number[]): TensorData =>
  fillTensor(name, tensorType(shape, float32));

function read(
  file: OnnxFile,
  given: {
    readonly shapes?: Readonly<Record<string, readonly number[]>>;
    readonly binds?: ReadonlyMap<string, TensorData>;
    readonly files?: ReadonlyMap<string, Uint8Array>;
  } = {},
) {
  const cx = { ...relayContext(), options: { ...defaultOptions, shapes: given.shapes ?? {} } };
  const imported = importOnnx(
    { name: "test.onnx", bytes: writeOnnx(file), files: given.files ?? new Map() },
    cx,
    given.binds,
  );
  const text =
    imported === null ? "" : printModule(inferType.run(imported.module, cx), { ops, showMeta: false }).text;
  return { imported, text, lines: bodyOf(text), found: cx.diagnostics };
}

/** Lines of main's body, types left out. */
function bodyOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.slice(2, lines.indexOf("}")).map((line) =>
    line
      .trim()
      .replace(/ ?\/\*.*?\*\//g, "")
      .replace(/;$/, ""),
  );
}

describe("importing", () => {
  it("makes a dense layer of a Gemm as TVM does", () => {
    const { lines } = read({
      inputs: { x: f(2, 4) },
      outputs: ["y"],
      initializers: { w: weights("w", 3, 4), b: weights("b", 3) },
      nodes: [
        { op: "Gemm", in: ["x", "w", "b"], out: ["h"], attrs: { transB: 1 } },
        { op: "Relu", in: ["h"], out: ["y"] },
      ],
    });
    expect(lines).toEqual([
      "%0 = nn.dense(%x, meta[relay.Constant][0], units=3)",
      "%1 = add(%0, meta[relay.Constant][1])",
      "nn.relu(%1)",
    ]);
  });

  it("gives every call the origin of its node", () => {
    const { imported } = read({
      inputs: { x: f(1, 2, 5, 5) },
      outputs: ["y"],
      initializers: { w: weights("w", 3, 2, 3, 3), b: weights("b", 3) },
      nodes: [
        { op: "Conv", name: "first", in: ["x", "w", "b"], out: ["h"] },
        { op: "Softmax", name: "second", in: ["h"], out: ["y"], attrs: { axis: 1 } },
      ],
    });
    const names = new Map<string, Set<string>>();
    postOrder(imported!.module.functions.get("main")!, (expr) => {
      const op = calledOp(expr);
      if (op === null) return;
      const from = expandOrigin(expr.origin).map((id) => imported!.nodes[id]!.name);
      names.set(op, new Set([...(names.get(op) ?? []), ...from]));
    });
    expect(Object.fromEntries([...names].map(([op, from]) => [op, [...from]]))).toEqual({
      "nn.conv2d": ["first"],
      "nn.bias_add": ["first"],
      max: ["second"],
      subtract: ["second"],
      exp: ["second"],
      sum: ["second"],
      divide: ["second"],
    });
  });

  it("tells what the file looked like", () => {
    const { imported } = read({
      opset: 15,
      producer: "pen",
      inputs: { "0": f("N", 3) },
      outputs: ["y"],
      nodes: [
        { op: "Abs", in: ["0"], out: ["a"] },
        { op: "Abs", in: ["a"], out: ["y"] },
      ],
    });
    const { facts } = imported!;
    expect([facts.format, facts.producer, facts.inputs, facts.operators]).toEqual([
      "ONNX opset 15",
      "pen",
      [
        {
          name: "0",
          relayName: "input_0",
          type: "float[N, 3]",
          dtype: "float",
          isWhole: false,
          dims: [
            { extent: null, symbol: "N" },
            { extent: 3, symbol: "" },
          ],
        },
      ],
      [["Abs", 2]],
    ]);
  });

  it("works out shapes while importing", () => {
    const { lines } = read({
      inputs: { x: f(2, 3, 4) },
      outputs: ["y"],
      initializers: { zero: of(int64, [], [0]), rest: of(int64, [1], [-1]), axis: of(int64, [1], [0]) },
      nodes: [
        { op: "Shape", in: ["x"], out: ["s"] },
        { op: "Gather", in: ["s", "zero"], out: ["n"] },
        { op: "Unsqueeze", in: ["n", "axis"], out: ["u"] },
        { op: "Concat", in: ["u", "rest"], out: ["t"], attrs: { axis: 0 } },
        { op: "Reshape", in: ["x", "t"], out: ["y"] },
      ],
    });
    expect(lines).toEqual(["reshape(%x, newshape=[2, 12])"]);
  });

  it("keeps one dynamic dimension static in a reshape", () => {
    const { lines, text } = read({
      inputs: { x: f("N", 3, 4) },
      outputs: ["y"],
      initializers: { zero: of(int64, [1], [0]), twelve: of(int64, [1], [12]) },
      nodes: [
        { op: "Shape", in: ["x"], out: ["s"] },
        { op: "Gather", in: ["s", "zero"], out: ["n"] },
        { op: "Concat", in: ["n", "twelve"], out: ["t"], attrs: { axis: 0 } },
        { op: "Reshape", in: ["x", "t"], out: ["y"] },
      ],
    });
    expect(lines).toEqual(["reshape(%x, newshape=[-1, 12])"]);
    expect(text).toContain("%x: Tensor[(?, 3, 4), float32]");
  });

  it("fixes dynamic dimensions by options, and refuses shapes that do not fit", () => {
    const file: OnnxFile = {
      inputs: { x: f("N", 3) },
      outputs: ["y"],
      nodes: [{ op: "Abs", in: ["x"], out: ["y"] }],
    };
    expect(read(file, { shapes: { x: [5, 3] } }).text).toContain("%x: Tensor[(5, 3), float32]");
    expect(
      read(file, { shapes: { x: [5, 4] } }).found.map(({ code, expected, got }) => [code, expected, got]),
    ).toEqual([["RS1804", "(?, 3)", "(5, 4)"]]);
    expect(read(file, { shapes: { z: [1] } }).found.map(({ code, got }) => [code, got])).toEqual([
      ["RS1801", "z"],
    ]);
  });

  it("lists all operators that it does not have, with their places", () => {
    const { found } = read({
      inputs: { x: f(2) },
      outputs: ["y"],
      nodes: [
        { op: "Frobnicate", name: "f1", in: ["x"], out: ["a"] },
        { op: "Abs", in: ["a"], out: ["b"] },
        { op: "Twist", domain: "org.example", in: ["b"], out: ["c"] },
        { op: "Frobnicate", name: "f2", in: ["c"], out: ["y"] },
      ],
    });
    expect(found).toHaveLength(1);
    expect([found[0]!.code, found[0]!.message, found[0]!.notes]).toEqual([
      "RS1824",
      "The model uses 2 operators that this compiler does not import: Frobnicate, org.example.Twist.",
      ['Frobnicate: Frobnicate "f1", Frobnicate "f2"', 'org.example.Twist: Twist that makes "c"'],
    ]);
  });

  it("reports each node that fails once, and nothing that only follows from it", () => {
    const { found } = read({
      inputs: { x: f(2, 3), y: f(4) },
      outputs: ["c", "e"],
      nodes: [
        { op: "Add", name: "first", in: ["x", "y"], out: ["a"] },
        { op: "Abs", name: "follows", in: ["a"], out: ["c"] },
        { op: "Softmax", name: "second", in: ["x"], out: ["e"], attrs: { axis: 7 } },
      ],
    });
    expect(found.map(({ message }) => message)).toEqual([
      'Add "first": add: the shapes of `lhs` and `rhs` cannot be broadcast together',
      'Softmax "second": axis out of range',
    ]);
  });

  it("says which inputs decide a value that it must know", () => {
    const file: OnnxFile = {
      inputs: { x: f(2, 3), k: { dtype: int64, shape: [] } },
      outputs: ["y"],
      nodes: [{ op: "CumSum", in: ["x", "k"], out: ["y"] }],
    };
    const { found } = read(file);
    expect(found.map(({ code, because }) => [code, because])).toEqual([
      ["RS1823", "it depends on the model's input k"],
    ]);
    expect([...neededInputs(decodeModel(writeOnnx(file)))]).toEqual(["k"]);
    expect(read(file, { binds: new Map([["k", of(int64, [], [1])]]) }).lines).toEqual([
      'cumsum(%x, axis=1, dtype="float32")',
    ]);
  });

  it("reads values from a file dropped beside the model", () => {
    const bytes = new Uint8Array(new Float32Array([9, 1, 2, 3]).buffer);
    const file: OnnxFile = {
      inputs: { x: f(3) },
      outputs: ["y"],
      initializers: { w: weights("w", 3) },
      external: { w: { location: "big.bin", offset: 4 } },
      nodes: [{ op: "Add", in: ["x", "w"], out: ["y"] }],
    };
    const { imported } = read(file, { files: new Map([["big.bin", bytes]]) });
    const values: number[][] = [];
    postOrder(imported!.module.functions.get("main")!, (expr) => {
      if (expr.kind === "constant") values.push([...(expr.data.data as Float32Array)]);
    });
    expect(values).toEqual([[1, 2, 3]]);
    expect(read(file).found.map(({ code, expected }) => [code, expected])).toEqual([
      ["RS1822", "the file big.bin"],
    ]);
  });

  it("names parameters so that Relay's text can hold them", () => {
    const { text } = read({
      inputs: { "0": f(2), "a b": f(2), "x.1": f(2) },
      outputs: ["y"],
      nodes: [{ op: "Sum", in: ["0", "a b", "x.1"], out: ["y"] }],
    });
    expect(text).toContain(
      "def @main(%input_0: Tensor[(2), float32], %a_b: Tensor[(2), float32], %x.1: Tensor[(2), float32])",
    );
  });

  it("opens functions that the model brings", () => {
    const { lines, found } = read({
      inputs: { x: f(2) },
      outputs: ["y"],
      domains: { "org.example": 1 },
      functions: [
        {
          name: "Scaled",
          domain: "org.example",
          inputs: ["v", "unused"],
          outputs: ["w"],
          attributes: ["slope"],
          nodes: [{ op: "LeakyRelu", in: ["v"], out: ["w"], attrs: { alpha: { ref: "slope" } } }],
        },
      ],
      nodes: [
        { op: "Scaled", domain: "org.example", in: ["x"], out: ["y"], attrs: { slope: { float: 0.5 } } },
      ],
    });
    expect(found).toEqual([]);
    expect(lines).toEqual(["nn.leaky_relu(%x, alpha=0.5f)"]);
  });

  it("takes the branch of a known condition, and keeps both of another", () => {
    const side = (op: string) => ({ inputs: {}, outputs: ["r"], nodes: [{ op, in: ["x"], out: ["r"] }] });
    const file: OnnxFile = {
      inputs: { c: { dtype: bool, shape: [] }, x: f(2) },
      outputs: ["y"],
      nodes: [
        { op: "If", in: ["c"], out: ["y"], attrs: { then_branch: side("Exp"), else_branch: side("Neg") } },
      ],
    };
    expect(read(file, { binds: new Map([["c", of(bool, [], [0])]]) }).lines).toEqual(["negative(%x)"]);
    expect(read(file).text).toMatch(/if \(%c\) \{\s+exp\(%x\)/);
  });

  it("refuses what would be written out without end, before it is written", () => {
    const lstm: OnnxFile = {
      inputs: { x: f(65_536, 1, 2), w: f(1, 12, 2), r: f(1, 12, 3) },
      outputs: ["y"],
      nodes: [{ op: "LSTM", name: "l", in: ["x", "w", "r"], out: ["y"], attrs: { hidden_size: 3 } }],
    };
    const reshape: OnnxFile = {
      inputs: { x: f(2, 3), s: { dtype: int64, shape: [2 ** 31] } },
      outputs: ["y"],
      nodes: [{ op: "Reshape", name: "r", in: ["x", "s"], out: ["y"] }],
    };
    const range: OnnxFile = {
      inputs: {},
      outputs: ["y"],
      initializers: { a: of(int64, [], [0]), b: of(int64, [], [1e12]), c: of(int64, [], [1]) },
      nodes: [{ op: "Range", name: "g", in: ["a", "b", "c"], out: ["y"] }],
    };
    const said = [lstm, reshape, range].map((file) => read(file).found.map(({ message }) => message));
    expect(said).toEqual([
      ['LSTM "l": too many steps, each of which is written out'],
      ['Reshape "r": dyn.reshape: the result would have 2147483648 axes'],
      ['Range "g": too many elements of a constant that is worked out when importing'],
    ]);
  });

  it("warns of an opset that is newer than it knows", () => {
    const { found, imported } = read({
      opset: 23,
      inputs: { x: f(2) },
      outputs: ["y"],
      nodes: [{ op: "Abs", in: ["x"], out: ["y"] }],
    });
    expect(imported).not.toBeNull();
    expect(found.map(({ code, severity, got }) => [code, severity, got])).toEqual([
      ["RS1826", "warning", "23"],
    ]);
  });

  it("imports a chain of ten thousand nodes", () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => ({
      op: "Relu",
      in: [i === 0 ? "x" : `t${i}`],
      out: [`t${i + 1}`],
    }));
    const { imported } = read({ inputs: { x: f(2) }, outputs: ["t10000"], nodes });
    expect(imported!.nodes).toHaveLength(10_001);
  }, 30_000);
});
