// All options of a compilation: targets, executor, passes, shapes. Each takes effect at once; those that differ are counted.
import { useState, type ReactNode } from "react";
import { defaultOptions, type Options, type TargetSpec } from "../../../../compiler/options.ts";
import { deviceNames } from "../../kit/device-names.ts";
import { useActions, useApp } from "../../kit/context.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import {
  changedOptions,
  configText,
  listText,
  partitionText,
  readConfig,
  readNames,
  readPartition,
  readShapes,
  readValues,
  shapesText,
  valuesText,
} from "../../kit/option-text.ts";
import { IconButton } from "../../kit/pane-tools.tsx";

/** Passes that may be switched off, in pipeline order. */
const passNames = [
  "RemoveUnusedFunctions",
  "ToBasicBlockNormalForm",
  "Legalize",
  "SimplifyInference",
  "DynamicToStatic",
  "EliminateCommonSubexpr",
  "SimplifyExpr",
  "CombineParallelConv2d",
  "CombineParallelDense",
  "CombineParallelBatchMatmul",
  "FoldConstant",
  "FoldScaleAxis",
  "CanonicalizeCast",
  "CanonicalizeOps",
  "AlterOpLayout",
  "FastMath",
  "SplitArgs",
  "FuseOps",
];
const maxDepth = "relay.FuseOps.max_depth";

function Row({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className="orow">
      <span className="ol">{label}</span>
      <span className="oc">{children}</span>
      {hint !== undefined && <span className="oh q">{hint}</span>}
    </div>
  );
}

function Choice<T extends string | number>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}): ReactNode {
  return (
    <span className="seg" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
          {text}
        </button>
      ))}
    </span>
  );
}

const onOff = [
  ["on", "on"],
  ["off", "off"],
] as const;

export function OptionsDialog(): ReactNode {
  const actions = useActions();
  const options = useApp((state) => state.options);
  const set = (patch: Partial<Options>): void => actions.setOptions(patch);
  const changed = Object.keys(changedOptions(options)).length;
  return (
    <Dialog title="Options" className="wide">
      <div className="orows scroll">
        <Targets targets={options.targets} onChange={(targets) => set({ targets })} />
        <Row
          label="Optimisation level"
          hint="a pass runs if its level is at most this; TVM's own default is 2"
        >
          <Choice
            label="Optimisation level"
            value={options.optLevel}
            options={[
              [0, "0"],
              [1, "1"],
              [2, "2"],
              [3, "3"],
              [4, "4"],
            ]}
            onChange={(optLevel) => set({ optLevel })}
          />
        </Row>
        <Row label="Executor">
          <Choice
            label="Executor"
            value={options.executor}
            options={[
              ["aot", "aot"],
              ["graph", "graph"],
            ]}
            onChange={(executor) => set({ executor })}
          />
        </Row>
        <Row label="Interface API" hint="how the C entry point takes its tensors">
          <Choice
            label="Interface API"
            value={options.interfaceApi}
            options={[
              ["c", "c"],
              ["packed", "packed"],
            ]}
            onChange={(interfaceApi) => set({ interfaceApi })}
          />
        </Row>
        <Row label="Unpacked API" hint="primitives take plain pointers; interface c needs it">
          <Choice
            label="Unpacked API"
            value={options.unpackedApi ? "on" : "off"}
            options={onOff}
            onChange={(value) => set({ unpackedApi: value === "on" })}
          />
        </Row>
        <Row label="Link parameters" hint="constants become part of the code; AOT needs it">
          <Choice
            label="Link parameters"
            value={options.linkParams ? "on" : "off"}
            options={onOff}
            onChange={(value) => set({ linkParams: value === "on" })}
          />
        </Row>
        <TextRows options={options} set={set} />
        <Passes options={options} set={set} />
      </div>
      <p className="dlgrow btns">
        <span className="q">
          {changed === 0 ? "All as by default" : `${changed} differ from the defaults`}
        </span>
        <span className="sp" />
        <button type="button" className="fix" disabled={changed === 0} onClick={() => set(defaultOptions)}>
          Defaults
        </button>
      </p>
    </Dialog>
  );
}

interface PartProps {
  readonly options: Options;
  readonly set: (patch: Partial<Options>) => void;
}

function TextRows({ options, set }: PartProps): ReactNode {
  const { config } = options;
  const field = <T,>(
    label: string,
    value: string,
    read: (text: string) => T | null,
    store: (value: T) => void,
  ): ReactNode => (
    <TextField
      label={label}
      value={value}
      valid={(text) => read(text) !== null}
      onChange={(text) => {
        const found = read(text);
        if (found !== null) store(found);
      }}
    />
  );
  const rest = Object.fromEntries(Object.entries(config).filter(([key]) => key !== maxDepth));
  const depth = config[maxDepth];
  return (
    <>
      <Row label="Module name" hint="letters, digits, _; symbols start tvmgen_NAME_">
        {field(
          "Module name",
          options.modName,
          (text) => (/^[A-Za-z_]\w*$/.test(text) ? text : null),
          (modName) => set({ modName }),
        )}
      </Row>
      <Row
        label="Bind parameters"
        hint="names of main's parameters to make constants, by the fill rule; comma between"
      >
        {field("Bind parameters", listText(options.bindFill), readNames, (bindFill) => set({ bindFill }))}
      </Row>
      <Row
        label="Bind values"
        hint="inputs that are constants with these values, as sr=16000; a semicolon between inputs"
      >
        {field("Bind values", valuesText(options.bindValues), readValues, (bindValues) =>
          set({ bindValues }),
        )}
      </Row>
      <Row label="Shapes" hint="fix dynamic dimensions, as x=1x3x224x224; a semicolon between inputs">
        {field("Shapes", shapesText(options.shapes), readShapes, (shapes) => set({ shapes }))}
      </Row>
      <Row
        label="Partition"
        hint="external code generators: ccompiler, or NAME=op,op to choose their operators; semicolon between"
      >
        {field("Partition", partitionText(options.partition), readPartition, (partition) =>
          set({ partition }),
        )}
      </Row>
      <Row label="Required passes" hint="run whatever the level is; comma between">
        {field("Required passes", listText(options.requiredPasses), readNames, (requiredPasses) =>
          set({ requiredPasses }),
        )}
      </Row>
      <Row label="FuseOps max_depth" hint="operators in one primitive at most; empty = 256">
        {field(
          "FuseOps max depth",
          depth ?? "",
          (text) => (text === "" || /^[1-9]\d{0,5}$/.test(text) ? text : null),
          (text) => set({ config: text === "" ? rest : { ...rest, [maxDepth]: text } }),
        )}
      </Row>
      <Row
        label="Other configuration"
        hint="PassContext's, as relay.fallback_device_type=4; semicolon between"
      >
        {field("Other configuration", configText(config, [maxDepth]), readConfig, (others) =>
          set({ config: depth === undefined ? others : { ...others, [maxDepth]: depth } }),
        )}
      </Row>
    </>
  );
}

function Passes({ options, set }: PartProps): ReactNode {
  const toggle = (pass: string): void => {
    const off = options.disabledPasses.includes(pass);
    set({
      disabledPasses: off
        ? options.disabledPasses.filter((name) => name !== pass)
        : [...options.disabledPasses, pass],
    });
  };
  return (
    <fieldset className="passes">
      <legend>Passes that may run</legend>
      {passNames.map((pass) => (
        <label key={pass}>
          <input
            type="checkbox"
            checked={!options.disabledPasses.includes(pass)}
            onChange={() => toggle(pass)}
          />{" "}
          {pass}
        </label>
      ))}
    </fieldset>
  );
}

function Targets({
  targets,
  onChange,
}: {
  readonly targets: readonly TargetSpec[];
  readonly onChange: (targets: readonly TargetSpec[]) => void;
}): ReactNode {
  const several = targets.length > 1;
  const free = deviceNames.filter(([number]) => targets.every(({ device }) => device !== number));
  const replace = (index: number, patch: Partial<TargetSpec>): void =>
    onChange(targets.map((target, i) => (i === index ? { ...target, ...patch } : target)));
  return (
    <>
      {targets.map(({ device, kind }, index) => (
        <Row
          key={device}
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
              onChange={(event) => replace(index, { device: Number(event.target.value) })}
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
            options={
              several || kind === "opencl"
                ? [
                    ["c", "c"],
                    ["wasm", "wasm"],
                    ["opencl", "opencl"],
                  ]
                : [
                    ["c", "c"],
                    ["wasm", "wasm"],
                  ]
            }
            onChange={(next) => replace(index, { kind: next })}
          />
          {index > 0 && (
            <IconButton
              icon="close"
              label={`Remove target ${index + 1}`}
              onClick={() => onChange(targets.filter((_, i) => i !== index))}
            />
          )}
        </Row>
      ))}
      {free.length > 0 && targets.length < 3 && (
        <Row
          label=""
          {...(several
            ? {}
            : { hint: "a second device, as on_device in the text names it; it runs on the same CPU" })}
        >
          <button
            type="button"
            className="fix"
            onClick={() => {
              const [device] = free.find(([number]) => number === 4) ?? free[0]!;
              onChange([...targets, { device, kind: device === 4 ? "opencl" : "c" }]);
            }}
          >
            Add a device
          </button>
        </Row>
      )}
    </>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly valid: (text: string) => boolean;
  readonly onChange: (text: string) => void;
}

/** Takes effect on Enter or when left, only if valid; starts afresh when the value changes elsewhere. */
function TextField(props: TextFieldProps): ReactNode {
  return <EditedField key={props.value} {...props} />;
}

function EditedField({ label, value, valid, onChange }: TextFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const good = valid(text);
  const commit = (): void => {
    if (good && text !== value) onChange(text);
  };
  return (
    <input
      className="tf mono"
      aria-label={label}
      aria-invalid={!good}
      value={text}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
    />
  );
}
