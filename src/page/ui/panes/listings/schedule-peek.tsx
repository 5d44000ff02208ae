// Under the TIR of a primitive: the schedule that made its loops, as a trace of schedule primitives by TVM's
// names.
import { useState, type ReactNode } from "react";
import type { ShownRun } from "../../../store/state.ts";
import { useView } from "../../kit/context.tsx";
import { listingLines } from "../../code/rows.ts";

export function SchedulePeek({
  run,
  primitive,
}: {
  readonly run: ShownRun;
  readonly primitive: number;
}): ReactNode {
  const view = useView(run, { kind: "listing", id: { kind: "schedule", primitive } });
  const [open, setOpen] = useState(true);
  if (view === null || view === "gone" || view.run !== run) return null;
  const lines = listingLines(view.view.listing);
  return (
    <section className="peek sched" aria-label="Schedule">
      <div className="peekhd">
        <span>
          Schedule, {lines.length} step{lines.length === 1 ? "" : "s"}
        </span>
        <span className="sp" />
        <button type="button" className="hbtn" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"}
        </button>
      </div>
      {open && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls: keys must reach it
        <ol className="scroll mono" tabIndex={0} aria-label="Steps of the schedule">
          {lines.map((line, index) => (
            <li key={index}>
              <i>{index + 1}</i>
              {line}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
