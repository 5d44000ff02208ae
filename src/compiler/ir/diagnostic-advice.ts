// Why a mistake matters and what to try, by code: said where the place that found the mistake knows nothing
// closer.
import type { DiagnosticCode } from "./diagnostic-codes.ts";

interface Advice {
  readonly because: string;
  readonly hint: string;
}

export const diagnosticAdvice: Readonly<Partial<Record<DiagnosticCode, Advice>>> = {
  RS1001: {
    because: "what follows cannot be read without it",
    hint: "Calls are `name(argument, attribute=value)`, bindings `%0 = …;`, functions `def @main(%x: Tensor[(2), float32]) { … }`.",
  },
  RS1002: {
    because: "it hides what follows",
    hint: "Close the string or the comment, or take the character out.",
  },
  RS1003: { because: "there is nothing to compile without it", hint: "Is the text cut off?" },
  RS1004: { because: "memory and time grow with the program", hint: "Compile the model in parts." },
  RS1005: { because: "nested text is read recursively", hint: "Bind inner values to names: `%0 = …;`." },
  RS1007: {
    because: "the grammar is that of 0.0.5, and older texts differ from it little",
    hint: "Look whether the program is what you mean, and print it with TVM 0.8 if it is not.",
  },
  RS1025: {
    because: "operators are no values; FuseOps could not put a call of it into a primitive function",
    hint: "To pass it as a value, wrap it in a function.",
  },
  RS1010: {
    because: "a variable has its value from a parameter, a let or a pattern around it",
    hint: "Declare it: as a parameter, or with `let`.",
  },
  RS1011: {
    because: "a number stands for the expression that is bound to it further up",
    hint: "Bind it above: `%0 = …;`.",
  },
  RS1012: {
    because: "bindings are in order of computation; a value cannot depend on itself",
    hint: "Move the binding up, or break the cycle.",
  },
  RS1013: { because: "later uses could mean either", hint: "Give one of them another name." },
  RS1014: {
    because: "a call needs the body of what it calls",
    hint: "Define the function, or correct its name.",
  },
  RS1020: {
    because: "an operator's name says what is computed, and how types follow",
    hint: "Completion in the editor lists the operators; a module is what print(mod) prints, not the Python that builds it.",
  },
  RS1021: {
    because: "each operand of an operator has its own meaning",
    hint: "Give one argument for each name in its signature.",
  },
  RS1022: {
    because: "attributes are fixed by the operator",
    hint: "Leave it out, or take one of those it has.",
  },
  RS1023: {
    because: "the operator is defined for this kind of value only",
    hint: "Write a value of the expected kind.",
  },
  RS1024: { because: "without it the result is not determined", hint: "Write the attribute out." },
  RS1030: {
    because: "memory and arithmetic follow from the data type",
    hint: "Take one of int8 to int64, uint8 to uint64, float16, float32, float64, bool.",
  },
  RS1031: {
    because: "the page and WebAssembly address memory with 32 bits",
    hint: "Make the tensor smaller, or split it.",
  },
  RS1032: {
    because: "a dimension counts elements",
    hint: "Write a number of elements, or `?` where only running tells.",
  },
  RS1034: {
    because: "each dimension is a loop inside the one before",
    hint: "Join dimensions with reshape: those of one element cost nothing.",
  },
  RS1033: {
    because: "a type says what a value may be",
    hint: "Write Tensor[(…), float32], a tuple of types, or a type of the module.",
  },
  RS1040: {
    because: "shape and values of a constant stand in the metadata",
    hint: "Paste the text with its #[metadata] section, or with type comments.",
  },
  RS1041: {
    because: "constants that are no scalars stand there",
    hint: "Without the section, shapes come from the type comments and values from the seeded recipe.",
  },
  RS1042: {
    because: "the reference stands for an entry of the metadata",
    hint: "Check the number, or paste the whole section.",
  },
  RS1043: {
    because:
      "values stand in the metadata; the seeded recipe gives numbers that are not those of the trained model",
    hint: "In Python, print the module with mod.astext(show_meta_data=True), and paste all of it.",
  },
  RS1050: {
    because: "a pattern names a constructor of the matched type",
    hint: "If a variable is meant, write a `%` before it.",
  },
  RS1051: {
    because: "each field of a constructor has its place in the pattern",
    hint: "Write a pattern or `_` for each field.",
  },
  RS1052: { because: "an extern type is made elsewhere", hint: "Leave `extern` or the constructors out." },
  RS1060: {
    because: "the value must be exact in its type",
    hint: "Write a plain number, with f, f64, i8 … i64 or u8 … u64 behind it for its type.",
  },
  RS1801: { because: "options name parameters of @main", hint: "Take one of the names that @main has." },
  RS1802: {
    because: "a bound parameter becomes a constant, which has a shape and a data type",
    hint: "Give the parameter a type such as Tensor[(2, 3), float32].",
  },
  RS1803: {
    because: "the value takes the parameter's place everywhere",
    hint: "Convert the value, or change the parameter's type.",
  },
  RS1804: {
    because: "a shape option fills in dynamic dimensions, it changes none",
    hint: "Give the numbers that are there, and one for each `?`.",
  },
  RS2000: {
    because: "types are inferred from the operators that use a value, and these leave it open",
    hint: "Write the type out.",
  },
  RS2001: { because: "the operator is defined for this type only", hint: "Convert or reshape the argument." },
  RS2002: { because: "shapes and memory follow from types", hint: "Write the types of the parameters out." },
  RS2003: {
    because: "a call needs the body of what it calls",
    hint: "Define the function, or correct its name.",
  },
  RS2004: {
    because: "an operator's name says what is computed, and how types follow",
    hint: "Completion in the editor lists the operators; a module is what print(mod) prints, not the Python that builds it.",
  },
  RS2005: { because: "each parameter needs its value", hint: "Give one argument for each parameter." },
  RS2006: {
    because: "only functions, operators and constructors can be called",
    hint: "Call a function, or take a field with `.0`.",
  },
  RS2007: {
    because: "type arguments fill type parameters in order",
    hint: "Leave the type arguments out: they are inferred.",
  },
  RS2008: {
    because: "the body of the function counts on its parameters' types",
    hint: "Convert the argument, or change the parameter's type.",
  },
  RS2009: {
    because: "what uses the value counts on its type",
    hint: "Convert the value, or change the type that is asked for.",
  },
  RS2010: {
    because: "uses of the variable count on its annotation",
    hint: "Correct the annotation, or leave it out.",
  },
  RS2011: {
    because: "one branch is taken for the whole value",
    hint: "Compare and reduce to one element: `if (greater(%x, 0f))`.",
  },
  RS2012: {
    because: "what follows must work with the value of either branch",
    hint: "Bring both branches to one type.",
  },
  RS2013: { because: "only what `ref(…)` made can be read and written", hint: "Create it with `ref(…)`." },
  RS2014: { because: "whoever reads the reference counts on its type", hint: "Convert the value." },
  RS2015: {
    because: "callers count on the declared type",
    hint: "Correct the result type, or leave it out.",
  },
  RS2016: {
    because: "the page and WebAssembly address memory with 32 bits",
    hint: "Make the operands smaller, or split them.",
  },
  RS2017: {
    because: "fields are counted in tuples; a tensor has elements",
    hint: "Use `take` or `strided_slice` for a part of a tensor.",
  },
  RS2018: { because: "fields are counted from 0", hint: "Take a smaller number." },
  RS2019: {
    because: "what follows must work with the value of any case",
    hint: "Bring all cases to one type.",
  },
  RS2020: {
    because: "a value that no case fits would have no result",
    hint: "Add the cases, or write `match?` if they cannot happen.",
  },
  RS2021: { because: "the variable is a part of the matched value", hint: "Leave the annotation out." },
  RS2022: {
    because: "a pattern takes a value of its own type apart",
    hint: "Use constructors of the matched type.",
  },
  RS2023: {
    because: "each tensor of a value that is handed over is a parameter of the generated code",
    hint: "Join tensors with concatenate or stack, or return only those that are needed.",
  },
  RS2101: { because: "the operator computes on elements", hint: "Hand it a tensor." },
  RS2102: { because: "operators convert nothing by themselves", hint: "Convert one of them with cast." },
  RS2103: {
    because: "each element of the result takes one element from either side",
    hint: "Bring the shapes together with expand_dims, reshape or transpose.",
  },
  RS2104: {
    because: "an axis says along which dimension the operator works",
    hint: "Count axes from 0, or from the end with -1.",
  },
  RS2105: {
    because: "the operator pairs elements along these dimensions",
    hint: "Check the shapes of the arguments: one of them may be transposed or reshaped.",
  },
  RS2106: {
    because: "the operator gives each dimension a meaning",
    hint: "Add or remove dimensions with expand_dims, squeeze or reshape.",
  },
  RS2107: {
    because: "a layout says what each dimension of the data is",
    hint: "Convert with layout_transform, or take another layout.",
  },
  RS2108: { because: "the result would not be determined", hint: "Write a value in the expected range." },
  RS2109: {
    because: "a new shape orders the same elements anew",
    hint: "Make the product of the dimensions the same; -1 stands for what is left.",
  },
  RS2110: { because: "the operator is not defined for these values", hint: "Convert with cast." },
  RS2111: {
    because: "there would be elements to read that are not there",
    hint: "Make the window smaller, or pad the data.",
  },
  RS2112: { because: "without it the result is not determined", hint: "Write the attribute out." },
  RS3001: {
    because: "a pass reads the option, and would decide otherwise than you mean",
    hint: "Correct the value, or leave the option out.",
  },
  RS6101: { because: "a kernel loads and stores whole bytes", hint: "Convert with cast to one of these." },
  RS6102: {
    because: "the module holds all code that it runs",
    hint: "Choose --target c, which links any function by name.",
  },
  RS6103: {
    because: "scratch memory is laid out when compiling",
    hint: "Fix the shapes of the inputs (--shape NAME=2x3x4).",
  },
};
