// Why two neighbours were not fused: the refusals that the passes recorded, found by both ends. Pure.
import type { RemarkView } from "../../../../protocol/compile.ts";
import type { GraphView } from "../../../../protocol/views.ts";

/** "from-to" of an edge -> the sentences. */
export type GapRemarks = ReadonlyMap<string, readonly string[]>;

export function gapKey(from: number, to: number): string {
  return `${from}-${to}`;
}

export function gapRemarks(graph: GraphView, remarks: readonly RemarkView[]): GapRemarks {
  const nodesOf = new Map<number, number[]>();
  for (const node of graph.nodes) {
    if (node.kind !== "call") continue;
    for (const source of node.sources) nodesOf.set(source, [...(nodesOf.get(source) ?? []), node.id]);
  }
  const edges = new Set(graph.edges.map((e) => gapKey(e.from, e.to)));
  const found = new Map<string, string[]>();
  const note = (from: number, to: number, text: string): void => {
    const key = gapKey(from, to);
    if (!edges.has(key)) return;
    const texts = found.get(key);
    if (texts === undefined) found.set(key, [text]);
    else if (!texts.includes(text)) texts.push(text);
  };
  const ends = (sources: readonly number[]): Set<number> =>
    new Set(sources.flatMap((s) => nodesOf.get(s) ?? []));
  for (const remark of remarks) {
    if (remark.kind !== "fuse.refused") continue;
    const others = ends(remark.otherSources);
    for (const a of ends(remark.sources)) {
      for (const b of others) {
        note(a, b, remark.text);
        note(b, a, remark.text);
      }
    }
  }
  return found;
}
