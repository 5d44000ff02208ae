// What the steps compared remarked on the nodes of a changed line.
import { useMemo } from "react";
import type { RemarkView } from "../../../../protocol/compile.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import { rowSources } from "../../../store/selection.ts";
import type { ShownRun } from "../../../store/state.ts";
import { ownerRow } from "../../code/levels.ts";

/** Remarks of the steps compared, by source node: what is said of a changed line. */
export function useStepRemarks(
  run: ShownRun,
  before: number,
  after: number,
): ReadonlyMap<number, readonly RemarkView[]> {
  return useMemo(() => {
    const bySource = new Map<number, RemarkView[]>();
    for (const remark of run.summary.remarks) {
      if (remark.step <= before || remark.step > after) continue;
      for (const id of new Set([...remark.sources, ...remark.otherSources])) {
        const list = bySource.get(id);
        if (list === undefined) bySource.set(id, [remark]);
        else list.push(remark);
      }
    }
    return bySource;
  }, [run, before, after]);
}

const mostNotes = 6;

/** What the steps remarked on the nodes of one line, without repeats. */
export function notesOf(
  remarks: ReadonlyMap<number, readonly RemarkView[]>,
  listing: ListingView,
  line: number,
): readonly string[] {
  if (remarks.size === 0) return noNotes;
  const texts = new Set<string>();
  for (const id of rowSources(listing.owners, ownerRow(listing, line)))
    for (const remark of remarks.get(id) ?? []) texts.add(`${remark.pass}: ${remark.text}`);
  return texts.size === 0 ? noNotes : [...texts].slice(0, mostNotes);
}

export const noNotes: readonly string[] = [];
