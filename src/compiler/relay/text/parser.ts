// The parser's state and its small words: tokens, errors and recovery, scopes, source nodes.
// TVM: src/parser/parser.cc An error inside an expression is thrown as a CompileError to the nearest
// statement, which records it, skips to `;`, `}` or `def` and goes on, so that one text gives many
// diagnostics. Nothing but this unwinds.
import { maxNodes, maxTextDepth } from "../../limits.ts";
import type { DiagnosticCode } from "../../ir/diagnostic-codes.ts";
import { CompileError, diagnostic, type Diagnostic, type DiagnosticParts } from "../../ir/diagnostic.ts";
import type { IdSource } from "../../ir/ids.ts";
import type { OpTable } from "../../ir/op.ts";
import { sourceOrigin, type Origin, type SourceId } from "../../ir/origin.ts";
import type { Span } from "../../ir/span.ts";
import type { DimVar, GlobalTypeVar, Type, TypeVar } from "../../ir/type.ts";
import { makeVar, type Constant, type Constructor, type Expr, type GlobalVar, type Var } from "../expr.ts";
import type { TypeData } from "../module.ts";
import type { RelayOp } from "../op.ts";
import { advance, kindName, T, tokenText, type Lexer, type TokenKind } from "./lexer.ts";
import type { MetadataTable } from "./metadata.ts";

/** At most this many diagnostics for one text; then parsing stops. */
export const maxDiagnostics = 100;
/**
 * Tokens passed over in search of a place to go on; more is not a program with mistakes but something else.
 */
export const maxSkipped = 2_000_000;

/** A node of the user's text that origins refer to; index in the table = SourceId. */
export interface SourceNode {
  readonly span: Span;
  /** "%4", "%x", "@f", "meta[relay.Constant][0]" or "" where the text gives no name. */
  readonly name: string;
  /**
   * Operator name of a call, else what the node is: "param", "constant", "tuple", "projection", "let", "if",
   * "function", "call", …
   */
  readonly op: string;
  /**
   * Of a node of a model file, the name that the printed Relay gives it, "%4"; "" for Relay text, and where
   * it has none.
   */
  readonly local: string;
}
export interface SourceTable {
  readonly nodes: readonly SourceNode[];
}

interface GraphBinding {
  readonly value: Expr;
  readonly span: Span;
  /** Block and function that bound it. */
  readonly block: number;
  readonly definition: number;
}

export interface Parser {
  readonly lexer: Lexer;
  readonly ids: IdSource;
  readonly ops: OpTable<RelayOp>;
  /** Names of the attributes without default, by operator. */
  readonly required: Map<string, readonly string[]>;
  readonly found: Diagnostic[];
  readonly nodes: SourceNode[];
  readonly metadata: MetadataTable | null;
  /** Variables in scope by name, and what to put back when a scope closes. */
  readonly vars: Map<string, Var>;
  readonly undo: { readonly name: string; readonly before: Var | undefined }[];
  readonly freeVars: Map<string, Var>;
  readonly graph: Map<string, GraphBinding>;
  readonly missingGraph: { readonly name: string; readonly span: Span; readonly definition: number }[];
  readonly globals: Map<string, GlobalVar>;
  readonly globalUses: { readonly name: string; readonly span: Span }[];
  readonly typeVars: Map<string, TypeVar>;
  readonly typeNames: Map<string, GlobalTypeVar>;
  readonly typeUses: { readonly name: string; readonly span: Span }[];
  readonly typeDefs: Map<string, TypeData>;
  readonly constructors: Map<string, Constructor>;
  readonly constants: Map<string, Constant>;
  readonly dims: Map<string, DimVar>;
  /** What of a later TVM was told. */
  readonly laterTold: Set<string>;
  /** Calls of operators of a later TVM. */
  readonly laterOps: { readonly name: string; readonly since: string; readonly span: Span }[];
  seeded: number;
  /** Where the first of them stands. */
  firstSeeded: Span | null;
  /** Bytes of their values so far. */
  seededBytes: number;
  depth: number;
  skipped: number;
  braces: number;
  block: number;
  definition: number;
  readonly grammar: Grammar;
}

/** The rules that other rules nest, handed down so that the files of the grammar form no import cycle. */
interface Grammar {
  readonly expr: (p: Parser) => Expr;
  readonly block: (p: Parser) => Expr;
  readonly parens: (p: Parser) => Expr;
}

export function createParser(
  lexer: Lexer,
  cx: { readonly ids: IdSource; readonly ops: OpTable<RelayOp> },
  metadata: MetadataTable | null,
  grammar: Grammar,
): Parser {
  return {
    lexer,
    ids: cx.ids,
    ops: cx.ops,
    required: new Map(),
    found: [],
    nodes: [],
    metadata,
    grammar,
    vars: new Map(),
    undo: [],
    freeVars: new Map(),
    graph: new Map(),
    missingGraph: [],
    globals: new Map(),
    globalUses: [],
    typeVars: new Map(),
    typeNames: new Map(),
    typeUses: [],
    typeDefs: new Map(),
    constructors: new Map(),
    constants: new Map(),
    dims: new Map(),
    laterTold: new Set(),
    laterOps: [],
    seeded: 0,
    firstSeeded: null,
    seededBytes: 0,
    depth: 0,
    skipped: 0,
    braces: 0,
    block: 0,
    definition: 0,
  };
}

/** Thrown when a limit is reached: the text is not read further. */
export class TooManyErrors extends Error {
  override readonly name = "TooManyErrors";
}

/** Records a mistake and goes on. */
export function report(p: Parser, code: DiagnosticCode, message: string, parts: DiagnosticParts = {}): void {
  record(p, diagnostic(code, message, parts));
}

export function record(p: Parser, found: Diagnostic): void {
  p.found.push(found);
  if (p.found.length >= maxDiagnostics) throw new TooManyErrors();
}

/** Gives up the current statement. */
export function raise(code: DiagnosticCode, message: string, parts: DiagnosticParts = {}): never {
  throw new CompileError(diagnostic(code, message, parts));
}

export function tokenSpan(p: Parser): Span {
  return { start: p.lexer.start, end: p.lexer.stop };
}

/** From `start` to the end of the last token that was taken. */
export function spanFrom(p: Parser, start: number): Span {
  return { start, end: Math.max(start, p.lexer.lastStop) };
}

export function at(p: Parser, kind: TokenKind): boolean {
  return p.lexer.kind === kind;
}

/** Takes the token. */
export function take(p: Parser): void {
  if (p.lexer.kind === T.lbrace) p.braces++;
  else if (p.lexer.kind === T.rbrace) p.braces--;
  advance(p.lexer);
}

export function takeIf(p: Parser, kind: TokenKind): boolean {
  if (p.lexer.kind !== kind) return false;
  take(p);
  return true;
}

/** Takes a token of `kind`; `what` says what it is for. */
export function expect(p: Parser, kind: TokenKind, what: string): void {
  if (p.lexer.kind !== kind) unexpected(p, `${kindName(kind)} ${what}`.trim());
  take(p);
}

/** Items with commas between them, and maybe one behind the last, up to `close`; that one is taken. */
export function commaList<I>(p: Parser, item: () => I, close: TokenKind, what: string): I[] {
  const items: I[] = [];
  while (!at(p, close)) {
    items.push(item());
    if (!takeIf(p, T.comma)) break;
  }
  expect(p, close, what);
  return items;
}

/** What the token is called in a message: its own text when short. */
export function describeToken(p: Parser): string {
  const { kind, start, stop } = p.lexer;
  if (kind === T.eof) return kindName(kind);
  const text = tokenText(p.lexer);
  return stop - start <= 40 && text !== "" ? `\`${text}\`` : kindName(kind);
}

export function unexpected(p: Parser, expected: string): never {
  const problem = p.lexer.problem;
  if (problem !== null)
    raise("RS1002", `This cannot be read: ${problem}.`, {
      span: tokenSpan(p),
      expected,
      got: describeToken(p),
    });
  if (at(p, T.eof)) {
    raise("RS1003", `The text ends where ${expected} is expected.`, {
      span: tokenSpan(p),
      expected,
      got: "the end of the text",
      hint: "Is the text cut off?",
    });
  }
  raise("RS1001", `Expected ${expected}, found ${describeToken(p)}.`, {
    span: tokenSpan(p),
    expected,
    got: describeToken(p),
  });
}

/**
 * Runs `rule` one nesting level deeper; too deep is the user's mistake, not a stack overflow. Who catches a
 * mistake restores the depth.
 */
export function nested<R>(p: Parser, rule: (p: Parser) => R): R {
  if (p.depth >= maxTextDepth) tooDeep(p, maxTextDepth, "nested text is read recursively");
  p.depth++;
  const result = rule(p);
  p.depth--;
  return result;
}

export function tooDeep(p: Parser, limit: number, because: string): never {
  raise("RS1005", `Nested more than ${limit} deep.`, {
    span: tokenSpan(p),
    expected: `at most ${limit} levels`,
    got: "one more",
    because,
    hint: "Bind inner values to names: `%0 = …;`.",
  });
}

/**
 * Skips to the end of the statement whose block has `braces` open braces: behind its `;`, or before the `}`,
 * `def` or end that closes the block.
 */
export function recover(p: Parser, braces: number): void {
  while (!at(p, T.eof)) {
    countSkipped(p);
    if (at(p, T.def)) {
      p.braces = Math.min(p.braces, braces);
      return;
    }
    if (p.braces <= braces && at(p, T.rbrace)) return;
    if (p.braces <= braces && at(p, T.semicolon)) {
      take(p);
      return;
    }
    take(p);
  }
}

/** Nonsense is not read to its end. */
function countSkipped(p: Parser): void {
  if (++p.skipped > maxSkipped) throw new TooManyErrors();
}

/** Skips to the next definition. */
export function recoverDefinition(p: Parser): void {
  while (!at(p, T.eof) && !at(p, T.def) && !at(p, T.type) && !at(p, T.extern)) {
    countSkipped(p);
    take(p);
  }
  p.braces = 0;
}

/** Runs `body`; a mistake in it is recorded and null comes back. */
export function guarded<R>(p: Parser, body: () => R): R | null {
  const { depth } = p;
  try {
    return body();
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    p.depth = depth;
    record(p, error.diagnostic);
    return null;
  }
}

/** A new node of the source; `name` may be set later with nameSource. */
export function addSource(
  p: Parser,
  span: Span,
  name: string,
  op: string,
): { readonly id: SourceId; readonly origin: Origin } {
  const id = p.nodes.length;
  if (id >= maxNodes) {
    report(p, "RS1004", `The program has more than ${maxNodes} nodes.`, {
      span,
      expected: `at most ${maxNodes} calls, constants, variables and the like`,
      got: "more",
      because: "every node costs memory in each pass",
      hint: "Compile the model in parts.",
    });
    throw new TooManyErrors();
  }
  p.nodes.push({ span, name, op, local: "" });
  return { id, origin: sourceOrigin(id) };
}

/** Completes a source node that was opened before its end was known. */
export function closeSource(p: Parser, id: SourceId, span: Span): void {
  p.nodes[id] = { ...p.nodes[id]!, span };
}

/**
 * Names what `expr` binds: `%4 = nn.conv2d(…)` makes the call's node "%4". Parameters keep their own name.
 */
export function nameSource(p: Parser, expr: Expr, name: string): void {
  if (expr.origin.kind !== "source" || expr.kind === "var" || expr.kind === "global") return;
  const node = p.nodes[expr.origin.id];
  if (node !== undefined && node.name === "") p.nodes[expr.origin.id] = { ...node, name };
}

/** Stands where an expression could not be read, so that its uses are not reported too. */
export function placeholder(p: Parser, span: Span): Expr {
  return makeVar(p.ids, "error", null, { span, origin: addSource(p, span, "", "error").origin });
}

export function pushScope(p: Parser): number {
  return p.undo.length;
}

export function popScope(p: Parser, mark: number): void {
  while (p.undo.length > mark) {
    const { name, before } = p.undo.pop()!;
    if (before === undefined) p.vars.delete(name);
    else p.vars.set(name, before);
  }
}

export function bindVar(p: Parser, name: string, annotation: Type | null, span: Span, op: string): Var {
  const variable = makeVar(p.ids, name, annotation, {
    span,
    origin: addSource(p, span, `%${name}`, op).origin,
  });
  bindName(p, name, variable);
  return variable;
}

export function bindName(p: Parser, name: string, variable: Var): void {
  p.undo.push({ name, before: p.vars.get(name) });
  p.vars.set(name, variable);
}

/** "1 argument", "2 arguments". */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** "It was first defined on line 3." */
export function placeNote(p: Parser, what: string, span: Span): string {
  let line = 1;
  for (let i = p.lexer.text.indexOf("\n"); i >= 0 && i < span.start; i = p.lexer.text.indexOf("\n", i + 1))
    line++;
  return `${what} on line ${line}.`;
}
