// What calls and operators are made of: references, parentheses, if, refs, functions, constants.
// TVM: ParseAtomicExpr in src/parser/parser.cc
import { get } from "../../../support/assert.ts";
import {
  makeGlobal,
  makeIf,
  makeRefCreate,
  makeRefRead,
  makeRefWrite,
  makeTupleGetItem,
  type Expr,
} from "../expr.ts";
import { T, tokenText } from "./lexer.ts";
import { didYouMean } from "./nearest.ts";
import { parseConstant } from "./parse-constant.ts";
import { parseFunction } from "./parse-function.ts";
import { parseMatch } from "./parse-match.ts";
import {
  addSource,
  at,
  expect,
  placeholder,
  raise,
  report,
  spanFrom,
  take,
  tokenSpan,
  unexpected,
  type Parser,
} from "./parser.ts";

/** `.0` behind an expression, any number of times. */
export function projections(p: Parser, of: Expr, start: number): Expr {
  let expr = of;
  while (at(p, T.period)) {
    take(p);
    if (!at(p, T.integer)) unexpected(p, "the number of a tuple field after `.`");
    const index = Number(tokenText(p.lexer));
    if (index > 0x7fffffff)
      raise("RS1060", "This tuple index is too large.", {
        span: tokenSpan(p),
        expected: "the number of a field",
        got: tokenText(p.lexer),
      });
    take(p);
    const span = spanFrom(p, start);
    expr = makeTupleGetItem(p.ids, expr, index, {
      span,
      origin: addSource(p, span, "", "projection").origin,
    });
  }
  return expr;
}

/** An expression that is no call and no operator's operand list. */
export function parseAtom(p: Parser): Expr {
  const { start } = p.lexer;
  return projections(p, parsePrimary(p, start), start);
}

function parsePrimary(p: Parser, start: number): Expr {
  const kind: number = p.lexer.kind;
  switch (kind) {
    case T.local:
    case T.graph:
      return parseReference(p);
    case T.global:
      return parseGlobal(p);
    case T.ident: {
      const constructor = get(p.constructors, tokenText(p.lexer), "constructor");
      take(p);
      return constructor;
    }
    case T.fn: {
      take(p);
      return parseFunction(p, start, "");
    }
    case T.if:
      return parseIf(p, start);
    case T.match:
    case T.partialMatch:
      return parseMatch(p, start);
    case T.ref:
    case T.refRead:
    case T.refWrite:
      return parseRef(p, start);
    case T.lparen:
      return p.grammar.parens(p);
    case T.let:
    case T.freeVar:
      return p.grammar.expr(p);
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
  report(p, "RS1010", `\`%${name}\` is not defined here.`, {
    span,
    expected: "a parameter, or a variable bound before",
    got: `%${name}`,
    ...(near === undefined ? {} : { hint: near }),
  });
  return placeholder(p, span);
}

/** One node per name: equal names are equal global variables. */
function parseGlobal(p: Parser): Expr {
  const name = tokenText(p.lexer).slice(1);
  const span = tokenSpan(p);
  take(p);
  p.globalUses.push({ name, span });
  let global = p.globals.get(name);
  if (global === undefined) {
    global = makeGlobal(p.ids, name, { span, origin: addSource(p, span, `@${name}`, "global").origin });
    p.globals.set(name, global);
  }
  return global;
}

function parseIf(p: Parser, start: number): Expr {
  take(p);
  expect(p, T.lparen, "before the condition");
  const condition = p.grammar.expr(p);
  expect(p, T.rparen, "after the condition");
  const then = p.grammar.block(p);
  expect(p, T.else, "after the first branch (both are needed: an `if` has a value)");
  const otherwise = p.grammar.block(p);
  const span = spanFrom(p, start);
  return makeIf(p.ids, condition, then, otherwise, { span, origin: addSource(p, span, "", "if").origin });
}

function parseRef(p: Parser, start: number): Expr {
  const kind = p.lexer.kind;
  take(p);
  expect(p, T.lparen, "after a reference operation");
  const first = p.grammar.expr(p);
  let second: Expr | null = null;
  if (kind === T.refWrite) {
    expect(p, T.comma, "between reference and value");
    second = p.grammar.expr(p);
  }
  expect(p, T.rparen, "after a reference operation");
  const span = spanFrom(p, start);
  const meta = {
    span,
    origin: addSource(p, span, "", kind === T.ref ? "ref" : kind === T.refRead ? "ref_read" : "ref_write")
      .origin,
  };
  if (second !== null) return makeRefWrite(p.ids, first, second, meta);
  return kind === T.ref ? makeRefCreate(p.ids, first, meta) : makeRefRead(p.ids, first, meta);
}
