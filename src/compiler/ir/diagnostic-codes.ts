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
  // 4xxx TE compiler and TIR
  // 5xxx executors and planners
  // 6xxx code generation and running
  // 7xxx links and limits
  // 9xxx bugs of ours
  RS9001: "Relayscope itself failed; the card has a repro to copy",
};
