// Text with an owner a line: every printer writes through this, so that panes link by table look-up and never
// parse text.

/** Who made a line. `O` is the compiler's LineOwner (ir/origin.ts); null means nobody in particular. */
export interface Listing<O> {
  readonly text: string;
  /** One entry a line of `text` (split at "\n"). */
  readonly owners: readonly (O | null)[];
}

export class TextWriter<O> {
  private readonly lines: string[] = [];
  private readonly owners: (O | null)[] = [];
  private indentText = "";
  private current: O | null = null;

  /**
   * Adds one or more whole lines (split at "\n"), indented, owned by `owner` (default: the owner set by
   * withOwner).
   */
  line(text: string, owner: O | null = this.current): void {
    for (const part of text.split("\n")) {
      this.lines.push(part === "" ? "" : this.indentText + part);
      this.owners.push(owner);
    }
  }

  /** Runs `body` with every line indented by `by` spaces more. */
  indent(body: () => void, by = 2): void {
    const before = this.indentText;
    this.indentText = before + " ".repeat(by);
    body();
    this.indentText = before;
  }

  /** Runs `body` with `owner` as the owner of lines that name none. */
  withOwner(owner: O | null, body: () => void): void {
    const before = this.current;
    this.current = owner;
    body();
    this.current = before;
  }

  /** Index of the line that the next `line` call adds. */
  get lineCount(): number {
    return this.lines.length;
  }

  finish(): Listing<O> {
    return { text: this.lines.join("\n") + (this.lines.length > 0 ? "\n" : ""), owners: this.owners };
  }
}
