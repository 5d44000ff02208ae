// Messages of reading the text: rows of the table in messages.test.ts.
import { t, type MessageRow } from "./row.ts";

const ones = new Array(257).fill(1).join(", ");

export const readingMessages: readonly MessageRow[] = [
  {
    name: "negative broadcast",
    at: "RS1032 2:3",
    on: "broadcast_to(%x, shape=[-1, 2])",
    text: `def @main(%x: Tensor[(1, 2), float32]) {
  broadcast_to(%x, shape=[-1, 2])
}`,
    says: "broadcast_to: the result would have the dimension -1.",
    expected: "whole numbers >= 0, or `?`",
    got: "Tensor[(-1, 2), float32]",
    because: "a dimension counts elements",
    hint: "Write a number of elements, or `?` where only running tells.",
    notes: "`data` is %x: Tensor[(1, 2), float32]",
  },
  {
    name: "too many dimensions",
    at: "RS1034 1:15",
    on: `Tensor[(${ones}), float32]`,
    text: `def @main(%x: Tensor[(${ones}), float32]) {
  exp(%x)
}`,
    says: "A tensor of 257 dimensions has too many.",
    expected: "at most 256 dimensions",
    got: "257",
    because: "each dimension is a loop inside the one before",
    hint: "Join dimensions with reshape: those of one element cost nothing.",
  },
  {
    name: "a result of too many dimensions",
    at: "RS1034 2:3",
    on: `reshape(%x, newshape=[${ones}])`,
    text: `def @main(%x: Tensor[(1), float32]) {
  reshape(%x, newshape=[${ones}])
}`,
    says: "reshape: the result would have 257 dimensions.",
    expected: "at most 256 dimensions",
    got: "257",
    because: "each dimension is a loop inside the one before",
    hint: "Join dimensions with reshape: those of one element cost nothing.",
  },
  {
    name: "negative shape",
    at: "RS1032 1:23",
    on: "-",
    text: `def @main(%x: Tensor[(-1, 4), float32]) {
  exp(%x)
}`,
    says: "A dimension cannot be negative.",
    expected: "a number >= 0, or `?`",
    got: "-1",
    because: "a dimension counts elements",
    hint: "Write a number of elements, or `?` where only running tells.",
  },
  {
    name: "free var main",
    at: "RS1010 2:11",
    on: "%y",
    text: `def @main(%x: ${t}) {
  add(%x, %y)
}`,
    says: "`%y` is not defined here.",
    expected: "a parameter, or a variable bound before",
    got: "%y",
    because: "a variable has its value from a parameter, a let or a pattern around it",
    hint: "Did you mean `%x`?",
  },
  {
    name: "empty",
    at: "RS1003 1:1",
    on: "",
    text: ``,
    says: "The text ends where a function (`def @main(…) { … }`) is expected.",
    expected: "a function (`def @main(…) { … }`)",
    got: "the end of the text",
    because: "there is nothing to compile without it",
    hint: "Is the text cut off?",
  },
  {
    name: "nonsense",
    at: "RS1020 1:1",
    on: "lorem",
    text: `lorem ipsum dolor sit amet`,
    says: "There is no operator `lorem`.",
    expected: "an operator of Relay, such as nn.dense",
    got: "lorem",
    because: "an operator's name says what is computed, and how types follow",
    hint: "Completion in the editor lists the operators; a module is what print(mod) prints, not the Python that builds it.",
  },
  {
    name: "json",
    at: "RS1001 1:2",
    on: '"a"',
    text: `{"a": [1, 2]}`,
    says: 'Expected an expression, found `"a"`.',
    expected: "an expression",
    got: '`"a"`',
    because: "what follows cannot be read without it",
    hint: `Calls are \`name(argument, attribute=value)\`, bindings \`%0 = …;\`, functions \`def @main(%x: ${t}) { … }\`.`,
  },
  {
    name: "half",
    at: "RS1003 1:37",
    on: "{",
    text: `def @main(%x: ${t}) {
  %0 = exp(%x);
  add(%0,`,
    says: "This block is not closed: the text ends first.",
    expected: "`}`",
    got: "the end of the text",
    because: "there is nothing to compile without it",
    hint: "Is the text cut off?",
  },
  {
    name: "unknown op",
    at: "RS1020 2:3",
    on: "nn.sofmax",
    text: `def @main(%x: ${t}) {
  nn.sofmax(%x)
}`,
    says: "There is no operator `nn.sofmax`.",
    expected: "an operator of Relay, such as nn.dense",
    got: "nn.sofmax",
    because: "an operator's name says what is computed, and how types follow",
    hint: "Did you mean `nn.softmax`?",
  },
  {
    name: "unknown attr",
    at: "RS1022 2:18",
    on: "axes",
    text: `def @main(%x: ${t}) {
  nn.softmax(%x, axes=0)
}`,
    says: "nn.softmax has no attribute `axes`.",
    expected: "one of axis",
    got: "axes",
    because: "attributes are fixed by the operator",
    hint: "Did you mean `axis`?",
  },
  {
    name: "attr kind",
    at: "RS1023 2:23",
    on: '"last"',
    text: `def @main(%x: ${t}) {
  nn.softmax(%x, axis="last")
}`,
    says: 'nn.softmax: `axis` cannot be "last".',
    expected: "a whole number",
    got: '"last"',
    because: "Axis along which the results add up to 1.",
    hint: "Write a value of the expected kind.",
  },
  {
    name: "arg count",
    at: "RS1021 2:3",
    on: "add(%x)",
    text: `def @main(%x: ${t}) {
  add(%x)
}`,
    says: "add takes 2 arguments, 1 given.",
    expected: "add(lhs, rhs)",
    got: "1 argument",
    because: "each operand of an operator has its own meaning",
    hint: "Give one argument for each name in its signature.",
  },
  {
    name: "dup param",
    at: "RS1013 1:37",
    on: "%x",
    text: `def @main(%x: ${t}, %x: ${t}) {
  %x
}`,
    says: "The parameter `%x` is defined twice.",
    expected: "a name of its own for each parameter",
    got: "%x again",
    because: "later uses could mean either",
    hint: "Give one of them another name.",
    notes: "It was first defined on line 1.",
  },
  {
    name: "dup function",
    at: "RS1013 2:5",
    on: "@main",
    text: `def @main(%x: ${t}) { %x }
def @main(%x: ${t}) { %x }`,
    says: "The function `@main` is defined twice.",
    expected: "one function of each name",
    got: "@main again",
    because: "later uses could mean either",
    hint: "Give one of them another name.",
    notes: "It was first defined on line 1.",
  },
  {
    name: "dup binding",
    at: "RS1013 3:3",
    on: "%0",
    text: `def @main(%x: ${t}) {
  %0 = exp(%x);
  %0 = tanh(%x);
  %0
}`,
    says: "`%0` is defined twice.",
    expected: "a number of its own for each binding",
    got: "%0 again",
    because: "later uses could mean either",
    hint: "Give one of them another number.",
    notes: "It was first defined on line 2.",
  },
  {
    name: "cycle",
    at: "RS1012 2:12",
    on: "%1",
    text: `def @main(%x: ${t}) {
  %0 = add(%1, %x);
  %1 = exp(%0);
  %1
}`,
    says: "`%1` is used before it is defined.",
    expected: "a value that is bound further up",
    got: "%1",
    because: "bindings are in order of computation; a value cannot depend on itself",
    hint: "Move the binding up, or break the cycle.",
    notes: "It is defined on line 3.",
  },
  {
    name: "dtype",
    at: "RS1030 1:27",
    on: "float31",
    text: `def @main(%x: Tensor[(2), float31]) {
  %x
}`,
    says: "There is no data type `float31`.",
    expected: "a data type such as float32, int8 or bool",
    got: "float31",
    because: "memory and arithmetic follow from the data type",
    hint: "Did you mean `float32`, `float16` or `float64`?",
  },
  {
    name: "2^40",
    at: "RS1031 1:15",
    on: "Tensor[(1048576, 1048576), float32]",
    text: `def @main(%x: Tensor[(1048576, 1048576), float32]) {
  exp(%x)
}`,
    says: "A tensor of 4,398,046,511,104 bytes is too large.",
    expected: "at most 2,147,483,648 bytes",
    got: "1,099,511,627,776 elements of 4 bytes",
    because: "the page and WebAssembly address memory with 32 bits",
    hint: "Make the tensor smaller, or split it.",
  },
  {
    name: "undefined global",
    at: "RS1014 2:3",
    on: "@mian",
    text: `def @main(%x: ${t}) {
  @mian(%x)
}`,
    says: "The function `@mian` is not defined.",
    expected: "a function of this module",
    got: "@mian",
    because: "a call needs the body of what it calls",
    hint: "Did you mean `@main`?",
  },
  {
    name: "truncated string",
    at: "RS1002 2:18",
    on: '"float32',
    text: `def @main(%x: ${t}) {
  cast(%x, dtype="float32
}`,
    says: "This cannot be read: this string is not closed on its line.",
    expected: "the value of an attribute",
    got: '`"float32`',
    because: "it hides what follows",
    hint: "Close the string or the comment, or take the character out.",
  },
  {
    name: "number",
    at: "RS1060 2:11",
    on: "1.5q",
    text: `def @main(%x: ${t}) {
  add(%x, 1.5q)
}`,
    says: "This number cannot be read: `q` is no suffix of a number (f, f16, f64, i8 … i64, u8 … u64 are).",
    expected: "a number such as 1, 2.5f or 7i64",
    got: "1.5q",
    because: "the value must be exact in its type",
    hint: "Write a plain number, with f, f64, i8 … i64 or u8 … u64 behind it for its type.",
  },
  {
    name: "op as value",
    at: "RS1025 2:12",
    on: "exp",
    text: `def @main(%x: ${t}) {
  let %f = exp;
  %f(%x)
}`,
    says: "The operator `exp` is not called.",
    expected: "exp(data)",
    got: "`;`",
    because: "operators are no values; FuseOps could not put a call of it into a primitive function",
    hint: "To pass it as a value, wrap it: fn (%x) { exp(%x) }.",
  },
  {
    name: "type unknown",
    at: "RS1033 1:15",
    on: "Tensr",
    text: `def @main(%x: Tensr[(2), float32]) {
  %x
}`,
    says: "There is no type `Tensr`.",
    expected: "Tensor, a tuple, a function type, ref, or a type that is defined here",
    got: "Tensr",
    because: "a type says what a value may be",
    hint: "Did you mean `Tensor`?",
  },
  {
    name: "unclosed comment",
    at: "RS1002 1:1",
    on: `/* half a program
def @main(%x: ${t}) { %x }`,
    text: `/* half a program
def @main(%x: ${t}) { %x }`,
    says: "This cannot be read: this comment is not closed.",
    expected: "an expression",
    got: "an unknown character",
    because: "it hides what follows",
    hint: "Close the string or the comment, or take the character out.",
  },
  {
    name: "unknown constructor",
    at: "RS1050 7:5",
    on: "Sme",
    text: `type Opt[A] {
  Some(A),
  None,
}
def @main(%x: ${t}) {
  match (Some(%x)) {
    Sme(%v) => { %v },
    None => { %x },
  }
}`,
    says: "There is no constructor `Sme`.",
    expected: "a constructor of a type of the module",
    got: "Sme",
    because: "a pattern names a constructor of the matched type",
    hint: "Did you mean `Some`?",
  },
  {
    name: "metadata index",
    at: "RS1040 2:11",
    on: "meta[relay.Constant][0]",
    text: `def @main(%x: ${t}) {
  add(%x, meta[relay.Constant][0])
}`,
    says: "Nothing says what `meta[relay.Constant][0]` is.",
    expected: "a metadata section, or a comment `/* ty=Tensor[(…), …] */` behind it",
    got: "neither",
    because: "the text was printed without its metadata",
    hint: "In Python, print the module with mod.astext(show_meta_data=True).",
  },
  {
    name: "too deep",
    at: "RS1005 2:1027",
    on: "exp",
    text: `def @main(%x: ${t}) {\n  ${"exp(".repeat(1200)}%x${")".repeat(1200)}\n}`,
    says: "Nested more than 256 deep.",
    expected: "at most 256 levels",
    got: "one more",
    because: "nested text is read recursively",
    hint: "Bind inner values to names: `%0 = …;`.",
  },
];
