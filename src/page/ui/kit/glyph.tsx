// A button's drawing that only one pane has; those that several share are in icons.tsx.
import type { ReactNode } from "react";

export function Glyph({ d }: { readonly d: string }): ReactNode {
  return (
    <svg
      width={14}
      height={14}
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.3}
      aria-hidden="true"
    >
      <path d={d} />
    </svg>
  );
}
