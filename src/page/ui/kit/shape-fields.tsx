// Fields for the dynamic dimensions of inputs, prefilled with a guess. What is typed is one draft for all
// places that show it.
import type { KeyboardEvent, ReactNode } from "react";
import { useActions, useApp } from "./context.tsx";
import { fieldKey, fieldText, isExtent, type DynamicInput } from "./dynamic-inputs.ts";
import "./shape-fields.css";

export function InputFields({
  input,
  onEnter,
}: {
  readonly input: DynamicInput;
  readonly onEnter: () => void;
}): ReactNode {
  const typed = useApp((state) => state.layout.shapeDraft);
  const shapes = useApp((state) => state.options.shapes);
  const actions = useActions();
  const enter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    onEnter();
  };
  return (
    <span className="dims mono" role="group" aria-label={`Shape of ${input.name}`}>
      {input.dims.map(({ extent, symbol }, index) => {
        const text = fieldText(input, index, typed, shapes);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the place is all that tells dimensions apart
          <span key={index} className="dim">
            {index > 0 && <span className="qq">×</span>}
            {extent !== null ? (
              extent
            ) : (
              <input
                className="dimf"
                inputMode="numeric"
                size={Math.max(3, text.length)}
                value={text}
                aria-invalid={!isExtent(text)}
                spellCheck={false}
                aria-label={`${input.name}, dimension ${index}${symbol === "" ? "" : ` (${symbol})`}`}
                title={
                  symbol === "" ? "dynamic in the model: a guess" : `${symbol}: dynamic in the model, a guess`
                }
                onKeyDown={enter}
                onChange={(event) =>
                  actions.setLayout({
                    shapeDraft: { ...typed, [fieldKey(input, index)]: event.target.value },
                  })
                }
              />
            )}
          </span>
        );
      })}
    </span>
  );
}
