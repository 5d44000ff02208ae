// Functions: type parameters, parameters, attributes, result type, body.  TVM: ParseFunctionDef in
// src/parser/parser.cc
import { noAttrs } from "../../ir/attrs.ts";
import type { Type } from "../../ir/type.ts";
import { makeFunction, type Func, type Var } from "../expr.ts";
import { declareName, T, tokenText } from "./lexer.ts";
import { freeAttrs, parseAttrList, skipDevices } from "./parse-attrs.ts";
import { parseType, parseTypeParams } from "./parse-type.ts";
import {
  addSource,
  at,
  bindVar,
  closeSource,
  expect,
  placeNote,
  popScope,
  pushScope,
  report,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  unexpected,
  type Parser,
} from "./parser.ts";

/** `[A](%x: T, Primitive=1) -> T { … }`, behind `fn` or `def @name`. */
export function parseFunction(p: Parser, start: number, name: string): Func {
  const scope = pushScope(p);
  const { params: typeParams, restore } = parseTypeParams(p);
  const { id, origin } = addSource(p, spanFrom(p, start), name, "function");
  expect(p, T.lparen, "before the parameters");
  const params: Var[] = [];
  let attrs: Func["attrs"] = noAttrs;
  while (!at(p, T.rparen)) {
    if (at(p, T.ident)) {
      attrs = freeAttrs(p, parseAttrList(p));
      break;
    }
    params.push(parseParam(p, params));
    if (!takeIf(p, T.comma)) break;
  }
  expect(p, T.rparen, "or `,` in the parameter list");
  const resultType = parseResultType(p);
  const body = p.grammar.block(p);
  restore();
  popScope(p, scope);
  const span = spanFrom(p, start);
  closeSource(p, id, span);
  return makeFunction(p.ids, params, body, { span, origin, resultType, attrs, typeParams });
}

function parseResultType(p: Parser): Type | null {
  if (!takeIf(p, T.minus)) return null;
  expect(p, T.rangle, "(`->`) before the result type");
  return parseType(p);
}

function parseParam(p: Parser, before: readonly Var[]): Var {
  if (!at(p, T.local)) unexpected(p, "a parameter (`%name: type`)");
  declareName(p.lexer);
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  skipDevices(p);
  const annotation = takeIf(p, T.colon) ? parseType(p) : null;
  const twin = before.find((param) => param.name === name);
  if (twin !== undefined)
    report(p, "RS1013", `The parameter \`%${name}\` is defined twice.`, {
      span,
      expected: "a name of its own for each parameter",
      got: `%${name} again`,
      ...(twin.span === null ? {} : { notes: [placeNote(p, "It was first defined", twin.span)] }),
    });
  return bindVar(p, name, annotation, span, "param");
}
