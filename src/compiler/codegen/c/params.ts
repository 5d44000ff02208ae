// Linked parameters as constant arrays. Their text is long (a float takes up to 15 characters), so it is made
// when it is read.
import { mangledName } from "../../lower/prim-func-name.ts";
import type { Listing, TextWriter } from "../../../support/text-writer.ts";
import type { LineOwner } from "../../ir/origin.ts";
import { isFloat, isHalf } from "../../ir/dtype.ts";
import type { TensorData } from "../../ir/tensor-data.ts";
import { floatLiteral, intLiteral, storageType } from "./types.ts";

const perLine = 8;

/**
 * Up to so many elements, floats are written with as few digits as they need; beyond, with nine, which is
 * three times faster.
 */
const shortestUpTo = 65536;

/** Name of a parameter's array, visible to the linker: models in one program must not clash. */
export function paramSymbol(modName: string, name: string): string {
  return mangledName(modName, `param_${name}`);
}

/** `const float tvmgen_default_param_p0[6]`; an empty tensor has one element that nobody reads. */
export function paramDeclaration(modName: string, name: string, data: TensorData): string {
  return `const ${storageType(data.dtype)} ${paramSymbol(modName, name)}[${Math.max(1, data.data.length)}]`;
}

export function writeParam(
  out: TextWriter<LineOwner>,
  modName: string,
  name: string,
  data: TensorData,
): void {
  out.line(
    `/* ${name}: (${data.shape.join(", ")}) ${data.dtype.name}${data.provenance === "seeded" ? ", seeded: the text had no values" : ""} */`,
  );
  out.line(`RELAYSCOPE_ALIGNED ${paramDeclaration(modName, name, data)} = {`);
  const text = elementText(data);
  const count = data.data.length;
  for (let at = 0; at < count; at += perLine) {
    let line = "  ";
    for (let i = at; i < Math.min(at + perLine, count); i++) line += `${text(i)}, `;
    out.line(line.trimEnd());
  }
  if (count === 0) out.line("  0");
  out.line("};");
}

function elementText(data: TensorData): (i: number) => string {
  const { dtype, data: values } = data;
  if (isFloat(dtype) && !isHalf(dtype)) {
    if (dtype.bits === 64) return (i) => floatLiteral(Number(values[i]!), dtype);
    if (values.length <= shortestUpTo) return (i) => floatLiteral(Number(values[i]!), dtype);
    return (i) => {
      const value = Number(values[i]!);
      return Number.isFinite(value) ? `${value.toPrecision(9)}f` : floatLiteral(value, dtype);
    };
  }
  // Halves are their bits.
  return (i) => (isHalf(dtype) ? String(values[i]!) : intLiteral(values[i]!, dtype));
}

/** A listing whose text is made at the first look. */
export function lazyListing<O>(make: () => Listing<O>): Listing<O> {
  let made: Listing<O> | null = null;
  const get = (): Listing<O> => (made ??= make());
  return {
    get text() {
      return get().text;
    },
    get owners() {
      return get().owners;
    },
  };
}
