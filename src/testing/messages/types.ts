// Messages of types: rows of the table in messages.test.ts.
import { t, type MessageRow } from "./row.ts";

export const typesMessages: readonly MessageRow[] = [
  {
    name: "negative reshape",
    at: "RS2109 2:3",
    on: "reshape(%x, newshape=[-7, 8])",
    text: `def @main(%x: Tensor[(2, 4), float32]) {
  reshape(%x, newshape=[-7, 8])
}`,
    says: "reshape: attribute `newshape` holds -7",
    expected: "0, -1, -2, -3, -4 or a positive number",
    got: "data of shape (2, 4)",
    because: "a new shape orders the same elements anew",
    hint: "0 keeps a dimension, -1 is what is left, -2 keeps all that remain, -3 joins two, -4 splits one into the two numbers after it",
    notes: "`data` is %x: Tensor[(2, 4), float32]",
  },
  {
    name: "negative full",
    at: "RS2108 2:3",
    on: 'zeros(shape=[-2, 3], dtype="float32")',
    text: `def @main() {
  zeros(shape=[-2, 3], dtype="float32")
}`,
    says: "zeros: attribute `shape` is not usable",
    expected: "integers, each at least 0",
    got: "[-2, 3]",
    because: "the result would not be determined",
    hint: "Write a value in the expected range.",
  },
  {
    name: "call tuple",
    at: "RS2006 3:3",
    on: "%0(%x)",
    text: `def @main(%x: ${t}) {
  %0 = (%x, %x);
  %0(%x)
}`,
    says: "this function is called, but it is no function.",
    expected: "a function",
    got: `(${t}, ${t})`,
    because: "only functions, operators and constructors can be called",
    hint: "Call a function, or take a field with `.0`.",
  },
  {
    name: "shape mismatch",
    at: "RS2103 2:3",
    on: "add(%x, %y)",
    text: `def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(4), float32]) {
  add(%x, %y)
}`,
    says: "add: the shapes of `lhs` and `rhs` cannot be broadcast together",
    expected: "each dimension, counted from the last, equal to its partner or 1",
    got: "(2, 3) and (4)",
    because: "each element of the result takes one element from either side",
    hint: "Bring the shapes together with expand_dims, reshape or transpose.",
    notes: "`lhs` is %x: Tensor[(2, 3), float32]; `rhs` is %y: Tensor[(4), float32]",
  },
  {
    name: "dense mismatch",
    at: "RS2105 2:3",
    on: "nn.dense(%x, %w)",
    text: `def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 5), float32]) {
  nn.dense(%x, %w)
}`,
    says: "nn.dense: the inner dimensions of `data` and `weight` do not match",
    expected: "equal lengths",
    got: "Tensor[(2, 3), float32] and Tensor[(4, 5), float32]",
    because: "rows of the weight are as long as those of the data",
    hint: "Check the shapes of the arguments: one of them may be transposed or reshaped.",
    notes: "`data` is %x: Tensor[(2, 3), float32]; `weight` is %w: Tensor[(4, 5), float32]",
  },
  {
    name: "conv channels",
    at: "RS2105 2:3",
    on: "nn.conv2d(%x, %w)",
    text: `def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 5, 3, 3), float32]) {
  nn.conv2d(%x, %w)
}`,
    says: "nn.conv2d: the channels of `data` do not match `weight`",
    expected: "3 input channels in the weight: 3 channels of data over 1 group",
    got: "5, from weight (4, 5, 3, 3) in layout OIHW",
    because: "the operator pairs elements along these dimensions",
    hint: "check data_layout, kernel_layout and groups",
    notes: "`data` is %x: Tensor[(1, 3, 8, 8), float32]; `weight` is %w: Tensor[(4, 5, 3, 3), float32]",
  },
  {
    name: "dtype mismatch",
    at: "RS2102 2:3",
    on: "add(%x, %y)",
    text: `def @main(%x: ${t}, %y: Tensor[(2), int32]) {
  add(%x, %y)
}`,
    says: "add: arguments `lhs` and `rhs` must have the same dtype",
    expected: "float32 for both",
    got: "float32 and int32",
    because: "operators convert nothing by themselves",
    hint: 'convert one of them, as in cast(%x, dtype="float32")',
    notes: `\`lhs\` is %x: ${t}; \`rhs\` is %y: Tensor[(2), int32]`,
  },
  {
    name: "missing attr",
    at: "RS2112 2:3",
    on: "reshape(%x)",
    text: `def @main(%x: ${t}) {
  reshape(%x)
}`,
    says: "reshape: attribute `newshape` is missing",
    expected: "newshape=...",
    got: "nothing",
    because: "without it the result is not determined",
    hint: "Write the attribute out.",
    notes: `\`data\` is %x: ${t}`,
  },
  {
    name: "2^40 result",
    at: "RS2016 2:3",
    on: "add(%x, %y)",
    text: `def @main(%x: Tensor[(1048576, 1), float32], %y: Tensor[(1, 1048576), float32]) {
  add(%x, %y)
}`,
    says: "add: the result is too large: 4398046511104 bytes.",
    expected: "at most 2147483648 bytes",
    got: "Tensor[(1048576, 1048576), float32]",
    because: "the page and WebAssembly address memory with 32 bits",
    hint: "Make the operands smaller, or split them.",
  },
  {
    name: "tuple field",
    at: "RS2018 3:3",
    on: "%0.2",
    text: `def @main(%x: ${t}) {
  %0 = (%x, %x);
  %0.2
}`,
    says: "The tuple has 2 fields, there is no field 2.",
    expected: "0 to 1",
    got: "2",
    because: "fields are counted from 0",
    hint: "Take a smaller number.",
  },
  {
    name: "projection of tensor",
    at: "RS2017 2:3",
    on: "%x.0",
    text: `def @main(%x: ${t}) {
  %x.0
}`,
    says: "`.0` takes a field of a tuple, but this is none.",
    expected: "a tuple",
    got: `${t}`,
    because: "fields are counted in tuples; a tensor has elements",
    hint: "Use `take` or `strided_slice` for a part of a tensor.",
  },
  {
    name: "return type",
    at: "RS2015 2:3",
    on: "exp(%x)",
    text: `def @main(%x: ${t}) -> Tensor[(3), float32] {
  exp(%x)
}`,
    says: "The function returns another type than it declares.",
    expected: "Tensor[(3), float32]",
    got: `${t}`,
    because: "callers count on the declared type",
    hint: "Correct the result type, or leave it out.",
  },
  {
    name: "let type",
    at: "RS2010 2:34",
    on: "exp(%x)",
    text: `def @main(%x: ${t}) {
  let %y: Tensor[(3), float32] = exp(%x);
  %y
}`,
    says: "`%y` is bound to a value of another type than its annotation says.",
    expected: "Tensor[(3), float32]",
    got: `${t}`,
    because: "uses of the variable count on its annotation",
    hint: "Correct the annotation, or leave it out.",
  },
  {
    name: "if condition",
    at: "RS2011 2:3",
    on: "if (%c) { %x } else { %x }",
    text: `def @main(%c: int32, %x: ${t}) {
  if (%c) { %x } else { %x }
}`,
    says: "The condition of an `if` must be a boolean scalar.",
    expected: "bool",
    got: "int32",
    because: "one branch is taken for the whole value",
    hint: "Compare and reduce to one element: `if (greater(%x, 0f))`.",
  },
  {
    name: "if branches",
    at: "RS2012 2:3",
    on: "if (%c) { %x } else { %y }",
    text: `def @main(%c: bool, %x: ${t}, %y: Tensor[(3), float32]) {
  if (%c) { %x } else { %y }
}`,
    says: "The branches of this `if` have different types.",
    expected: `${t}`,
    got: "Tensor[(3), float32]",
    because: "what follows must work with the value of either branch",
    hint: "Bring both branches to one type.",
  },
  {
    name: "axis",
    at: "RS2104 2:3",
    on: "nn.softmax(%x, axis=1)",
    text: `def @main(%x: ${t}) {
  nn.softmax(%x, axis=1)
}`,
    says: "nn.softmax: attribute `axis` is out of range for rank 1",
    expected: "-1 to 0",
    got: "1",
    because: "an axis says along which dimension the operator works",
    hint: "Count axes from 0, or from the end with -1.",
    notes: `\`data\` is %x: ${t}`,
  },
  {
    name: "two -1",
    at: "RS2109 2:3",
    on: "reshape(%x, newshape=[-1, -1])",
    text: `def @main(%x: Tensor[(3, 4), float32]) {
  reshape(%x, newshape=[-1, -1])
}`,
    says: "reshape: attribute `newshape` has more than one -1",
    expected: "at most one dimension left to infer",
    got: "data of shape (3, 4)",
    because: "a new shape orders the same elements anew",
    hint: "0 keeps a dimension, -1 is what is left, -2 keeps all that remain, -3 joins two, -4 splits one into the two numbers after it",
    notes: "`data` is %x: Tensor[(3, 4), float32]",
  },
  {
    name: "reshape count",
    at: "RS2109 2:3",
    on: "reshape(%x, newshape=[5, 2])",
    text: `def @main(%x: Tensor[(3, 4), float32]) {
  reshape(%x, newshape=[5, 2])
}`,
    says: "reshape: the new shape does not hold the elements of `data`",
    expected: "12 elements, those of (3, 4)",
    got: "10: newshape=[5, 2] gives (5, 2)",
    because: "a new shape orders the same elements anew",
    hint: "Make the product of the dimensions the same; -1 stands for what is left.",
    notes: "`data` is %x: Tensor[(3, 4), float32]",
  },
  {
    name: "no type",
    at: "RS2000 1:11",
    on: "%x",
    text: `def @main(%x) {
  exp(%x)
}`,
    says: "The type of `%x` cannot be inferred.",
    expected: "a use or an annotation that says what it is",
    got: "?",
    because: "types are inferred from the operators that use a value, and these leave it open",
    hint: "Write it: `%x: Tensor[(…), float32]`.",
  },
  {
    name: "match missing",
    at: "RS2020 6:3",
    on: "match (Some(%x)) {\n    None => { %x },\n  }",
    text: `type Opt[A] {
  Some(A),
  None,
}
def @main(%x: ${t}) {
  match (Some(%x)) {
    None => { %x },
  }
}`,
    says: "This `match` leaves values out.",
    expected: "a case for every value",
    got: "none for Some(_)",
    because: "a value that no case fits would have no result",
    hint: "Add the cases, or write `match?` if they cannot happen.",
    notes: "no case for Some(_)",
  },
  {
    name: "call argument type",
    at: "RS2008 3:3",
    on: "@f(%x)",
    text: `def @f(%a: Tensor[(3), float32]) { exp(%a) }
def @main(%x: ${t}) {
  @f(%x)
}`,
    says: "Argument 1 of @f has the wrong type.",
    expected: "Tensor[(3), float32]",
    got: `${t}`,
    because: "the body of the function counts on its parameters' types",
    hint: "Convert the argument, or change the parameter's type.",
  },
  {
    name: "call argument count",
    at: "RS2005 3:3",
    on: "@f(%x, %x)",
    text: `def @f(%a: ${t}) { exp(%a) }
def @main(%x: ${t}) {
  @f(%x, %x)
}`,
    says: "@f takes 1 argument, 2 given.",
    expected: `(${t})`,
    got: "2 arguments",
    because: "each parameter needs its value",
    hint: "Give one argument for each parameter.",
  },
  {
    name: "ref of no ref",
    at: "RS2013 2:3",
    on: "ref_read(%x)",
    text: `def @main(%x: ${t}) {
  ref_read(%x)
}`,
    says: "This is not a reference.",
    expected: "ref(?)",
    got: `${t}`,
    because: "only what `ref(…)` made can be read and written",
    hint: "Create it with `ref(…)`.",
  },
  {
    name: "ref write type",
    at: "RS2014 3:26",
    on: "1",
    text: `def @main(%x: ${t}) {
  let %r = ref(%x);
  let %u = ref_write(%r, 1);
  ref_read(%r)
}`,
    says: "The value has another type than the reference holds.",
    expected: `${t}`,
    got: "int32",
    because: "whoever reads the reference counts on its type",
    hint: "Convert the value.",
  },
  {
    name: "concat shapes",
    at: "RS2105 2:3",
    on: "concatenate((%x, %y), axis=0)",
    text: `def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3, 2), float32]) {
  concatenate((%x, %y), axis=0)
}`,
    says: "concatenate: tensor 1 of the tuple does not fit the first",
    expected: "Tensor[(2, 3), float32] except along axis 0",
    got: "Tensor[(3, 2), float32]",
    because: "the operator pairs elements along these dimensions",
    hint: "Check the shapes of the arguments: one of them may be transposed or reshaped.",
    notes: "`data` is (Tensor[(2, 3), float32], Tensor[(3, 2), float32])",
  },
  {
    name: "layout",
    at: "RS2107 2:3",
    on: 'nn.conv2d(%x, %w, data_layout="NHW")',
    text: `def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  nn.conv2d(%x, %w, data_layout="NHW")
}`,
    says: "nn.conv2d: attribute `data_layout` is not a layout this operator takes",
    expected: "the axes of NCHW in some order; only N and C may be split, as in NCHW8c",
    got: '"NHW"',
    because: "a layout says what each dimension of the data is",
    hint: "Convert with layout_transform, or take another layout.",
    notes: "`data` is %x: Tensor[(1, 3, 8, 8), float32]; `weight` is %w: Tensor[(4, 3, 3, 3), float32]",
  },
  {
    name: "window",
    at: "RS2111 2:3",
    on: "nn.max_pool2d(%x, pool_size=[3, 3])",
    text: `def @main(%x: Tensor[(1, 3, 2, 2), float32]) {
  nn.max_pool2d(%x, pool_size=[3, 3])
}`,
    says: "nn.max_pool2d: the window does not fit into the data along H",
    expected: "at least 3 elements, the window with its dilation",
    got: "2 (2 and padding)",
    because: "there would be elements to read that are not there",
    hint: "use a smaller window or more padding",
    notes: "`data` is %x: Tensor[(1, 3, 2, 2), float32]",
  },
  {
    name: "dtype of operator",
    at: "RS2110 2:3",
    on: "bitwise_and(%x, %x)",
    text: `def @main(%x: ${t}) {
  bitwise_and(%x, %x)
}`,
    says: "bitwise_and: argument `lhs` has a dtype that this operator does not take",
    expected: "an int or uint dtype",
    got: "float32",
    because: "the operator is not defined for these values",
    hint: 'convert it, as in cast(%x, dtype="int32")',
    notes: `\`lhs\` is %x: ${t}; \`rhs\` is %x: ${t}`,
  },
  {
    name: "rank",
    at: "RS2106 2:3",
    on: "nn.conv2d(%x, %w)",
    text: `def @main(%x: ${t}, %w: Tensor[(4, 3, 3, 3), float32]) {
  nn.conv2d(%x, %w)
}`,
    says: "nn.conv2d: argument `data` has the wrong rank for layout NCHW",
    expected: "rank 4",
    got: "rank 1: (2)",
    because: "the operator gives each dimension a meaning",
    hint: "Add or remove dimensions with expand_dims, squeeze or reshape.",
    notes: `\`data\` is %x: ${t}; \`weight\` is %w: Tensor[(4, 3, 3, 3), float32]`,
  },
];
