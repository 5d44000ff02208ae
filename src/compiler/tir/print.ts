// Readable listing of a PrimFunc in the manner of TVM script, with the owner of every line.
// TVM: src/printer/tvmscript_printer.cc (the form, not its every detail: what a person reads, not what a
// parser needs).
import { TextWriter, type Listing } from "../../support/text-writer.ts";
import { freshName, nameSupply, type NameSupply } from "../../support/name-supply.ts";
import { int32 } from "../ir/dtype.ts";
import { ownedBy, type LineOwner, type Origin } from "../ir/origin.ts";
import type { BinaryOp, Buffer, PrimExpr, TirVar } from "./expr.ts";
import type { PrimFunc } from "./prim-func.ts";
import type { For, Stmt } from "./stmt.ts";

interface Names {
  readonly supply: NameSupply;
  readonly given: Map<object, string>;
}

/** The listing; `primitive` is the index that its lines are owned by. */
export function printPrimFunc(f: PrimFunc, primitive = -1): Listing<LineOwner> {
  const names: Names = { supply: nameSupply(), given: new Map() };
  const out = new TextWriter<LineOwner>();
  const own = (origin: Origin): LineOwner => ownedBy({ origin, primitive });
  out.withOwner(own(f.origin), () => {
    out.line("@T.prim_func");
    out.line(
      `def ${f.name}(${f.params.map((param) => `${nameOf(names, param)}: ${bufferType(names, param)}`).join(", ")}) -> None:`,
    );
    out.indent(() => {
      for (const [key, value] of Object.entries(f.attrs))
        out.line(`# ${key} = ${typeof value === "string" ? JSON.stringify(value) : value}`);
      for (const buffer of f.allocations) out.line(allocateLine(names, buffer));
      printStmt(out, names, own, f.body);
    }, 4);
  });
  return out.finish();
}

/** One statement with everything in it, for tests and messages. */
export function stmtText(stmt: Stmt): string {
  const out = new TextWriter<LineOwner>();
  printStmt(out, { supply: nameSupply(), given: new Map() }, (origin) => ownedBy({ origin }), stmt);
  return out.finish().text;
}

/** One expression; variables and buffers by their own names. */
export function exprText(expr: PrimExpr): string {
  return text(expr, { supply: nameSupply(), given: new Map() }, 0);
}

function nameOf(names: Names, thing: TirVar | Buffer): string {
  let name = names.given.get(thing);
  if (name === undefined) {
    name = freshName(names.supply, thing.name.replaceAll(/[^A-Za-z0-9_]/g, "_"), "_");
    names.given.set(thing, name);
  }
  return name;
}

function bufferType(names: Names, buffer: Buffer): string {
  return `T.Buffer[(${tuple(buffer.shape.map((dim) => text(dim, names, 0)))}), "${buffer.dtype.name}"]`;
}

function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? `${parts[0]!},` : parts.join(", ");
}

function allocateLine(names: Names, buffer: Buffer): string {
  const shape = buffer.shape.map((dim) => text(dim, names, 0)).join(", ");
  return `${nameOf(names, buffer)} = T.allocate([${shape}], "${buffer.dtype.name}", "${buffer.scope}")`;
}

function printStmt(
  out: TextWriter<LineOwner>,
  names: Names,
  own: (origin: Origin) => LineOwner,
  stmt: Stmt,
): void {
  const line = (content: string): void => out.line(content, own(stmt.origin));
  const inner = (body: Stmt): void => out.indent(() => printStmt(out, names, own, body), 4);
  const show = (expr: PrimExpr): string => text(expr, names, 0);
  switch (stmt.kind) {
    case "store":
      line(`${nameOf(names, stmt.buffer)}[${stmt.indices.map(show).join(", ")}] = ${show(stmt.value)}`);
      return;
    case "for":
      line(`for ${nameOf(names, stmt.variable)} in ${rangeText(stmt, show)}:`);
      inner(stmt.body);
      return;
    case "seq":
      if (stmt.body.length === 0) line("pass");
      for (const part of stmt.body) printStmt(out, names, own, part);
      return;
    case "if-then-else":
      line(`if ${show(stmt.condition)}:`);
      inner(stmt.then);
      if (stmt.otherwise !== null) {
        line("else:");
        inner(stmt.otherwise);
      }
      return;
    case "while":
      line(`while ${show(stmt.condition)}:`);
      inner(stmt.body);
      return;
    case "let-stmt":
      line(`${nameOf(names, stmt.variable)}: T.${stmt.variable.dtype.name} = ${show(stmt.value)}`);
      printStmt(out, names, own, stmt.body);
      return;
    case "allocate":
      for (const { buffer, origin } of stmt.allocations) out.line(allocateLine(names, buffer), own(origin));
      printStmt(out, names, own, stmt.body);
      return;
    case "evaluate":
      line(show(stmt.value));
      return;
    case "attr-stmt":
      line(`# ${stmt.key} = ${show(stmt.value)}`);
      printStmt(out, names, own, stmt.body);
      return;
  }
}

function rangeText(loop: For, show: (expr: PrimExpr) => string): string {
  const zero = loop.min.kind === "int" && loop.min.value === 0;
  const kind = loop.forKind === "serial" ? "range" : `T.${loop.forKind}`;
  return zero ? `${kind}(${show(loop.extent)})` : `${kind}(${show(loop.min)}, extent=${show(loop.extent)})`;
}

/** Binding strength; a child that binds weaker than its place needs gets parentheses. */
const strength: Readonly<Record<BinaryOp, number>> = {
  or: 1,
  and: 2,
  eq: 4,
  ne: 4,
  lt: 4,
  le: 4,
  gt: 4,
  ge: 4,
  add: 5,
  sub: 5,
  mul: 6,
  div: 6,
  mod: 6,
  floordiv: 6,
  floormod: 6,
  min: 0,
  max: 0,
};
const symbols: Readonly<Record<BinaryOp, string>> = {
  or: "or",
  and: "and",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  mod: "%",
  floordiv: "//",
  floormod: "%",
  min: "T.min",
  max: "T.max",
};

function text(expr: PrimExpr, names: Names, need: number): string {
  const show = (part: PrimExpr, at = 0): string => text(part, names, at);
  const call = (name: string, args: readonly PrimExpr[]): string =>
    `${name}(${args.map((arg) => show(arg)).join(", ")})`;
  const wrap = (own: number, content: string): string => (own < need ? `(${content})` : content);
  switch (expr.kind) {
    case "tir-var":
      return nameOf(names, expr);
    case "int":
      return expr.dtype === int32
        ? String(expr.value)
        : expr.dtype.code === "bool"
          ? expr.value === 0
            ? "False"
            : "True"
          : `T.${expr.dtype.name}(${expr.value})`;
    case "float":
      return `T.${expr.dtype.name}(${Object.is(expr.value, -0) ? "-0" : expr.value})`;
    case "string":
      return JSON.stringify(expr.value);
    case "binary": {
      const own = strength[expr.op];
      if (own === 0) return call(symbols[expr.op], [expr.a, expr.b]);
      if (
        (expr.op === "div" || expr.op === "mod") &&
        (expr.dtype.code === "int" || expr.dtype.code === "uint")
      ) {
        return call(expr.op === "div" ? "T.truncdiv" : "T.truncmod", [expr.a, expr.b]);
      }
      return wrap(own, `${show(expr.a, own)} ${symbols[expr.op]} ${show(expr.b, own + 1)}`);
    }
    case "not":
      return wrap(3, `not ${show(expr.a, 3)}`);
    case "select":
      return call("T.Select", [expr.condition, expr.then, expr.otherwise]);
    case "cast":
      return `T.cast(${show(expr.value)}, "${expr.dtype.name}")`;
    case "ramp":
      return `T.ramp(${show(expr.base)}, ${show(expr.stride)}, ${expr.lanes})`;
    case "broadcast":
      return `T.broadcast(${show(expr.value)}, ${expr.lanes})`;
    case "tir-let":
      return `T.let(${nameOf(names, expr.variable)}, ${show(expr.value)}, ${show(expr.body)})`;
    case "tir-call":
      return call(expr.op.replace(/^tir\./, "T."), expr.args);
    case "load":
      return `${nameOf(names, expr.buffer)}[${expr.indices.map((index) => show(index)).join(", ")}]`;
    case "buffer-ref":
      return `${nameOf(names, expr.buffer)}.data`;
    case "producer-load":
      return `${expr.producer.name}(${expr.indices.map((index) => show(index)).join(", ")})`;
    case "reduce": {
      const axes = expr.axes
        .map((axis) => `${nameOf(names, axis.variable)} in ${show(axis.min)}..+${show(axis.extent)}`)
        .join(", ");
      return `T.reduce(${expr.combiner.name}, ${tuple(expr.sources.map((source) => show(source)))} for ${axes} if ${show(expr.condition)})[${expr.valueIndex}]`;
    }
  }
}
