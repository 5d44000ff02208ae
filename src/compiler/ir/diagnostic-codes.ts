// Every diagnostic code, in one place: what it means, in one line a person can read in the docs pane.
// Ranges: 1xxx reading text, 2xxx types, 3xxx passes and fusion, 4xxx TE compiler and TIR, 5xxx executors and planners,
// 6xxx code generation and running, 7xxx links and limits, 9xxx bugs of ours.

export const diagnosticCodes: Readonly<Record<string, string>> = {
  // 1xxx reading text
  // 2xxx types
  RS2101: "An argument of an operator is not a tensor (or not a tuple of tensors)",
  RS2102: "Arguments of an operator have different dtypes",
  RS2103: "Two shapes cannot be broadcast together",
  RS2104: "An axis is out of range, or named twice",
  RS2105: "The shape of one argument does not fit the others or the attributes",
  RS2106: "An argument has the wrong rank",
  RS2107: "A layout is not one that the operator takes",
  RS2108: "The value of an attribute is not usable",
  RS2109: "A new shape does not hold the same number of elements",
  RS2110: "The operator does not take this dtype",
  RS2111: "A window or slice does not fit into the data",
  RS2112: "An attribute that the operator needs is missing",
  // 3xxx passes and fusion
  RS3001: "A value of the pass context's config is not of the kind that the pass takes",
  RS3003: "Planning for several devices was asked for, which this compiler does not do yet",
  RS3004: "Blocked layouts were asked for, which this compiler does not make yet",
  // 4xxx TE compiler and TIR
  RS4101: "a primitive function uses a variable that is not one of its parameters",
  RS4102: "a function stands inside a primitive function",
  RS4103: "a tensor constant stands inside a primitive function; only scalars may",
  RS4104: "an operator gets a tuple beside other arguments",
  RS4105: "a primitive function holds something that is not a tensor expression (control flow, references, calls of functions)",
  RS4106: "a primitive function holds two operators that are reductions or worse, so no one schedule serves it",
  RS4107: "an operator without a tensor expression reached the TE compiler",
  RS4108: "a primitive function calls no operator",
  RS4109: "a primitive function has a dimension that is not known when compiling",
  RS4110: "a dimension does not fit int32",
  RS4111: "an external function names a code generator that is not there",
  // 5xxx executors and planners
  RS5002: "memory cannot be planned: a dimension is not known when compiling",
  RS5003: "a parameter of @main is not a tensor",
  RS5004: "@main uses a variable that is neither a parameter nor let-bound",
  RS5005: "an expression that the executor cannot run (if, match, references)",
  RS5006: "@main calls something that is not a primitive function",
  RS5007: "the AOT executor needs link-params",
  RS5008: "interface-api c needs unpacked-api",
  // 6xxx code generation and running
  RS6101: "the WebAssembly back end has no memory form of a dtype",
  RS6102: "the WebAssembly back end cannot call a function or intrinsic",
  RS6103: "a scratch buffer of a kernel has a size that is known only when the program runs",
  RS6104: "the model does not fit into the address space of one WebAssembly module",
  // 7xxx links and limits
  // 9xxx bugs of ours
  RS9001: "Relayscope itself failed; the card has a repro to copy",
};
