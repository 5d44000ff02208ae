// Expressions of the text format.  TVM: ParseExpr and what it calls in src/parser/parser.cc
// Bindings (`%0 = …;`, `let %x = …;`) are read in a loop, so that a chain of any length costs no stack; only
// what is written inside something else (arguments, blocks) nests, up to maxTextDepth.
import { maxTupleDepth } from "../../limits.ts";
import { first } from "../../../support/assert.ts";
import { CompileError } from "../../ir/diagnostic.ts";
import { makeLet, makeTuple, makeVar, type Expr, type Var } from "../expr.ts";
import { declareName, followedByEquals, T, tokenText } from "./lexer.ts";
import { parseOperators, type ReadParens } from "./parse-call.ts";
import { skipDevices } from "./parse-attrs.ts";
import { parseType } from "./parse-type.ts";
import {
  addSource,
  at,
  bindName,
  bindVar,
  closeSource,
  expect,
  guarded,
  nameSource,
  nested,
  placeholder,
  placeNote,
  popScope,
  pushScope,
  record,
  recover,
  report,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  tooDeep,
  unexpected,
  type Parser,
} from "./parser.ts";

/** A `let` or an unused value, waiting for the body behind it. */
interface Pending {
  readonly variable: Var | null;
  readonly value: Expr;
  readonly start: number;
}

/**
 * Bindings and the expression they end in. In a block (`{ … }`, the whole text) mistakes end with their
 * statement; elsewhere they are thrown to it.
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
      if (at(p, T.rbrace) || at(p, T.eof) || at(p, T.def) || p.lexer.start === start)
        body = placeholder(p, spanFrom(p, start));
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
  return ended(p, pending, at(p, T.lbrace) ? parseBlock(p) : parseOperators(p), start);
}

/** `value`, if it ends its bindings; null where it is followed by `;` and more, and nobody uses it. */
function ended(p: Parser, pending: Pending[], value: Expr, start: number): Expr | null {
  if (!takeIf(p, T.semicolon)) return value;
  if (at(p, T.rbrace) || at(p, T.eof) || at(p, T.rparen)) return value;
  pending.push({ variable: null, value, start });
  return null;
}

/**
 * The value of a binding up to its `;`; a mistake in it is recorded in a block, and a placeholder stands in.
 */
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
  const statementFollows =
    at(p, T.let) || at(p, T.rbrace) || ((at(p, T.graph) || at(p, T.local)) && followedByEquals(p.lexer));
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
    report(p, "RS1013", `\`${name}\` is defined twice.`, {
      span,
      expected: "a number of its own for each binding",
      got: `${name} again`,
      notes: [placeNote(p, "It was first defined", before.span)],
      hint: "Give one of them another number.",
    });
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
  report(p, "RS1001", `\`%${name} =\` needs \`let\`: only numbers are bound without it.`, {
    span,
    hint: `Write \`let %${name} = …\`.`,
    expected: `let %${name} = …`,
    got: `%${name} = …`,
  });
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
  skipDevices(p);
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
  return makeLet(p.ids, variable ?? makeVar(p.ids, "", null, { span, origin }), value, body, {
    span,
    origin,
  });
}

/**
 * `free_var %x: type;` declares a variable that the text does not bind: TVM prints it ahead of an expression.
 */
function freeVariable(p: Parser): null {
  take(p);
  if (!at(p, T.local)) unexpected(p, "the variable that `free_var` declares");
  declareName(p.lexer);
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  skipDevices(p);
  const annotation = takeIf(p, T.colon) ? parseType(p) : null;
  expect(p, T.semicolon, "after `free_var`");
  if (p.freeVars.has(name)) {
    report(p, "RS1013", `\`free_var %${name}\` is declared twice.`, {
      span,
      expected: "one declaration",
      got: `%${name} again`,
    });
    return null;
  }
  p.freeVars.set(
    name,
    makeVar(p.ids, name, annotation, { span, origin: addSource(p, span, `%${name}`, "param").origin }),
  );
  return null;
}

/** Parentheses that are open, with the field that is being read. */
interface OpenParens {
  readonly start: number;
  readonly fields: Expr[];
  pending: Pending[];
  /** Scope of the field; null before its first statement. */
  scope: number | null;
}

/**
 * `(x)`, `()`, `(x,)`, `(x, y)`. A field that starts with parentheses is read in the same loop: tuples in
 * tuples cost no stack.
 */
export function parseParens(p: Parser): Expr {
  const around: OpenParens[] = [];
  let top = openParens(p);
  /** What stands in the parentheses that were closed last: how the field that is being read starts. */
  let read: ReadParens | null = null;
  for (;;) {
    let comma = false;
    if (read !== null || top.scope !== null || !at(p, T.rparen)) {
      top.scope ??= pushScope(p);
      if (read === null && at(p, T.lparen)) {
        if (around.length + 1 >= maxTupleDepth)
          tooDeep(p, maxTupleDepth, "no program needs as many parentheses");
        around.push(top);
        top = openParens(p);
        continue;
      }
      const body = nested(p, () => fieldStatement(p, top.pending, read));
      read = null;
      if (body === null) continue;
      top.fields.push(closeLets(p, top.pending, body, top.scope));
      [top.pending, top.scope] = [[], null];
      comma = takeIf(p, T.comma);
      if (comma && !at(p, T.rparen)) continue;
    }
    expect(p, T.rparen, "or `,` in the parentheses");
    const value: Expr = top.fields.length === 1 && !comma ? first(top.fields, "field") : madeTuple(p, top);
    const outer = around.pop();
    if (outer === undefined) return value;
    read = { value, start: top.start };
    top = outer;
  }
}

function openParens(p: Parser): OpenParens {
  const { start } = p.lexer;
  take(p);
  return { start, fields: [], pending: [], scope: null };
}

function fieldStatement(p: Parser, pending: Pending[], read: ReadParens | null): Expr | null {
  return read === null
    ? statement(p, pending, false)
    : ended(p, pending, parseOperators(p, read), read.start);
}

function madeTuple(p: Parser, { start, fields }: OpenParens): Expr {
  const span = spanFrom(p, start);
  return makeTuple(p.ids, fields, { span, origin: addSource(p, span, "", "tuple").origin });
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
    report(p, "RS1003", "This block is not closed: the text ends first.", {
      span: open,
      expected: "`}`",
      got: "the end of the text",
      hint: "Is the text cut off?",
    });
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
