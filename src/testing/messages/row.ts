// A program with one mistake, and what the user is told about it.
import type { Options } from "../../compiler/options.ts";

export interface MessageRow {
  readonly name: string;
  readonly text: string;
  readonly options?: Partial<Options>;
  /** Severity unless error, code, and line:column ("-": it is about no place of the text). */
  readonly at: string;
  /** The text that is underlined. */
  readonly on: string;
  readonly says: string;
  readonly expected: string;
  readonly got: string;
  readonly because: string;
  readonly hint: string;
  readonly notes?: string;
}

/** The type that most rows use. */
export const t = "Tensor[(2), float32]";
