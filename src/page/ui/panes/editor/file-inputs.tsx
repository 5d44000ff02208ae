// The inputs of a model file, with fields for dynamic dimensions and for the values that decide shapes.
import { own } from "../../../../support/own.ts";
import { useMemo, useState, type ReactNode } from "react";
import type { ModelFactsView } from "../../../../protocol/compile.ts";
import type { ShownRun } from "../../../store/state.ts";
import { useActions, useApp } from "../../kit/context.tsx";
import { dynamicInputs, typedShapes, valueInputs, type DynamicInput } from "../../kit/dynamic-inputs.ts";
import { readNumbers } from "../../kit/option-text.ts";
import { InputFields } from "../../kit/shape-fields.tsx";

export function FileInputs({
  run,
  facts,
}: {
  readonly run: ShownRun;
  readonly facts: ModelFactsView;
}): ReactNode {
  const inputs = useMemo(() => dynamicInputs(run.summary), [run]);
  const deciding = useMemo(() => valueInputs(run.summary), [run]);
  return (
    <>
      <ul>
        {facts.inputs.map(({ name, type }) => (
          <Input
            key={name}
            name={name}
            type={type}
            dynamic={inputs.find((input) => input.name === name) ?? null}
            inputs={inputs}
            decides={deciding.includes(name)}
          />
        ))}
      </ul>
      <FixShapes inputs={inputs} dynamic={run.summary.dynamic} />
    </>
  );
}

function Input({
  name,
  type,
  dynamic,
  inputs,
  decides,
}: {
  readonly name: string;
  readonly type: string;
  readonly dynamic: DynamicInput | null;
  readonly inputs: readonly DynamicInput[];
  readonly decides: boolean;
}): ReactNode {
  const fix = useFix(inputs);
  return (
    <li>
      <span className="mono b">{name}</span> <span className="mono q">{type}</span>
      {dynamic !== null && (
        <span className="dynamicrow">
          <InputFields input={dynamic} onEnter={fix ?? noFix} />
        </span>
      )}
      {decides && <ValueField name={name} />}
    </li>
  );
}

/** Binds a small input to what is typed, on Enter or when left; empty leaves it an input. */
function ValueField({ name }: { readonly name: string }): ReactNode {
  const bound = useApp((state) => own(state.options.bindValues, name));
  return <EditedValue key={bound?.join() ?? ""} name={name} bound={bound?.join(", ") ?? ""} />;
}

function EditedValue({ name, bound }: { readonly name: string; readonly bound: string }): ReactNode {
  const values = useApp((state) => state.options.bindValues);
  const actions = useActions();
  const [text, setText] = useState(bound);
  const numbers = readNumbers(text);
  const commit = (): void => {
    if (numbers === null || text === bound) return;
    const { [name]: _old, ...others } = values;
    actions.setOptions({ bindValues: numbers.length === 0 ? others : { ...others, [name]: numbers } });
  };
  return (
    <label
      className="dynamicrow q"
      title="With a value here it is a constant: shapes and branches that it decides settle"
    >
      value{" "}
      <input
        className="dimf wide"
        value={text}
        placeholder="given when it runs"
        aria-label={`Value of ${name}`}
        aria-invalid={numbers === null}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
        }}
      />
    </label>
  );
}

const noFix = (): void => {};

/** Compiles for what the fields say; null while one of them is no number. */
function useFix(inputs: readonly DynamicInput[]): (() => void) | null {
  const typed = useApp((state) => state.layout.shapeDraft);
  const fixed = useApp((state) => state.options.shapes);
  const actions = useActions();
  const shapes = typedShapes(inputs, typed, fixed, "name");
  return shapes === null ? null : () => actions.setOptions({ shapes });
}

function FixShapes({
  inputs,
  dynamic,
}: {
  readonly inputs: readonly DynamicInput[];
  readonly dynamic: boolean;
}): ReactNode {
  const fix = useFix(inputs);
  const fixed = useApp((state) => Object.keys(state.options.shapes).length > 0);
  const actions = useActions();
  if (inputs.length === 0) return null;
  return (
    <p className="btns">
      <button
        type="button"
        className={dynamic && !fixed ? "fix strong" : "fix"}
        disabled={fix === null}
        onClick={fix ?? noFix}
      >
        {fixed ? "Compile for these shapes" : "Fix these shapes"}
      </button>
      {fixed && (
        <button type="button" className="fix" onClick={() => actions.setOptions({ shapes: {} })}>
          Leave them dynamic
        </button>
      )}
      {dynamic && (
        <button
          type="button"
          className="fix"
          onClick={() => actions.setLayout({ tabA: "shapes", slot: "a", phoneTab: "graph" })}
        >
          Evaluate shapes…
        </button>
      )}
    </p>
  );
}
