// The first calls of a primitive, each a button that pins it.
import type { ReactNode } from "react";

const mostSites = 24;

export function CallSites({
  calls,
  onCall,
}: {
  readonly calls: readonly number[];
  readonly onCall: (call: number) => void;
}): ReactNode {
  return (
    <>
      {calls.slice(0, mostSites).map((call) => (
        <button
          key={call}
          type="button"
          className="mono callsite"
          aria-label={`Pin call ${call}`}
          onClick={(event) => {
            // The row would pin its primitive.
            event.stopPropagation();
            onCall(call);
          }}
        >
          {call}
        </button>
      ))}
      {calls.length > mostSites && <span className="q"> and {calls.length - mostSites} more</span>}
    </>
  );
}
