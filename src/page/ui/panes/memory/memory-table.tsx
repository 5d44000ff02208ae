// The map for who does not see it: tensors as a table, the rows around the current call when there are very
// many.
import type { ReactNode } from "react";
import type { PlanView } from "../../../../protocol/views.ts";
import { formatCount } from "../../kit/labels.ts";
import { address, writerLabel } from "./model.ts";

const mostRows = 200;

export function MemoryTable({
  plan,
  step,
  peakStep,
}: {
  readonly plan: PlanView;
  readonly step: number;
  readonly peakStep: number;
}): ReactNode {
  const sorted =
    plan.blocks.length <= mostRows
      ? plan.blocks
      : [...plan.blocks].sort((a, b) => Math.abs(a.from - step) - Math.abs(b.from - step)).slice(0, mostRows);
  return (
    <table className="vh" aria-rowcount={plan.blocks.length + 1}>
      <caption>
        Tensors in memory, {plan.title}, {formatCount(plan.totalBytes)} bytes
      </caption>
      <thead>
        <tr>
          {[
            "tensor",
            "shape",
            "storage",
            "offset",
            "bytes",
            "held",
            "from call",
            "to call",
            "at the peak",
          ].map((h) => (
            <th key={h} scope="col">
              {h}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((b) => (
          <tr key={`${b.from}-${b.offset}`}>
            <th scope="row">{writerLabel(b.primitive)}</th>
            <td>{b.shape}</td>
            <td>{b.sid >= 0 ? `sid_${b.sid}` : "arena"}</td>
            <td>{address(b.offset)}</td>
            <td>{formatCount(b.bytes)}</td>
            <td>{formatCount(b.held)}</td>
            <td>{b.from}</td>
            <td>{b.to}</td>
            <td>{b.from <= peakStep && peakStep <= b.to ? "yes" : "no"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
