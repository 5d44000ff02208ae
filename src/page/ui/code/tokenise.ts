// Small tokenisers for listings and the editor: colours only. Each works on one line; block comments that
// span lines are found by commentLines, or line by line by tokeniseFrom.
import { at } from "../../../support/assert.ts";

export type ListingLanguage = "relay" | "c" | "wat" | "json" | "tir";
/** CSS classes of theme.css: keyword, operator, type, number, attribute, comment, variable. "" is plain. */
export type TokenClass = "kw" | "op" | "ty" | "nu" | "at" | "cm" | "va" | "";

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenClass;
}

type Rule = readonly [TokenClass, string];

const number = [
  String.raw`-?\b0x[\da-fA-F]+(?:\.[\da-fA-F]+)?(?:p[+-]?\d+)?[fuUlL]*\b`,
  String.raw`-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?:[fuUlL]+|f(?:16|32|64)|[ui](?:8|16|32|64))?\b`,
].join("|");
const text = String.raw`"(?:[^"\\]|\\.)*"`;
const blockComment = String.raw`\/\*.*?\*\/`;

export const relayKeywords = [
  "def",
  "fn",
  "let",
  "if",
  "else",
  "match",
  "type",
  "extern",
  "ref",
  "free_var",
  "True",
  "False",
  "None",
] as const;

const rules: Readonly<Record<ListingLanguage, readonly Rule[]>> = {
  relay: [
    ["cm", String.raw`${blockComment}|\/\/.*|#\[.*?\]`],
    ["at", text],
    ["va", String.raw`%[\w.]+`],
    ["kw", String.raw`@\w[\w.]*|\b(?:${relayKeywords.join("|")})\b`],
    ["ty", String.raw`\b(?:Tensor|bool|u?int\d+|float\d+|bfloat16|handle)\b`],
    ["at", String.raw`\b[A-Za-z_]\w*(?=\s*=(?![=>]))`],
    ["op", String.raw`\bmeta\[[\w.]+\]\[\d+\]|\b[A-Za-z_][\w.]*`],
    ["nu", number],
  ],
  c: [
    ["cm", String.raw`${blockComment}|\/\/.*`],
    ["at", String.raw`^\s*#.*`],
    ["at", text],
    [
      "kw",
      String.raw`\b(?:for|if|else|while|do|return|break|continue|static|const|restrict|__restrict__|extern|inline|sizeof|struct|typedef|switch|case|default|volatile|__attribute__)\b`,
    ],
    [
      "ty",
      String.raw`\b(?:void|char|short|int|long|float|double|unsigned|signed|_Bool|bool|u?int(?:8|16|32|64)_t|size_t|half|TVM\w+|DL\w+)\b`,
    ],
    ["op", String.raw`\b[A-Za-z_]\w*(?=\()`],
    ["nu", number],
  ],
  wat: [
    ["cm", String.raw`;;.*|\(;.*?;\)`],
    ["at", text],
    ["va", String.raw`\$[\w.!#%&'*+\-/:<=>?@^~|]+`],
    ["op", String.raw`\b(?:i32|i64|f32|f64|v128|[if]\d+x\d+)\.[\w]+\b|\b(?:local|global|memory)\.\w+\b`],
    [
      "kw",
      String.raw`\b(?:module|func|param|result|local|memory|data|export|import|type|table|elem|global|mut|start|block|loop|if|then|else|end|br|br_if|br_table|return|call|call_indirect|drop|select|unreachable|nop)\b`,
    ],
    ["ty", String.raw`\b(?:i32|i64|f32|f64|v128|funcref|externref)\b`],
    ["at", String.raw`\b(?:offset|align)=\d+`],
    ["nu", number],
  ],
  json: [
    ["op", String.raw`${text}(?=\s*:)`],
    ["at", text],
    ["kw", String.raw`\b(?:true|false|null)\b`],
    ["nu", number],
  ],
  tir: [
    ["cm", String.raw`${blockComment}|\/\/.*|#.*`],
    ["at", text],
    [
      "kw",
      String.raw`\b(?:primfn|attr|for|while|let|if|else|in|allocate|assert|realize|block|buffers|buffer_map|with|def|return|pass|True|False)\b`,
    ],
    ["ty", String.raw`\b(?:handle|Pointer|Buffer|bool|u?int\d+(?:x\d+)?|float\d+(?:x\d+)?|bfloat16)\b`],
    ["op", String.raw`@?\b[A-Za-z_][\w.]*(?=\()`],
    ["va", String.raw`@[\w.]+`],
    ["nu", number],
  ],
};

const compiled: Readonly<Record<ListingLanguage, RegExp>> = {
  relay: compile("relay"),
  c: compile("c"),
  wat: compile("wat"),
  json: compile("json"),
  tir: compile("tir"),
};

function compile(language: ListingLanguage): RegExp {
  return new RegExp(rules[language].map(([, source]) => `(${source})`).join("|"), "g");
}

const commentEnds = { c: ["/*", "*/"], wat: ["(;", ";)"] } as const;

function commentEndsOf(language: ListingLanguage): readonly [open: string, close: string] {
  return language === "wat" ? commentEnds.wat : commentEnds.c;
}

/**
 * Tokens of one line in order; what no token covers is plain. Over 2,000 characters all is plain: colour is
 * worth no stall.
 */
export function tokenise(language: ListingLanguage, line: string): Token[] {
  return line.length > 2000 ? [] : tokens(language, line, 0);
}

function tokens(language: ListingLanguage, line: string, from: number): Token[] {
  const found: Token[] = [];
  for (const match of line.slice(from).matchAll(compiled[language])) {
    const group = match.findIndex((part, index) => index > 0 && part !== undefined) - 1;
    const rule = rules[language][group];
    const start = from + match.index;
    if (rule && match[0] !== "") found.push({ start, end: start + match[0].length, kind: rule[0] });
  }
  return found;
}

/** Tokens of a line that begins inside a block comment or not (`within`), and whether the next one does. */
export function tokeniseFrom(
  language: ListingLanguage,
  line: string,
  within: boolean,
): { readonly tokens: readonly Token[]; readonly within: boolean } {
  const [open, close] = commentEndsOf(language);
  const ends = within ? line.indexOf(close) : 0;
  if (ends < 0) return { tokens: [{ start: 0, end: line.length, kind: "cm" }], within: true };
  const from = within ? ends + close.length : 0;
  const before: readonly Token[] = within ? [{ start: 0, end: from, kind: "cm" }] : [];
  const own = tokens(language, line, from);
  // A comment begins where no other token holds the opening: one that ends on this line is a token itself.
  let begins = line.indexOf(open, from);
  for (const token of own)
    if (token.start <= begins && begins < token.end) begins = line.indexOf(open, token.end);
  if (begins < 0) return { tokens: [...before, ...own], within: false };
  const rest: Token = { start: begins, end: line.length, kind: "cm" };
  return { tokens: [...before, ...own.filter((token) => token.end <= begins), rest], within: true };
}

/** Marks the lines that lie wholly inside a block comment begun on an earlier line. */
export function commentLines(language: ListingLanguage, lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  if (language === "json") return inside;
  const [open, close] = commentEndsOf(language);
  let within = false;
  lines.forEach((line, index) => {
    if (within) inside.add(index);
    let next = line.indexOf(within ? close : open);
    while (next >= 0) {
      within = !within;
      next = line.indexOf(within ? close : open, next + 2);
    }
  });
  return inside;
}

interface Piece {
  readonly text: string;
  readonly kind: TokenClass;
  /** Found by the search of the pane; `current` is the one that it stands on. */
  readonly found: "" | "found" | "current";
}

/** Cuts a line into pieces by token and by found range. */
export function pieces(
  line: string,
  tokens: readonly Token[],
  found: readonly { readonly start: number; readonly end: number; readonly current: boolean }[],
): Piece[] {
  const cuts = new Set([0, line.length]);
  for (const { start, end } of [...tokens, ...found]) cuts.add(start).add(end);
  const places = [...cuts].sort((a, b) => a - b);
  const out: Piece[] = [];
  let token = 0;
  for (let i = 0; i + 1 < places.length; i++) {
    const start = at(places, i, "cut of the line");
    while ((tokens[token]?.end ?? Infinity) <= start) token++;
    const here = tokens[token];
    const hit = found.find((range) => range.start <= start && start < range.end);
    out.push({
      text: line.slice(start, places[i + 1]),
      kind: here && here.start <= start ? here.kind : "",
      found: hit === undefined ? "" : hit.current ? "current" : "found",
    });
  }
  return out;
}
