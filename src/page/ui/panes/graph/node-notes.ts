// What a node is beside its operators: made by an external code generator, placed on a device. Pure.
import type { Options } from "../../../../compiler/options.ts";
import type { Summary } from "../../../../protocol/compile.ts";
import type { GraphNodeView } from "../../../../protocol/views.ts";
import { deviceLabel } from "../../kit/device-names.ts";

interface NodeNote {
  /** Name of the code generator that makes it, null for what is lowered here. */
  readonly external: string | null;
  /** "4=opencl"; "" where there is one device only. */
  readonly device: string;
}

export type NotesOf = (node: GraphNodeView) => NodeNote;

export function nodeNotes(summary: Summary, options: Options): NotesOf {
  const several = options.targets.length > 1;
  return (node) => ({
    external: summary.primitives[node.primitive]?.external ?? null,
    device: several && node.device > 0 && node.kind === "call" ? deviceLabel(options, node.device) : "",
  });
}
