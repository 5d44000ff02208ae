import { describe, expect, it } from "vitest";
import { defaultOptions } from "../options.ts";
import { fusedMain } from "../../testing/harness/fused.ts";
import { CompileError } from "../ir/diagnostic.ts";
import { float32, int8 } from "../ir/dtype.ts";
import { idSource } from "../ir/ids.ts";
import { synthetic } from "../ir/origin.ts";
import { tensorData } from "../ir/tensor-data.ts";
import { funcType, tensorType, tupleType, type Type } from "../ir/type.ts";
import { ops } from "../ops/index.ts";
import { call, constant, scalar, tuple } from "../relay/build.ts";
import { makeFunction, makeVar, type Call, type Expr, type Func, type Var } from "../relay/expr.ts";
import { interpret } from "../tir/interp/interp.ts";
import { createTeCompiler } from "./te-compiler.ts";

const origin = synthetic("test");
const cx = {
  ids: idSource(),
  ops,
  options: defaultOptions,
  verify: "passes" as const,
  diagnostics: [],
  remarks: [],
  modName: "default",
  evaluate: null,
};
const vector = tensorType([4], float32);

function variable(name: string, type: Type = vector): Var {
  return makeVar(cx.ids, name, type, { origin });
}

function primitive(params: readonly Var[], body: Expr, attrs: Func["attrs"] = { Primitive: 1 }): Func {
  return makeFunction(cx.ids, params, body, {
    origin,
    type: funcType(
      params.map((param) => param.type!),
      body.type!,
    ),
    resultType: body.type,
    attrs,
  });
}

function refused(func: Func, table = ops): string {
  try {
    createTeCompiler({ ...cx, ops: table }).lower(func);
  } catch (error) {
    if (error instanceof CompileError) {
      expect(error.diagnostic.expected).not.toBeNull();
      expect(error.diagnostic.got).not.toBeNull();
      return error.diagnostic.code;
    }
    throw error;
  }
  return "lowered";
}

describe("names and cache", () => {
  it("lowers equal functions once, counts call sites, numbers clashes", () => {
    const text = `def @main(%x: Tensor[(4), float32], %y: Tensor[(2), float32]) {
  %0 = fn (%p0: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] { exp(%p0) };
  %1 = fn (%p0: Tensor[(2), float32], Primitive=1) -> Tensor[(2), float32] { exp(%p0) };
  %2 = fn (%q: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] { exp(%q) };
  (%2(%0(%x)), %1(%y))
}`;
    const { reading, te } = fusedMain(text);
    for (const { func, call: site } of reading.sites) {
      te.lower(func, site);
      te.lower(func, site);
    }
    expect(te.items().map(({ index, name, symbol, callSites }) => [index, name, symbol, callSites])).toEqual([
      [0, "fused_exp", "tvmgen_default_fused_exp", 2],
      [1, "fused_exp_1", "tvmgen_default_fused_exp_1", 1],
    ]);
    expect(te.currentKey()).toBe(te.items()[1]!.cacheKey);
    te.clear();
    expect([te.items(), te.currentKey()]).toEqual([[], null]);
  });

  it("meets arguments before their consumer", () => {
    const text = `def @main(%x: Tensor[(4), float32]) {
  %0 = fn (%p0: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] { exp(%p0) };
  %1 = fn (%p0: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] { tanh(%p0) };
  %1(%0(%x))
}`;
    const { reading, te } = fusedMain(text);
    expect(reading.sites.map(({ func, call: site }) => te.lower(func, site).name)).toEqual([
      "fused_exp",
      "fused_tanh",
    ]);
  });

  it("keeps the JIT's names apart", () => {
    const te = createTeCompiler(cx);
    const x = variable("x");
    const func = primitive([x], call(cx, "exp", [x], {}, origin));
    expect(te.jit(func).symbol).toBe("fused_exp");
    expect(te.lower(func).symbol).toBe("tvmgen_default_fused_exp");
    expect(te.items().length).toBe(1);
  });

  it("takes the highest pattern as anchor, the last on a tie", () => {
    const x = variable("x");
    const w = variable("w", tensorType([4, 4], float32));
    const dense = call(cx, "nn.dense", [call(cx, "expand_dims", [x], { axis: 0 }, origin), w], {}, origin);
    const lowered = createTeCompiler(cx).lower(primitive([x, w], call(cx, "nn.relu", [dense], {}, origin)));
    expect(lowered.ops.map((op) => op.name)).toEqual(["expand_dims", "nn.dense", "nn.relu"]);
  });
});

describe("PrimFuncs", () => {
  const run = (func: Func, input: Float32Array, outputs: number): Float32Array[] => {
    const { forC } = createTeCompiler(cx).lower(func);
    const outs = Array.from({ length: outputs }, () => new Float32Array(4));
    interpret(forC, [input, ...outs]);
    return outs;
  };
  const x = variable("x");

  it("inlines scalar constants", () => {
    const [out] = run(
      primitive([x], call(cx, "add", [x, scalar(cx, float32, 2.5, origin)], {}, origin)),
      Float32Array.of(1, 2, 3, 4),
      1,
    );
    expect([...out!]).toEqual([3.5, 4.5, 5.5, 6.5]);
  });

  it("leaves out an anchor that nothing reads", () => {
    const a = variable("a", tensorType([2, 2], float32));
    const dense = call(cx, "nn.dense", [a, a], {}, origin);
    const [out] = run(
      primitive([a], call(cx, "zeros_like", [dense], {}, origin)),
      Float32Array.of(1, 2, 3, 4),
      1,
    );
    expect([...out!]).toEqual([0, 0, 0, 0]);
  });

  it("writes an output that is an input, and one given twice", () => {
    const negative = call(cx, "negative", [x], {}, origin);
    const outs = run(
      primitive([x], tuple(cx, [negative, x, negative], origin)),
      Float32Array.of(1, 2, 3, 4),
      3,
    );
    expect(outs.map((out) => [...out])).toEqual([
      [-1, -2, -3, -4],
      [1, 2, 3, 4],
      [-1, -2, -3, -4],
    ]);
  });

  it("flattens tuple parameters", () => {
    const pair = variable("p", tupleType([vector, vector]));
    const func = primitive([pair], call(cx, "concatenate", [pair], {}, origin));
    const lowered = createTeCompiler(cx).lower(func);
    expect(lowered.inputTypes).toEqual([vector, vector]);
    const out = new Float32Array(8);
    interpret(lowered.forC, [Float32Array.of(1, 2, 3, 4), Float32Array.of(5, 6, 7, 8), out]);
    expect([...out]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe("refusals", () => {
  const x = variable("x");
  const exp = call(cx, "exp", [x], {}, origin);
  it("free variable", () => expect(refused(primitive([], exp))).toBe("RS4101"));
  it("nested function", () =>
    expect(refused(primitive([x], { ...exp, callee: primitive([x], exp) } as Call))).toBe("RS4102"));
  it("tensor constant", () => {
    const data = constant(cx, tensorData(float32, [4], new Float32Array(4)), origin);
    expect(refused(primitive([x], call(cx, "add", [x, data], {}, origin)))).toBe("RS4103");
  });
  it("tuple beside other arguments", () => {
    const two: Call = { ...call(cx, "concatenate", [tuple(cx, [x, x], origin)], {}, origin) };
    expect(refused(primitive([x], { ...two, args: [...two.args, x] }))).toBe("RS4104");
  });
  it("two anchors", () => {
    const y = variable("y", tensorType([2, 4], float32));
    const inner = call(cx, "nn.softmax", [y], {}, origin);
    expect(refused(primitive([y], call(cx, "nn.softmax", [inner], {}, origin)))).toBe("RS4106");
  });
  it("operator without compute", () =>
    expect(refused(primitive([x], exp), new Map([["exp", { ...ops.get("exp")!, compute: null }]]))).toBe(
      "RS4107",
    ));
  it("no operator", () => expect(refused(primitive([x], x))).toBe("RS4108"));
  it("external function without its generator", () =>
    expect(refused(primitive([x], exp, { Primitive: 1, Compiler: "dnnl", global_symbol: "dnnl_0" }))).toBe(
      "RS4111",
    ));
  it("other widths of scalars are accepted", () => {
    const y = variable("y", tensorType([4], int8));
    expect(refused(primitive([y], call(cx, "add", [y, scalar(cx, int8, 3, origin)], {}, origin)))).toBe(
      "lowered",
    );
  });
});
