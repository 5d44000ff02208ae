// One line of the diff, with what the steps remarked on it.
import { memo, type ReactNode } from "react";
import type { DiffRow } from "../../code/line-diff.ts";
import { tokenise } from "../../code/tokenise.ts";
import { Tokens } from "../../code/tokens.tsx";
import { primitiveStyle } from "../../kit/primitive-style.tsx";

const signs: Readonly<Record<DiffRow["kind"], string>> = { same: " ", removed: "−", added: "+" };
const spoken: Readonly<Record<DiffRow["kind"], string>> = {
  same: "",
  removed: "removed: ",
  added: "added: ",
};

export interface DiffLineProps {
  readonly kind: DiffRow["kind"];
  readonly renamed: boolean;
  readonly side: "left" | "right";
  readonly line: number;
  readonly text: string;
  readonly primitive: number;
  readonly lit: boolean;
  readonly hovered: boolean;
  readonly notes: readonly string[];
  readonly open: boolean;
  readonly onAsk: () => void;
}

export const DiffLine = memo(function DiffLine(props: DiffLineProps): ReactNode {
  const { kind, text, notes, open } = props;
  return (
    <>
      <div
        className={`ln rel ${kind}${props.lit ? " sel" : ""}${props.hovered ? " hov" : ""}`}
        data-line={props.line}
        data-side={props.side}
      >
        <i>{props.line + 1}</i>
        <u className={props.primitive < 0 ? "" : primitiveStyle(props.primitive).gutterClass} />
        <b className="sign" aria-hidden="true">
          {props.renamed ? "≈" : signs[kind]}
        </b>
        <span className="tx">
          {kind !== "same" && <span className="vh">{spoken[kind]}</span>}
          {props.renamed && <span className="vh">names changed: </span>}
          <Tokens text={text} tokens={tokenise("relay", text)} found={[]} />
        </span>
        {notes.length > 0 && (
          <button
            type="button"
            className="whyb"
            aria-expanded={open}
            aria-label={`Why line ${props.line + 1} changed`}
            title={notes.join("\n")}
            onClick={(event) => {
              event.stopPropagation();
              props.onAsk();
            }}
          >
            why
          </button>
        )}
      </div>
      {open && (
        <ul className="linenotes" aria-label={`Remarks on line ${props.line + 1}`}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}, sameLine);

/** All but the callback, which does the same for the same line. */
function sameLine(a: DiffLineProps, b: DiffLineProps): boolean {
  return (
    a.text === b.text &&
    a.kind === b.kind &&
    a.renamed === b.renamed &&
    a.side === b.side &&
    a.line === b.line &&
    a.primitive === b.primitive &&
    a.lit === b.lit &&
    a.hovered === b.hovered &&
    a.open === b.open &&
    a.notes.length === b.notes.length &&
    a.notes.every((note, i) => note === b.notes[i])
  );
}
