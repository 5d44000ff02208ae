// Compares Relay text with a golden record's: comments, local names, the order of header attributes and what
// LabelOps and device planning add to headers do not count. Types in `/* ty=... */` comments count where
// asked. Used by tests of passes and by the conformance tool.
import { streamFloat } from "../../compiler/relay/text/print-literal.ts";

export interface CompareOptions {
  /** Whether the types in comments (`ty=...`) must agree too (`.fused` records: yes; passes/ records: no). */
  readonly types: boolean;
  /**
   * The expected text came from a module whose scales had all their digits; the program compared was read
   * from TVM's print, which rounds them to six. Then fixed_point_multiply's multipliers may differ as much as
   * that.
   */
  readonly roundedScales?: boolean;
}

/** First place where two normalised texts part. */
export interface TextDifference {
  /** Line of the normalised text, 1-based. */
  readonly line: number;
  readonly expected: string;
  readonly got: string;
}

/** A golden step: pass name, and the module's text after it or null where the text did not change. */
export type PassStep = readonly [name: string, text: string | null];

export interface PassDifference {
  readonly name: string;
  /** 0-based among the steps of that name. */
  readonly occurrence: number;
  /** "missing": we did not run it; "extra": TVM did not; "text": the modules differ after it. */
  readonly kind: "missing" | "extra" | "text";
  readonly difference: TextDifference | null;
}

type TokenKind = "local" | "global" | "meta" | "string" | "type-comment" | "word" | "mark";
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const tokenPattern = new RegExp(
  [
    String.raw`(?<comment>/\*[\s\S]*?\*/|//[^\n]*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*")`,
    String.raw`(?<meta>meta\[[\w.]+\]\[\d+\])`,
    String.raw`(?<local>%[A-Za-z0-9_][\w.:/-]*)`,
    String.raw`(?<global>@[A-Za-z_][\w.]*)`,
    String.raw`(?<word>-?\d[\d.]*e[+-]?\d+\w*|-?\d[\w.]*|[A-Za-z_][\w.]*|->|=>|!=)`,
    String.raw`(?<mark>\S)`,
  ].join("|"),
  "g",
);

/** Parameters whose value TVM's LabelOps and PlanDevices add; ignored in headers. */
function ignoredAttr(name: string): boolean {
  return (
    name === "hash" ||
    name === "param_device_types" ||
    name === "result_device_type" ||
    name.endsWith("layout")
  );
}

function tokenize(text: string, options: CompareOptions): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(tokenPattern)) {
    const groups = match.groups!;
    if (groups["comment"] !== undefined) {
      const type = /^\/\*\s*ty=([\s\S]*?)\s*\*\/$/.exec(groups["comment"]);
      if (options.types && type !== null)
        tokens.push({ kind: "type-comment", text: `/* ty=${type[1]!.replaceAll(/\s+/g, " ")} */` });
      continue;
    }
    for (const kind of ["string", "meta", "local", "global", "word", "mark"] as const) {
      if (groups[kind] !== undefined) tokens.push({ kind, text: sixDigits(groups[kind]) });
    }
  }
  return tokens;
}

/**
 * A float as TVM prints it: ours has as many digits as it takes to read it back. It is read first: six digits
 * of the value are not always six digits of its shortest text.
 */
function sixDigits(text: string): string {
  const [, digits, suffix] = /^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(f(?:64)?)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  return `${streamFloat(suffix === "f" ? Math.fround(Number(digits)) : Number(digits))}${suffix}`;
}

/** Index of the token that closes the bracket at `open`. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    const { kind, text } = tokens[i]!;
    if (kind !== "mark") continue;
    if (text === "(" || text === "[" || text === "{") depth++;
    else if ((text === ")" || text === "]" || text === "}") && --depth === 0) return i;
  }
  return tokens.length;
}

/** The comma-separated entries between `from` and `to`, nested brackets kept whole. */
function entries(tokens: readonly Token[], from: number, to: number): Token[][] {
  const found: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(from, to)) {
    if (token.kind === "mark") {
      if ("([{".includes(token.text)) depth++;
      else if (")]}".includes(token.text)) depth--;
      else if (token.text === "," && depth === 0) {
        found.push([]);
        continue;
      }
    }
    found[found.length - 1]!.push(token);
  }
  return found.filter((entry) => entry.length > 0);
}

const comma: Token = { kind: "mark", text: "," };

/** Sorts the attributes of every function header and drops the ignored ones. */
function normaliseHeaders(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    out.push(token);
    if (token.kind !== "word" || (token.text !== "fn" && token.text !== "def")) continue;
    if (tokens[i + 1]?.kind === "global") out.push(tokens[++i]!);
    if (tokens[i + 1]?.text === "[") {
      const end = closing(tokens, i + 1);
      out.push(...tokens.slice(i + 1, end + 1));
      i = end;
    }
    if (tokens[i + 1]?.text !== "(") continue;
    const end = closing(tokens, i + 1);
    const all = entries(tokens, i + 2, end);
    const isAttr = (entry: Token[]): boolean => entry[0]!.kind === "word" && entry[1]?.text === "=";
    const params = all.filter((entry) => !isAttr(entry));
    const attrs = all.filter((entry) => isAttr(entry) && !ignoredAttr(entry[0]!.text));
    attrs.sort((a, b) => (a[0]!.text < b[0]!.text ? -1 : a[0]!.text > b[0]!.text ? 1 : 0));
    out.push(tokens[i + 1]!);
    [...params, ...attrs].forEach((entry, k) => out.push(...(k === 0 ? entry : [comma, ...entry])));
    i = end;
    if (end < tokens.length) out.push(tokens[end]!);
  }
  return out;
}

/** Top-level definitions, sorted by what they define: TVM prints them in the order of a map. */
function definitions(tokens: readonly Token[]): Token[][] {
  const found: Token[][] = [];
  let depth = 0;
  for (const token of tokens) {
    const starts =
      depth === 0 && token.kind === "word" && ["def", "type", "extern", "free_var"].includes(token.text);
    const continues = found[found.length - 1]?.[0]?.text === "extern" && token.text === "type";
    if (found.length === 0 || (starts && !continues)) found.push([]);
    found[found.length - 1]!.push(token);
    if (token.kind !== "mark") continue;
    if ("([{".includes(token.text)) depth++;
    else if (")]}".includes(token.text)) depth--;
  }
  const key = (definition: Token[]): string =>
    definition[0]!.text === "def" ? `def ${definition[1]?.text ?? ""}` : "";
  return found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** Numbers local names and metadata entries by first appearance within one definition. */
function renameLocals(tokens: readonly Token[], metaNames: Map<string, string>): Token[] {
  const names = new Map<string, string>();
  const numbered = (map: Map<string, string>, name: string, prefix: string): string => {
    const known = map.get(name);
    if (known !== undefined) return known;
    const fresh = `${prefix}${map.size}`;
    map.set(name, fresh);
    return fresh;
  };
  return tokens.map((token) => {
    if (token.kind === "meta") return { kind: "meta", text: numbered(metaNames, token.text, "meta#") };
    // `%4.0` is a projection of %4.
    const projection = /^(%\d+)((?:\.\d+)+)$/.exec(token.text);
    if (token.kind !== "local") return token;
    if (projection !== null)
      return { kind: "local", text: numbered(names, projection[1]!, "%v") + projection[2]! };
    const named = /^(%[^.]+)((?:\.\d+)+)$/.exec(token.text);
    if (named !== null && names.has(named[1]!))
      return { kind: "local", text: numbered(names, named[1]!, "%v") + named[2]! };
    return { kind: "local", text: numbered(names, token.text, "%v") };
  });
}

function layOut(tokens: readonly Token[]): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  for (const token of tokens) {
    line.push(token.text);
    if (token.kind === "mark" && (token.text === ";" || token.text === "{" || token.text === "}")) {
      lines.push(line.join(" "));
      line = [];
    }
  }
  if (line.length > 0) lines.push(line.join(" "));
  return lines;
}

/** One line a binding; two modules that only differ in what does not count give equal text. */
export function normaliseRelay(text: string, options: CompareOptions): string {
  const body = text.replace(/#\[version[^\]]*\]/, "").replace(/#\[metadata\][\s\S]*$/, "");
  const metaNames = new Map<string, string>();
  const parts = definitions(normaliseHeaders(tokenize(body, options)));
  return parts.flatMap((definition) => layOut(renameLocals(definition, metaNames))).join("\n");
}

/** null if the texts agree. */
export function compareRelay(expected: string, got: string, options: CompareOptions): TextDifference | null {
  const a = normaliseRelay(expected, options).split("\n");
  const b = normaliseRelay(got, options).split("\n");
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] !== b[i] && !(options.roundedScales === true && sameButForDigits(a[i] ?? "", b[i] ?? "")))
      return { line: i + 1, expected: a[i] ?? "(end)", got: b[i] ?? "(end)" };
  }
  return null;
}

/**
 * Lines that differ in a multiplier alone, and there by no more than six digits of two scales and their
 * quotient hold.
 */
function sameButForDigits(a: string, b: string): boolean {
  const multiplier = /\bmultiplier = (-?\d+)/g;
  if (a.replaceAll(multiplier, "") !== b.replaceAll(multiplier, "")) return false;
  const [x, y] = [a, b].map((line) => Array.from(line.matchAll(multiplier), (match) => Number(match[1])));
  return (
    x!.length === y!.length && x!.every((value, i) => Math.abs(value - y![i]!) <= 1.5e-5 * Math.abs(value))
  );
}

interface Step {
  readonly key: string;
  readonly name: string;
  readonly occurrence: number;
  /** Text after the step; null while it is still the input's. */
  readonly text: string | null;
}

/** A null step shows what the step before it showed. */
function effective(steps: readonly PassStep[]): Step[] {
  const counts = new Map<string, number>();
  let text: string | null = null;
  return steps.map(([name, after]) => {
    text = after ?? text;
    const occurrence = counts.get(name) ?? 0;
    counts.set(name, occurrence + 1);
    return { key: `${name}#${occurrence}`, name, occurrence, text };
  });
}

/** A program's passes: the text before the first, and the steps. */
export interface PassRecord {
  readonly input: string;
  readonly passes: readonly PassStep[];
}

/**
 * Pairs steps by name and occurrence and compares the module after each, comments stripped. A golden list
 * that ends in ["error", …] (TVM refused there) is compared up to that step. `got.input` is our print of the
 * program; where neither side changed it yet there is nothing to compare (TVM prints attributes of a few
 * operators into the metadata of the input only).
 */
export function comparePasses(
  expected: readonly PassStep[],
  got: PassRecord,
  options: Pick<CompareOptions, "roundedScales"> = {},
): PassDifference[] {
  const refused = expected.findIndex(([name]) => name === "error");
  const wanted = effective(refused < 0 ? expected : expected.slice(0, refused));
  const ours = effective(got.passes);
  const byKey = new Map(ours.map((step) => [step.key, step]));
  const known = new Set(wanted.map((step) => step.key));
  const differences: PassDifference[] = [];
  for (const { key, name, occurrence, text } of wanted) {
    const mine = byKey.get(key);
    const difference =
      mine === undefined
        ? null
        : compareRelay(text ?? got.input, mine.text ?? got.input, { types: false, ...options });
    if (mine === undefined) differences.push({ name, occurrence, kind: "missing", difference });
    else if (difference !== null) differences.push({ name, occurrence, kind: "text", difference });
  }
  if (refused >= 0) return differences;
  for (const { key, name, occurrence } of ours) {
    if (!known.has(key)) differences.push({ name, occurrence, kind: "extra", difference: null });
  }
  return differences;
}
