// What the relations of operators on packed bits share.  TVM: src/relay/op/nn/bitserial.cc
import { isInteger, uint16, uint32, uint64, uint8, type DType } from "../../ir/dtype.ts";
import type { Dim } from "../../ir/type.ts";
import { dtypeOf, type Asker } from "../_shared/type-helpers.ts";

const words: readonly DType[] = [uint8, uint16, uint32, uint64];

/** A dtype of words; null after reporting. */
export function packType(cx: Asker, name: string, value: string | null, otherwise: DType): DType | null {
  const found = dtypeOf(cx, name, value, otherwise);
  if (found === null || words.includes(found)) return found;
  return cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is no dtype of words`, {
    expected: words.map((word) => word.name).join(", "),
    got: found.name,
  });
}

/** The dtype that the bits' counts are summed in: an integer; null after reporting. */
export function sumType(cx: Asker, name: string, value: string | null, otherwise: DType): DType | null {
  const found = dtypeOf(cx, name, value, otherwise);
  if (found === null || isInteger(found)) return found;
  return cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not usable`, {
    expected: "an integer dtype",
    got: found.name,
  });
}

/** 1 to 8; false after reporting. */
export function usableBits(cx: Asker, name: string, bits: number): boolean {
  if (bits >= 1 && bits <= 8) return true;
  cx.t.error("RS2108", `${cx.op}: attribute \`${name}\` is not usable`, {
    expected: "1 to 8",
    got: String(bits),
  });
  return false;
}

/** How many words `dim` numbers fill; null after reporting. */
export function packedDim(cx: Asker, dim: Dim, word: DType): Dim | null {
  if (typeof dim !== "number") return dim;
  if (dim % word.bits === 0) return dim / word.bits;
  return cx.t.error("RS2105", `${cx.op}: the packed axis does not fill its words`, {
    expected: `a multiple of ${word.bits}, the bits of ${word.name}`,
    got: String(dim),
  });
}
