// Relay for Monaco: tokens (as in the listings), brackets, comments, hovers with types and operator docs,
// completion, go to definition, outline of lines.
import type { OpDoc } from "../../../../protocol/api.ts";
import type { ShownRun } from "../../../store/state.ts";
import { relayKeywords, tokeniseFrom, type Token, type TokenClass } from "../../code/tokenise.ts";
import type { monaco as Monaco } from "./monaco.ts";
import { nodeAt } from "./source-lines.ts";

export const relayLanguage = "relay";

/** What the providers look things up in; the editor keeps it up to date. */
interface LanguageContext {
  run: ShownRun | null;
  opDocs: readonly OpDoc[];
}

export const languageContext: LanguageContext = { run: null, opDocs: [] };

/** What monaco-theme.ts calls the classes of theme.css. */
const scopes: Readonly<Record<TokenClass, string>> = {
  kw: "keyword",
  op: "operator",
  ty: "type",
  nu: "number",
  at: "attribute",
  cm: "comment",
  va: "variable",
  "": "",
};

/** Brackets and quotes in strings do not count; strings have the colour of attributes. */
function scopeOf(line: string, { start, kind }: Token): string {
  return kind === "at" && line[start] === '"' ? "string" : scopes[kind];
}

/** Whether a line begins inside a block comment. */
interface LineState extends Monaco.languages.IState {
  readonly within: boolean;
}

function lineState(within: boolean): LineState {
  return {
    within,
    clone: () => lineState(within),
    equals: (other) => "within" in other && other.within === within,
  };
}

function lineTokens(line: string, { within }: LineState): Monaco.languages.ILineTokens {
  const found = tokeniseFrom("relay", line, within);
  const plain = (startIndex: number): Monaco.languages.IToken => ({ startIndex, scopes: "" });
  const tokens = [
    plain(0),
    ...found.tokens.flatMap((token) => [
      { startIndex: token.start, scopes: scopeOf(line, token) },
      plain(token.end),
    ]),
  ];
  // Where one token follows another at once, the second says what it is.
  const shown = tokens.filter(({ startIndex }, i) => tokens[i + 1]?.startIndex !== startIndex);
  return { tokens: shown, endState: lineState(found.within) };
}

let registered = false;

export function registerRelay(monaco: typeof Monaco): void {
  if (registered) return;
  registered = true;
  const { languages } = monaco;
  languages.register({ id: relayLanguage, extensions: [".relay"] });
  languages.setLanguageConfiguration(relayLanguage, {
    comments: { lineComment: "//", blockComment: ["/*", "*/"] },
    brackets: [
      ["{", "}"],
      ["[", "]"],
      ["(", ")"],
    ],
    autoClosingPairs: [
      { open: "{", close: "}" },
      { open: "[", close: "]" },
      { open: "(", close: ")" },
      { open: '"', close: '"', notIn: ["string", "comment"] },
    ],
    wordPattern: /[%@]?[A-Za-z_][\w.]*|%\d+(?:\.\d+)?|-?\d[\w.]*/,
  });
  languages.setTokensProvider(relayLanguage, {
    getInitialState: () => lineState(false),
    tokenize: (line, state) => lineTokens(line, lineState("within" in state && state.within === true)),
  });
  languages.registerHoverProvider(relayLanguage, {
    provideHover: (model, position) => hoverAt(monaco, model, position),
  });
  languages.registerCompletionItemProvider(relayLanguage, {
    triggerCharacters: [".", "(", ","],
    provideCompletionItems: (model, position) => completions(monaco, model, position),
  });
  languages.registerFoldingRangeProvider(relayLanguage, {
    provideFoldingRanges: (model) =>
      bracketRanges(model.getLinesContent()).map((range) => ({
        ...range,
        kind: languages.FoldingRangeKind.Region,
      })),
  });
  languages.registerDefinitionProvider(relayLanguage, {
    provideDefinition: (model, position) => definition(model, position),
  });
}

function docMarkdown(doc: OpDoc): string {
  const attrs = doc.attrs.map(
    (attr) =>
      `- \`${attr.name}\`: ${attr.kind}${attr.default === null ? "" : `, default \`${attr.default}\``}. ${attr.doc}`,
  );
  return [`**${doc.name}**(${doc.inputs.join(", ")}) · ${doc.pattern}`, "", doc.doc, "", ...attrs].join("\n");
}

function hoverAt(
  monaco: typeof Monaco,
  model: Monaco.editor.ITextModel,
  position: Monaco.Position,
): Monaco.languages.Hover | null {
  const { run, opDocs } = languageContext;
  const word = model.getWordAtPosition(position);
  const contents: Monaco.IMarkdownString[] = [];
  if (run !== null && run.text === model.getValue()) {
    const { sources } = run.summary;
    const named =
      word === null ? undefined : sources.find((node) => node.name === word.word && node.name !== "");
    const node = named ?? sources[nodeAt(sources, model.getOffsetAt(position))];
    if (node && node.type !== "")
      contents.push({
        value: `\`\`\`relay\n${node.name === "" ? node.op : node.name}: ${node.type}\n\`\`\``,
      });
  }
  const doc = word === null ? undefined : opDocs.find((candidate) => candidate.name === word.word);
  if (doc) contents.push({ value: docMarkdown(doc) });
  if (contents.length === 0) return null;
  return {
    contents,
    ...(word
      ? {
          range: new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn),
        }
      : {}),
  };
}

/**
 * Name of the operator whose parentheses the place stands in, "" outside of any. Looks back at most 4,000
 * characters.
 */
export function enclosingOperator(before: string): string {
  const text = before.slice(-4000);
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at];
    if (char === ")" || char === "]") depth++;
    else if (char === "[") depth--;
    else if (char === "(") {
      if (depth === 0) return /[A-Za-z_][\w.]*$/.exec(text.slice(0, at))?.[0] ?? "";
      depth--;
    } else if (char === ";" || char === "{") return "";
  }
  return "";
}

function completions(
  monaco: typeof Monaco,
  model: Monaco.editor.ITextModel,
  position: Monaco.Position,
): Monaco.languages.CompletionList {
  const { opDocs } = languageContext;
  const { CompletionItemKind, CompletionItemInsertTextRule } = monaco.languages;
  const before = model.getValueInRange(
    new monaco.Range(Math.max(1, position.lineNumber - 40), 1, position.lineNumber, position.column),
  );
  const start = /[%@]?[\w.]*$/.exec(before)?.[0].length ?? 0;
  const range = new monaco.Range(
    position.lineNumber,
    position.column - start,
    position.lineNumber,
    position.column,
  );
  const suggestions: Monaco.languages.CompletionItem[] = [];
  const doc = opDocs.find((candidate) => candidate.name === enclosingOperator(before));
  for (const attr of doc?.attrs ?? []) {
    suggestions.push({
      label: attr.name,
      kind: CompletionItemKind.Property,
      insertText: `${attr.name}=`,
      range,
      sortText: `0${attr.name}`,
      detail: attr.default === null ? attr.kind : `${attr.kind} = ${attr.default}`,
      documentation: attr.doc,
    });
  }
  for (const op of opDocs) {
    suggestions.push({
      label: op.name,
      kind: CompletionItemKind.Function,
      range,
      sortText: `2${op.name}`,
      detail: op.inputs.join(", "),
      documentation: { value: docMarkdown(op) },
      insertText: `${op.name}(${op.inputs.map((input, index) => `\${${index + 1}:%${input}}`).join(", ")})`,
      insertTextRules: CompletionItemInsertTextRule.InsertAsSnippet,
    });
  }
  const locals = new Set(
    model
      .getValue()
      .slice(0, 200_000)
      .match(/%[A-Za-z_]\w*|%\d+/g) ?? [],
  );
  for (const local of locals)
    suggestions.push({
      label: local,
      kind: CompletionItemKind.Variable,
      insertText: local,
      range,
      sortText: `1${local}`,
    });
  for (const word of relayKeywords)
    suggestions.push({
      label: word,
      kind: CompletionItemKind.Keyword,
      insertText: word,
      range,
      sortText: `3${word}`,
    });
  return { suggestions };
}

function definition(
  model: Monaco.editor.ITextModel,
  position: Monaco.Position,
): Monaco.languages.Definition | null {
  const word = model.getWordAtPosition(position)?.word.replace(/\.\d+$/, "");
  if (word === undefined || !/^[%@]/.test(word)) return null;
  const bare = word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = word.startsWith("@") ? String.raw`def\s+${bare}\b` : String.raw`${bare}(?::|\s*=[^=])`;
  // The nearest one above: locals may be bound again.
  const found =
    model.findPreviousMatch(pattern, position, false, true, null, false) ??
    model.findNextMatch(pattern, position, false, true, null, false);
  return found === null ? null : { uri: model.uri, range: found.range };
}

/**
 * Brackets that span more than two lines, as 1-based ranges that leave the closing line in sight. Strings and
 * comments are not told apart: both rarely hold brackets in Relay.
 */
export function bracketRanges(lines: readonly string[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  const open: number[] = [];
  lines.forEach((line, index) => {
    for (const char of line) {
      if (char === "(" || char === "[" || char === "{") open.push(index + 1);
      else if (char === ")" || char === "]" || char === "}") {
        const start = open.pop();
        if (start !== undefined && index - start >= 1) ranges.push({ start, end: index });
      }
    }
  });
  return ranges;
}
