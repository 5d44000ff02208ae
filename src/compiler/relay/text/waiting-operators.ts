// Operators of TVM 0.8 that are not here, by name or by how names begin (. or _ at the end), with the reason
// and what to write instead.

interface Waiting {
  readonly because: string;
  readonly hint: string;
}

const vm: Waiting = {
  because: "it is written by the passes of the Relay VM, which is left out here",
  hint: "Paste the program as it was before ManifestAlloc; dynamic dimensions work without it.",
};
const alterOpLayout: Waiting = {
  because: "AlterOpLayout writes it for other processors than ours",
  hint: "Paste the program as it was before AlterOpLayout, with the plain convolution or dense layer.",
};
const mark = (whose: string): Waiting => ({
  because: `it is a mark for ${whose}, which is left out here`,
  hint: "Leave it out: its result is its argument.",
});

const waiting: Readonly<Record<string, Waiting>> = {
  "memory.": vm,
  "vm.": vm,
  "annotation.bitpack_": mark("the bit packing of VTA"),
  "annotation.cast_hint": mark("Relay's own quantiser"),
  "annotation.checkpoint": mark("training"),
  "annotation.with_funcid": mark("PartialEvaluate"),
  auto_scheduler_layout_transform: {
    because: "the auto-scheduler writes it, and tuning is left out here",
    hint: "Write layout_transform.",
  },
  call_lowered: {
    because: "LowerTE writes it where it has lowered a primitive function",
    hint: "Paste the program as it was before LowerTE.",
  },
  "contrib.ethosu.": {
    because: "it is a command of the Ethos-U accelerator, of which there is no C and no WebAssembly",
    hint: "Paste the program as it was before it was partitioned for Ethos-U.",
  },
  debug: { because: "it stops in a debugger of Python's", hint: "Leave it out: its result is its argument." },
  "nn.contrib_conv2d_gemm_": alterOpLayout,
  "nn.contrib_conv2d_winograd_": alterOpLayout,
  "nn.contrib_conv3d_winograd_": alterOpLayout,
  "nn.internal.": alterOpLayout,
  "parser.MetaRef": {
    because: "the parser of TVM uses it inside and takes it away again",
    hint: "Write meta[relay.Constant][0].",
  },
};

/** Why an operator that TVM 0.8 has is not here; null for any other name. */
export function whyWaiting(name: string): Waiting | null {
  const found = Object.keys(waiting).find((start) =>
    /[._]$/.test(start) ? name.startsWith(start) : name === start,
  );
  return found === undefined ? null : waiting[found]!;
}
