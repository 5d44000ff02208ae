// Attributes `name=value` of calls and functions; those of operators are checked and typed by the operator's
// schema.
import { own } from "../../../support/own.ts";
import { first } from "../../../support/assert.ts";
import { completeAttrs, type AttrField, type Attrs, type AttrValue } from "../../ir/attrs.ts";
import { isFloat, parseDType } from "../../ir/dtype.ts";
import type { Span } from "../../ir/span.ts";
import type { RelayOp } from "../op.ts";
import { scalarValue } from "./print-literal.ts";
import { metaReference, T, tokenText } from "./lexer.ts";
import { readNumber, readSpecialFloat } from "./literals.ts";
import { asOf08, isPlacing } from "./later.ts";
import { metadataAttrs, metadataConstant, metadataDevice } from "./metadata.ts";
import { didYouMean } from "./nearest.ts";
import type { NamedAttr, RawAttr } from "./raw-attr.ts";
import {
  at,
  expect,
  nested,
  raise,
  report,
  spanFrom,
  take,
  takeIf,
  tokenSpan,
  unexpected,
  type Parser,
} from "./parser.ts";

/** `a=1, b=[2, 3]` up to, not including, the closing parenthesis. */
export function parseAttrList(p: Parser): NamedAttr[] {
  const list: NamedAttr[] = [];
  while (at(p, T.ident)) {
    const start = p.lexer.start;
    const name = parseDottedName(p);
    const nameSpan = spanFrom(p, start);
    expect(p, T.equal, `after the attribute \`${name}\``);
    list.push({ name, nameSpan, value: parseAttrValue(p) });
    if (!takeIf(p, T.comma)) break;
  }
  return list;
}

/** `{virtual_device=…}` behind the name of a variable, as TVM 0.10 and later print it; left out. */
export function skipDevices(p: Parser): void {
  if (!takeIf(p, T.lbrace)) return;
  for (const attr of parseAttrList(p)) {
    if (!isPlacing(p, attr))
      report(p, "RS1001", `\`${attr.name}\` cannot stand behind a variable.`, {
        span: attr.nameSpan,
        expected: "virtual_device=…",
        got: attr.name,
      });
  }
  expect(p, T.rbrace, "behind the variable's device");
}

/** `nn.conv2d`: names joined by periods, as one. */
export function parseDottedName(p: Parser): string {
  let name = tokenText(p.lexer);
  take(p);
  while (at(p, T.period)) {
    take(p);
    if (!at(p, T.ident)) unexpected(p, "a name after the period");
    name += `.${tokenText(p.lexer)}`;
    take(p);
  }
  return name;
}

function parseAttrValue(p: Parser): RawAttr {
  return nested(p, attrValue);
}

function made(
  p: Parser,
  start: number,
  kind: RawAttr["kind"],
  value: AttrValue,
  items: readonly RawAttr[] = noItems,
): RawAttr {
  return { kind, value, items, span: spanFrom(p, start) };
}

const noItems: readonly RawAttr[] = [];

function attrValue(p: Parser): RawAttr {
  const start = p.lexer.start;
  let negative = false;
  while (takeIf(p, T.minus)) negative = !negative;
  if (at(p, T.integer) || at(p, T.float)) return numberValue(p, start, negative);
  const special = at(p, T.ident) ? readSpecialFloat(tokenText(p.lexer)) : null;
  if (special !== null) {
    take(p);
    return made(p, start, "float", negative ? -Number(special.value) : Number(special.value));
  }
  if (negative) unexpected(p, "a number after `-`");
  if (at(p, T.true) || at(p, T.false)) {
    const value = at(p, T.true);
    take(p);
    return made(p, start, "bool", value);
  }
  if (at(p, T.string)) {
    const value = tokenText(p.lexer).slice(1, -1);
    take(p);
    return made(p, start, "string", value);
  }
  if (at(p, T.ident) && ["None", "nullptr"].includes(tokenText(p.lexer))) {
    take(p);
    return made(p, start, "none", null);
  }
  if (at(p, T.meta)) return metaValue(p, start);
  if (at(p, T.ident) && /^(?:VirtualDevice|SEScope)$/.test(tokenText(p.lexer))) return deviceValue(p, start);
  if (at(p, T.lsquare) || at(p, T.lparen)) return listValue(p, start);
  return unexpected(p, "the value of an attribute");
}

function numberValue(p: Parser, start: number, negative: boolean): RawAttr {
  const literal = readNumber(tokenText(p.lexer));
  if (typeof literal === "string")
    raise("RS1060", `This number cannot be read: ${literal}.`, {
      span: tokenSpan(p),
      expected: "a number such as 1, 2.5f or 7i64",
      got: tokenText(p.lexer),
    });
  take(p);
  if (literal.isFloat)
    return made(p, start, "float", negative ? -Number(literal.value) : Number(literal.value));
  if (typeof literal.value === "number")
    return made(p, start, "int", negative ? 0 - literal.value : literal.value);
  const whole = negative ? -literal.value : literal.value;
  return made(p, start, "int", whole >= -(2n ** 53n) && whole <= 2n ** 53n ? Number(whole) : whole);
}

/**
 * A scalar constant of the metadata stands for its value (arange's `start`); other objects only repeat an
 * operand and mean nothing here.
 */
function metaValue(p: Parser, start: number): RawAttr {
  const { key, index } = metaReference(p.lexer);
  const device = p.metadata === null ? null : metadataDevice(p.metadata, key, index);
  if (device !== null) {
    take(p);
    return made(p, start, "int", device);
  }
  const data = key === "relay.Constant" && p.metadata !== null ? metadataConstant(p.metadata, index) : null;
  take(p);
  if (data === null || typeof data === "string" || data.shape.length !== 0)
    return made(p, start, "none", null);
  return made(p, start, isFloat(data.dtype) ? "float" : "int", scalarValue(data));
}

/**
 * `VirtualDevice(device_type=1, …)`, `SEScope(…)`: the DLDeviceType, null where it says none. What is inside
 * is no Relay: targets with their keys.
 */
function deviceValue(p: Parser, start: number): RawAttr {
  take(p);
  if (!at(p, T.lparen)) unexpected(p, "`(` behind the device");
  const open = p.lexer.start;
  for (let depth = 0; ;) {
    if (at(p, T.eof)) unexpected(p, "`)` to close the device");
    if (at(p, T.lparen)) depth++;
    else if (at(p, T.rparen)) depth--;
    take(p);
    if (depth === 0) break;
  }
  const type = /\bdevice_type=(\d{1,4})\b/.exec(p.lexer.text.slice(open, p.lexer.lastStop))?.[1];
  return type === undefined ? made(p, start, "none", null) : made(p, start, "int", Number(type));
}

/** `[1, 2]`; also `(1, 2)`, which TVM's printer never writes but people do. */
function listValue(p: Parser, start: number): RawAttr {
  const round = at(p, T.lparen);
  const close = round ? T.rparen : T.rsquare;
  take(p);
  const items: RawAttr[] = [];
  let comma = false;
  while (!at(p, close)) {
    items.push(parseAttrValue(p));
    comma = takeIf(p, T.comma);
    if (!comma) break;
  }
  expect(p, close, "to close the list");
  if (round && items.length === 1 && !comma) return first(items, "item");
  return made(
    p,
    start,
    "list",
    items.map((item) => item.value),
    items,
  );
}

/**
 * `meta[relay.attrs.Conv2DAttrs][0]` as the last argument: the attributes as TVM keeps them in the metadata.
 */
export function parseMetaAttrs(p: Parser, op: RelayOp | null): Attrs {
  const { key, index } = metaReference(p.lexer);
  const fields = p.metadata === null ? null : metadataAttrs(p.metadata, key, index, op?.attrs ?? {});
  const span = tokenSpan(p);
  take(p);
  if (fields === null)
    raise("RS1042", `The metadata has no attributes \`${key}\` number ${index}.`, {
      span,
      expected: "an entry of the metadata",
      got: `meta[${key}][${index}]`,
      hint: "Write the attributes out: `axis=1`.",
    });
  const known =
    op === null
      ? fields
      : Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(op.attrs, name)));
  return op === null ? known : completeAttrs(op.attrs, known);
}

/** Attributes of a function, or of a call of one: any names. */
export function freeAttrs(p: Parser, list: readonly NamedAttr[]): Attrs {
  const out = new Map<string, AttrValue>();
  for (const attr of list) {
    const { name, nameSpan, value } = attr;
    if (isPlacing(p, attr)) continue;
    if (out.has(name))
      report(p, "RS1013", `The attribute \`${name}\` is given twice.`, {
        span: nameSpan,
        expected: "each attribute once",
        got: `${name} again`,
      });
    if (name !== "attrs_type_key") out.set(name, value.value);
  }
  return Object.fromEntries(out);
}

/**
 * Attributes of a call of `op`: complete and in schema order. Mistakes are recorded; the default stands in.
 */
export function typedAttrs(p: Parser, op: RelayOp, written: readonly NamedAttr[], call: Span): Attrs {
  const list = asOf08(p, op.name, written);
  const given: Record<string, AttrValue> = {};
  for (const attr of list) {
    const field = own(op.attrs, attr.name) as AttrField | undefined;
    if (field === undefined) unknownAttr(p, op, attr);
    else if (Object.hasOwn(given, attr.name))
      report(p, "RS1013", `The attribute \`${attr.name}\` is given twice.`, {
        span: attr.nameSpan,
        expected: "each attribute once",
        got: `${attr.name} again`,
      });
    else {
      const value = convert(p, op, attr, field);
      if (value !== undefined) given[attr.name] = value;
    }
  }
  for (const name of requiredAttrs(p, op)) {
    if (list.some((attr) => attr.name === name)) continue;
    const field = op.attrs[name]!;
    report(p, "RS1024", `${op.name} needs the attribute \`${name}\`.`, {
      span: call,
      expected: `${name}=${kindHint[field.kind]}`,
      got: "nothing",
      because: field.doc,
      hint: `Write \`${name}=…\`.`,
    });
  }
  return completeAttrs(op.attrs, given);
}

/**
 * Names of the attributes that must be given. The others have a null of their own, which an absent `units`
 * means; the type relation says where null is not enough.
 */
function requiredAttrs(p: Parser, op: RelayOp): readonly string[] {
  let names = p.required.get(op.name);
  if (names === undefined) {
    names = Object.entries(op.attrs)
      .filter(
        ([, field]) => field.default === undefined && ["int", "float", "bool", "string"].includes(field.kind),
      )
      .map(([name]) => name);
    p.required.set(op.name, names);
  }
  return names;
}

function unknownAttr(p: Parser, op: RelayOp, attr: NamedAttr): void {
  const names = Object.keys(op.attrs);
  const near = didYouMean(attr.name, names);
  report(p, "RS1022", `${op.name} has no attribute \`${attr.name}\`.`, {
    span: attr.nameSpan,
    expected: names.length === 0 ? "no attributes" : `one of ${names.join(", ")}`,
    got: attr.name,
    ...(near === undefined ? {} : { hint: near }),
  });
}

const kindHint: Readonly<Record<AttrField["kind"], string>> = {
  int: "a whole number",
  float: "a number",
  bool: "True or False",
  string: "a string in double quotes",
  dtype: "a data type in double quotes",
  array: "a list of whole numbers",
  "float-array": "a list of numbers",
  any: "a value",
  "shape-dim": "a whole number or None",
};

/** TVM keeps a whole number that is no list in an `int` of C++. */
function inInt32(value: AttrValue): boolean {
  return typeof value === "number" && value >= -(2 ** 31) && value < 2 ** 31;
}

const tooWide = "A whole number here has 32 bits: -2147483648 to 2147483647.";

/** The value that `field` makes of what was written; undefined after a mistake. */
function convert(p: Parser, op: RelayOp, attr: NamedAttr, field: AttrField): AttrValue | undefined {
  const { value: raw } = attr;
  const wrong = (hint?: string): undefined => {
    report(
      p,
      "RS1023",
      `${op.name}: \`${attr.name}\` cannot be ${p.lexer.text.slice(raw.span.start, Math.min(raw.span.end, raw.span.start + 60))}.`,
      {
        span: raw.span,
        expected: kindHint[field.kind],
        got: p.lexer.text.slice(raw.span.start, Math.min(raw.span.end, raw.span.start + 60)),
        because: field.doc,
        ...(hint === undefined ? {} : { hint }),
      },
    );
    return undefined;
  };
  // Where a list has a default, None is not another word for it.
  const noList = raw.kind === "none" && (field.default === null || field.default === undefined);
  switch (field.kind) {
    case "int":
      if (raw.kind === "none" && field.default === null) return null;
      return raw.kind !== "int" ? wrong() : inInt32(raw.value) ? raw.value : wrong(tooWide);
    case "float":
      return raw.kind === "float" || raw.kind === "int" ? Number(raw.value) : wrong();
    case "bool":
      if (raw.kind === "none" && field.default === null) return null;
      return raw.kind === "bool" ? raw.value : raw.kind === "int" ? raw.value !== 0 : wrong();
    case "string":
      return raw.kind === "string" ? raw.value : wrong();
    case "dtype":
      return dtypeValue(raw, wrong);
    case "shape-dim":
      if (raw.kind === "none") return null;
      return raw.kind !== "int" ? wrong() : inInt32(raw.value) ? raw.value : wrong(tooWide);
    case "array":
      if (raw.kind === "int") return wrong(`Write a list: \`${attr.name}=[${String(raw.value)}]\`.`);
      return noList || (raw.kind === "list" && wholeNumbers(raw)) ? raw.value : wrong();
    case "float-array":
      return noList ||
        (raw.kind === "list" && raw.items.every((item) => item.kind === "int" || item.kind === "float"))
        ? raw.value
        : wrong();
    case "any":
      return raw.value;
  }
}

function wholeNumbers(list: RawAttr): boolean {
  return list.items.every(
    (item) => item.kind === "int" || item.kind === "none" || (item.kind === "list" && wholeNumbers(item)),
  );
}

function dtypeValue(raw: RawAttr, wrong: (hint?: string) => undefined): AttrValue | undefined {
  if (raw.kind === "none" || raw.value === "") return null;
  if (raw.kind !== "string") return wrong();
  const found = parseDType(raw.value as string);
  return found === null
    ? wrong("Data types are float32, float16, float64, bfloat16, int8 to int64, uint8 to uint64 and bool.")
    : found.name;
}
