// Code generators outside the TE compiler (BYOC), by name. What each can compile is said here, where
// AnnotateTarget reads it; the source that it writes is codegen/c/external/.  TVM: op attribute
// "target.<name>", registry "relay.ext.<name>"
import { calledOp, type Call } from "../expr.ts";
import { ccompilerTarget } from "./ccompiler-target.ts";
import type { ExternalTarget } from "./external-target.ts";

export const externalTargets: ReadonlyMap<string, ExternalTarget> = new Map<string, ExternalTarget>(
  [ccompilerTarget].map((target) => [target.name, target]),
);

/**
 * One value of the option `partition`: a target, and which operators go to it where that is not the target's
 * own rule.
 */
export interface PartitionRequest {
  readonly name: string;
  readonly operators: ReadonlySet<string> | null;
}

/** Reads "NAME" or "NAME=op,op". */
export function partitionRequest(text: string): PartitionRequest {
  const at = text.indexOf("=");
  if (at < 0) return { name: text, operators: null };
  return {
    name: text.slice(0, at),
    operators: new Set(
      text
        .slice(at + 1)
        .split(",")
        .map((op) => op.trim())
        .filter((op) => op !== ""),
    ),
  };
}

/** Whether AnnotateTarget gives `call` to the target of `request`. */
export function takes({ name, operators }: PartitionRequest, call: Call): boolean {
  const op = calledOp(call);
  if (op === null) return false;
  return operators === null ? externalTargets.get(name)?.refuses(call) === null : operators.has(op);
}
