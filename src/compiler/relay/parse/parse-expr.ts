// Expressions of the text format.  TVM: ParseExpr and what it calls in src/parser/parser.cc
// Bindings (`%0 = …;`, `let %x = …;`) are read in a loop, so that a chain of any length costs no stack; only what is written
// inside something else (arguments, blocks, parentheses) nests, up to maxDepth.
import { noAttrs } from "../../ir/attrs.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import type { Span } from "../../ir/span.ts";
import type { Type } from "../../ir/type.ts";
import {
  makeCall, makeFunction, makeIf, makeLet, makeOpRef, makeRefCreate, makeRefRead, makeRefWrite, makeTuple, makeTupleGetItem, makeVar,
  type Call, type Expr, type Func, type Var,
} from "../expr.ts";
import type { RelayOp } from "../op.ts";
import { charAfter, declareName, followedByEquals, T, tokenText } from "./lexer.ts";
import { freeAttrs, parseAttrList, parseDottedName, parseMetaAttrs, typedAttrs } from "./parse-attrs.ts";
import { parseConstant } from "./parse-constant.ts";
import { parseMatch } from "./parse-match.ts";
import { parseType, parseTypeParams } from "./parse-type.ts";
import { didYouMean } from "./nearest.ts";
import {
  addSource, at, bindName, bindVar, closeSource, count, describeToken, expect, guarded, nameSource, nested, placeholder, placeNote, popScope, pushScope,
  raise, record, recover, report, spanFrom, take, takeIf, tokenSpan, unexpected, type Parser,
} from "./parser.ts";

/** A `let` or an unused value, waiting for the body behind it. */
interface Pending {
  readonly variable: Var | null;
  readonly value: Expr;
  readonly start: number;
}

/**
 * Bindings and the expression they end in. In a block (`{ … }`, the whole text) mistakes end with their statement;
 * elsewhere they are thrown to it.
 */
export function parseExpr(p: Parser, inBlock = false): Expr {
  return nested(p, inBlock ? blockBody : innerExpr);
}

function innerExpr(p: Parser): Expr {
  const scope = pushScope(p);
  const pending: Pending[] = [];
  let body: Expr | null = null;
  while (body === null) body = statement(p, pending, false);
  return closeLets(p, pending, body, scope);
}

function blockBody(p: Parser): Expr {
  const scope = pushScope(p);
  const pending: Pending[] = [];
  const { braces, depth } = p;
  let body: Expr | null = null;
  while (body === null) {
    const { start } = p.lexer;
    try {
      body = statement(p, pending, true);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      p.depth = depth;
      record(p, error.diagnostic);
      recover(p, braces);
      if (at(p, T.rbrace) || at(p, T.eof) || at(p, T.def) || p.lexer.start === start) body = placeholder(p, spanFrom(p, start));
    }
  }
  return closeLets(p, pending, body, scope);
}

function closeLets(p: Parser, pending: readonly Pending[], body: Expr, scope: number): Expr {
  popScope(p, scope);
  let expr = body;
  for (let i = pending.length - 1; i >= 0; i--) expr = closeLet(p, pending[i]!, expr);
  return expr;
}

/** One binding (null comes back), or the expression that ends them. */
function statement(p: Parser, pending: Pending[], inBlock: boolean): Expr | null {
  if (at(p, T.graph) && followedByEquals(p.lexer)) return graphBinding(p, inBlock);
  if (at(p, T.local) && followedByEquals(p.lexer)) return namedBinding(p, inBlock);
  if (at(p, T.let)) return letBinding(p, pending, inBlock);
  if (at(p, T.freeVar)) return freeVariable(p);
  if (at(p, T.rbrace)) unexpected(p, "the value of this block");
  const { start } = p.lexer;
  const value = at(p, T.lbrace) ? parseBlock(p) : parseOperators(p);
  if (!takeIf(p, T.semicolon)) return value;
  if (at(p, T.rbrace) || at(p, T.eof) || at(p, T.rparen)) return value;
  pending.push({ variable: null, value, start });
  return null;
}

/** The value of a binding up to its `;`; a mistake in it is recorded in a block, and a placeholder stands in. */
function boundValue(p: Parser, inBlock: boolean, read: () => Expr): Expr {
  const { start } = p.lexer;
  const { braces } = p;
  if (!inBlock) {
    const value = read();
    expect(p, T.semicolon, "after the binding");
    return value;
  }
  const value = guarded(p, read);
  if (value === null) {
    recover(p, braces);
    return placeholder(p, spanFrom(p, start));
  }
  if (takeIf(p, T.semicolon)) return value;
  const missing = guarded(p, () => unexpected(p, "`;` after the binding"));
  const statementFollows = at(p, T.let) || at(p, T.rbrace) || ((at(p, T.graph) || at(p, T.local)) && followedByEquals(p.lexer));
  if (missing === null && !statementFollows) recover(p, braces);
  return value;
}

function graphBinding(p: Parser, inBlock: boolean): null {
  const name = tokenText(p.lexer);
  const span = tokenSpan(p);
  take(p);
  take(p);
  const { block } = p;
  const value = boundValue(p, inBlock, () => parseOperators(p));
  nameSource(p, value, name);
  const before = p.graph.get(name);
  if (before !== undefined && before.definition === p.definition && before.block === block) {
    report(p, "RS1013", `\`${name}\` is defined twice.`, { span, notes: [placeNote(p, "It was first defined", before.span)], hint: "Give one of them another number." });
    return null;
  }
  p.graph.set(name, { value, span, block, definition: p.definition });
  return null;
}

/** `%x = …;` without `let`: a graph binding with a name instead of a number. */
function namedBinding(p: Parser, inBlock: boolean): null {
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  take(p);
  boundValue(p, inBlock, () => parseOperators(p));
  report(p, "RS1001", `\`%${name} =\` needs \`let\`: only numbers are bound without it.`, { span, expected: `let %${name} = …`, got: `%${name} = …` });
  bindVar(p, name, null, span, "let");
  return null;
}

function letBinding(p: Parser, pending: Pending[], inBlock: boolean): null {
  const { start } = p.lexer;
  take(p);
  if (!at(p, T.local)) unexpected(p, "the variable that `let` binds");
  declareName(p.lexer);
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  const annotation = takeIf(p, T.colon) ? parseType(p) : null;
  const { origin, id } = addSource(p, span, `%${name}`, "let");
  const variable = makeVar(p.ids, name, annotation, { span, origin });
  expect(p, T.equal, `after \`let %${name}\``);
  // Only a function may speak of itself.
  const recursive = at(p, T.fn);
  if (recursive) bindName(p, name, variable);
  const value = boundValue(p, inBlock, () => parseOperators(p));
  nameSource(p, value, `%${name}`);
  closeSource(p, id, spanFrom(p, start));
  if (!recursive) bindName(p, name, variable);
  pending.push({ variable, value, start });
  return null;
}

function closeLet(p: Parser, { variable, value, start }: Pending, body: Expr): Expr {
  const end = body.span?.end ?? p.lexer.lastStop;
  const span = { start, end: Math.max(end, start) };
  const origin = variable?.origin ?? addSource(p, span, "", "let").origin;
  return makeLet(p.ids, variable ?? makeVar(p.ids, "", null, { span, origin }), value, body, { span, origin });
}

/** `free_var %x: type;` declares a variable that the text does not bind: TVM prints it ahead of an expression. */
function freeVariable(p: Parser): null {
  take(p);
  if (!at(p, T.local)) unexpected(p, "the variable that `free_var` declares");
  declareName(p.lexer);
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  const annotation = takeIf(p, T.colon) ? parseType(p) : null;
  expect(p, T.semicolon, "after `free_var`");
  if (p.freeVars.has(name)) {
    report(p, "RS1013", `\`free_var %${name}\` is declared twice.`, { span });
    return null;
  }
  p.freeVars.set(name, makeVar(p.ids, name, annotation, { span, origin: addSource(p, span, `%${name}`, "param").origin }));
  return null;
}

/** `{ … }`, with its own scope. */
export function parseBlock(p: Parser): Expr {
  const outer = p.block;
  const open = tokenSpan(p);
  const { braces } = p;
  expect(p, T.lbrace, "to open the block");
  p.block = p.nodes.length + 1;
  const body = parseExpr(p, true);
  p.block = outer;
  if (at(p, T.eof)) {
    report(p, "RS1003", "This block is not closed: the text ends first.", { span: open, expected: "`}`", got: "the end of the text", hint: "Is the text cut off?" });
  } else if (!at(p, T.rbrace)) {
    guarded(p, () => unexpected(p, "`;` or `}`"));
    while (!at(p, T.eof) && !at(p, T.def) && !(at(p, T.rbrace) && p.braces <= braces + 1)) take(p);
    takeIf(p, T.rbrace);
  } else {
    take(p);
  }
  p.braces = braces;
  return body;
}

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
    case T.star: return { op: "multiply", precedence: 12, length: 1 };
    case T.slash: return { op: "divide", precedence: 12, length: 1 };
    case T.plus: return { op: "add", precedence: 10, length: 1 };
    case T.minus: return { op: "subtract", precedence: 10, length: 1 };
    case T.langle: return next === "=" ? { op: "less_equal", precedence: 8, length: 2 } : { op: "less", precedence: 8, length: 1 };
    case T.rangle: return next === "=" ? { op: "greater_equal", precedence: 8, length: 2 } : { op: "greater", precedence: 8, length: 1 };
    case T.equal: return next === "=" ? { op: "equal", precedence: 7, length: 2 } : null;
    case T.bang: return next === "=" ? { op: "not_equal", precedence: 7, length: 2 } : null;
    default: return null;
  }
}

/** Operands and infix operators, all left-associative. */
export function parseOperators(p: Parser): Expr {
  const { start } = p.lexer;
  const operands: Expr[] = [parseCall(p)];
  const operators: (Infix & { readonly span: Span })[] = [];
  const reduce = () => {
    const { op, span } = operators.pop()!;
    const right = operands.pop()!;
    const left = operands.pop()!;
    operands.push(operatorCall(p, op, span, [left, right], { start: Math.min(left.span?.start ?? start, span.start), end: p.lexer.lastStop }));
  };
  for (let infix = infixOperator(p); infix !== null; infix = infixOperator(p)) {
    const span = { start: p.lexer.start, end: p.lexer.start + infix.length };
    take(p);
    if (infix.length === 2) take(p);
    while (operators.length > 0 && operators[operators.length - 1]!.precedence >= infix.precedence) reduce();
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
  return makeCall(p.ids, makeOpRef(p.ids, name, { origin, span }), args, typedAttrs(p, op, [], whole), { origin, span: whole });
}

function unknownOperator(p: Parser, name: string, span: Span): void {
  const near = didYouMean(name, [...p.ops.keys(), ...p.constructors.keys()]);
  report(p, "RS1020", `There is no operator \`${name}\`.`, { span, got: name, ...(near === undefined ? {} : { hint: near }) });
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
    const { origin } = addSource(p, spanFrom(p, start), "", expr.kind === "global" ? `@${expr.name}` : expr.kind === "constructor" ? expr.name : "call");
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
    raise("RS1025", `The operator \`${name}\` is not called.`, { span: nameSpan, expected: `${name}(${op.inputs.join(", ")})`, got: describeToken(p), hint: `To pass it as a value, wrap it: fn (%x) { ${name}(%x) }.` });
  }
  const { id, origin } = addSource(p, nameSpan, "", name);
  const callee = makeOpRef(p.ids, name, { origin, span: nameSpan });
  const { args, attrs } = parseArguments(p, op ?? null, callee);
  const span = spanFrom(p, start);
  closeSource(p, id, span);
  if (op === undefined) return placeholder(p, span);
  if (args.length !== op.inputs.length) {
    report(p, "RS1021", `${name} takes ${count(op.inputs.length, "argument")}, ${args.length} given.`, {
      span, expected: `${name}(${op.inputs.join(", ")})`, got: count(args.length, "argument"),
      ...(op.tupleInput && args.length > 1 ? { hint: `${name} takes one tuple: ${name}((%a, %b)).` } : {}),
    });
    return placeholder(p, span);
  }
  const call: Call = makeCall(p.ids, callee, args, attrs, { origin, span });
  return projections(p, call, start);
}

/** `(args, attributes)`. */
function parseArguments(p: Parser, op: RelayOp | null, callee: Expr): { readonly args: readonly Expr[]; readonly attrs: Call["attrs"] } {
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
    args.push(parseExpr(p));
    if (!takeIf(p, T.comma)) break;
  }
  if (!at(p, T.rparen)) unexpected(p, "`,` or `)` in the argument list");
  take(p);
  return { args, attrs: attrs ?? (op === null ? noAttrs : typedAttrs(p, op, [], callee.span ?? spanFrom(p, start))) };
}

/** `.0` behind an expression, any number of times. */
function projections(p: Parser, of: Expr, start: number): Expr {
  let expr = of;
  while (at(p, T.period)) {
    take(p);
    if (!at(p, T.integer)) unexpected(p, "the number of a tuple field after `.`");
    const index = Number(tokenText(p.lexer));
    if (index > 0x7fffffff) raise("RS1060", "This tuple index is too large.", { span: tokenSpan(p) });
    take(p);
    const span = spanFrom(p, start);
    expr = makeTupleGetItem(p.ids, expr, index, { span, origin: addSource(p, span, "", "projection").origin });
  }
  return expr;
}

function parseAtom(p: Parser): Expr {
  const { start } = p.lexer;
  return projections(p, parsePrimary(p, start), start);
}

function parsePrimary(p: Parser, start: number): Expr {
  const kind: number = p.lexer.kind;
  switch (kind) {
    case T.local: case T.graph:
      return parseReference(p);
    case T.global:
      return parseGlobal(p);
    case T.ident: {
      const constructor = p.constructors.get(tokenText(p.lexer))!;
      take(p);
      return constructor;
    }
    case T.fn: {
      take(p);
      return parseFunction(p, start, "");
    }
    case T.if:
      return parseIf(p, start);
    case T.match: case T.partialMatch:
      return parseMatch(p, start);
    case T.ref: case T.refRead: case T.refWrite:
      return parseRef(p, start);
    case T.lparen:
      return parseParens(p, start);
    case T.let: case T.freeVar:
      return parseExpr(p);
    default:
      return parseConstant(p) ?? unexpected(p, "an expression");
  }
}

/** `%x` or `%4`. */
function parseReference(p: Parser): Expr {
  const text = tokenText(p.lexer);
  const span = tokenSpan(p);
  if (at(p, T.graph)) {
    take(p);
    const found = p.graph.get(text);
    if (found !== undefined && found.definition === p.definition) return found.value;
    p.missingGraph.push({ name: text, span, definition: p.definition });
    return placeholder(p, span);
  }
  take(p);
  const name = text.slice(1);
  const found = p.vars.get(name) ?? p.freeVars.get(name);
  if (found !== undefined) return found;
  const near = didYouMean(name, [...p.vars.keys(), ...p.freeVars.keys()], "%");
  report(p, "RS1010", `\`%${name}\` is not defined here.`, { span, got: `%${name}`, ...(near === undefined ? {} : { hint: near }) });
  return placeholder(p, span);
}

function parseGlobal(p: Parser): Expr {
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  p.globalUses.push({ name, span });
  return globalVar(p, name, span);
}

/** One node per name: equal names are equal global variables. */
export function globalVar(p: Parser, name: string, span: Span): Expr {
  const known = p.globals.get(name);
  if (known !== undefined) return known;
  const made = { kind: "global", id: 0, type: null, span, origin: addSource(p, span, `@${name}`, "global").origin, name } as const;
  const global = { ...made, id: p.ids.next++ as Var["id"] };
  p.globals.set(name, global);
  return global;
}

function parseIf(p: Parser, start: number): Expr {
  take(p);
  expect(p, T.lparen, "before the condition");
  const condition = parseExpr(p);
  expect(p, T.rparen, "after the condition");
  const then = parseBlock(p);
  expect(p, T.else, "after the first branch (both are needed: an `if` has a value)");
  const otherwise = parseBlock(p);
  const span = spanFrom(p, start);
  return makeIf(p.ids, condition, then, otherwise, { span, origin: addSource(p, span, "", "if").origin });
}

function parseRef(p: Parser, start: number): Expr {
  const kind = p.lexer.kind;
  take(p);
  expect(p, T.lparen, "after a reference operation");
  const first = parseExpr(p);
  let second: Expr | null = null;
  if (kind === T.refWrite) {
    expect(p, T.comma, "between reference and value");
    second = parseExpr(p);
  }
  expect(p, T.rparen, "after a reference operation");
  const span = spanFrom(p, start);
  const meta = { span, origin: addSource(p, span, "", kind === T.ref ? "ref" : kind === T.refRead ? "ref_read" : "ref_write").origin };
  if (second !== null) return makeRefWrite(p.ids, first, second, meta);
  return kind === T.ref ? makeRefCreate(p.ids, first, meta) : makeRefRead(p.ids, first, meta);
}

/** `(x)`, `()`, `(x,)`, `(x, y)`. */
function parseParens(p: Parser, start: number): Expr {
  take(p);
  const fields: Expr[] = [];
  let comma = false;
  while (!at(p, T.rparen)) {
    fields.push(parseExpr(p));
    comma = takeIf(p, T.comma);
    if (!comma) break;
  }
  expect(p, T.rparen, "or `,` in the parentheses");
  if (fields.length === 1 && !comma) return fields[0]!;
  const span = spanFrom(p, start);
  return makeTuple(p.ids, fields, { span, origin: addSource(p, span, "", "tuple").origin });
}

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
  const body = parseBlock(p);
  restore();
  popScope(p, scope);
  const span = spanFrom(p, start);
  closeSource(p, id, span);
  return makeFunction(p.ids, params, body, resultType, attrs, { span, origin }, typeParams);
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
  const annotation = takeIf(p, T.colon) ? parseType(p) : null;
  const twin = before.find((param) => param.name === name);
  if (twin !== undefined) report(p, "RS1013", `The parameter \`%${name}\` is defined twice.`, { span, ...(twin.span === null ? {} : { notes: [placeNote(p, "It was first defined", twin.span)] }) });
  return bindVar(p, name, annotation, span, "param");
}
