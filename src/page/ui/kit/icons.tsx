// The drawings of buttons: 14 px, 1.3 px lines, the colour of the text. All decorative; buttons carry their
// own labels.
import type { ReactNode } from "react";

const paths = {
  run: "M3.5 2.5 11.5 7 3.5 11.5Z",
  stop: "M3.5 3.5H10.5V10.5H3.5Z",
  theme: "M7 2V12A5 5 0 0 1 7 2ZM7 2A5 5 0 0 1 7 12",
  fit: "M2 5V2H5M9 2H12V5M12 9V12H9M5 12H2V9",
  maximise: "M8.5 2H12V5.5M12 2 8 6M5.5 12H2V8.5M2 12 6 8",
  restore: "M12 2 8 6M8 3V6H11M2 12 6 8M6 11V8H3",
  copy: "M5 5H12V12H5ZM9 5V2H2V9H5",
  back: "M9 3 5 7 9 11",
  forward: "M5 3 9 7 5 11",
  close: "M3.5 3.5 10.5 10.5M10.5 3.5 3.5 10.5",
  pin: "M7 9V13M4 9H10M5 9 5.6 4H8.4L9 9M4.6 2H9.4V4H4.6Z",
  find: "M6 2.5A3.5 3.5 0 1 1 6 9.5 3.5 3.5 0 0 1 6 2.5ZM8.7 8.7 12 12",
  wrap: "M2 3H12M2 7H10A2 2 0 0 1 10 11H6.5M8 9.5 6.5 11 8 12.5M2 11H4",
  fold: "M2 2.5H12M2 11.5H12M7 4V6.5M5.5 5.5 7 7 8.5 5.5M4 9H10",
  up: "M3 9 7 5 11 9",
  down: "M3 5 7 9 11 5",
  check: "M2.5 7.5 5.5 10.5 11.5 3.5",
  drawer: "M2 3H12M2 7H12M2 11H12",
  lock: "M3.5 6.5H10.5V12H3.5ZM5 6.5V4.5A2 2 0 0 1 9 4.5V6.5",
  options: "M2 4H8M11 4H12M2 10H3M6 10H12M9.5 2.5V5.5M4.5 8.5V11.5",
  more: "M2.5 7H3.5M6.5 7H7.5M10.5 7H11.5",
  minus: "M3 7H11",
  plus: "M3 7H11M7 3V11",
  save: "M7 2V9M4 6.5 7 9.5 10 6.5M2 12H12",
  split: "M2 2.5H12V11.5H2ZM7 2.5V11.5",
} as const;

type IconName = keyof typeof paths;

export function Icon({ name, size = 14 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.3}
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

export function Caret(): ReactNode {
  return (
    <svg className="car" viewBox="0 0 7 5" aria-hidden="true">
      <path d="M.5.5 3.5 4 6.5.5" fill="none" stroke="currentColor" />
    </svg>
  );
}

export function Logo(): ReactNode {
  return (
    <svg width={22} height={22} viewBox="0 0 22 22" fill="none" aria-hidden="true">
      <circle cx={11} cy={11} r={9.9} stroke="currentColor" strokeWidth={1.4} />
      <path d="M1.8 7H7.5V11H12.5V15H15" stroke="currentColor" strokeWidth={1.8} />
      <circle
        cx={16.6}
        cy={15}
        r={2.3}
        style={{ fill: "var(--acc)" }}
        stroke="currentColor"
        strokeWidth={1.1}
      />
      <path d="M11 1.2v2M11 18.8v2M18.8 11h2" stroke="currentColor" />
    </svg>
  );
}

/** State marks: a shape each, so that colour is never the only cue. */
export function StateMark({ state }: { readonly state: "ok" | "error" | "idle" | "busy" }): ReactNode {
  const box = { width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": true } as const;
  switch (state) {
    case "ok":
      return (
        <svg {...box}>
          <rect width={12} height={12} rx={2} style={{ fill: "var(--ok)" }} />
          <path d="M2.8 6.2 5 8.4 9.3 3.8" style={{ stroke: "var(--paper)" }} strokeWidth={1.6} fill="none" />
        </svg>
      );
    case "error":
      return (
        <svg {...box}>
          <path d="M6 .8 11.6 11H.4Z" style={{ fill: "var(--err)" }} />
          <path d="M6 4.2V7.4M6 8.6V9.8" style={{ stroke: "var(--paper)" }} strokeWidth={1.3} />
        </svg>
      );
    case "busy":
      return (
        <svg {...box} className="busy">
          <circle
            cx={6}
            cy={6}
            r={4.8}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.4}
            strokeDasharray="20 10"
          />
        </svg>
      );
    case "idle":
      return (
        <svg {...box}>
          <rect
            x={0.7}
            y={0.7}
            width={10.6}
            height={10.6}
            rx={2}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.2}
          />
        </svg>
      );
  }
}
