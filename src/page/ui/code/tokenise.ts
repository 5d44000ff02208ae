// Small tokenisers for listings: colours only. Each works on one line; block comments that span lines are found by commentLines.
export type ListingLanguage = "relay" | "c" | "wat" | "json" | "tir";
/** CSS classes of theme.css: keyword, operator, type, number, attribute, comment, variable. "" is plain. */
export type TokenClass = "kw" | "op" | "ty" | "nu" | "at" | "cm" | "va" | "";

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly kind: TokenClass;
}

type Rule = readonly [TokenClass, string];

const number = String.raw`-?\b0x[\da-fA-F]+(?:\.[\da-fA-F]+)?(?:p[+-]?\d+)?[fuUlL]*\b|-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?(?:[fuUlL]+|f(?:16|32|64)|[ui](?:8|16|32|64))?\b`;
const text = String.raw`"(?:[^"\\]|\\.)*"`;
const blockComment = String.raw`\/\*.*?\*\/`;

const rules: Readonly<Record<ListingLanguage, readonly Rule[]>> = {
  relay: [
    ["cm", String.raw`${blockComment}|\/\/.*|#\[.*?\]`],
    ["at", text],
    ["va", String.raw`%[\w.]+`],
    ["kw", String.raw`@\w[\w.]*|\b(?:def|fn|let|if|else|match|type|extern|ref|True|False|None)\b`],
    ["ty", String.raw`\b(?:Tensor|bool|u?int\d+|float\d+|bfloat16|handle)\b`],
    ["at", String.raw`\b[A-Za-z_]\w*(?==)`],
    ["op", String.raw`\b[A-Za-z_][\w.]*(?=\()|\bmeta\[[\w.]+\]\[\d+\]`],
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

const compiled = Object.fromEntries(
  Object.entries(rules).map(([language, list]) => [
    language,
    new RegExp(list.map(([, source]) => `(${source})`).join("|"), "g"),
  ]),
) as Record<ListingLanguage, RegExp>;

/** Tokens of one line in order; what no token covers is plain. Lines over 2,000 characters stay plain: colour is not worth a stall. */
export function tokenise(language: ListingLanguage, line: string): Token[] {
  if (line.length > 2000) return [];
  const tokens: Token[] = [];
  for (const found of line.matchAll(compiled[language])) {
    const group = found.findIndex((part, index) => index > 0 && part !== undefined) - 1;
    const rule = rules[language][group];
    if (rule && found[0] !== "")
      tokens.push({ start: found.index, end: found.index + found[0].length, kind: rule[0] });
  }
  return tokens;
}

/** Marks the lines that lie wholly inside a block comment begun on an earlier line. */
export function commentLines(language: ListingLanguage, lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  if (language === "json") return inside;
  const [open, close] = language === "wat" ? ["(;", ";)"] : ["/*", "*/"];
  let within = false;
  lines.forEach((line, index) => {
    if (within) inside.add(index);
    let at = 0;
    for (;;) {
      const next = line.indexOf(within ? close! : open!, at);
      if (next < 0) break;
      within = !within;
      at = next + 2;
    }
  });
  return inside;
}

export interface Piece {
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
    const start = places[i]!;
    while (token < tokens.length && tokens[token]!.end <= start) token++;
    const here = tokens[token];
    const hit = found.find((range) => range.start <= start && start < range.end);
    out.push({
      text: line.slice(start, places[i + 1]!),
      kind: here && here.start <= start ? here.kind : "",
      found: hit === undefined ? "" : hit.current ? "current" : "found",
    });
  }
  return out;
}
