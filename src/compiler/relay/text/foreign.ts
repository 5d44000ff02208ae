// A text that is not Relay, or Relay that was lowered already: one message says what it is, in place of those
// about its parts. Looked at only where reading found mistakes.
import { diagnostic, type Diagnostic } from "../../ir/diagnostic.ts";

interface Foreign {
  readonly pattern: RegExp;
  readonly message: string;
  readonly because: string;
  readonly hint: string;
}

const fromRelay = "Print the Relay module that it was made from: print(mod), before it is lowered.";

/** The first that fits is told. */
const kinds: readonly Foreign[] = [
  {
    pattern: /@R\.function\b|\bR\.(?:Tensor|dataflow|output)\(/,
    message: "This is Relax (TVMScript of TVM 0.12 and later), not Relay.",
    because: "Relay is read here as TVM 0.8 prints it; Relax is another language",
    hint: "Export the model to ONNX and open that file, or import it with relay.frontend and print that module.",
  },
  {
    pattern: /@T\.prim_func\b|\bT\.(?:handle|match_buffer|Buffer|block|grid)\(|@tir\.prim_func\b/,
    message: "This is TIR (TVMScript), not Relay.",
    because: "TIR is what Relay is lowered to; the page makes it from Relay itself",
    hint: fromRelay,
  },
  {
    pattern: /\bcall_lowered\(/,
    message: "This is Relay whose primitive functions were lowered already.",
    because: "`call_lowered` is what LowerTE writes, and the kernels that it calls are TIR",
    hint: "Paste the program as it was before LowerTE, as relay.optimize gives it.",
  },
  {
    pattern: /=\s*primfn\(/,
    message: "This is TIR, not Relay.",
    because: "TIR is what Relay is lowered to; the page makes it from Relay itself",
    hint: fromRelay,
  },
  {
    pattern: /\b(?:memory\.alloc_(?:storage|tensor)|vm\.(?:invoke_tvm_op|shape_func))\(/,
    message: "This is Relay of TVM's virtual machine, with its memory already planned.",
    because:
      "operators such as `memory.alloc_storage` are written by the passes of the VM, which is left out here",
    hint: "Paste the program as it was before ManifestAlloc; dynamic dimensions work without it.",
  },
  {
    pattern: /@I\.ir_module\b|^\s*from tvm\.script import/m,
    message: "This is TVMScript, not Relay.",
    because: "Relay is read here as TVM 0.8 prints it",
    hint: "Print the Relay module with print(mod); TVMScript has TIR and Relax only.",
  },
  {
    pattern: /^\s*(?:import tvm\b|from tvm\b|import onnx\b|import torch\b|mod\s*(?:,\s*params)?\s*=\s*)/m,
    message: "This is a Python program, not what it prints.",
    because: "Relay is read here as text; nothing runs Python",
    hint: "Run it with print(mod.astext(show_meta_data=True)) at its end, and paste what that prints.",
  },
  {
    pattern: /^\s*\{\s*"(?:nodes|arg_nodes)"\s*:/,
    message: "This is the JSON of the graph executor, not Relay.",
    because: "operators are kernels there, whose code is elsewhere",
    hint: fromRelay,
  },
];

/** What `text`, which could not be read, is; null if the messages about its parts say more. */
export function foreignText(text: string): Diagnostic | null {
  const code = blanked(text);
  for (const { pattern, message, because, hint } of kinds) {
    const found = pattern.exec(code);
    if (found === null) continue;
    const lead = found[0].length - found[0].trimStart().length;
    const start = found.index + lead;
    return diagnostic("RS1008", message, {
      span: { start, end: start + found[0].length - lead },
      expected: "a Relay module as print(mod) prints it",
      got: found[0].trim(),
      because,
      hint,
    });
  }
  return null;
}

/** `text` with blanks for its comments: what stands in one says nothing of what the text is. */
function blanked(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => comment.replace(/[^\n]/g, " "));
}
