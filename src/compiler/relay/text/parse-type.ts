// Types of the text format: tensors, scalars, tuples, functions, references, algebraic data types.
// TVM: ParseType in src/parser/parser.cc
import { maxRank, maxTensorBytes, maxTupleDepth } from "../../limits.ts";
import { byteSize, parseDType, type DType } from "../../ir/dtype.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import type { Span } from "../../ir/span.ts";
import { anyDim, funcType, tensorType, tupleType, type Dim, type Type, type TypeVar } from "../../ir/type.ts";
import { advance, charAfter, metaReference, T, tokenText } from "./lexer.ts";
import { metadataDim } from "./metadata.ts";
import { didYouMean } from "./nearest.ts";
import {
  commaList,
  at,
  expect,
  nested,
  raise,
  report,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  tooDeep,
  unexpected,
  type Parser,
} from "./parser.ts";

const dtypeNames = [
  "float32",
  "float64",
  "float16",
  "bfloat16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
];

/** Tuples of tuples have a stack of their own: the printed type of a value of any depth can be read. */
export function parseType(p: Parser): Type {
  const open: Type[][] = [];
  for (;;) {
    if (takeIf(p, T.lparen)) {
      if (open.length >= maxTupleDepth) tooDeep(p, maxTupleDepth, "no program needs such a type");
      open.push([]);
      if (!at(p, T.rparen)) continue;
    } else {
      const type = nested(p, oneType);
      const fields = open.at(-1);
      if (fields === undefined) return type;
      fields.push(type);
      if (takeIf(p, T.comma) && !at(p, T.rparen)) continue;
    }
    for (let fields = open.pop(); fields !== undefined; fields = open.pop()) {
      expect(p, T.rparen, "to close the list of types");
      const around = open.at(-1);
      if (around === undefined) return tupleType(fields);
      around.push(tupleType(fields));
      if (takeIf(p, T.comma) && !at(p, T.rparen)) break;
    }
  }
}

/** Any type but a tuple. */
function oneType(p: Parser): Type {
  if (takeIf(p, T.fn)) return parseFunctionType(p);
  if (takeIf(p, T.underscore) || takeIf(p, T.question)) return { kind: "incomplete-type" };
  if (at(p, T.ref)) {
    take(p);
    expect(p, T.lparen, "after `ref`");
    const value = parseType(p);
    expect(p, T.rparen, "after the type in `ref(…)`");
    return { kind: "ref-type", value };
  }
  if (at(p, T.ident)) return parseNamedType(p);
  return unexpected(p, "a type");
}

function typeList(
  p: Parser,
  open: typeof T.lparen | typeof T.lsquare,
  close: typeof T.rparen | typeof T.rsquare,
): Type[] {
  expect(p, open, "");
  return commaList(p, () => parseType(p), close, "to close the list of types");
}

/** `[A, B]` of a function or type definition: new type variables, in scope until restored. */
export function parseTypeParams(p: Parser): {
  readonly params: readonly TypeVar[];
  readonly restore: () => void;
} {
  const before: { name: string; variable: TypeVar | undefined }[] = [];
  const params: TypeVar[] = [];
  if (takeIf(p, T.lsquare)) {
    while (!at(p, T.rsquare)) {
      if (!at(p, T.ident)) unexpected(p, "the name of a type parameter");
      const name = tokenText(p.lexer);
      take(p);
      const variable: TypeVar = { kind: "type-var", name };
      before.push({ name, variable: p.typeVars.get(name) });
      p.typeVars.set(name, variable);
      params.push(variable);
      if (!takeIf(p, T.comma)) break;
    }
    expect(p, T.rsquare, "to close the type parameters");
  }
  return {
    params,
    restore: () => {
      for (const { name, variable } of before.reverse()) {
        if (variable === undefined) p.typeVars.delete(name);
        else p.typeVars.set(name, variable);
      }
    },
  };
}

function parseFunctionType(p: Parser): Type {
  const { params: typeParams, restore } = parseTypeParams(p);
  const params = typeList(p, T.lparen, T.rparen);
  expect(p, T.minus, "(`->`) before the result type");
  expect(p, T.rangle, "(`->`) before the result type");
  const result = parseType(p);
  restore();
  return funcType(params, result, typeParams);
}

function parseNamedType(p: Parser): Type {
  const name = tokenText(p.lexer);
  const span = tokenSpan(p);
  take(p);
  if (name === "Tensor") return parseTensorType(p);
  const variable = p.typeVars.get(name);
  if (variable !== undefined) {
    const args = at(p, T.lsquare) ? typeList(p, T.lsquare, T.rsquare) : [];
    return args.length > 0 ? { kind: "type-call", callee: variable, args } : variable;
  }
  const scalar = parseDType(name);
  if (scalar !== null) return tensorType([], scalar);
  if (/^(?:b?float|u?int|bool|handle)\d/.test(name)) unknownDType(name, span);
  p.typeUses.push({ name, span });
  const callee = globalType(p, name);
  return { kind: "type-call", callee, args: at(p, T.lsquare) ? typeList(p, T.lsquare, T.rsquare) : [] };
}

export function globalType(p: Parser, name: string): Extract<Type, { kind: "global-type-var" }> {
  let found = p.typeNames.get(name);
  if (found === undefined) p.typeNames.set(name, (found = { kind: "global-type-var", name }));
  return found;
}

function unknownDType(name: string, span: Span): never {
  const near = didYouMean(name, dtypeNames);
  raise("RS1030", `There is no data type \`${name}\`.`, {
    span,
    expected: "a data type such as float32, int8 or bool",
    got: name,
    ...(near === undefined ? {} : { hint: near }),
  });
}

/** The dtype that the identifier token names. */
function parseDTypeToken(p: Parser): DType {
  if (!at(p, T.ident)) unexpected(p, "a data type such as float32");
  const name = tokenText(p.lexer);
  const found = parseDType(name);
  if (found === null) unknownDType(name, tokenSpan(p));
  take(p);
  return found;
}

function parseTensorType(p: Parser): Type {
  const start = p.lexer.lastStop - "Tensor".length;
  expect(p, T.lsquare, "after `Tensor`");
  const shape = parseShape(p);
  expect(p, T.comma, "between shape and data type");
  const type = parseDTypeToken(p);
  expect(p, T.rsquare, "to close the tensor type");
  checkSize(p, shape, type, spanFrom(p, start));
  return tensorType(shape, type);
}

function checkSize(p: Parser, shape: readonly Dim[], type: DType, span: Span): void {
  if (shape.length > maxRank) {
    report(p, "RS1034", `A tensor of ${shape.length} dimensions has too many.`, {
      span,
      expected: `at most ${maxRank} dimensions`,
      got: String(shape.length),
    });
  }
  const bytes = shape.reduce<number>(
    (product, dim) => product * (typeof dim === "number" ? dim : 1),
    byteSize(type),
  );
  if (bytes <= maxTensorBytes) return;
  report(p, "RS1031", `A tensor of ${formatCount(bytes)} bytes is too large.`, {
    span,
    expected: `at most ${formatCount(maxTensorBytes)} bytes`,
    got: `${formatCount(bytes / byteSize(type))} elements of ${byteSize(type)} bytes`,
    because: "the page and WebAssembly address memory with 32 bits",
  });
}

/** Digits in groups of three; a power where the number is beyond what a double holds exactly. */
function formatCount(count: number): string {
  return count <= Number.MAX_SAFE_INTEGER
    ? String(count).replace(/\B(?=(\d{3})+$)/g, ",")
    : `about 2^${Math.round(Math.log2(count))}`;
}

function parseShape(p: Parser): Dim[] {
  if (at(p, T.integer)) return [parseDim(p)];
  expect(p, T.lparen, "before the shape");
  return commaList(p, () => parseDim(p), T.rparen, "to close the shape");
}

function parseDim(p: Parser): Dim {
  if (takeIf(p, T.question)) return anyDim;
  if (at(p, T.meta)) {
    const { key, index } = metaReference(p.lexer);
    const dim = p.metadata === null ? null : metadataDim(p.metadata, key, index);
    if (dim === null)
      raise("RS1042", `The metadata has no dimension \`${tokenText(p.lexer)}\`.`, {
        span: tokenSpan(p),
        expected: "a dimension of the metadata",
        got: tokenText(p.lexer),
        hint: "Write `?` for a dimension that is known only when the program runs.",
      });
    take(p);
    return dim;
  }
  if (at(p, T.ident)) return symbolicDim(p);
  if (at(p, T.minus)) {
    raise("RS1032", "A dimension cannot be negative.", {
      span: { start: p.lexer.start, end: p.lexer.start + 1 },
      expected: "a number >= 0, or `?`",
      got: `-${charAfter(p.lexer)}`,
    });
  }
  if (!at(p, T.integer)) unexpected(p, "a dimension (a number or `?`)");
  const text = tokenText(p.lexer);
  const value = Number(text.replace(/i(?:32|64)$/, ""));
  if (!Number.isSafeInteger(value))
    raise("RS1032", `The dimension \`${text.slice(0, 40)}\` cannot be used.`, {
      span: tokenSpan(p),
      expected: "a whole number below 2^53",
      got: text.slice(0, 40),
    });
  take(p);
  return value;
}

/**
 * `Tensor[(n, 4), float32]`: one variable a name in the whole text. TVM prints such a dimension through its
 * metadata.
 */
function symbolicDim(p: Parser): Dim {
  const name = tokenText(p.lexer);
  take(p);
  let dim = p.dims.get(name);
  if (dim === undefined) p.dims.set(name, (dim = { kind: "dim-var", name }));
  return dim;
}

/** The type in the `ty=` comment before the current token, or null if there is none or it cannot be read. */
export function typeComment(p: Parser): Type | null {
  const { lexer } = p;
  if (lexer.typeStart < 0) return null;
  const saved = { ...lexer };
  const { depth, braces } = p;
  const uses = p.typeUses.length;
  lexer.pos = lexer.typeStart;
  lexer.end = lexer.typeStop;
  advance(lexer);
  try {
    const type = parseType(p);
    return at(p, T.eof) ? type : null;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    p.typeUses.length = uses;
    return null;
  } finally {
    Object.assign(lexer, saved);
    p.depth = depth;
    p.braces = braces;
  }
}
