// The type of a key of random numbers.  TVM: src/relay/op/random/kernel.cc (ThreefryKeyType)
import { uint64 } from "../../ir/dtype.ts";
import { tensorType, type Type } from "../../ir/type.ts";
import { fillArgument, tensorArg, type Asker } from "../_shared/type-helpers.ts";

export const keyType = tensorType([10], uint64);

/** Gives `key` its type, or checks it; false after reporting or while unknown. */
export function isKey(cx: Asker, key: Type): boolean {
  return (
    (key.kind === "incomplete-type" || tensorArg(cx, "key", key) !== null) &&
    fillArgument(cx, "key", key, { wanted: keyType, because: "a key has ten words" })
  );
}
