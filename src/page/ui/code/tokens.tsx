// A line as pieces of text in their token's colour; what has none is bare text, which keeps the page small.
import { Fragment, type ReactNode } from "react";
import type { FoundRange } from "./rows.ts";
import { pieces, type Token } from "./tokenise.ts";

export function Tokens({
  text,
  tokens,
  found,
}: {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly found: readonly FoundRange[];
}): ReactNode {
  return pieces(text, tokens, found).map((piece, index) => {
    const className = `${piece.kind} ${piece.found}`.trim();
    return className === "" ? (
      <Fragment key={index}>{piece.text}</Fragment>
    ) : (
      <span key={index} className={className}>
        {piece.text}
      </span>
    );
  });
}
