// `match`, its patterns, and `type` definitions.  TVM: ParseMatch, ParsePattern, ParseTypeDef in
// src/parser/parser.cc
import {
  makeConstructor,
  makeMatch,
  type Constructor,
  type Expr,
  type MatchClause,
  type Pattern,
} from "../expr.ts";
import type { TypeData } from "../module.ts";
import { T, tokenText } from "./lexer.ts";
import { didYouMean } from "./nearest.ts";
import { globalType, parseType, parseTypeParams } from "./parse-type.ts";
import {
  commaList,
  addSource,
  at,
  bindVar,
  count,
  expect,
  nested,
  popScope,
  pushScope,
  raise,
  report,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  unexpected,
  type Parser,
} from "./parser.ts";

/** `match (data) { pattern => { … }, … }`; `match?` need not be complete. */
export function parseMatch(p: Parser, start: number): Expr {
  const complete = at(p, T.match);
  take(p);
  expect(p, T.lparen, "before the value to match");
  const data = p.grammar.expr(p);
  expect(p, T.rparen, "after the value to match");
  expect(p, T.lbrace, "before the cases");
  const clauses = commaList(p, () => parseClause(p), T.rbrace, "or `,` after a case");
  const span = spanFrom(p, start);
  return makeMatch(p.ids, data, clauses, complete, { span, origin: addSource(p, span, "", "match").origin });
}

function parseClause(p: Parser): MatchClause {
  const scope = pushScope(p);
  const pattern = parsePattern(p);
  expect(p, T.equal, "(`=>`) behind the pattern");
  expect(p, T.rangle, "(`=>`) behind the pattern");
  const body = at(p, T.lbrace) ? p.grammar.block(p) : p.grammar.expr(p);
  popScope(p, scope);
  return { pattern, body };
}

function parsePattern(p: Parser): Pattern {
  return nested(p, onePattern);
}

function onePattern(p: Parser): Pattern {
  if (takeIf(p, T.underscore)) return { kind: "wildcard" };
  if (at(p, T.local)) {
    const name = tokenText(p.lexer).slice(1);
    const span = tokenSpan(p);
    take(p);
    const annotation = takeIf(p, T.colon) ? parseType(p) : null;
    return { kind: "bind", variable: bindVar(p, name, annotation, span, "pattern") };
  }
  if (at(p, T.lparen)) return { kind: "tuple-pattern", patterns: patternList(p) };
  if (at(p, T.ident)) return constructorPattern(p);
  return unexpected(p, "a pattern (`_`, `%name`, a constructor or a tuple)");
}

function patternList(p: Parser): Pattern[] {
  expect(p, T.lparen, "");
  return commaList(p, () => parsePattern(p), T.rparen, "or `,` in the pattern");
}

function constructorPattern(p: Parser): Pattern {
  const name = tokenText(p.lexer);
  const span = tokenSpan(p);
  const found = p.constructors.get(name);
  if (found === undefined) {
    const near = didYouMean(name, p.constructors.keys());
    raise("RS1050", `There is no constructor \`${name}\`.`, {
      span,
      expected: "a constructor of a type of the module",
      got: name,
      hint: near ?? `If a variable is meant, write \`%${name}\`.`,
    });
  }
  take(p);
  const patterns = at(p, T.lparen) ? patternList(p) : [];
  if (patterns.length !== found.inputs.length) {
    raise(
      "RS1051",
      `The constructor \`${name}\` has ${count(found.inputs.length, "field")}, the pattern has ${patterns.length}.`,
      {
        expected: count(found.inputs.length, "pattern"),
        got: String(patterns.length),
        span: { start: span.start, end: p.lexer.lastStop },
      },
    );
  }
  return { kind: "constructor-pattern", constructor_: found, patterns };
}

/** `type List[A] { Cons(A, List[A]), Nil, }`, behind an optional `extern`. */
export function parseTypeDefinition(p: Parser): void {
  const { start } = p.lexer;
  const extern = takeIf(p, T.extern);
  expect(p, T.type, "after `extern`");
  if (!at(p, T.ident)) unexpected(p, "the name of the type");
  const name = tokenText(p.lexer);
  const nameSpan = tokenSpan(p);
  take(p);
  const belongTo = globalType(p, name);
  const { params, restore } = parseTypeParams(p);
  const constructors: Constructor[] = [];
  if (takeIf(p, T.lbrace)) {
    p.braces--;
    while (!at(p, T.rbrace)) {
      constructors.push(parseConstructor(p, belongTo, constructors.length));
      if (!takeIf(p, T.comma)) break;
    }
    if (!at(p, T.rbrace)) unexpected(p, "`}` or `,` after a constructor");
    p.braces++;
    take(p);
  } else {
    takeIf(p, T.semicolon);
  }
  restore();
  const span = spanFrom(p, start);
  if (extern && constructors.length > 0)
    report(p, "RS1052", `The extern type \`${name}\` cannot have constructors.`, {
      span: nameSpan,
      expected: "no constructors",
      got: count(constructors.length, "constructor"),
    });
  if (p.typeDefs.has(name))
    report(p, "RS1013", `The type \`${name}\` is defined twice.`, {
      span: nameSpan,
      expected: "one type of each name",
      got: `${name} again`,
    });
  const definition: TypeData = { name, typeParams: params, constructors, extern, span };
  p.typeDefs.set(name, definition);
}

function parseConstructor(p: Parser, belongTo: Constructor["belongTo"], index: number): Constructor {
  if (!at(p, T.ident)) unexpected(p, "the name of a constructor");
  const name = tokenText(p.lexer);
  const span = tokenSpan(p);
  take(p);
  const inputs = takeIf(p, T.lparen)
    ? commaList(p, () => parseType(p), T.rparen, "or `,` in the constructor's fields")
    : [];
  if (p.constructors.has(name))
    report(p, "RS1013", `The constructor \`${name}\` is defined twice.`, {
      span,
      expected: "one constructor of each name",
      got: `${name} again`,
    });
  const made = makeConstructor(
    p.ids,
    { name, inputs, belongTo, tag: index },
    { span, origin: addSource(p, span, name, "constructor").origin },
  );
  p.constructors.set(name, made);
  return made;
}
