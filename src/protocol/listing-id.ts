// Which listing is meant, and its text where only a text will do: keys of maps, option values.

export type ListingId =
  /** The module after step `step`; -1 = as parsed. */
  | { readonly kind: "relay"; readonly step: number }
  /** Of a primitive: its TIR (final), its schedule as a trace (where it has one), its shape function. */
  | { readonly kind: "tir" | "schedule" | "shape"; readonly primitive: number }
  /** A primitive compiled for these shapes of its arguments and results. */
  | {
      readonly kind: "kernel";
      readonly primitive: number;
      readonly inputs: readonly (readonly number[])[];
      readonly outputs: readonly (readonly number[])[];
    }
  /**
   * C: lib0 (parameters and entry point), lib1 (kernels and runner), lib2 and on (external functions, one
   * each).
   */
  | { readonly kind: "c-library"; readonly library: number }
  | { readonly kind: "c-header" | "c-runtime" | "aot" | "wat" | "graph-json" | "metadata" };

const single = {
  "c/header": "c-header",
  "c/runtime": "c-runtime",
  aot: "aot",
  wat: "wat",
  "graph-json": "graph-json",
  metadata: "metadata",
} as const;

function shapesText(shapes: readonly (readonly number[])[]): string {
  return shapes.map((shape) => (shape.length === 0 ? "scalar" : shape.join("x"))).join(",");
}

function readShapes(text: string): number[][] {
  return text === ""
    ? []
    : text.split(",").map((word) => (word === "scalar" ? [] : word.split("x").map(Number)));
}

/** "relay/12", "tir/3", "kernel/3/2x4,4/2x4", "c/lib0", "wat": equal ids have equal texts, others do not. */
export function listingText(id: ListingId): string {
  switch (id.kind) {
    case "relay":
      return `relay/${id.step}`;
    case "tir":
    case "schedule":
    case "shape":
      return `${id.kind}/${id.primitive}`;
    case "kernel":
      return `kernel/${id.primitive}/${shapesText(id.inputs)}/${shapesText(id.outputs)}`;
    case "c-library":
      return `c/lib${id.library}`;
    case "c-header":
      return "c/header";
    case "c-runtime":
      return "c/runtime";
    case "aot":
    case "wat":
    case "graph-json":
    case "metadata":
      return id.kind;
  }
}

/** The id that `listingText` made the text of; null for a text that it did not make. */
export function listingOf(text: string): ListingId | null {
  const plain = Object.entries(single).find(([name]) => name === text);
  if (plain !== undefined) return { kind: plain[1] };
  const found =
    /^(?:(relay)\/(-?\d+)|(tir|schedule|shape)\/(\d+)|(kernel)\/(\d+)\/([^/]*)\/([^/]*)|(c)\/lib(\d+))$/.exec(
      text,
    );
  if (found === null) return null;
  const [, relay, step, ofPrimitive, primitive, kernel, kernelOf, inputs = "", outputs = "", , library] =
    found;
  if (relay !== undefined) return { kind: "relay", step: Number(step) };
  if (kernel !== undefined)
    return {
      kind: "kernel",
      primitive: Number(kernelOf),
      inputs: readShapes(inputs),
      outputs: readShapes(outputs),
    };
  if (library !== undefined) return { kind: "c-library", library: Number(library) };
  return { kind: ofPrimitive as "tir" | "schedule" | "shape", primitive: Number(primitive) };
}

export function sameListing(a: ListingId, b: ListingId): boolean {
  return listingText(a) === listingText(b);
}
