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

function shapesText(shapes: readonly (readonly number[])[]): string {
  return shapes.map((shape) => (shape.length === 0 ? "scalar" : shape.join("x"))).join(",");
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

export function sameListing(a: ListingId, b: ListingId): boolean {
  return listingText(a) === listingText(b);
}
