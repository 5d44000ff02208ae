// Graph JSON, AOT plan and metadata against golden records: exactly, but for hashes of functions and what the
// comparison of each says.

export interface GoldenLevel {
  readonly fused: unknown;
  readonly graph?: unknown;
  readonly aot_unpacked?: unknown;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** First difference between two JSON values as a path, or null. */
export function firstDifference(got: unknown, want: unknown, path = ""): string | null {
  if (got === want) return null;
  if (Array.isArray(got) && Array.isArray(want)) {
    for (let i = 0; i < Math.max(got.length, want.length); i++) {
      const found = firstDifference(got[i], want[i], `${path}[${i}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (
    typeof got === "object" &&
    got !== null &&
    typeof want === "object" &&
    want !== null &&
    !Array.isArray(got) &&
    !Array.isArray(want)
  ) {
    const a = got as Readonly<Record<string, unknown>>;
    const b = want as Readonly<Record<string, unknown>>;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = firstDifference(a[key], b[key], `${path}.${key}`);
      if (found !== null) return found;
    }
    return null;
  }
  return `${path || "value"} is ${JSON.stringify(got)?.slice(0, 120)}, expected ${JSON.stringify(want)?.slice(0, 120)}`;
}

function withoutHash(graph: unknown): unknown {
  const { nodes, ...rest } = graph as {
    readonly nodes: readonly { readonly attrs?: Readonly<Record<string, Json>> }[];
  };
  return {
    ...rest,
    nodes: nodes.map((node) => {
      if (node.attrs === undefined) return node;
      const { hash: _hash, ...attrs } = node.attrs;
      return { ...node, attrs };
    }),
  };
}

/** The record's `.graph` against our graph JSON. */
export function compareGraph(got: unknown, want: unknown): string | null {
  return firstDifference(withoutHash(got), withoutHash((want as { readonly json: unknown }).json));
}

interface GoldenAot {
  readonly entry: string;
  readonly parameters: readonly string[];
  readonly allocs: readonly (readonly [string, number])[];
  readonly calls: readonly (readonly string[])[];
  readonly symbols: readonly string[];
}

interface OurJson {
  readonly aot: unknown;
  readonly symbols: readonly string[];
}

/**
 * `.aot_unpacked` against our plan. The records' `calls` leave copies out (they stand as loops in main_c), so
 * copies of ours are compared by count only through `allocs`, `parameters` and the outputs' values.
 */
export function compareAot(ours: OurJson, want: unknown): string | null {
  const golden = want as GoldenAot;
  const got = ours.aot as GoldenAot;
  const calls = got.calls.filter((call) => call[0] !== "copy");
  return (
    firstDifference(got.entry, golden.entry, "entry") ??
    firstDifference(got.parameters, golden.parameters, "parameters") ??
    firstDifference(got.allocs, golden.allocs, "allocs") ??
    firstDifference(calls, golden.calls, "calls") ??
    firstDifference([...ours.symbols].sort(), [...golden.symbols].sort(), "symbols")
  );
}

interface Metadata {
  readonly functions: {
    readonly main: readonly {
      readonly constants_size_bytes: number;
      readonly workspace_size_bytes: number;
      readonly io_size_bytes: number;
    }[];
  };
}

/**
 * Constants must be equal; workspace of main is checked through allocs, since a primitive's own workspace is
 * our schedule's.
 */
export function compareMemory(got: unknown, want: unknown): string | null {
  const ours = (got as Metadata).functions.main.map((entry) => entry.constants_size_bytes);
  const theirs = (want as { readonly memory: Metadata }).memory.functions.main.map(
    (entry) => entry.constants_size_bytes,
  );
  return firstDifference(ours, theirs, "constants_size_bytes");
}
