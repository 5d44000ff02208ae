// From text to IRModule: TVM 0.8's whole text format, spans everywhere, many diagnostics in one go.
// TVM: src/parser/parser.cc Wider than TVM's parser: no `#[version]` is needed, a bare `fn` or expression is
// @main, constants left out of the text are seeded (parse-constant.ts says how), literals may carry a width
// (`1i64`).
import { maxProgramLength } from "../../limits.ts";
import { CompileError, diagnostic, type Diagnostic } from "../../ir/diagnostic.ts";
import type { Span } from "../../ir/span.ts";
import type { IdSource } from "../../ir/ids.ts";
import type { OpTable } from "../../ir/op.ts";
import { parseDType } from "../../ir/dtype.ts";
import { makeFunction, type Expr, type Func, type Var } from "../expr.ts";
import { positiveVariances } from "./seeded-variance.ts";
import { emptyModule, type IRModule } from "../module.ts";
import type { RelayOp } from "../op.ts";
import { postOrder } from "../visit.ts";
import { foreignText } from "./foreign.ts";
import { createLexer, T, takeOldHeader, tokenText } from "./lexer.ts";
import { findMetadata, readMetadata, type MetadataTable } from "./metadata.ts";
import { didYouMean } from "./nearest.ts";
import { parseBlock, parseExpr, parseParens } from "./parse-expr.ts";
import { parseFunction } from "./parse-function.ts";
import { parseTypeDefinition } from "./parse-match.ts";
import {
  addSource,
  at,
  createParser,
  guarded,
  maxDiagnostics,
  maxSkipped,
  placeNote,
  recoverDefinition,
  report,
  spanFrom,
  take,
  TooManyErrors,
  tokenSpan,
  unexpected,
  type Parser,
  type SourceTable,
} from "./parser.ts";

export type { SourceNode, SourceTable } from "./parser.ts";

interface ParseContext {
  readonly ids: IdSource;
  readonly ops: OpTable<RelayOp>;
  /** Append only. */
  readonly diagnostics: Diagnostic[];
}

export interface ParseResult {
  /** What could be read; to be used only if hasErrors is false. */
  readonly module: IRModule;
  readonly sources: SourceTable;
  /** Constants whose values come from the seeded recipe. */
  readonly seededConstants: number;
  readonly hasErrors: boolean;
}

/**
 * Reads `text`. The user's mistakes are appended to cx.diagnostics in the order of their places; never throws
 * for one.
 */
export function parseRelay(text: string, cx: ParseContext): ParseResult {
  const section = findMetadata(text);
  const end = section?.start ?? text.length;
  const failed = (found: Diagnostic): ParseResult => {
    cx.diagnostics.push(found);
    return { module: emptyModule, sources: { nodes: [] }, seededConstants: 0, hasErrors: true };
  };
  if (end > maxProgramLength) {
    return failed(
      diagnostic("RS1004", `The program has ${end} characters.`, {
        span: { start: 0, end: 1 },
        expected: `at most ${maxProgramLength} (without its metadata)`,
        got: String(end),
      }),
    );
  }
  const metadata = section === null ? null : readMetadata(text.slice(section.json));
  if (typeof metadata === "string") {
    return failed(
      diagnostic("RS1041", `The metadata section cannot be read: ${metadata}.`, {
        span: { start: section!.start, end: section!.json },
        expected: "the JSON that TVM prints behind a program",
        got: metadata,
        hint: "Without the section, shapes come from the type comments and values from the seeded recipe.",
      }),
    );
  }
  return parseProgram(text, end, cx, metadata);
}

function parseProgram(
  text: string,
  end: number,
  cx: ParseContext,
  metadata: MetadataTable | null,
): ParseResult {
  const p = createParser(createLexer(text, end), cx, metadata, {
    expr: (q) => parseExpr(q),
    block: parseBlock,
    parens: parseParens,
  });
  const functions = new Map<string, Func>();
  try {
    parseDefinitions(p, functions);
    checkNames(p, functions);
  } catch (error) {
    if (error instanceof CompileError) p.found.push(error.diagnostic);
    else if (!(error instanceof TooManyErrors)) throw error;
  }
  if (p.found.length >= maxDiagnostics || p.skipped > maxSkipped) {
    const why =
      p.found.length >= maxDiagnostics
        ? `after ${maxDiagnostics} mistakes`
        : "here: too much of the text could not be read";
    p.found.push(diagnostic("RS1006", `Stopped ${why}.`, { span: tokenSpan(p) }));
  }
  tellLaterOps(p);
  if (p.found.some(({ severity }) => severity === "error")) {
    const foreign = foreignText(text.slice(0, end));
    if (foreign !== null) p.found.splice(0, p.found.length, foreign);
  }
  if (p.firstSeeded !== null && !p.found.some((found) => found.severity === "error"))
    p.found.push(madeUp(p.seeded, p.firstSeeded));
  p.found.sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0));
  cx.diagnostics.push(...p.found);
  if (p.seeded > 0)
    for (const [name, func] of functions) functions.set(name, positiveVariances(cx.ids, func));
  return {
    module: { functions, typeDefs: p.typeDefs },
    sources: { nodes: p.nodes },
    seededConstants: p.seeded,
    hasErrors: p.found.some((found) => found.severity === "error"),
  };
}

/** Operators that 0.8 does not have: one message for all of them. */
function tellLaterOps(p: Parser): void {
  const [found, ...others] = p.laterOps;
  if (found === undefined) return;
  p.found.push(
    diagnostic(
      "RS1020",
      `\`${found.name}\` is an operator of TVM ${found.since}: TVM 0.8 does not have it.`,
      {
        span: found.span,
        expected: "an operator of TVM 0.8",
        got: found.name,
        because: "this compiler follows TVM 0.8",
        hint: "Write it with operators of TVM 0.8, or export the model so that it is not used.",
        related: others.map(({ name, since, span }) => ({ span, text: `${name}, of TVM ${since}` })),
      },
    ),
  );
}

/** Nobody should take the results for those of the model: said once, at the first of `count` constants. */
function madeUp(count: number, span: Span): Diagnostic {
  const one = count === 1;
  return diagnostic(
    "RS1043",
    `${count} constant${one ? " has" : "s have"} no values in the text: ${one ? "it is" : "they are"} seeded by rule.`,
    {
      severity: "warning",
      span,
      expected: "a #[metadata] section behind the program",
      got: "a text that was printed without it",
    },
  );
}

function parseDefinitions(p: Parser, functions: Map<string, Func>): void {
  if (at(p, T.ident)) takeOldHeader(p.lexer);
  if (at(p, T.version)) {
    const said = tokenText(p.lexer);
    const version = /["“”„]([^"“”]*)["“”]/.exec(said)?.[1] ?? said.replace(/^v/, "");
    if (version !== "0.0.5")
      report(p, "RS1007", `Text format version "${version}" is not known.`, {
        span: tokenSpan(p),
        expected: '#[version = "0.0.5"]',
        got: tokenText(p.lexer),
        severity: "warning",
      });
    take(p);
  }
  if (at(p, T.eof)) unexpected(p, "a function (`def @main(…) { … }`)");
  while (!at(p, T.eof)) {
    if (at(p, T.def)) parseDefinition(p, functions);
    else if (at(p, T.type) || at(p, T.extern)) {
      if (
        guarded(p, () => {
          parseTypeDefinition(p);
          return true;
        }) === null
      )
        recoverDefinition(p);
    } else if (functions.size === 0) parseBareExpression(p, functions);
    else {
      guarded(p, () => unexpected(p, "`def` or the end of the text"));
      recoverDefinition(p);
    }
  }
}

function parseDefinition(p: Parser, functions: Map<string, Func>): void {
  const { start } = p.lexer;
  p.definition++;
  p.depth = 0;
  const done = guarded(p, () => {
    take(p);
    if (!at(p, T.global)) unexpected(p, "the function's name (`@main`) after `def`");
    const name = tokenText(p.lexer).slice(1);
    const span = tokenSpan(p);
    take(p);
    const func = parseFunction(p, start, `@${name}`);
    const twin = functions.get(name);
    if (twin === undefined) functions.set(name, func);
    else
      report(p, "RS1013", `The function \`@${name}\` is defined twice.`, {
        span,
        expected: "one function of each name",
        got: `@${name} again`,
        ...(twin.span === null ? {} : { notes: [placeNote(p, "It was first defined", twin.span)] }),
      });
    return func;
  });
  if (done === null) {
    p.vars.clear();
    p.undo.length = 0;
    recoverDefinition(p);
  }
}

/** A text without `def`: its expression is @main, its free variables are main's parameters. */
function parseBareExpression(p: Parser, functions: Map<string, Func>): void {
  const { start } = p.lexer;
  p.definition++;
  const expr = guarded(p, () => parseExpr(p, true));
  if (expr === null) return recoverDefinition(p);
  const free = [...p.freeVars.values()].filter((variable) => uses(expr, variable));
  if (expr.kind === "function" && free.length === 0) {
    functions.set("main", expr);
    return;
  }
  const span = spanFrom(p, start);
  const { origin } = addSource(p, span, "@main", "function");
  const inner = expr.kind === "function" ? expr : null;
  const params = inner === null ? free : [...free, ...inner.params];
  functions.set(
    "main",
    makeFunction(p.ids, params, inner?.body ?? expr, {
      span,
      origin,
      resultType: inner?.resultType ?? null,
      attrs: inner?.attrs ?? {},
      typeParams: inner?.typeParams ?? [],
    }),
  );
}

function uses(expr: Expr, variable: Var): boolean {
  let found = false;
  postOrder(expr, (node) => {
    found ||= node === variable;
  });
  return found;
}

/** What only the whole text can tell: names used before, or without, their definition. */
function checkNames(p: Parser, functions: ReadonlyMap<string, Func>): void {
  for (const { name, span, definition } of p.missingGraph) {
    const later = p.graph.get(name);
    if (later?.definition === definition) {
      report(p, "RS1012", `\`${name}\` is used before it is defined.`, {
        span,
        expected: "a value that is bound further up",
        got: name,
        notes: [placeNote(p, "It is defined", later.span)],
        because: "bindings are in order of computation; a value cannot depend on itself",
      });
    } else {
      const near = didYouMean(
        name.slice(1),
        [...p.graph.entries()].filter(([, b]) => b.definition === definition).map(([n]) => n.slice(1)),
        "%",
      );
      report(p, "RS1011", `\`${name}\` is not defined${later === undefined ? "" : " in this function"}.`, {
        span,
        expected: "a number that is bound further up",
        got: name,
        ...(near === undefined ? {} : { hint: near }),
      });
    }
  }
  for (const { name, span } of p.globalUses) {
    if (functions.has(name)) continue;
    const near = didYouMean(name, functions.keys(), "@");
    report(p, "RS1014", `The function \`@${name}\` is not defined.`, {
      span,
      expected: "a function of this module",
      got: `@${name}`,
      ...(near === undefined ? {} : { hint: near }),
    });
  }
  for (const { name, span } of p.typeUses) {
    if (p.typeDefs.has(name)) continue;
    const near = didYouMean(
      name,
      [
        "Tensor",
        "float32",
        "float64",
        "float16",
        "int8",
        "int32",
        "int64",
        "uint8",
        "bool",
        ...p.typeDefs.keys(),
      ].filter((n) => n === "Tensor" || p.typeDefs.has(n) || parseDType(n) !== null),
    );
    report(p, "RS1033", `There is no type \`${name}\`.`, {
      span,
      expected: "Tensor, a tuple, a function type, ref, or a type that is defined here",
      got: name,
      ...(near === undefined ? {} : { hint: near }),
    });
  }
}
