// Messages of options, passes, the TE compiler and the executors: rows of the table in messages.test.ts.
import { t, type MessageRow } from "./row.ts";

export const loweringMessages: readonly MessageRow[] = [
  {
    name: "free variable",
    at: "RS4101 1:37",
    on: "%y",
    text: `def @main(%x: ${t}, %y: ${t}) {
  %0 = fn (%p0: ${t}, Primitive=1) -> ${t} { add(%p0, %y) };
  %0(%x)
}`,
    says: "free variable %y in a primitive function",
    expected: "only parameters of the primitive function",
    got: "%y, which is not one of them",
    because: "a kernel sees nothing but its arguments",
    hint: "pass the value as a parameter",
  },
  {
    name: "nested function",
    at: "RS4102 3:10",
    on: `fn (%q: ${t}) -> ${t} { exp(%q) }`,
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Primitive=1) -> ${t} {
    %1 = fn (%q: ${t}) -> ${t} { exp(%q) };
    %1(%p0)
  };
  %0(%x)
}`,
    says: "a function inside a primitive function",
    expected: "operator calls, tuples and scalar constants",
    got: "a nested function",
    because: "a kernel is one loop nest without calls of its own",
    hint: "leave Primitive=1 out: FuseOps makes primitive functions of the operators inside",
  },
  {
    name: "non-scalar constant",
    at: "RS4103 2:87",
    on: "meta[relay.Constant][0]",
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Primitive=1) -> ${t} { add(%p0, meta[relay.Constant][0] /* ty=${t} */) };
  %0(%x)
}`,
    says: "a tensor constant in a primitive function",
    expected: "a scalar (rank 0)",
    got: `${t}`,
    because: "only scalars are written into the kernel's code; tensors are parameters",
    hint: "pass the constant as a parameter",
  },
  {
    name: "vector elements",
    at: "RS4117 1:11",
    on: "%x",
    text: `def @main(%x: Tensor[(2), float32x4]) {
  exp(%x)
}`,
    says: "tensor elements are vectors: float32x4",
    expected: "elements of one lane",
    got: "Tensor[(2), float32x4]",
    because: "kernels compute scalars, and make vectors of neighbours themselves",
    hint: "write the 4 lanes as a last dimension",
  },
  {
    name: "elements of half a byte",
    at: "RS6101 2:3",
    on: "add(%x, %x)",
    text: `def @main(%x: Tensor[(2), int4]) {
  add(%x, %x)
}`,
    says: "The WebAssembly back end has no elements of type int4.",
    expected: "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32 or float64",
    got: "int4",
    because: "a kernel loads and stores whole bytes",
    hint: "Convert with cast to one of these.",
  },
  {
    name: "two anchors",
    at: "RS4106 4:5",
    on: "nn.dense(%1, %p0, units=2)",
    text: `def @main(%x: Tensor[(2, 2), float32]) {
  %0 = fn (%p0: Tensor[(2, 2), float32], Primitive=1) -> Tensor[(2, 2), float32] {
    %1 = nn.dense(%p0, %p0, units=2);
    nn.dense(%1, %p0, units=2)
  };
  %0(%x)
}`,
    says: "one primitive function holds both nn.dense and nn.dense",
    expected: "at most one operator that is a reduction, a convolution or opaque",
    got: "nn.dense (pattern 4) and nn.dense (pattern 4)",
    because: "the schedule of one operator, the anchor, shapes the loops of the whole function",
    hint: "let FuseOps make the primitive functions, or split this one",
  },
  {
    name: "no operator",
    at: "RS4108 2:8",
    on: `fn (%p0: ${t}, Primitive=1, Compiler="ccompiler", global_symbol="f") -> ${t} { %p0 }`,
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Primitive=1, Compiler="ccompiler", global_symbol="f") -> ${t} { %p0 };
  %0(%x)
}`,
    says: "a primitive function that calls no operator",
    expected: "at least one operator call",
    got: "a body that is a var",
    because: "there is no operator whose schedule could serve it",
    hint: "leave Primitive=1 out: FuseOps makes primitive functions",
  },
  {
    name: "if inside",
    at: "RS4105 2:88",
    on: "if (%q) { exp(%p0) } else { %p0 }",
    text: `def @main(%c: bool, %x: ${t}) {
  %0 = fn (%q: bool, %p0: ${t}, Primitive=1) -> ${t} { if (%q) { exp(%p0) } else { %p0 } };
  %0(%c, %x)
}`,
    says: "if inside a primitive function",
    expected: "operator calls, tuples and scalar constants",
    got: "if",
    because: "control flow, references and data types are not tensor expressions",
    hint: "leave Primitive=1 out: the executors run what is around primitive functions",
  },
  {
    name: "unknown generator",
    at: "RS4111 2:8",
    on: `fn (%p0: ${t}, Inline=1, Compiler="nobody", global_symbol="nobody_0", Primitive=1) -> ${t} { exp(%p0) }`,
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Inline=1, Compiler="nobody", global_symbol="nobody_0", Primitive=1) -> ${t} { exp(%p0) };
  %0(%x)
}`,
    says: "there is no code generator relay.ext.nobody for the external function nobody_0",
    expected: 'one of "ccompiler"',
    got: 'Compiler="nobody"',
    because:
      "an external function is opaque to the TE compiler: its code comes from the generator that it names",
    hint: "name a generator that is there, or leave Compiler and global_symbol out to have it lowered here",
  },
  {
    name: "missing symbol",
    at: "RS4112 2:8",
    on: `fn (%p0: ${t}, Inline=1, Compiler="ccompiler", Primitive=1) -> ${t} { add(%p0, %p0) }`,
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Inline=1, Compiler="ccompiler", Primitive=1) -> ${t} { add(%p0, %p0) };
  %0(%x)
}`,
    says: 'an external function of "ccompiler" has no symbol',
    expected: 'global_symbol="name" among its attributes',
    got: 'Inline=1, Compiler="ccompiler", Primitive=1, hash="6da5db93b5c5c75b"',
    because: "its code is written apart from the module's and is found by that name alone",
    hint: 'add global_symbol="ccompiler_0"',
  },
  {
    name: "dup symbol",
    at: "RS4113 3:8",
    on: `fn (%p0: ${t}, Compiler="ccompiler", global_symbol="f", Primitive=1) -> ${t} { multiply(%p0, %p0) }`,
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Compiler="ccompiler", global_symbol="f", Primitive=1) -> ${t} { add(%p0, %p0) };
  %1 = fn (%p0: ${t}, Compiler="ccompiler", global_symbol="f", Primitive=1) -> ${t} { multiply(%p0, %p0) };
  %1(%0(%x))
}`,
    says: "two external functions are called f",
    expected: "a symbol of its own for each external function",
    got: 'global_symbol="f" on two different functions',
    because: "both would be defined under that name in the generated code",
    hint: "call this one f_1",
  },
  {
    name: "ccompiler op",
    at: "RS4114 2:119",
    on: "exp(%p0)",
    text: `def @main(%x: ${t}) {
  %0 = fn (%p0: ${t}, Compiler="ccompiler", global_symbol="f", Primitive=1) -> ${t} { exp(%p0) };
  %0(%x)
}`,
    says: "ccompiler cannot compile exp in the external function f",
    expected: "calls that the code generator takes",
    got: "a call of exp: it knows add, subtract, multiply only",
    because: "the whole function goes to that generator",
    hint: "leave this call out of the region",
  },
  {
    name: "symbolic shape",
    at: "warning RS5002 1:11",
    on: "%x",
    text: `def @main(%x: Tensor[(?, 4), float32]) {
  exp(%x)
}`,
    says: "parameter %x has a dynamic dimension",
    expected: "a static shape, so that memory can be planned",
    got: "Tensor[(?, 4), float32]",
    because: "the AOT executor plans everything when compiling",
    hint: "give its dimensions, as in --shape x=2x4; without them, run evaluates shapes as it goes",
  },
  {
    name: "call target op",
    options: { disabledPasses: ["FuseOps"] },
    at: "RS5006 2:3",
    on: "exp(%x)",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "the AOT executor meets a call of operator exp",
    expected: "calls of primitive functions only",
    got: "a call of operator exp",
    because: "FuseOps puts every operator into a primitive function, and functions must be inlined before",
    hint: "let FuseOps run",
  },
  {
    name: "call target var",
    at: "RS5003 1:11",
    on: "%f",
    text: `def @main(%f: fn (${t}) -> ${t}, %x: ${t}) {
  %f(%x)
}`,
    says: "parameter %f of @main is neither a tensor nor a tuple of tensors",
    expected: "tensors, or tuples of tensors, as parameters of @main",
    got: `fn (${t}) -> ${t}`,
    because: "whoever runs the model can only give it tensors",
    hint: "take the tensors inside it as parameters",
  },
  {
    name: "function result",
    at: "RS5005 2:3",
    on: `fn (%a: ${t}) { exp(%a) }`,
    text: `def @main(%x: ${t}) {
  fn (%a: ${t}) { exp(%a) }
}`,
    says: "the result of @main is a function",
    expected: "tensors, or tuples of tensors",
    got: `fn (${t}) -> ${t}`,
    because:
      "the executors hand tensors from call to call; functions, references and data types must be gone by then",
    hint: "return or pass the tensors inside it",
  },
  {
    name: "adt result",
    at: "RS5005 6:3",
    on: "Some(%x)",
    text: `type Opt[A] {
  Some(A),
  None,
}
def @main(%x: ${t}) {
  Some(%x)
}`,
    says: "the result of @main is a value of type Opt (Some)",
    expected: "tensors, or tuples of tensors",
    got: `Opt[${t}]`,
    because:
      "the executors hand tensors from call to call; functions, references and data types must be gone by then",
    hint: "return or pass the tensors inside it",
  },
  {
    name: "recursion",
    at: "RS5009 2:35",
    on: "@f(subtract(%n, 1), %x)",
    text: `def @f(%n: int32, %x: ${t}) -> ${t} {
  if (equal(%n, 0)) { %x } else { @f(subtract(%n, 1), %x) }
}
def @main(%n: int32, %x: ${t}) -> ${t} { @f(%n, %x) }`,
    says: "the function @f calls itself as often as only running can tell",
    expected: "recursion that ends by conditions known when compiling",
    got: "a call of itself in a branch whose condition depends on the inputs",
    because: "the executors plan a fixed list of calls, and unfold recursion when compiling",
    hint: "make what the condition depends on a constant (bind it), or write the steps out",
  },
  {
    name: "endless",
    at: "RS5009 2:3",
    on: "@f(exp(%x))",
    text: `def @f(%x: ${t}) -> ${t} {
  @f(exp(%x))
}
def @main(%x: ${t}) -> ${t} { @f(%x) }`,
    says: "more than 2000 calls of functions would be unfolded",
    expected: "at most 2000 calls of functions, recursion included",
    got: "a call of @f beyond that",
    because: "the executors plan a fixed list of calls, and unfold recursion when compiling",
    hint: "give the recursion an end, or make it shorter",
  },
  {
    name: "ref in branch",
    at: "RS5011 3:22",
    on: "ref_write(%r, exp(%x))",
    text: `def @main(%c: bool, %x: ${t}) {
  let %r = ref(%x);
  let %u = if (%c) { ref_write(%r, exp(%x)) } else { () };
  ref_read(%r)
}`,
    says: "a reference is written inside a branch whose condition only running decides",
    expected: "writes that happen whatever the inputs are",
    got: "a write inside a branch whose condition only running decides",
    because: "the executors have no references; they are followed when compiling",
    hint: "let the if return the new value, and write that after it",
  },
  {
    name: "no match",
    at: "RS5010 6:3",
    on: "match? (Some(%x)) {\n    None => { %x },\n  }",
    text: `type Opt[A] {
  Some(A),
  None,
}
def @main(%x: ${t}) {
  match? (Some(%x)) {
    None => { %x },
  }
}`,
    says: "no case of this match fits a value of type Opt (Some)",
    expected: "a case for every value that gets here",
    got: "a value of type Opt (Some)",
    because: "the value is known when compiling, and nothing says what to do with it",
    hint: "add a case, or `_` for all others",
  },
  {
    name: "ref result",
    at: "RS5005 2:3",
    on: "ref(%x)",
    text: `def @main(%x: ${t}) {
  ref(%x)
}`,
    says: "the result of @main is a reference",
    expected: "tensors, or tuples of tensors",
    got: `ref(${t})`,
    because:
      "the executors hand tensors from call to call; functions, references and data types must be gone by then",
    hint: "return or pass the tensors inside it",
  },
  {
    name: "no main",
    at: "RS5001 1:1",
    on: "def @foo",
    text: `def @foo(%x: ${t}) {
  exp(%x)
}`,
    says: "there is no function @main to compile",
    expected: "def @main(…)",
    got: "@foo",
    because: "executors start at @main",
    hint: "call the function that shall run @main",
  },
  {
    name: "link",
    options: { linkParams: false },
    at: "warning RS5007 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "the AOT executor needs its parameters linked in",
    expected: "link-params on",
    got: "link-params off",
    because: "the runner looks its parameters up by symbol; nothing else hands them over",
    hint: "turn link-params on, or use the graph executor",
  },
  {
    name: "unpacked",
    options: { unpackedApi: false },
    at: "warning RS5008 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "the C interface needs the unpacked API",
    expected: "unpacked-api on with interface-api c",
    got: "unpacked-api off",
    because: "the struct interface hands over plain pointers",
    hint: "turn unpacked-api on, or choose interface-api packed",
  },
  {
    name: "bind",
    options: { bindFill: ["w"] },
    at: "RS1801 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "There is no parameter %w of @main to bind.",
    expected: "%x",
    got: "%w",
    because: "options name parameters of @main",
    hint: "Take one of the names that @main has.",
  },
  {
    name: "shape opt",
    options: { shapes: { x: [3] } },
    at: "RS1804 1:11",
    on: "%x",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "--shape does not fit %x.",
    expected: `${t}`,
    got: "(3)",
    because: "a shape option fills in dynamic dimensions, it changes none",
    hint: "Give the numbers that are there, and one for each `?`.",
  },
  {
    name: "config",
    options: { config: { "relay.FuseOps.max_depth": "deep" } },
    at: "RS3001 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "relay.FuseOps.max_depth is not an integer",
    expected: "an integer such as 256",
    got: "deep",
    because: "a pass reads the option, and would decide otherwise than you mean",
    hint: "Correct the value, or leave the option out.",
  },
  {
    name: "config2",
    options: { config: { "relay.FuseOp.max_depth": "4" } },
    at: "RS3001 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "there is no config option relay.FuseOp.max_depth",
    expected: "relay.FuseOps.max_depth, relay.fallback_device_type, tir.disable_vectorize",
    got: "relay.FuseOp.max_depth",
    because: "no pass reads it",
    hint: "Did you mean `relay.FuseOps.max_depth`?",
  },
  {
    name: "disabled",
    options: { disabledPasses: ["FoldConstnt"] },
    at: "warning RS3003 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: "the disabled pass FoldConstnt is not known",
    expected: "a pass by TVM's name, such as FoldConstant",
    got: "FoldConstnt",
    because: "nothing is left out for it",
    hint: "Did you mean `FoldConstant`?",
  },
  {
    name: "modname",
    options: { modName: "a-b \u00e9" },
    at: "RS3002 -",
    on: "",
    text: `def @main(%x: ${t}) {
  exp(%x)
}`,
    says: 'the module cannot be called "a-b é"',
    expected: "printable ASCII characters",
    got: '"a-b é"',
    because: "the name becomes a part of C symbols",
    hint: "use letters, digits and _ (anything else becomes _ in symbols)",
  },
  {
    name: "two devices",
    options: {
      targets: [
        { device: 1, kind: "c" },
        { device: 4, kind: "opencl" },
      ],
    },
    at: "RS3005 4:8",
    on: "on_device(%0, device_type=4, is_fixed=True)",
    text: `def @main(%x: ${t}, %y: ${t}) {
  %0 = add(%x, %y);
  %1 = on_device(%0, device_type=1, is_fixed=True);
  %2 = on_device(%0, device_type=4, is_fixed=True);
  subtract(%1, %2)
}`,
    says: "the result of add cannot lie on device 1 and on device 4",
    expected: "one device for one value",
    got: "device 1 by on_device(…, device_type=1, is_fixed=True), device 4 by on_device(…, device_type=4, is_fixed=True)",
    because:
      "an annotation with is_fixed=True, a device_copy and a function's header say where a value lies, and these two contradict each other",
    hint: "put device_copy(…, src_dev_type=1, dst_dev_type=4) between them, or drop one annotation",
  },
  {
    name: "no target",
    options: {
      targets: [
        { device: 1, kind: "c" },
        { device: 2, kind: "c" },
      ],
    },
    at: "RS3007 3:8",
    on: "on_device(%0, device_type=4)",
    text: `def @main(%x: ${t}) {
  %0 = exp(%x);
  %1 = on_device(%0, device_type=4);
  add(%1, %x)
}`,
    says: "device 4 (opencl) has no target",
    expected: "one of 1=c, 2=c",
    got: "device 4",
    because: "the operators of a device are compiled for the target that is given for it",
    hint: "add a target: 4=c",
  },
  {
    name: "storage not found: a free variable of @main",
    at: "RS5004 2:12",
    on: "%y",
    text: `def @main(%x: ${t}) {
  free_var %y: ${t};
  add(%x, %y)
}`,
    says: "free variable %y in @main",
    expected: "parameters of @main and let-bound variables",
    got: "%y",
    because: "nothing gives it a value",
    hint: "make %y a parameter of @main, or bind it with let",
  },
];
