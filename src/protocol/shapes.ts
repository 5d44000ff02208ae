// Evaluating a dynamic program's shapes: what the page asks when a person types extents for its inputs.
import type { DiagnosticCode } from "../compiler/ir/diagnostic-codes.ts";
import type { RunId, TensorSpecView } from "./compile.ts";

/** A primitive call that runs, with its shapes for the given inputs. */
export interface CallShapesView {
  /** Index of its primitive. */
  readonly primitive: number;
  readonly symbol: string;
  /** Index among Summary.calls. */
  readonly call: number;
  readonly sources: readonly number[];
  /** Shapes of its arguments and results, tuples flattened. */
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
  /** Name of the shape function that gave `outputs`; null where the types say them. */
  readonly shapeFunc: string | null;
  /** Inputs of main whose values (by the fill rule) decided `outputs`: other values may give other shapes. */
  readonly fromValues: readonly string[];
}

export type ShapesReply =
  | {
      readonly status: "ok";
      readonly runId: RunId;
      readonly calls: readonly CallShapesView[];
      readonly outputs: readonly TensorSpecView[];
    }
  | {
      readonly status: "failed";
      readonly runId: RunId;
      readonly code: DiagnosticCode;
      readonly message: string;
      readonly expected: string | null;
      readonly got: string | null;
      readonly hint: string | null;
      readonly notes: readonly string[];
      /** The input of main that does not fit, null where it is not about one. */
      readonly input: string | null;
    }
  /** The run is not kept any more, or did not get to primitives. */
  | { readonly status: "gone" };
