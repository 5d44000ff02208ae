// What the rows of the options dialog are made of.
import { useState, type ReactNode } from "react";

export function Row({
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

export function Choice<T extends string | number>({
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

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly valid: (text: string) => boolean;
  readonly onChange: (text: string) => void;
}

/** Takes effect on Enter or when left, only if valid; starts afresh when the value changes elsewhere. */
export function TextField(props: TextFieldProps): ReactNode {
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
