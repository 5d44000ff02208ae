// The strip under the C: where the runner calls what is pinned (the chain's number 3).
import { at } from "../../../../support/assert.ts";
import type { ReactNode } from "react";
import type { ListingId } from "../../../../protocol/listing-id.ts";
import type { ListingView } from "../../../../protocol/views.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, usePinned } from "../../kit/context.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";
import { listingLines } from "../../code/rows.ts";
import { tokenise } from "../../code/tokenise.ts";
import { Tokens } from "../../code/tokens.tsx";

export function CallSite({
  run,
  lib0,
  lib1,
}: {
  readonly run: ShownRun;
  readonly lib0: ListingView | null;
  readonly lib1: ListingView | null;
}): ReactNode {
  const pinned = usePinned(run);
  const { pin, setLayout } = useActions();
  const calls = pinned === null ? [] : [...pinned.calls].sort((a, b) => a - b);
  const call = run.summary.calls[calls[0] ?? -1];
  if (pinned === null || call === undefined) return null;
  const listing = holdsCall(lib1, call.index, call.cLines[0])
    ? lib1
    : holdsCall(lib0, call.index, call.cLines[0])
      ? lib0
      : null;
  if (listing === null) return null;
  const file: ListingId = { kind: "c-library", library: listing === lib1 ? 1 : 0 };
  const lines = listingLines(listing);
  const [from, to] = call.cLines;
  const shown = Array.from({ length: Math.min(to - from + 1, 4) }, (_, index) => from + index);
  return (
    <section className="peek" aria-label="Call site">
      <div className="peekhd">
        <span>
          Call site, {run.options.modName === "" ? "run_model" : `tvmgen_${run.options.modName}_run_model`}
        </span>
        <span className="sp" />
        {calls.length > 1 && (
          <button
            type="button"
            className="hbtn"
            onClick={() => pin({ kind: "call", id: at(calls, 1, "call") })}
          >
            {calls.length} calls
          </button>
        )}
        <button type="button" className="hbtn mono" onClick={() => setLayout({ cFile: file })}>
          calls 0–{run.summary.calls.length - 1}
        </button>
      </div>
      <div className="code">
        {shown.map((line) => (
          <div
            key={line}
            className={`ln rel sel${line === from ? " first" : ""}${line === to ? " last" : ""}`}
          >
            <i>{line}</i>
            <u className={call.primitive < 0 ? "" : primitiveStyle(call.primitive).gutterClass} />
            <span className="tx">
              <Tokens text={lines[line - 1] ?? ""} tokens={tokenise("c", lines[line - 1] ?? "")} found={[]} />
            </span>
            {line === from && <b className="co">3</b>}
          </div>
        ))}
      </div>
    </section>
  );
}

/** Whether `line` (1-based) of the listing belongs to the call, by its own owner row. */
function holdsCall(listing: ListingView | null, call: number, line: number): boolean {
  if (listing === null) return false;
  const row = (listing.lineOwner[line - 1] ?? 0) - 1;
  return row >= 0 && listing.owners.call[row] === call;
}
