// Relay as text, as TVM 0.8 prints it: numbering, what is inlined, type comments, metadata references.
// TVM: src/printer/relay_text_printer.cc, src/printer/text_printer.h. The order in which nodes are visited
// decides every number and name, so it is followed exactly; dataflow (calls, tuples, projections) is walked
// with an explicit stack.
// Known difference: the attributes of an operator are always written out, where TVM puts those of a few
// operators (nn.batch_matmul, broadcast_to, cumsum…) into the metadata because its own parser could not read
// them.
import { last, get, at } from "../../../support/assert.ts";
import { noAttrs } from "../../ir/attrs.ts";
import type { OpTable } from "../../ir/op.ts";
import { ownedBy, type LineOwner } from "../../ir/origin.ts";
import { printType, type Type } from "../../ir/type.ts";
import { freshName, nameSupply, type NameSupply } from "../../../support/name-supply.ts";
import type { Listing } from "../../../support/text-writer.ts";
import {
  isPrimitive,
  type Call,
  type Constant,
  type Constructor,
  type Expr,
  type Func,
  type Let,
  type Match,
  type Pattern,
  type Var,
} from "../expr.ts";
import type { IRModule, TypeData } from "../module.ts";
import type { RelayOp } from "../op.ts";
import { printFreeAttrs, printOpAttrs, scalarLiteral } from "./print-literal.ts";
import { printMetadata } from "./print-metadata.ts";
import { children, postOrder } from "../visit.ts";

export interface PrintOptions {
  readonly ops: OpTable<RelayOp>;
  /**
   * Append the metadata section with every constant that is no scalar; else TVM's remark that it was left
   * out.
   */
  readonly showMeta: boolean;
  /**
   * `#[version = "0.0.5"]` first and the remark last, as mod.astext() does; false prints as print(mod) does.
   * Default true.
   */
  readonly header?: boolean;
  /**
   * Who owns the line that `expr` makes; `primitive` is the innermost primitive function around it. Default:
   * expr's origin.
   */
  readonly owner?: (expr: Expr, primitive: Func | null) => LineOwner;
}

/** Who made a line of Relay, and the name that it binds: "%4", or null where it binds none and for `let`. */
export interface RelayLineOwner extends LineOwner {
  readonly binds: string | null;
}

/** Text that may run over several lines; one owner for each line after the first. */
interface Doc {
  readonly text: string;
  readonly owners: readonly (RelayLineOwner | null)[];
}

interface Line extends Doc {
  readonly owner: RelayLineOwner | null;
}

interface Printer {
  readonly options: PrintOptions;
  readonly memo: Map<Expr, Doc>;
  /** Nodes bound to a name already, and nodes whose type comment was written. */
  readonly bound: Set<Expr>;
  readonly commented: Set<Expr>;
  /** First print of a free variable, with its type. */
  readonly freeVars: Map<Var, string>;
  readonly uses: Map<Expr, number>;
  readonly names: NameSupply;
  readonly types: Map<Type, string>;
  readonly constants: Constant[];
  /** Lines of the open scopes, innermost last. */
  readonly scopes: Line[][];
  temps: number;
  primitive: Func | null;
}

function createPrinter(options: PrintOptions): Printer {
  return {
    options,
    memo: new Map(),
    bound: new Set(),
    commented: new Set(),
    freeVars: new Map(),
    uses: new Map(),
    names: nameSupply(),
    types: new Map(),
    constants: [],
    scopes: [],
    temps: 0,
    primitive: null,
  };
}

/** The module as TVM prints it; each line knows the node that made it and the name that it binds. */
export function printModule(module: IRModule, options: PrintOptions): Listing<RelayLineOwner> {
  const p = createPrinter(options);
  const lines: Line[] = [];
  if (options.header ?? true) lines.push(line('#[version = "0.0.5"]'));
  let first = true;
  const gap = () => {
    if (!first) lines.push(line(""));
    first = false;
  };
  for (const definition of module.typeDefs.values()) {
    gap();
    lines.push(
      ...printTypeData(definition)
        .split("\n")
        .map((text) => line(text)),
    );
  }
  for (const [name, func] of module.functions) {
    gap();
    countUses(p, func);
    lines.push({ ...printFunction(p, `def @${name}`, func), owner: ownerOf(p, func) });
  }
  const end = trailer(p);
  const { text, owners } = join([...lines, ...end]);
  // TVM ends the last function with a line break, its remark and the metadata with none.
  return { text: end.length > 0 ? text : `${text}\n`, owners };
}

/** One expression as TVM prints it, its free variables declared ahead of it. Without version and metadata. */
export function printExpr(expr: Expr, options: Omit<PrintOptions, "showMeta">): string {
  const p = createPrinter({ ...options, showMeta: false });
  countUses(p, expr);
  return printScope(p, expr).text;
}

function trailer(p: Printer): Line[] {
  if (p.constants.length === 0 || !(p.options.header ?? true)) return [];
  if (p.options.showMeta)
    return [line(""), ...`#[metadata]\n${printMetadata(p.constants)}`.split("\n").map((text) => line(text))];
  return [
    line(""),
    line("/* For debugging purposes the metadata section has been omitted."),
    line(" * If you would like to see the full metadata section you can set the "),
    line(" * option to `True` when invoking `astext`. "),
    line(" */"),
  ];
}

function line(text: string): Line {
  return { text, owners: [], owner: null };
}

const plain = (text: string): Doc => ({ text, owners: noOwners });

function join(lines: readonly Line[]): Doc {
  const texts: string[] = [];
  const owners: (RelayLineOwner | null)[] = [];
  for (const l of lines) {
    texts.push(l.text);
    owners.push(l.owner);
    for (const owner of l.owners) owners.push(owner);
  }
  return { text: texts.join("\n"), owners };
}

const noOwners: readonly null[] = [];

/** Docs behind one another; owners of the line breaks inside them in order. */
function concat(...parts: readonly (Doc | string)[]): Doc {
  let text = "";
  let owners: (RelayLineOwner | null)[] | null = null;
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    text += part.text;
    if (part.owners.length > 0) owners = owners === null ? [...part.owners] : owners.concat(part.owners);
  }
  return { text, owners: owners ?? noOwners };
}

function ownerOf(p: Printer, expr: Expr, binds: string | null = null): RelayLineOwner {
  return { ...(p.options.owner?.(expr, p.primitive) ?? ownedBy({ origin: expr.origin })), binds };
}

function emit(p: Printer, doc: Doc, owner: RelayLineOwner): void {
  last(p.scopes, "scope").push({ ...doc, owner });
}

/** How often each node is used under `root`: what is used once and ends a scope needs no name. */
function countUses(p: Printer, root: Expr): void {
  p.uses.clear();
  postOrder(root, (expr) => {
    for (const kid of children(expr)) p.uses.set(kid, (p.uses.get(kid) ?? 0) + 1);
  });
}

/**
 * `root` as the value of a scope of its own: the bindings it needs, then itself. The first line's owner comes
 * first.
 */
function printScope(p: Printer, root: Expr): Line {
  p.scopes.push([]);
  const value = print(p, root, true);
  const lines = p.scopes.pop()!;
  const { text, owners } = join([...lines, { ...value, owner: ownerOf(p, root) }]);
  return { text, owners: owners.slice(1), owner: owners[0] ?? null };
}

/** `{`, the scope indented, `}`. */
function printBody(p: Printer, root: Expr, closing: RelayLineOwner): Doc {
  const body = printScope(p, root);
  return braces(body, closing);
}

function braces(body: Line, closing: RelayLineOwner): Doc {
  return {
    text: `{\n  ${body.text.replaceAll("\n", "\n  ")}\n}`,
    owners: [body.owner, ...body.owners, closing],
  };
}

/**
 * What stands for `expr` in its user's text: itself if it is short or used once, else the name it is bound to
 * here.
 */
function print(p: Printer, expr: Expr, tryInline = false): Doc {
  const inline = alwaysInline(expr) || (tryInline && (p.uses.get(expr) ?? 0) <= 1);
  let printed = visit(p, expr);
  if (!inline && expr.kind === "let") {
    printed = {
      text: `(\n  ${printed.text.replaceAll("\n", "\n  ")}\n)`,
      owners: [ownerOf(p, expr), ...printed.owners, ownerOf(p, expr)],
    };
  }
  printed = withTypeComment(p, expr, printed);
  if (expr.kind === "var") {
    const declared = p.freeVars.get(expr);
    if (declared !== undefined && !p.bound.has(expr))
      emit(p, plain(`free_var ${declared};`), ownerOf(p, expr));
    p.bound.add(expr);
    return get(p.memo, expr, "printed expression");
  }
  if (inline) {
    p.memo.set(expr, printed);
    return printed;
  }
  if (p.bound.has(expr)) return get(p.memo, expr, "printed expression");
  p.bound.add(expr);
  const name = plain(`%${p.temps++}`);
  p.memo.set(expr, name);
  emit(p, concat(`${name.text} = `, printed, ";"), ownerOf(p, expr, name.text));
  return name;
}

function alwaysInline(expr: Expr): boolean {
  return (
    expr.kind === "global" ||
    expr.kind === "constant" ||
    expr.kind === "op" ||
    expr.kind === "var" ||
    expr.kind === "constructor"
  );
}

function withTypeComment(p: Printer, expr: Expr, doc: Doc): Doc {
  if ((expr.kind !== "constant" && expr.kind !== "call") || expr.type === null || p.commented.has(expr))
    return doc;
  p.commented.add(expr);
  return concat(doc, ` /* ty=${typeText(p, expr.type)} */`);
}

function typeText(p: Printer, type: Type): string {
  let text = p.types.get(type);
  if (text === undefined) p.types.set(type, (text = printType(type)));
  return text;
}

/** The text of `root` itself; what it depends on by dataflow is visited first, callee before arguments. */
function visit(p: Printer, root: Expr): Doc {
  const known = p.memo.get(root);
  if (known !== undefined) return known;
  const stack: { readonly expr: Expr; expanded: boolean }[] = [{ expr: root, expanded: false }];
  while (stack.length > 0) {
    const top = last(stack, "frame");
    if (p.memo.has(top.expr)) stack.pop();
    else if (top.expanded) {
      visitLeaf(p, top.expr);
      stack.pop();
    } else {
      top.expanded = true;
      const kids = dataflowKids(top.expr);
      for (let i = kids.length - 1; i >= 0; i--)
        if (!p.memo.has(at(kids, i, "operand to print")))
          stack.push({ expr: at(kids, i, "operand to print"), expanded: false });
    }
  }
  return get(p.memo, root, "printed expression");
}

/** What is printed in the scope around `expr`, not in one that it opens. */
function dataflowKids(expr: Expr): readonly Expr[] {
  if (expr.kind === "if") return [expr.condition];
  if (expr.kind === "match") return [expr.data];
  return expr.kind === "function" || expr.kind === "let" ? [] : children(expr);
}

function visitLeaf(p: Printer, expr: Expr): void {
  const doc = printNode(p, expr);
  // A variable that nobody bound: its first print carries the type, later ones the name alone.
  if (expr.kind === "var") p.freeVars.set(expr, doc.text);
  else if (!p.memo.has(expr)) p.memo.set(expr, doc);
}

function printNode(p: Printer, expr: Expr): Doc {
  switch (expr.kind) {
    case "var":
      return plain(declareVar(p, expr));
    case "global":
      return plain(`@${expr.name}`);
    case "op":
    case "constructor":
      return plain(expr.name);
    case "constant":
      return plain(printConstant(p, expr));
    case "tuple": {
      const fields = expr.fields.map((field) => print(p, field));
      return concat("(", ...commas(fields), fields.length === 1 ? ",)" : ")");
    }
    case "tuple-get-item":
      return concat(print(p, expr.tuple), `.${expr.index}`);
    case "call":
      return printCall(p, expr);
    case "function":
      return printFunction(p, "fn ", expr);
    case "let":
      return printLet(p, expr);
    case "if": {
      const owner = ownerOf(p, expr);
      const condition = print(p, expr.condition);
      const then = printBody(p, expr.then, owner);
      return concat("if (", condition, ") ", then, " else ", printBody(p, expr.otherwise, owner));
    }
    case "ref-create":
      return concat("ref(", print(p, expr.value), ")");
    case "ref-read":
      return concat("ref_read(", print(p, expr.ref), ")");
    case "ref-write": {
      const ref = print(p, expr.ref);
      return concat("ref_write(", ref, ", ", print(p, expr.value), ")");
    }
    case "match":
      return printMatch(p, expr);
  }
}

function commas(docs: readonly (Doc | string)[]): (Doc | string)[] {
  const out: (Doc | string)[] = [];
  for (const doc of docs) {
    if (out.length > 0) out.push(", ");
    out.push(doc);
  }
  return out;
}

/** Gives `variable` its name in this print; with its type, where it has one. */
function declareVar(p: Printer, variable: Var): string {
  const base = /^[A-Za-z]/.test(variable.name) ? variable.name : `v${variable.name}`;
  const name = freshName(p.names, `%${base}`);
  p.memo.set(variable, plain(name));
  return variable.annotation === null ? name : `${name}: ${typeText(p, variable.annotation)}`;
}

function printConstant(p: Printer, expr: Constant): string {
  const literal = scalarLiteral(expr.data);
  // Without a type comment an int64 must say what it is.
  if (literal !== null)
    return expr.type === null && expr.data.dtype.name === "int64" ? `${literal}i64` : literal;
  p.constants.push(expr);
  return `meta[relay.Constant][${p.constants.length - 1}]`;
}

function printCall(p: Printer, expr: Call): Doc {
  const args: (Doc | string)[] = expr.args.map((arg) => print(p, arg));
  const op = expr.callee.kind === "op" ? p.options.ops.get(expr.callee.name) : undefined;
  if (op !== undefined) args.push(...printOpAttrs(op, expr.attrs));
  else if (expr.attrs !== noAttrs) args.push(...printFreeAttrs(expr.attrs));
  const callee = print(p, expr.callee);
  if (expr.callee.kind === "constructor" && expr.callee.inputs.length === 0) return callee;
  return concat(callee, "(", ...commas(args), ")");
}

function printFunction(p: Printer, prefix: string, func: Func): Doc {
  const outer = p.primitive;
  if (isPrimitive(func)) p.primitive = func;
  const typeParams = func.typeParams.length > 0 ? `[${func.typeParams.map((v) => v.name).join(", ")}]` : "";
  const params = [...func.params.map((param) => declareVar(p, param)), ...printFreeAttrs(func.attrs)];
  for (const param of func.params) p.bound.add(param);
  const result = func.resultType === null ? "" : `-> ${typeText(p, func.resultType)} `;
  const doc = concat(
    `${prefix}${typeParams}(${params.join(", ")}) ${result}`,
    printBody(p, func.body, ownerOf(p, func)),
  );
  p.primitive = outer;
  return doc;
}

/**
 * A chain of lets, iteratively: what the first value needs goes to the scope around, the rest between the
 * lets.
 */
function printLet(p: Printer, first: Let): Doc {
  const lines: Line[] = [];
  let expr: Expr = first;
  for (; expr.kind === "let"; expr = expr.body) {
    const name = declareVar(p, expr.variable);
    const value = print(p, expr.value, true);
    if (expr === first) p.scopes.push(lines);
    lines.push({ ...concat(`let ${name} = `, value, ";"), owner: ownerOf(p, expr.value) });
  }
  lines.push(printScope(p, expr));
  p.scopes.pop();
  const { text, owners } = join(lines);
  return { text, owners: owners.slice(1) };
}

function printMatch(p: Printer, expr: Match): Doc {
  const owner = ownerOf(p, expr);
  const data = print(p, expr.data);
  const clauses = expr.clauses.map((clause): Line => {
    const pattern = printPattern(p, clause.pattern);
    return { ...concat(`${pattern} => `, braces(printScope(p, clause.body), owner), ","), owner };
  });
  const { text, owners } = join(clauses);
  const body: Line = { text, owners: owners.slice(1), owner };
  return concat(expr.complete ? "match (" : "match? (", data, ") ", braces(body, owner));
}

function printPattern(p: Printer, pattern: Pattern): string {
  switch (pattern.kind) {
    case "wildcard":
      return "_";
    case "bind":
      return declareVar(p, pattern.variable);
    case "constructor-pattern": {
      const fields = pattern.patterns.map((field) => printPattern(p, field));
      return fields.length === 0
        ? pattern.constructor_.name
        : `${pattern.constructor_.name}(${fields.join(", ")})`;
    }
    case "tuple-pattern":
      return `(${pattern.patterns.map((field) => printPattern(p, field)).join(", ")})`;
  }
}

/** `type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}`. */
function printTypeData(definition: TypeData): string {
  const params =
    definition.typeParams.length > 0 ? `[${definition.typeParams.map((v) => v.name).join(", ")}]` : "";
  if (definition.extern) return `extern type ${definition.name}${params}`;
  return `type ${definition.name}${params} {\n  ${definition.constructors.map((c) => `${printConstructor(c)},`).join("\n  ")}\n}`;
}

function printConstructor(constructor: Constructor): string {
  return constructor.inputs.length === 0
    ? constructor.name
    : `${constructor.name}(${constructor.inputs.map(printType).join(", ")})`;
}
