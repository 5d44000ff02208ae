// What the Relay layer must know of an external code generator; the list is external-targets.ts.
import type { Call } from "../expr.ts";

export interface ExternalTarget {
  /** The `Compiler` attribute of functions that are compiled by it. */
  readonly name: string;
  /** Why it cannot compile `call` (types are known), or null. */
  readonly refuses: (call: Call) => string | null;
}
