// Infix operators, calls and their arguments.  TVM: ParseExprBinOp, ParseCallExpr, ParseCallArgs in
// src/parser/parser.cc
import { last } from "../../../support/assert.ts";
import { noAttrs } from "../../ir/attrs.ts";
import type { Span } from "../../ir/span.ts";
import { makeCall, makeOpRef, type Call, type Expr } from "../expr.ts";
import type { RelayOp } from "../op.ts";
import { charAfter, followedByEquals, T, tokenText } from "./lexer.ts";
import { operatorSince } from "./later.ts";
import { didYouMean } from "./nearest.ts";
import { whyWaiting } from "./waiting-operators.ts";
import { parseAtom, projections } from "./parse-atom.ts";
import { freeAttrs, parseAttrList, parseDottedName, parseMetaAttrs, typedAttrs } from "./parse-attrs.ts";
import { parseConstant } from "./parse-constant.ts";
import {
  addSource,
  at,
  closeSource,
  count,
  describeToken,
  placeholder,
  raise,
  report,
  spanFrom,
  take,
  takeIf,
  unexpected,
  type Parser,
} from "./parser.ts";

interface Infix {
  readonly op: string;
  readonly precedence: number;
  readonly length: 1 | 2;
}

/** The infix operator that the text stands on, or null. */
function infixOperator(p: Parser): Infix | null {
  const kind: number = p.lexer.kind;
  if (kind < T.langle || kind > T.bang) return null;
  const next = charAfter(p.lexer);
  switch (kind) {
    case T.star:
      return { op: "multiply", precedence: 12, length: 1 };
    case T.slash:
      return { op: "divide", precedence: 12, length: 1 };
    case T.plus:
      return { op: "add", precedence: 10, length: 1 };
    case T.minus:
      return { op: "subtract", precedence: 10, length: 1 };
    case T.langle:
      return next === "="
        ? { op: "less_equal", precedence: 8, length: 2 }
        : { op: "less", precedence: 8, length: 1 };
    case T.rangle:
      return next === "="
        ? { op: "greater_equal", precedence: 8, length: 2 }
        : { op: "greater", precedence: 8, length: 1 };
    case T.equal:
      return next === "=" ? { op: "equal", precedence: 7, length: 2 } : null;
    case T.bang:
      return next === "=" ? { op: "not_equal", precedence: 7, length: 2 } : null;
    default:
      return null;
  }
}

/** What stands in parentheses and was read already, `start` being where they open. */
export interface ReadParens {
  readonly value: Expr;
  readonly start: number;
}

/** Operands and infix operators, all left-associative; `read`: what the first operand starts with. */
export function parseOperators(p: Parser, read: ReadParens | null = null): Expr {
  const start = read === null ? p.lexer.start : read.start;
  const first = read === null ? parseCall(p) : parseCalls(p, projections(p, read.value, start), start);
  const operands: Expr[] = [first];
  const operators: (Infix & { readonly span: Span })[] = [];
  const reduce = () => {
    const { op, span } = operators.pop()!;
    const right = operands.pop()!;
    const left = operands.pop()!;
    operands.push(
      operatorCall(p, op, span, [left, right], {
        start: Math.min(left.span?.start ?? start, span.start),
        end: p.lexer.lastStop,
      }),
    );
  };
  for (let infix = infixOperator(p); infix !== null; infix = infixOperator(p)) {
    const span = { start: p.lexer.start, end: p.lexer.start + infix.length };
    take(p);
    if (infix.length === 2) take(p);
    while (operators.length > 0 && last(operators, "operator").precedence >= infix.precedence) reduce();
    operators.push({ ...infix, span });
    operands.push(parseCall(p));
  }
  while (operators.length > 0) reduce();
  return operands[0]!;
}

function operatorCall(p: Parser, name: string, span: Span, args: readonly Expr[], whole: Span): Expr {
  const op = p.ops.get(name);
  if (op === undefined) {
    unknownOperator(p, name, span);
    return placeholder(p, whole);
  }
  const { origin } = addSource(p, whole, "", name);
  return makeCall(p.ids, makeOpRef(p.ids, name, { origin, span }), args, typedAttrs(p, op, [], whole), {
    origin,
    span: whole,
  });
}

function unknownOperator(p: Parser, name: string, span: Span): void {
  const waiting = whyWaiting(name);
  if (waiting !== null) {
    report(p, "RS1020", `\`${name}\` is an operator of TVM 0.8 that is not here.`, {
      span,
      expected: "an operator of Relay, such as nn.dense",
      got: name,
      ...waiting,
    });
    return;
  }
  const since = operatorSince(name);
  if (since !== null) {
    p.laterOps.push({ name, since, span });
    return;
  }
  const near = didYouMean(name, [...p.ops.keys(), ...p.constructors.keys()]);
  report(p, "RS1020", `There is no operator \`${name}\`.`, {
    span,
    expected: "an operator of Relay, such as nn.dense",
    got: name,
    ...(near === undefined ? {} : { hint: near }),
  });
}

/** An atom and the argument lists behind it: `f(x)(y)`. */
function parseCall(p: Parser): Expr {
  const { start } = p.lexer;
  if (at(p, T.ident) && !p.constructors.has(tokenText(p.lexer))) {
    const special = parseConstant(p);
    if (special !== null) return projections(p, special, start);
    return parseCalls(p, parseOperatorCall(p, start), start);
  }
  return parseCalls(p, parseAtom(p), start);
}

function parseCalls(p: Parser, first: Expr, start: number): Expr {
  let expr = first;
  while (at(p, T.lparen)) {
    const { args, attrs } = parseArguments(p, null, expr);
    const { origin } = addSource(
      p,
      spanFrom(p, start),
      "",
      expr.kind === "global" ? `@${expr.name}` : expr.kind === "constructor" ? expr.name : "call",
    );
    expr = projections(p, makeCall(p.ids, expr, args, attrs, { origin, span: spanFrom(p, start) }), start);
  }
  if (expr.kind === "constructor" && expr.inputs.length === 0) {
    const { origin } = addSource(p, spanFrom(p, start), "", expr.name);
    return makeCall(p.ids, expr, [], noAttrs, { origin, span: spanFrom(p, start) });
  }
  return expr;
}

function parseOperatorCall(p: Parser, start: number): Expr {
  const name = parseDottedName(p);
  const nameSpan = spanFrom(p, start);
  const op = p.ops.get(name);
  if (op === undefined) unknownOperator(p, name, nameSpan);
  if (!at(p, T.lparen)) {
    if (op === undefined) return placeholder(p, nameSpan);
    raise("RS1025", `The operator \`${name}\` is not called.`, {
      span: nameSpan,
      expected: `${name}(${op.inputs.join(", ")})`,
      got: describeToken(p),
      hint: `To pass it as a value, wrap it: fn (%x) { ${name}(%x) }.`,
    });
  }
  const { id, origin } = addSource(p, nameSpan, "", name);
  const callee = makeOpRef(p.ids, name, { origin, span: nameSpan });
  const { args, attrs } = parseArguments(p, op ?? null, callee);
  const span = spanFrom(p, start);
  closeSource(p, id, span);
  if (op === undefined) return placeholder(p, span);
  if (args.length !== op.inputs.length) {
    report(p, "RS1021", `${name} takes ${count(op.inputs.length, "argument")}, ${args.length} given.`, {
      span,
      expected: `${name}(${op.inputs.join(", ")})`,
      got: count(args.length, "argument"),
      ...(op.tupleInput && args.length > 1 ? { hint: `${name} takes one tuple: ${name}((%a, %b)).` } : {}),
    });
    return placeholder(p, span);
  }
  const call: Call = makeCall(p.ids, callee, args, attrs, { origin, span });
  return projections(p, call, start);
}

/** `(args, attributes)`. */
function parseArguments(
  p: Parser,
  op: RelayOp | null,
  callee: Expr,
): { readonly args: readonly Expr[]; readonly attrs: Call["attrs"] } {
  const start = p.lexer.start;
  take(p);
  const args: Expr[] = [];
  let attrs: Call["attrs"] | null = null;
  while (!at(p, T.rparen)) {
    if (at(p, T.ident) && followedByEquals(p.lexer)) {
      const list = parseAttrList(p);
      attrs = op === null ? freeAttrs(p, list) : typedAttrs(p, op, list, callee.span ?? spanFrom(p, start));
      break;
    }
    if (at(p, T.meta) && tokenText(p.lexer).startsWith("meta[relay.attrs.")) {
      attrs = parseMetaAttrs(p, op);
      break;
    }
    args.push(p.grammar.expr(p));
    if (!takeIf(p, T.comma)) break;
  }
  if (!at(p, T.rparen)) unexpected(p, "`,` or `)` in the argument list");
  take(p);
  return {
    args,
    attrs: attrs ?? (op === null ? noAttrs : typedAttrs(p, op, [], callee.span ?? spanFrom(p, start))),
  };
}
