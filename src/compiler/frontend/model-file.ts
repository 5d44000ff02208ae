// What the ONNX and TFLite importers take and give. Weights are views on the file's bytes and never pass
// through text.
import type { IRModule } from "../relay/module.ts";
import type { InputNames } from "./input-names.ts";

export interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** External data dropped together with the model, by file name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A node of the file that Relay nodes come from; its index is the SourceId of their origins. */
export interface FileNode {
  /** The node's name in the file, or "" where it has none. */
  readonly name: string;
  /** The file's word: "Conv", "CONV_2D". */
  readonly op: string;
}

/** A dimension as a file states it. */
export interface FileDim {
  /** null where it is dynamic. */
  readonly extent: number | null;
  /** The file's own name of a dynamic dimension ("N"): dimensions of one name have one value. "" for none. */
  readonly symbol: string;
}

/** "3", "N", "?". */
export function dimWord({ extent, symbol }: FileDim): string {
  return extent !== null ? String(extent) : symbol === "" ? "?" : symbol;
}

/** An input or output as the file states it. */
export interface FileTensor {
  readonly name: string;
  /** What main calls it: its parameter's name; of what is no parameter, the name that it would have. */
  readonly relayName: string;
  /** For people: "float[N, 3, 224, 224]", with scale and bytes where the file says them. */
  readonly type: string;
  /** The file's word for its elements; "" for what is no tensor. */
  readonly dtype: string;
  /** Whether its elements are whole numbers or booleans. */
  readonly isWhole: boolean;
  /** null where not even the rank is known, and for what is no tensor. */
  readonly dims: readonly FileDim[] | null;
}

/** What the file looks like, shown as it is: the page gets this very record. */
export interface ModelFacts {
  /** "ONNX opset 13", "TFLite schema 3". */
  readonly format: string;
  readonly producer: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  readonly inputs: readonly FileTensor[];
  readonly outputs: readonly FileTensor[];
  readonly operators: readonly (readonly [op: string, count: number])[];
}

export interface Imported {
  readonly module: IRModule;
  readonly nodes: readonly FileNode[];
  readonly facts: ModelFacts;
  readonly names: InputNames;
  /** What the file calls the results of main, in order. */
  readonly outputNames: readonly string[];
}
