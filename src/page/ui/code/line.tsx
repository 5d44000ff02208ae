// One row of a code view: line number, gutter mark, tokens, and the flag of the chain.
import { memo, type ReactNode } from "react";
import type { ChainNumber } from "../kit/primitive-style.tsx";
import type { Fold, FoundRange } from "./rows.ts";
import type { Token } from "./tokenise.ts";
import { Tokens } from "./tokens.tsx";

interface LineProps {
  readonly id: string;
  readonly line: number;
  readonly total: number;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly found: readonly FoundRange[];
  readonly className: string;
  readonly gutter: string;
  readonly flag: ChainNumber | null;
  readonly fold: Fold | null;
  /** In px, as `height`. */
  readonly top: number;
  readonly height: number;
  readonly selected: boolean;
}

export const Line = memo(function Line(props: LineProps): ReactNode {
  const { fold } = props;
  return (
    <div
      id={props.id}
      role="option"
      aria-selected={props.selected}
      aria-posinset={props.line + 1}
      aria-setsize={props.total}
      className={props.className}
      data-line={props.line}
      style={{ top: props.top, height: props.height }}
    >
      <i>{props.line + 1}</i>
      <u className={props.gutter} />
      <span className="tx">
        <Tokens text={props.text} tokens={props.tokens} found={props.found} />
        {fold !== null && (
          <span className="fold" data-fold={fold.key}>
            ⋯ {fold.count} lines
          </span>
        )}
      </span>
      {props.flag !== null && <b className="co">{props.flag}</b>}
    </div>
  );
});
