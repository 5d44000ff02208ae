// What a program is made of besides calls of operators: tuples, branches, functions, references, data types.
import { isFloat } from "../../compiler/ir/dtype.ts";
import { printType, sameType, scalarType, tupleType, type TensorType } from "../../compiler/ir/type.ts";
import { bool, int32 } from "../../compiler/ir/dtype.ts";
import {
  addStatement,
  constantText,
  fresh,
  knownTensor,
  newParam,
  type Builder,
  type KnownTensor,
} from "./builder.ts";

/** Adds one construct over values of the pool. */
export function addConstruct(builder: Builder): void {
  const value = knownTensor(builder);
  if (value === null) return;
  const all = [
    tuple,
    projection,
    branch,
    tupleBranch,
    closure,
    globalFunction,
    reference,
    list,
    recursion,
    renamed,
    constant,
  ];
  builder.rng.pick(all)(builder, value);
}

/** An expression of the same type as `name`, of one or two calls. */
function sameTyped({ rng }: Builder, name: string, type: TensorType): string {
  const arithmetic = type.dtype.code !== "bool";
  const inner = rng.chance(0.4) && arithmetic ? `negative(${name})` : name;
  const forms = [
    `copy(${inner})`,
    `maximum(${inner}, ${name})`,
    ...(type.shape.length > 0 ? [`reverse(${inner}, axis=0)`] : []),
    ...(arithmetic ? [`add(${inner}, ${name})`, `multiply(${name}, ${inner})`, `abs(${inner})`] : []),
    ...(arithmetic ? [`nn.relu(${inner})`] : [`logical_not(${name})`]),
    ...(isFloat(type.dtype)
      ? [`sigmoid(${inner})`, `subtract(exp(clip(${inner}, a_min=-2f, a_max=2f)), ${name})`]
      : []),
    name,
  ];
  return rng.pick(forms);
}

/** Another value of the same type, or the same. */
function twin(builder: Builder, value: KnownTensor): KnownTensor {
  return knownTensor(builder, (type) => sameType(type, value.type)) ?? value;
}

function condition(builder: Builder): string {
  const { rng } = builder;
  if (rng.chance(0.15)) return rng.chance(0.5) ? "True" : "False";
  const known = knownTensor(builder, (type) => type.shape.length === 0 && type.dtype === bool);
  return (known !== null && rng.chance(0.5) ? known : newParam(builder, scalarType(bool))).name;
}

function tuple(builder: Builder, value: KnownTensor): void {
  const fields = [value, twin(builder, value), knownTensor(builder) ?? value];
  const kind = builder.rng.chance(0.3) ? "let" : "graph";
  addStatement(
    builder,
    {
      name: fresh(builder, kind),
      text: `(${fields.map(({ name }) => name).join(", ")})`,
      kind,
      type: tupleType(fields.map(({ type }) => type)),
    },
    fields.every(({ exact }) => exact),
  );
}

function projection(builder: Builder): void {
  const tuples = builder.pool.filter(({ type }) => type.kind === "tuple-type" && type.fields.length > 0);
  if (tuples.length === 0) return;
  const { name, type, exact } = builder.rng.pick(tuples);
  if (type.kind !== "tuple-type") return;
  const index = builder.rng.below(type.fields.length);
  const field = type.fields[index] ?? null;
  addStatement(
    builder,
    { name: fresh(builder), text: `${name}.${index}`, kind: "graph", type: field },
    exact,
  );
}

function branch(builder: Builder, value: KnownTensor): void {
  const other = twin(builder, value);
  const sides = [sameTyped(builder, value.name, value.type), sameTyped(builder, other.name, value.type)];
  const kind = builder.rng.chance(0.5) ? "let" : "graph";
  addStatement(
    builder,
    {
      name: fresh(builder, kind),
      text: `if (${condition(builder)}) { ${sides[0]} } else { ${sides[1]} }`,
      kind,
      type: value.type,
    },
    false,
  );
}

function tupleBranch(builder: Builder, value: KnownTensor): void {
  const other = twin(builder, value);
  const name = fresh(builder, "let");
  const [a, b] = [sameTyped(builder, name, value.type), sameTyped(builder, other.name, value.type)];
  const nested = `if (${condition(builder)}) { (${name}, ${other.name}) } else { (${b}, ${name}) }`;
  addStatement(
    builder,
    {
      name: fresh(builder),
      text: `if (${condition(builder)}) { let ${name} = ${sameTyped(builder, value.name, value.type)}; (${a}, ${b}) } else { let ${name} = ${value.name}; ${nested} }`,
      kind: "graph",
      type: tupleType([value.type, value.type]),
    },
    false,
  );
}

function closure(builder: Builder, value: KnownTensor): void {
  const f = fresh(builder, "let");
  const type = printType(value.type);
  const captured = twin(builder, value);
  const body = `add(${sameTyped(builder, "%a", value.type)}, ${captured.name})`;
  if (value.type.dtype === bool) return;
  addStatement(
    builder,
    { name: f, text: `fn (%a: ${type}) -> ${type} { ${body} }`, kind: "let", type: null },
    false,
  );
  const call = builder.rng.chance(0.5) ? `${f}(${value.name})` : `${f}(${f}(${value.name}))`;
  addStatement(builder, { name: fresh(builder), text: call, kind: "graph", type: value.type }, false);
}

function globalFunction(builder: Builder, value: KnownTensor): void {
  const name = `@f${builder.globals.length}`;
  const type = printType(value.type);
  const body = sameTyped(builder, "%b", value.type).replaceAll("%b", builder.rng.chance(0.5) ? "%b" : "%a");
  builder.globals.push(`def ${name}(%a: ${type}, %b: ${type}) -> ${type} { maximum(${body}, %b) }`);
  const other = twin(builder, value);
  addStatement(
    builder,
    { name: fresh(builder), text: `${name}(${value.name}, ${other.name})`, kind: "graph", type: value.type },
    false,
  );
}

function reference(builder: Builder, value: KnownTensor): void {
  const r = fresh(builder, "let");
  const other = twin(builder, value);
  addStatement(builder, { name: r, text: `ref(${value.name})`, kind: "let", type: null }, false);
  const before = fresh(builder, "let");
  addStatement(builder, { name: before, text: `ref_read(${r})`, kind: "let", type: value.type }, value.exact);
  const written = sameTyped(builder, builder.rng.chance(0.5) ? before : other.name, value.type);
  addStatement(
    builder,
    { name: fresh(builder, "let"), text: `ref_write(${r}, ${written})`, kind: "let", type: null },
    false,
  );
  addStatement(
    builder,
    { name: fresh(builder, "let"), text: `ref_read(${r})`, kind: "let", type: value.type },
    false,
  );
}

function list(builder: Builder, value: KnownTensor): void {
  if (value.type.dtype === bool) return;
  const n = builder.globals.length;
  const type = printType(value.type);
  const other = twin(builder, value);
  builder.globals.push(
    `type List${n}[A] {\n  Cons${n}(A, List${n}[A]),\n  Nil${n},\n}`,
    `def @fold${n}(%l: List${n}[${type}], %start: ${type}) -> ${type} {\n  match (%l) {\n    Cons${n}(%head: ${type}, %tail: List${n}[${type}]) => { add(%head, @fold${n}(%tail, %start)) },\n    Nil${n} => { %start },\n  }\n}`,
  );
  addStatement(
    builder,
    {
      name: fresh(builder),
      text: `@fold${n}(Cons${n}(${value.name}, Cons${n}(${other.name}, Nil${n})), ${value.name})`,
      kind: "graph",
      type: value.type,
    },
    false,
  );
}

function recursion(builder: Builder, value: KnownTensor): void {
  const name = `@r${builder.globals.length}`;
  const type = printType(value.type);
  builder.globals.push(
    `def ${name}(%n: int32, %v: ${type}) -> ${type} { if (equal(%n, 0)) { %v } else { ${name}(subtract(%n, 1), ${sameTyped(builder, "%v", value.type)}) } }`,
  );
  addStatement(
    builder,
    {
      name: fresh(builder),
      text: `${name}(${builder.rng.below(4)}, ${value.name})`,
      kind: "graph",
      type: value.type,
    },
    false,
  );
}

function renamed(builder: Builder, value: KnownTensor): void {
  const text = builder.rng.chance(0.5)
    ? value.name
    : `on_device(copy(${value.name}), device_type=${builder.rng.pick([1, 4])})`;
  const kind = text === value.name ? "let" : "graph";
  addStatement(builder, { name: fresh(builder, kind), text, kind, type: value.type }, value.exact);
}

function constant(builder: Builder): void {
  const type = builder.rng.chance(0.5)
    ? scalarType(int32)
    : (knownTensor(builder)?.type ?? scalarType(int32));
  if (!type.shape.every((dim) => typeof dim === "number")) return;
  addStatement(
    builder,
    { name: fresh(builder, "let"), text: constantText(builder, type), kind: "let", type },
    true,
  );
}
