// Tokens of TVM's text format, pulled one at a time, so that a long text costs no token table.
// TVM: src/parser/tokenizer.h Differences, all of them wider: `%x-1f` is a subtraction, integer literals may
// carry a width (`1i64`), a lone `\r` is a blank.

/** Token kinds. Two-character operators (`<=`, `->`, `=>`) are left to the parser. */
export const T = {
  eof: 0,
  unknown: 1,
  string: 2,
  ident: 3,
  local: 4,
  graph: 5,
  global: 6,
  integer: 7,
  float: 8,
  lparen: 9,
  rparen: 10,
  lbrace: 11,
  rbrace: 12,
  lsquare: 13,
  rsquare: 14,
  langle: 15,
  rangle: 16,
  comma: 17,
  period: 18,
  equal: 19,
  semicolon: 20,
  colon: 21,
  plus: 22,
  minus: 23,
  star: 24,
  slash: 25,
  bang: 26,
  question: 27,
  meta: 28,
  version: 29,
  let: 30,
  fn: 31,
  def: 32,
  if: 33,
  else: 34,
  type: 35,
  match: 36,
  partialMatch: 37,
  extern: 38,
  freeVar: 39,
  ref: 40,
  refRead: 41,
  refWrite: 42,
  true: 43,
  false: 44,
  underscore: 45,
} as const;
export type TokenKind = (typeof T)[keyof typeof T];

const keywords: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ["let", T.let],
  ["fn", T.fn],
  ["def", T.def],
  ["if", T.if],
  ["else", T.else],
  ["type", T.type],
  ["match", T.match],
  ["extern", T.extern],
  ["free_var", T.freeVar],
  ["ref", T.ref],
  ["ref_read", T.refRead],
  ["ref_write", T.refWrite],
  ["True", T.true],
  ["False", T.false],
  ["_", T.underscore],
]);

const single: Readonly<Record<string, TokenKind>> = {
  "(": T.lparen,
  ")": T.rparen,
  "{": T.lbrace,
  "}": T.rbrace,
  "[": T.lsquare,
  "]": T.rsquare,
  "<": T.langle,
  ">": T.rangle,
  ",": T.comma,
  ".": T.period,
  "=": T.equal,
  ";": T.semicolon,
  ":": T.colon,
  "+": T.plus,
  "-": T.minus,
  "*": T.star,
  "!": T.bang,
  "?": T.question,
};
const singleByCode = new Uint8Array(128);
for (const [char, kind] of Object.entries(single)) singleByCode[char.charCodeAt(0)] = kind;

/** 1 = letter, `_` or `/` (starts a name), 2 = digit; TVM lets `/` into names, as TensorFlow does. */
const charClass = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  charClass[code] = /[A-Za-z_/]/.test(char) ? 1 : /[0-9]/.test(char) ? 2 : 0;
}

/**
 * A lexer stands on one token; advance() moves it. Parsing a comment's type swaps pos and end and puts them
 * back.
 */
export interface Lexer {
  readonly text: string;
  /** Where the next token is looked for, and the end of what may be read. */
  pos: number;
  end: number;
  kind: TokenKind;
  start: number;
  stop: number;
  /** End of the token before this one. */
  lastStop: number;
  /**
   * The type inside the first block comment that starts with `ty=` between the last token and this one, or
   * -1.
   */
  typeStart: number;
  typeStop: number;
  /** Why an unknown token is one. */
  problem: string | null;
  /** Declared names that no plain token could be: `conv1.weight`, `onnx::Conv_12`, `x:0`. */
  readonly oddNames: Set<string>;
}

export function createLexer(text: string, end = text.length): Lexer {
  const lexer: Lexer = {
    text,
    pos: 0,
    end,
    kind: T.eof,
    start: 0,
    stop: 0,
    lastStop: 0,
    typeStart: -1,
    typeStop: -1,
    problem: null,
    oddNames: new Set(),
  };
  advance(lexer);
  return lexer;
}

export function tokenText(lexer: Lexer): string {
  return lexer.text.slice(lexer.start, lexer.stop);
}

/** True if the next token after this one is a lone `=` (not `==` or `=>`). */
export function followedByEquals(lexer: Lexer): boolean {
  const at = skipBlanks(lexer, lexer.stop, false);
  if (at >= lexer.end || lexer.text.charCodeAt(at) !== 61) return false;
  const next = lexer.text.charCodeAt(at + 1);
  return next !== 61 && next !== 62;
}

/** The character that follows this token directly, or "". */
export function charAfter(lexer: Lexer): string {
  return lexer.stop < lexer.end ? lexer.text.charAt(lexer.stop) : "";
}

/**
 * Position of the first character at or after `from` that is neither blank nor comment. Notes a type comment
 * if `note`.
 */
function skipBlanks(lexer: Lexer, from: number, note: boolean): number {
  const { text, end } = lexer;
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff) {
      at++;
    } else if (code === 47 && text.charCodeAt(at + 1) === 47) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 || newline > end ? end : newline;
    } else if (code === 47 && text.charCodeAt(at + 1) === 42) {
      const stop = commentEnd(lexer, at);
      if (note && lexer.typeStart < 0 && stop > 0) noteTypeComment(lexer, at, stop);
      if (stop < 0) {
        if (note) lexer.problem = "this comment is not closed";
        return note ? at : end;
      }
      at = stop;
    } else if (code === 92 && isEscape(text.charCodeAt(at + 1))) {
      at++;
    } else {
      break;
    }
  }
  return Math.min(at, end);
}

/** Whether a backslash before it is an editor's or Markdown's: a line that goes on, or a mark as it is. */
function isEscape(next: number): boolean {
  return (
    next === 10 || next === 13 || next === 62 || next === 60 || next === 42 || next === 91 || next === 93
  );
}

/** Straight quotes, and those that word processors make of them. */
const quotes: ReadonlySet<number> = new Set([34, 0x201c, 0x201d, 0x201e]);

/** Offset behind the comment that opens at `at` (they nest), or -1 if it is not closed. */
function commentEnd(lexer: Lexer, at: number): number {
  const { text, end } = lexer;
  let depth = 1;
  let pos = at + 2;
  let close = -1;
  let open = -1;
  for (;;) {
    // Each is looked for again only when passed.
    if (close < pos) close = text.indexOf("*/", pos);
    if (close < 0 || close + 2 > end) return -1;
    if (open < pos && open !== end) open = text.indexOf("/*", pos);
    if (open < 0) open = end;
    if (open < close) {
      depth++;
      pos = open + 2;
    } else {
      depth--;
      pos = close + 2;
      if (depth === 0) return pos;
    }
  }
}

function noteTypeComment(lexer: Lexer, at: number, stop: number): void {
  let pos = at + 2;
  while (lexer.text.charCodeAt(pos) === 32) pos++;
  if (!lexer.text.startsWith("ty=", pos)) return;
  lexer.typeStart = pos + 3;
  lexer.typeStop = stop - 2;
}

/** Moves to the next token. */
export function advance(lexer: Lexer): void {
  const afterPeriod = lexer.kind === T.period;
  lexer.lastStop = lexer.stop;
  lexer.typeStart = -1;
  lexer.problem = null;
  const start = skipBlanks(lexer, lexer.pos, true);
  lexer.start = start;
  if (lexer.problem !== null) return finish(lexer, T.unknown, lexer.end);
  if (start >= lexer.end) return finish(lexer, T.eof, lexer.end);
  const code = lexer.text.charCodeAt(start);
  const punctuation = code < 128 ? singleByCode[code]! : 0;
  if (punctuation !== 0) return finish(lexer, punctuation as TokenKind, start + 1);
  const kind = code < 128 ? charClass[code]! : 0;
  if (kind === 1) return lexWord(lexer, start);
  if (kind === 2) return lexNumber(lexer, start, afterPeriod);
  if (code === 37) return lexPrefixed(lexer, start, T.local);
  if (code === 64) return lexPrefixed(lexer, start, T.global);
  if (quotes.has(code)) return lexString(lexer, start);
  if (code === 35) return lexHash(lexer, start);
  return lexUnknown(lexer, start);
}

function finish(lexer: Lexer, kind: TokenKind, stop: number): void {
  lexer.kind = kind;
  lexer.stop = stop;
  lexer.pos = stop;
}

function nameEnd(lexer: Lexer, from: number): number {
  const { text, end } = lexer;
  let at = from;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128 || charClass[code] === 0) break;
    if (code === 47 && (text.charCodeAt(at + 1) === 42 || text.charCodeAt(at + 1) === 47)) break;
  }
  return at;
}

function digitsEnd(lexer: Lexer, from: number): number {
  let at = from;
  while (at < lexer.end && charClass[lexer.text.charCodeAt(at)] === 2) at++;
  return at;
}

function lexWord(lexer: Lexer, start: number): void {
  const { text } = lexer;
  if (text.charCodeAt(start) === 47) {
    const next = text.charCodeAt(start + 1);
    if (!(next < 128) || charClass[next] !== 1) return finish(lexer, T.slash, start + 1);
  }
  const stop = nameEnd(lexer, start);
  const word = text.slice(start, stop);
  if (word === "meta" && text.charCodeAt(stop) === 91) return lexMeta(lexer, start, stop);
  const keyword = keywords.get(word);
  if (keyword === T.match && text.charCodeAt(stop) === 63) return finish(lexer, T.partialMatch, stop + 1);
  finish(lexer, keyword ?? T.ident, stop);
}

/** `meta[relay.Constant][0]`: one token; metaReference() takes it apart. */
function lexMeta(lexer: Lexer, start: number, stop: number): void {
  const { text, end } = lexer;
  // Only so far is looked: a text of nothing but `meta[` must not cost its square.
  const near = text.slice(start, Math.min(end, start + 200));
  const first = near.indexOf("]");
  const second = first >= 0 && near.charCodeAt(first + 1) === 91 ? near.indexOf("]", first + 1) : -1;
  if (second < 0) {
    lexer.problem = "a reference into the metadata is written meta[relay.Constant][0]";
    return finish(lexer, T.unknown, stop);
  }
  finish(lexer, T.meta, start + second + 1);
}

/** Type key and index of the meta token that the lexer stands on; index -1 if it is no number. */
export function metaReference(lexer: Lexer): { readonly key: string; readonly index: number } {
  const match = /^meta\[([^\]]*)\]\[\s*(\d{1,9})\s*\]$/.exec(tokenText(lexer));
  return match === null ? { key: "", index: -1 } : { key: match[1]!.trim(), index: Number(match[2]) };
}

function lexNumber(lexer: Lexer, start: number, afterPeriod: boolean): void {
  const { text, end } = lexer;
  let at = digitsEnd(lexer, start);
  // `%x.0.1`: behind a period only digits make the number, it is an index.
  if (afterPeriod) return finish(lexer, T.integer, at);
  let kind: TokenKind = T.integer;
  if (text.charCodeAt(at) === 46 && charClass[text.charCodeAt(at + 1)] === 2) {
    kind = T.float;
    at = digitsEnd(lexer, at + 1);
  }
  const exponent = text.charCodeAt(at);
  if (exponent === 101 || exponent === 69) {
    const sign = text.charCodeAt(at + 1);
    const digits = sign === 43 || sign === 45 ? at + 2 : at + 1;
    if (charClass[text.charCodeAt(digits)] === 2) {
      kind = T.float;
      at = digitsEnd(lexer, digits);
    }
  }
  const suffix = at;
  while (
    at < end &&
    text.charCodeAt(at) !== 47 &&
    text.charCodeAt(at) < 128 &&
    charClass[text.charCodeAt(at)] !== 0
  )
    at++;
  const mark = text.charCodeAt(suffix);
  // `f`, `f16`; `h` is what some versions print for float16.
  if (suffix < at && (mark === 102 || mark === 104)) kind = T.float;
  finish(lexer, kind, Math.min(at, end));
}

function lexPrefixed(lexer: Lexer, start: number, kind: typeof T.local | typeof T.global): void {
  const first = lexer.text.charCodeAt(start + 1);
  const odd = kind === T.local && lexer.oddNames.size > 0 ? oddNameEnd(lexer, start) : -1;
  if (odd >= 0) return finish(lexer, T.local, odd);
  if (kind === T.local && charClass[first] === 2) {
    const stop = digitsEnd(lexer, start + 1);
    // `%0x` is no graph number; TVM would split it in two tokens.
    const word = nameEnd(lexer, stop);
    return finish(lexer, word === stop ? T.graph : T.local, word);
  }
  const stop = nameEnd(lexer, start + 1);
  if (stop > start + 1) return finish(lexer, kind, stop);
  lexer.problem =
    kind === T.local ? "a local variable is written %name" : "a global function is written @name";
  finish(lexer, T.unknown, start + 1);
}

/**
 * Names as PyTorch, ONNX and TensorFlow give them. TVM prints them as they are, though its own parser cannot
 * read them.
 */
const oddName = /%[\w/]+(?:(?:\.|::|:(?=\d))[\w/]+)*/y;

function oddNameAt(lexer: Lexer, start: number): string {
  oddName.lastIndex = start;
  const found = oddName.exec(lexer.text)?.[0] ?? "";
  return found.slice(1, lexer.end - start);
}

/**
 * The lexer stands on a local that is being declared: takes a name with periods whole, and knows it from now
 * on.
 */
export function declareName(lexer: Lexer): void {
  const name = oddNameAt(lexer, lexer.start);
  if (name.length <= lexer.stop - lexer.start - 1) return;
  lexer.oddNames.add(name);
  finish(lexer, T.local, lexer.start + 1 + name.length);
}

/** End of the longest declared odd name at `start`, or -1: `%a.b.0` may be field 0 of `%a.b`. */
function oddNameEnd(lexer: Lexer, start: number): number {
  let name = oddNameAt(lexer, start);
  while (name !== "" && !lexer.oddNames.has(name))
    name = name.slice(0, Math.max(0, name.search(/(?:\.|::?)[\w/]+$/)));
  return name === "" ? -1 : start + 1 + name.length;
}

function lexString(lexer: Lexer, start: number): void {
  const { text, end } = lexer;
  let at = start + 1;
  while (at < end && !quotes.has(text.charCodeAt(at)) && text.charCodeAt(at) !== 10) at++;
  if (at < end && quotes.has(text.charCodeAt(at))) return finish(lexer, T.string, at + 1);
  lexer.problem = "this string is not closed on its line";
  finish(lexer, T.unknown, at);
}

/** `#[version = "0.0.5"]`. (`#[metadata]` ends the program; the parser looks for it before it starts.) */
function lexHash(lexer: Lexer, start: number): void {
  const version = /^#\[\s*version\b[^\]]*\]/.exec(lexer.text.slice(start, Math.min(lexer.end, start + 80)));
  if (version !== null) return finish(lexer, T.version, start + version[0].length);
  lexer.problem = '`#` starts `#[version = "0.0.5"]` or `#[metadata]`, nothing else';
  finish(lexer, T.unknown, start + 1);
}

/** TVM 0.5 and 0.6 print a line `v0.0.4` first: that is a version too. */
export function takeOldHeader(lexer: Lexer): void {
  const found = /^v\d+\.\d+\.\d+(?![\w.])/.exec(lexer.text.slice(lexer.start, lexer.start + 20));
  if (found !== null) finish(lexer, T.version, lexer.start + found[0].length);
}

function lexUnknown(lexer: Lexer, start: number): void {
  const { text, end } = lexer;
  let at = start + 1;
  while (at < end && at - start < 200 && !/[\s;{}()]/.test(text.charAt(at))) at++;
  finish(lexer, T.unknown, at);
}

const names: readonly string[] = [
  "the end of the text",
  "an unknown character",
  "a string",
  "a name",
  "a local variable",
  "a graph variable",
  "a global function",
  "an integer",
  "a float",
  "`(`",
  "`)`",
  "`{`",
  "`}`",
  "`[`",
  "`]`",
  "`<`",
  "`>`",
  "`,`",
  "`.`",
  "`=`",
  "`;`",
  "`:`",
  "`+`",
  "`-`",
  "`*`",
  "`/`",
  "`!`",
  "`?`",
  "a metadata reference",
  "the version",
  "`let`",
  "`fn`",
  "`def`",
  "`if`",
  "`else`",
  "`type`",
  "`match`",
  "`match?`",
  "`extern`",
  "`free_var`",
  "`ref`",
  "`ref_read`",
  "`ref_write`",
  "`True`",
  "`False`",
  "`_`",
];

/** How a person calls a token of this kind. */
export function kindName(kind: TokenKind): string {
  return names[kind]!;
}
