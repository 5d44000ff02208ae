// Where the caret was when an editor went, so that the one that takes its place (Monaco for the text area,
// another layout) goes on there.
interface CaretMemory {
  readonly focused: boolean;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly scrollTop: number;
}

let memory: { readonly caret: CaretMemory; readonly at: number } | null = null;

/** An editor that comes later than this starts afresh, ms. */
const lastsMs = 5000;

export function rememberCaret(caret: CaretMemory): void {
  memory = { caret, at: performance.now() };
}

export function recallCaret(): CaretMemory | null {
  const known = memory !== null && performance.now() - memory.at < lastsMs ? memory.caret : null;
  memory = null;
  return known;
}
