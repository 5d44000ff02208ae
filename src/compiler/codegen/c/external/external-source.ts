// What an external code generator gives to the C module: a file of its own.
import type { Listing } from "../../../../support/text-writer.ts";
import type { LoweredPrimitive } from "../../../executor/plan.ts";
import type { LineOwner } from "../../../ir/origin.ts";
import type { ExternalFunction } from "../../../lower/external/external-function.ts";

export interface ExternalSourceInput {
  readonly primitive: LoweredPrimitive;
  readonly external: ExternalFunction;
  readonly modName: string;
  /** Calling convention of the runner. */
  readonly unpacked: boolean;
}

export interface ExternalSource {
  readonly listing: Listing<LineOwner>;
  /** 1-based first and last line of the code, linked constants left out. */
  readonly lines: readonly [number, number];
  /** Bytes that one call takes from the heap. */
  readonly heapBytes: number;
}

export type ExternalSourceGenerator = (input: ExternalSourceInput) => ExternalSource;
