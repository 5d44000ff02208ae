// Constants of the text: literals and references into the metadata.
// Where the metadata section was left out, as print(mod) does, `meta[relay.Constant][N] /* ty=… */` says
// shape and dtype only; its values then come from the fill rule (ir/fill-rule.ts) with the name
// "meta[relay.Constant][N]" and scale sqrt(3 / product of dims[1:]) for rank >= 2, else 0.5
// (seeded-variance.ts: the variance of a batch norm is made positive). Such constants have provenance
// "seeded" and are counted.
import { maxSeededBytes } from "../../limits.ts";
import { fillTensor, parameterScale } from "../../ir/fill-rule.ts";
import { byteSize, type DType } from "../../ir/dtype.ts";
import type { Span } from "../../ir/span.ts";
import { elementCount, type TensorData } from "../../ir/tensor-data.ts";
import { staticShape, tensorType, type TensorType, type Type } from "../../ir/type.ts";
import { makeConstant, type Constant, type Expr } from "../expr.ts";
import { metaReference, T, tokenText } from "./lexer.ts";
import { boolData, readNumber, readSpecialFloat, scalarData, type Literal } from "./literals.ts";
import { metadataConstant, metadataCount } from "./metadata.ts";
import {
  addSource,
  at,
  raise,
  report,
  placeholder,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  unexpected,
  type Parser,
} from "./parser.ts";
import { typeComment } from "./parse-type.ts";

/** The constant that the text stands on, or null if it stands on something else. */
export function parseConstant(p: Parser): Expr | null {
  const { start } = p.lexer;
  const kind: number = p.lexer.kind;
  switch (kind) {
    case T.meta:
      return parseMetaReference(p);
    case T.true:
    case T.false: {
      const value = at(p, T.true);
      take(p);
      return literal(p, boolData(value), start);
    }
    case T.integer:
    case T.float:
    case T.minus:
      return parseNumber(p, start);
    case T.ident: {
      const special = readSpecialFloat(tokenText(p.lexer));
      if (special === null) return null;
      take(p);
      return finishNumber(p, special, false, start);
    }
    default:
      return null;
  }
}

function parseNumber(p: Parser, start: number): Expr {
  let negative = false;
  while (takeIf(p, T.minus)) negative = !negative;
  const special = at(p, T.ident) ? readSpecialFloat(tokenText(p.lexer)) : null;
  if (special === null && !at(p, T.integer) && !at(p, T.float)) unexpected(p, "a number after `-`");
  const number = special ?? readNumber(tokenText(p.lexer));
  if (typeof number === "string")
    raise("RS1060", `This number cannot be read: ${number}.`, {
      span: tokenSpan(p),
      expected: "a number such as 1, 2.5f or 7i64",
      got: tokenText(p.lexer),
    });
  take(p);
  return finishNumber(p, number, negative, start);
}

function finishNumber(p: Parser, number: Literal, negative: boolean, start: number): Expr {
  const data = scalarData(number, negative, scalarComment(p));
  if (typeof data === "string")
    raise("RS1060", `This number does not fit: ${data}.`, {
      span: spanFrom(p, start),
      expected: "a value that its type holds",
      got: p.lexer.text.slice(start, p.lexer.lastStop),
    });
  return literal(p, data, start);
}

/** The dtype of the type comment behind a literal, if it is a scalar's. */
function scalarComment(p: Parser): DType | null {
  const type = typeComment(p);
  return type?.kind === "tensor-type" && type.shape.length === 0 ? type.dtype : null;
}

function literal(p: Parser, data: TensorData, start: number): Constant {
  const span = spanFrom(p, start);
  return makeConstant(p.ids, data, {
    span,
    origin: addSource(p, span, "", "constant").origin,
    type: tensorType(data.shape, data.dtype),
  });
}

function parseMetaReference(p: Parser): Expr {
  const name = tokenText(p.lexer);
  const span = tokenSpan(p);
  const { key, index } = metaReference(p.lexer);
  take(p);
  if (key !== "relay.Constant" || index < 0) {
    report(p, "RS1042", `\`${name}\` cannot stand for an expression.`, {
      span,
      expected: "meta[relay.Constant][number]",
      got: name,
    });
    return placeholder(p, span);
  }
  const canonical = `meta[relay.Constant][${index}]`;
  const known = p.constants.get(canonical);
  if (known !== undefined) return known;
  const data = metaData(p, index, canonical, typeComment(p), span);
  if (data === null) return placeholder(p, span);
  const { origin } = addSource(p, span, canonical, "constant");
  const made = makeConstant(p.ids, data, { span, origin, type: tensorType(data.shape, data.dtype) });
  p.constants.set(canonical, made);
  return made;
}

function metaData(
  p: Parser,
  index: number,
  name: string,
  comment: Type | null,
  span: Span,
): TensorData | null {
  if (p.metadata !== null) {
    const found = metadataConstant(p.metadata, index);
    if (found !== null && typeof found !== "string") return found;
    const count = metadataCount(p.metadata, "relay.Constant");
    report(
      p,
      "RS1042",
      found === null
        ? `The metadata has no constant number ${index}.`
        : `The metadata's constant number ${index} cannot be read: ${found}.`,
      {
        span,
        expected: found === null ? `a number below ${count}` : "an NDArray as TVM writes it",
        got: name,
      },
    );
    return null;
  }
  const type = comment?.kind === "tensor-type" ? comment : null;
  if (type === null || staticShape(type) === null) {
    report(p, "RS1040", `Nothing says what \`${name}\` is.`, {
      span,
      expected: "a metadata section, or a comment `/* ty=Tensor[(…), …] */` behind it",
      got: type === null ? "neither" : "a shape that is not fixed",
      because: "the text was printed without its metadata",
      hint: "In Python, print the module with mod.astext(show_meta_data=True).",
    });
    return null;
  }
  const bytes = elementCount(staticShape(type)!) * byteSize(type.dtype);
  p.seededBytes += bytes;
  if (p.seededBytes > maxSeededBytes) {
    // A type that is too large by itself was told where it stands.
    if (bytes <= maxSeededBytes) {
      report(p, "RS1031", "The constants without values are too large together.", {
        span,
        expected: `at most ${maxSeededBytes} bytes of seeded values`,
        got: `${p.seededBytes} bytes up to here`,
        hint: "Make them parameters of @main.",
      });
    }
    return null;
  }
  p.seeded++;
  p.firstSeeded ??= span;
  return seededConstant(name, type);
}

/** The documented recipe for a constant whose values the text leaves out. */
function seededConstant(name: string, type: TensorType): TensorData {
  return fillTensor(name, type, parameterScale(type), "seeded");
}
