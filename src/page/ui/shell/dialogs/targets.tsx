// Targets and their devices: one, or up to three on devices of their own.
import type { ReactNode } from "react";
import type { TargetSpec } from "../../../../compiler/options.ts";
import { deviceNames } from "../../kit/device-names.ts";
import { IconButton } from "../../kit/pane-tools.tsx";
import { Choice, Row } from "./option-fields.tsx";

type Kind = TargetSpec["kind"];

const kinds: readonly (readonly [Kind, string])[] = [
  ["c", "c"],
  ["wasm", "wasm"],
];
const kindsOfSeveral: typeof kinds = [...kinds, ["opencl", "opencl"]];

export function Targets({
  targets,
  onChange,
}: {
  readonly targets: readonly TargetSpec[];
  readonly onChange: (targets: readonly TargetSpec[]) => void;
}): ReactNode {
  const free = deviceNames.filter(([number]) => targets.every(({ device }) => device !== number));
  return (
    <>
      {targets.map((target, index) => (
        <TargetRow
          key={target.device}
          target={target}
          index={index}
          several={targets.length > 1}
          free={free}
          onChange={(next) => onChange(targets.map((old, i) => (i === index ? next : old)))}
          onRemove={() => onChange(targets.filter((_, i) => i !== index))}
        />
      ))}
      {targets.length < 3 && <AddRow targets={targets} free={free} onChange={onChange} />}
    </>
  );
}

interface TargetRowProps {
  readonly target: TargetSpec;
  readonly index: number;
  readonly several: boolean;
  /** Devices that no target has. */
  readonly free: typeof deviceNames;
  readonly onChange: (target: TargetSpec) => void;
  readonly onRemove: () => void;
}

function TargetRow({ target, index, several, free, onChange, onRemove }: TargetRowProps): ReactNode {
  const { device, kind } = target;
  return (
    <Row
      label={index === 0 ? "Target" : ""}
      hint={
        index === 0
          ? "wasm uses schedules for WebAssembly; the module itself is made for both"
          : "a device of its own in plans and code; here it runs on the same CPU"
      }
    >
      {several && (
        <select
          className="hsel dev"
          aria-label={`Device of target ${index + 1}`}
          value={device}
          onChange={(event) => onChange({ ...target, device: Number(event.target.value) })}
        >
          {deviceNames
            .filter(([number]) => number === device || free.some(([other]) => other === number))
            .map(([number, name]) => (
              <option key={number} value={number}>
                {number} {name}
              </option>
            ))}
          {deviceNames.every(([number]) => number !== device) && <option value={device}>{device}</option>}
        </select>
      )}
      <Choice
        label={several ? `Kind of target ${index + 1}` : "Target"}
        value={kind}
        options={several || kind === "opencl" ? kindsOfSeveral : kinds}
        onChange={(next) => onChange({ ...target, kind: next })}
      />
      {index > 0 && <IconButton icon="close" label={`Remove target ${index + 1}`} onClick={onRemove} />}
    </Row>
  );
}

/** OpenCL's device first: it is the one that examples use. */
function AddRow({
  targets,
  free,
  onChange,
}: {
  readonly targets: readonly TargetSpec[];
  readonly free: typeof deviceNames;
  readonly onChange: (targets: readonly TargetSpec[]) => void;
}): ReactNode {
  const next = free.find(([number]) => number === 4) ?? free[0];
  if (next === undefined) return null;
  const [device] = next;
  const hint =
    targets.length > 1
      ? {}
      : { hint: "a second device, as on_device in the text names it; it runs on the same CPU" };
  return (
    <Row label="" {...hint}>
      <button
        type="button"
        className="fix"
        onClick={() => onChange([...targets, { device, kind: device === 4 ? "opencl" : "c" }])}
      >
        Add a device
      </button>
    </Row>
  );
}
