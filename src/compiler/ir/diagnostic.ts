// What the user is told. A user's mistake is a value with a code and a place: a stage of the compiler
// collects it, and compile() never throws one. Inside a stage, and by what runs a program (runtime, node), it
// may be thrown as a CompileError, which says so in its docstring.
// One form for all: what was expected, what was got, why it matters, what to try.
import type { DiagnosticCode, DiagnosticSubject } from "./diagnostic-codes.ts";
import { diagnosticAdvice } from "./diagnostic-advice.ts";
import type { Origin } from "./origin.ts";
import { positionAt, type Span } from "./span.ts";

type Severity = "error" | "warning" | "info";

/** A second place that the message is about, and what it says there. */
interface RelatedPlace {
  readonly span: Span;
  readonly text: string;
}

export interface Diagnostic {
  /** "RS" + four digits; the table is ir/diagnostic-codes.ts. */
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  /** Where somebody acts on it: which parameter or file it is about. */
  readonly subject: DiagnosticSubject | null;
  readonly span: Span | null;
  readonly origin: Origin | null;
  readonly expected: string | null;
  readonly got: string | null;
  readonly because: string | null;
  readonly hint: string | null;
  readonly notes: readonly string[];
  readonly related?: readonly RelatedPlace[];
}

export interface DiagnosticParts {
  readonly subject?: DiagnosticSubject;
  readonly span?: Span | null;
  readonly origin?: Origin | null;
  readonly expected?: string;
  readonly got?: string;
  readonly because?: string;
  readonly hint?: string;
  readonly notes?: readonly string[];
  readonly related?: readonly RelatedPlace[];
  readonly severity?: Severity;
}

/** What `parts` leave open of why and what to try is said by the code's advice. */
export function diagnostic(code: DiagnosticCode, message: string, parts: DiagnosticParts = {}): Diagnostic {
  const advice = diagnosticAdvice[code];
  return {
    code,
    severity: parts.severity ?? "error",
    message,
    subject: parts.subject ?? null,
    span: parts.span ?? null,
    origin: parts.origin ?? null,
    expected: parts.expected ?? null,
    got: parts.got ?? null,
    because: parts.because ?? advice?.because ?? null,
    hint: parts.hint ?? advice?.hint ?? null,
    notes: parts.notes ?? [],
    ...(parts.related === undefined ? {} : { related: parts.related }),
  };
}

/** The notes of `found` as text, second places with line and column; `starts` are the source's lineStarts. */
export function diagnosticNotes(found: Diagnostic, starts: Uint32Array): readonly string[] {
  const places = (found.related ?? []).map(({ span, text }) => {
    const { line, column } = positionAt(starts, span.start);
    return `line ${line}, column ${column}: ${text}`;
  });
  return [...found.notes, ...places];
}

/**
 * Thrown to unwind from a deep place to the stage or the caller that collects it; carries the diagnostic,
 * never shown as a crash.
 */
export class CompileError extends Error {
  override readonly name = "CompileError";
  readonly diagnostic: Diagnostic;
  constructor(found: Diagnostic) {
    super(`${found.code}: ${found.message}`);
    this.diagnostic = found;
  }
}

export function fail(code: DiagnosticCode, message: string, parts: DiagnosticParts = {}): never {
  throw new CompileError(diagnostic(code, message, parts));
}
