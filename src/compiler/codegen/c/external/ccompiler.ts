// relay.ext.ccompiler: the C file of an external function, one small function an operator call, results in
// buffers of the heap.
// TVM: src/relay/backend/contrib/codegen_c/codegen.cc
// Known differences: operands may broadcast and have any rank; integers wrap; constants are linked arrays,
// not runtime objects; the entry follows the module's calling convention; a buffer that cannot be had is an
// error code.
import { invariant } from "../../../../support/assert.ts";
import { freshName } from "../../../../support/name-supply.ts";
import { TextWriter, type Listing } from "../../../../support/text-writer.ts";
import type { LoweredPrimitive } from "../../../executor/plan.ts";
import { byteSize, type DType } from "../../../ir/dtype.ts";
import { ownedBy, type LineOwner } from "../../../ir/origin.ts";
import { elementCount } from "../../../ir/tensor-data.ts";
import { flattenTensorTypes, type TensorType } from "../../../ir/type.ts";
import type { ExternalFunction } from "../../../lower/external/external-function.ts";
import type { Call, Expr, Var } from "../../../relay/expr.ts";
import { ccompilerOperators } from "../../../relay/external/ccompiler-target.ts";
import { typeOf } from "../../../relay/op.ts";
import { postOrder } from "../../../relay/visit.ts";
import { ignorePacked } from "../kernel.ts";
import { cNames, nameOf, type Names } from "../names.ts";
import { lazyListing, paramDeclaration, paramSymbol, writeParam } from "../params.ts";
import { runtimeHeaderName } from "../runtime-header.ts";
import { storageType } from "../types.ts";
import type { ExternalSource, ExternalSourceInput } from "./external-source.ts";
import { externalPrototype } from "./prototype.ts";

/** A tensor in the generated function: a parameter, a constant or a buffer. */
interface Value {
  readonly text: string;
  readonly type: TensorType;
}

interface Writer {
  readonly symbol: string;
  readonly modName: string;
  readonly names: Names;
  /** Definitions of the operators' functions, then the statements that call them. */
  readonly definitions: TextWriter<LineOwner>;
  readonly statements: TextWriter<LineOwner>;
  readonly buffers: Value[];
  /** Operands of the statements. */
  readonly used: Set<Value>;
  readonly values: Map<Expr, readonly Value[]>;
  readonly lets: Map<Expr, Expr>;
}

export function ccompilerSource({
  primitive,
  external,
  modName,
  unpacked,
}: ExternalSourceInput): ExternalSource {
  const writer: Writer = {
    symbol: primitive.symbol,
    modName,
    names: cNames(),
    definitions: new TextWriter(),
    statements: new TextWriter(),
    buffers: [],
    used: new Set(),
    values: new Map(),
    lets: new Map(),
  };
  const params = parametersOf(writer, external.func.params);
  const results = translate(writer, external, primitive.index);
  const out = new TextWriter<LineOwner>();
  out.withOwner(ownedBy({ origin: primitive.origin, primitive: primitive.index }), () => {
    writeHead(out, external, modName, primitive.symbol);
    append(out, writer.definitions.finish());
    writeBody(out, writer, params, results);
    writeEntry(out, primitive, params, results, unpacked);
  });
  const code = out.finish();
  const listing = lazyListing(() => withConstants(code, external, modName));
  return {
    listing,
    lines: [1, code.owners.length],
    heapBytes: writer.buffers.reduce((sum, { type }) => sum + bytesOf(type), 0),
  };
}

function append(out: TextWriter<LineOwner>, { text, owners }: Listing<LineOwner>): void {
  text
    .split("\n")
    .slice(0, owners.length)
    .forEach((line, i) => out.line(line, owners[i] ?? null));
}

function withConstants(
  code: Listing<LineOwner>,
  external: ExternalFunction,
  modName: string,
): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  for (const { name, data } of external.constants) {
    out.line("");
    writeParam(out, modName, name, data);
  }
  const { text, owners } = out.finish();
  return { text: code.text + text, owners: [...code.owners, ...owners] };
}

function parametersOf(writer: Writer, params: readonly Var[]): readonly Value[] {
  return params.flatMap((param) => {
    const values = flattenTensorTypes(typeOf(param)).map((type, i, all): Value => ({
      text: nameOf(writer.names, all.length === 1 ? param : { name: `${param.name}_${i}` }),
      type,
    }));
    writer.values.set(param, values);
    return values;
  });
}

/** Walks the body, arguments first; returns the function's results. */
function translate(writer: Writer, external: ExternalFunction, primitive: number): readonly Value[] {
  let constant = 0;
  postOrder(
    external.func.body,
    (expr) => {
      if (expr.kind === "constant") {
        writer.values.set(expr, [
          {
            text: paramSymbol(writer.modName, external.constants[constant++]!.name),
            type: flattenTensorTypes(typeOf(expr))[0]!,
          },
        ]);
      } else if (expr.kind === "call") {
        writer.values.set(expr, [translateCall(writer, expr, ownedBy({ origin: expr.origin, primitive }))]);
      } else if (expr.kind === "tuple")
        writer.values.set(
          expr,
          expr.fields.flatMap((field) => valuesOf(writer, field)),
        );
      else if (expr.kind === "tuple-get-item")
        writer.values.set(expr, projected(writer, expr.tuple, expr.index));
      else if (expr.kind === "let") writer.values.set(expr, valuesOf(writer, expr.body));
    },
    (expr) => {
      if (expr.kind === "let") writer.lets.set(expr.variable, expr.value);
      return true;
    },
  );
  return valuesOf(writer, external.func.body);
}

function valuesOf(writer: Writer, expr: Expr): readonly Value[] {
  const found = writer.values.get(writer.lets.get(expr) ?? expr);
  invariant(found !== undefined, `no C value for a ${expr.kind} in ${writer.symbol}`);
  return found;
}

function projected(writer: Writer, tuple: Expr, index: number): readonly Value[] {
  const type = typeOf(tuple);
  invariant(type.kind === "tuple-type", "projection of what is not a tuple");
  const before = type.fields.slice(0, index).reduce((n, field) => n + flattenTensorTypes(field).length, 0);
  return valuesOf(writer, tuple).slice(before, before + flattenTensorTypes(type.fields[index]!).length);
}

function translateCall(writer: Writer, call: Call, owner: LineOwner): Value {
  const [a, b] = call.args.map((arg) => valuesOf(writer, arg)[0]!);
  invariant(
    a !== undefined && b !== undefined && call.callee.kind === "op",
    "ccompiler takes calls of two operands only",
  );
  const type = flattenTensorTypes(typeOf(call))[0]!;
  const name = `${writer.symbol}_${writer.buffers.length}`;
  const result: Value = { text: freshName(writer.names.supply, `buf_${writer.buffers.length}`, "_"), type };
  writer.buffers.push(result);
  writer.definitions.withOwner(owner, () =>
    defineOperator(
      writer.definitions,
      name,
      ccompilerOperators[call.callee.kind === "op" ? call.callee.name : ""]!,
      [a.type, b.type, type],
    ),
  );
  writer.used.add(a).add(b);
  writer.statements.line(`${name}(${a.text}, ${b.text}, ${result.text});`, owner);
  return result;
}

/** What integers are added in, so that overflow wraps. */
function wideType(dtype: DType): string {
  if (dtype.code === "float") return storageType(dtype);
  return dtype.bits > 32 ? "uint64_t" : "uint32_t";
}

function defineOperator(
  out: TextWriter<LineOwner>,
  name: string,
  operator: string,
  [a, b, result]: readonly [TensorType, TensorType, TensorType],
): void {
  const types = `${storageType(result.dtype)}, ${wideType(result.dtype)}`;
  const shape = shapeOf(result);
  if ([a, b].every((type) => shapeOf(type).join() === shape.join())) {
    if (shape.length === 2)
      out.line(`CSOURCE_BINARY_OP_2D(${name}, ${operator}, ${shape[0]}, ${shape[1]}, ${types})`);
    else out.line(`CSOURCE_BINARY_OP_1D(${name}, ${operator}, ${elementCount(shape)}, ${types})`);
    return;
  }
  const type = storageType(result.dtype);
  out.line(`static void ${name}(const ${type}* a, const ${type}* b, ${type}* out) {`);
  shape.forEach((extent, i) =>
    out.line(`${"  ".repeat(i + 1)}for (int64_t i${i} = 0; i${i} < ${extent}; ++i${i})`),
  );
  const indent = "  ".repeat(shape.length + 1);
  const wide = wideType(result.dtype);
  out.line(
    `${indent}out[${flatIndex(shape, shape)}] = (${type})((${wide})a[${flatIndex(shapeOf(a), shape)}] ${operator} (${wide})b[${flatIndex(shapeOf(b), shape)}]);`,
  );
  out.line("}");
}

/** Index into a tensor of `shape` at the loops over `full`; a dimension of 1 is read again and again. */
function flatIndex(shape: readonly number[], full: readonly number[]): string {
  const skip = full.length - shape.length;
  const terms = shape.flatMap((extent, i) => {
    const stride = shape.slice(i + 1).reduce((product, dim) => product * dim, 1);
    if (extent === 1) return [];
    return [stride === 1 ? `i${i + skip}` : `i${i + skip} * ${stride}`];
  });
  return terms.length === 0 ? "0" : terms.join(" + ");
}

function shapeOf(type: TensorType): readonly number[] {
  return type.shape as readonly number[];
}

function bytesOf(type: TensorType): number {
  return elementCount(shapeOf(type)) * byteSize(type.dtype);
}

const macros = `#define CSOURCE_BINARY_OP_1D(p_ID_, p_OP_, p_DIM1_, p_DTYPE, p_WIDE_) \\
  static void p_ID_(const p_DTYPE* a, const p_DTYPE* b, p_DTYPE* out) { \\
    for (int64_t i = 0; i < p_DIM1_; ++i) \\
      out[i] = (p_DTYPE)((p_WIDE_)a[i] p_OP_ (p_WIDE_)b[i]); \\
  }

#define CSOURCE_BINARY_OP_2D(p_ID_, p_OP_, p_DIM1_, p_DIM2_, p_DTYPE, p_WIDE_) \\
  static void p_ID_(const p_DTYPE* a, const p_DTYPE* b, p_DTYPE* out) { \\
    for (int64_t i = 0; i < p_DIM1_; ++i) \\
      for (int64_t j = 0; j < p_DIM2_; ++j) \\
        out[i * p_DIM2_ + j] = (p_DTYPE)((p_WIDE_)a[i * p_DIM2_ + j] p_OP_ (p_WIDE_)b[i * p_DIM2_ + j]); \\
  }`;

function writeHead(
  out: TextWriter<LineOwner>,
  external: ExternalFunction,
  modName: string,
  symbol: string,
): void {
  out.line(`/* External function ${symbol}, generated by relay.ext.ccompiler of Relayscope. */`);
  for (const header of ["<stdint.h>", "<stdlib.h>", "<string.h>", `"${runtimeHeaderName}"`])
    out.line(`#include ${header}`);
  out.line("");
  out.line(macros);
  out.line("");
  for (const { name, data } of external.constants)
    out.line(`extern ${paramDeclaration(modName, name, data)};`);
  if (external.constants.length > 0) out.line("");
}

/** The function on typed pointers: buffers, calls, copies of the results. */
function writeBody(
  out: TextWriter<LineOwner>,
  writer: Writer,
  params: readonly Value[],
  results: readonly Value[],
): void {
  out.line("");
  const inputs = params.map(({ text, type }) => `const ${storageType(type.dtype)}* ${text}`);
  const places = results.map((_, i) => freshName(writer.names.supply, `out${i}`, "_"));
  const ready = freshName(writer.names.supply, "ready", "_");
  const outputs = results.map(({ type }, i) => `${storageType(type.dtype)}* ${places[i]!}`);
  out.line(`static int32_t ${writer.symbol}_(${[...inputs, ...outputs].join(", ")}) {`);
  out.indent(() => {
    for (const { text, type } of writer.buffers) {
      const element = storageType(type.dtype);
      out.line(
        `${element}* ${text} = (${element}*)malloc(${Math.max(1, elementCount(shapeOf(type)))} * sizeof(${element}));`,
      );
    }
    out.line(`const int ${ready} = ${writer.buffers.map(({ text }) => `${text} != NULL`).join(" && ")};`);
    out.line(`if (${ready}) {`);
    out.indent(() => {
      append(out, writer.statements.finish());
      results.forEach(({ text, type }, i) => out.line(`memcpy(${places[i]!}, ${text}, ${bytesOf(type)});`));
    });
    out.line("}");
    for (const { text } of writer.buffers) out.line(`free(${text});`);
    for (const param of params)
      if (!writer.used.has(param) && !results.includes(param)) out.line(`(void)${param.text};`);
    out.line(`return ${ready} ? 0 : -1;`);
  });
  out.line("}");
}

/** The symbol that the runner calls, in its calling convention. */
function writeEntry(
  out: TextWriter<LineOwner>,
  primitive: LoweredPrimitive,
  params: readonly Value[],
  results: readonly Value[],
  unpacked: boolean,
): void {
  const { symbol } = primitive;
  const args = [
    ...params.map(({ type }, i) => [`const ${storageType(type.dtype)}*`, `arg${i}`]),
    ...results.map(({ type }, i) => [`${storageType(type.dtype)}*`, `ret${i}`]),
  ];
  out.line("");
  if (unpacked) {
    out.line(`${externalPrototype(primitive, true)} {`);
    out.line(`  return ${symbol}_(${args.map(([type, name]) => `(${type})${name}`).join(", ")});`);
    out.line("}");
    return;
  }
  out.line(`${externalPrototype(primitive, false)} {`);
  out.indent(() => {
    out.line(ignorePacked);
    out.line(`if (num_args != ${args.length}) return -1;`);
    args.forEach(([, name], i) =>
      out.line(`const DLTensor* ${name} = (const DLTensor*)((const TVMValue*)args)[${i}].v_handle;`),
    );
    out.line(
      `return ${symbol}_(${args.map(([type, name]) => `(${type})((uint8_t*)${name}->data + ${name}->byte_offset)`).join(", ")});`,
    );
  });
  out.line("}");
}
