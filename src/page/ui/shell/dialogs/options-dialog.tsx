// All options of a compilation: targets, executor, passes, shapes. Each takes effect at once; those that
// differ are counted.
import type { ReactNode } from "react";
import { defaultOptions, switchablePasses, type Options } from "../../../../compiler/options.ts";
import { useActions, useApp } from "../../kit/context.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { changedOptions } from "../../../store/changed-options.ts";
import { Choice, Row } from "./option-fields.tsx";
import { Targets } from "./targets.tsx";
import { TextOptions, type OptionsProps } from "./text-options.tsx";

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
        <Choices options={options} set={set} />
        <TextOptions options={options} set={set} />
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

/** Options with a few values each. */
function Choices({ options, set }: OptionsProps): ReactNode {
  return (
    <>
      <Row label="Optimisation level" hint="a pass runs if its level is at most this; TVM's own default is 2">
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
      <Row label="TFLite rounding" hint="integers of TFLite files are scaled as TFLite does; TVM rounds once">
        <Choice
          label="TFLite rounding"
          value={options.tfliteRounding ? "on" : "off"}
          options={onOff}
          onChange={(value) => set({ tfliteRounding: value === "on" })}
        />
      </Row>
    </>
  );
}

function Passes({ options, set }: OptionsProps): ReactNode {
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
      {switchablePasses.map((pass) => (
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
