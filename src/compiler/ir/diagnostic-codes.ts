// Every diagnostic code, in one place: what it means, in one line a person can read in the docs pane.
// Ranges: 1xxx reading text, 2xxx types, 3xxx passes and fusion, 4xxx TE compiler and TIR, 5xxx executors and planners,
// 6xxx code generation and running, 7xxx links and limits, 9xxx bugs of ours.

export const diagnosticCodes: Readonly<Record<string, string>> = {
  // 1xxx reading text
  // 2xxx types
  // 3xxx passes and fusion
  // 4xxx TE compiler and TIR
  // 5xxx executors and planners
  // 6xxx code generation and running
  // 7xxx links and limits
  // 9xxx bugs of ours
  RS9001: "Relayscope itself failed; the card has a repro to copy",
};
