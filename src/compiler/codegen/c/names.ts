// Identifiers of the generated C: TIR names made legal, unique in a function, clear of keywords and of what
// the headers declare.
import { freshName, nameSupply, type NameSupply } from "../../../support/name-supply.ts";

const taken = [
  "auto",
  "break",
  "case",
  "char",
  "const",
  "continue",
  "default",
  "do",
  "double",
  "else",
  "enum",
  "extern",
  "float",
  "for",
  "goto",
  "if",
  "inline",
  "int",
  "long",
  "register",
  "restrict",
  "return",
  "short",
  "signed",
  "sizeof",
  "static",
  "struct",
  "switch",
  "typedef",
  "union",
  "unsigned",
  "void",
  "volatile",
  "while",
  "asm",
  "main",
  "exp",
  "log",
  "sin",
  "cos",
  "tan",
  "pow",
  "floor",
  "ceil",
  "round",
  "trunc",
  "sqrt",
  "tanh",
  "erf",
  "abs",
  "fabs",
  "gamma",
  "index",
  "div",
  "time",
  "y0",
  "y1",
  "yn",
  "j0",
  "j1",
  "jn",
  "memcpy",
  "memset",
  "args",
  "num_args",
];

export interface Names {
  readonly supply: NameSupply;
  readonly given: Map<object, string>;
}

export function cNames(): Names {
  const supply = nameSupply();
  for (const name of taken) freshName(supply, name);
  return { supply, given: new Map() };
}

/** The identifier of a variable or buffer (by identity). */
export function nameOf(names: Names, thing: { readonly name: string }): string {
  let name = names.given.get(thing);
  if (name === undefined) {
    name = freshName(names.supply, identifier(thing.name), "_");
    names.given.set(thing, name);
  }
  return name;
}

/** `text` as a C identifier: every other character is `_`; a leading digit gets one in front. */
export function identifier(text: string): string {
  const legal = text.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return legal === "" || /^[0-9]/.test(legal) ? `_${legal}` : legal;
}
