// What the ONNX and TFLite importers take and give. Weights are views on the file's bytes and never pass through text.
import type { IRModule } from "../relay/module.ts";

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

/** What the file looks like, shown as it is: the page gets this very record. */
export interface ModelFacts {
  /** "ONNX opset 13", "TFLite schema 3". */
  readonly format: string;
  readonly producer: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  /** Name and printed type. */
  readonly inputs: readonly (readonly [name: string, type: string])[];
  readonly outputs: readonly (readonly [name: string, type: string])[];
  readonly operators: readonly (readonly [op: string, count: number])[];
}

export interface Imported {
  readonly module: IRModule;
  readonly nodes: readonly FileNode[];
  readonly facts: ModelFacts;
}
