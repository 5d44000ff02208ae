// The tensors that calls take and give, and what they are called on screen and in C.

export type CallArg =
  | { readonly kind: "input" | "output"; readonly index: number }
  | { readonly kind: "sid"; readonly sid: number }
  /** A linked parameter, by its name: p0. */
  | { readonly kind: "param"; readonly name: string }
  /**
   * Result `index` of a call of a dynamic program, which has no storage ids; null where the call has one
   * result.
   */
  | { readonly kind: "result"; readonly call: number; readonly index: number | null }
  /** In a dynamic program: a constant of main, the result of an if. */
  | { readonly kind: "constant" | "if" };

/** "input", "input1", "output", "sid_3", "__tvm_param__p0", "call3", "call3.1", "constant", "if". */
export function tensorName(arg: CallArg): string {
  switch (arg.kind) {
    case "input":
    case "output":
      return arg.index === 0 ? arg.kind : `${arg.kind}${arg.index}`;
    case "sid":
      return `sid_${arg.sid}`;
    case "param":
      return `__tvm_param__${arg.name}`;
    case "result":
      return arg.index === null ? `call${arg.call}` : `call${arg.call}.${arg.index}`;
    case "constant":
    case "if":
      return arg.kind;
  }
}

/** "sid_13 +2": the first of several tensors and how many more there are; "" for none. */
export function firstTensorName(args: readonly CallArg[]): string {
  const [first, ...others] = args;
  if (first === undefined) return "";
  return others.length === 0 ? tensorName(first) : `${tensorName(first)} +${others.length}`;
}
