// What TVM 0.9 to 0.15 print and 0.8 does not have: attributes that were added or moved, devices as records,
// operators. What changes nothing is left out, and said once (RS1026); what changes something is refused.
// TVM: include/tvm/relay/attrs/{nn,transform,image,on_device,device_copy}.h, include/tvm/relay/qnn/attrs.h,
// src/printer/relay_text_printer.cc at v0.9.0 to v0.15.0
import type { Span } from "../../ir/span.ts";
import type { AttrValue } from "../../ir/attrs.ts";
import { report, type Parser } from "./parser.ts";
import type { NamedAttr } from "./raw-attr.ts";

interface Later {
  /** The first version of TVM that prints it. */
  readonly since: string;
  /** Whether the call means without it what it means with it; `other` gives the call's other attributes. */
  readonly isIdle: (value: AttrValue, other: (name: string) => AttrValue | undefined) => boolean;
  /** What to do where it is not. */
  readonly otherwise: string;
}

const nothing: Later["isIdle"] = (value) =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);
const isOneOf =
  (...values: readonly AttrValue[]): Later["isIdle"] =>
  (value) =>
    values.includes(value);
/** Regions are read in one mode only, which 0.8 does not have. */
const noRegion: Later["isIdle"] = (_, other) =>
  other("coordinate_transformation_mode") !== "tf_crop_and_resize";

const resize: Readonly<Record<string, Later>> = {
  roi: {
    since: "0.9",
    isIdle: noRegion,
    otherwise: "Cut the region out with strided_slice first, and resize that.",
  },
  extrapolation_value: {
    since: "0.9",
    isIdle: noRegion,
    otherwise: "Cut the region out with strided_slice first, and resize that.",
  },
};
const tuned: Readonly<Record<string, Later>> = {
  meta_schedule_original_shape: {
    since: "0.10",
    isIdle: nothing,
    otherwise: "Paste the program as it was before MetaSchedule changed the layouts of its weights.",
  },
};
const quantisedPair: Readonly<Record<string, Later>> = {
  // Scales are scalars in 0.8 (the type relation says so): there is no axis to choose.
  lhs_axis: { since: "0.10", isIdle: () => true, otherwise: "" },
  rhs_axis: { since: "0.10", isIdle: () => true, otherwise: "" },
};

/** By operator, then attribute. */
const later: ReadonlyMap<string, Readonly<Record<string, Later>>> = new Map([
  ...["image.resize1d", "image.resize2d", "image.resize3d"].map((name) => [name, resize] as const),
  ...["nn.dense", "nn.matmul", "nn.batch_matmul", "nn.conv2d", "nn.conv3d"].map(
    (name) => [name, tuned] as const,
  ),
  ...["qnn.add", "qnn.subtract", "qnn.mul"].map((name) => [name, quantisedPair] as const),
  [
    "reshape",
    {
      allowzero: {
        since: "0.9",
        isIdle: (value, other) => {
          const shape = other("newshape");
          return value === 0 || value === false || (Array.isArray(shape) && !shape.includes(0));
        },
        otherwise: "Write the extent of each dimension out: 0 copies it from the argument.",
      },
    },
  ],
  [
    "image.grid_sample",
    {
      padding_mode: {
        since: "0.9",
        isIdle: isOneOf("zeros"),
        otherwise: "Only points outside that read as zeros are computed here.",
      },
      align_corners: {
        since: "0.9",
        isIdle: isOneOf(true, 1),
        otherwise: "Only grids whose -1 and 1 are the centres of the outer pixels are computed here.",
      },
    },
  ],
  [
    "qnn.requantize",
    {
      compute_dtype: {
        since: "0.9",
        isIdle: isOneOf("None", "int64", ""),
        otherwise: "Requantising is done in int64 here.",
      },
    },
  ],
  [
    "qnn.dequantize",
    {
      out_dtype: {
        since: "0.12",
        isIdle: isOneOf("float32", ""),
        otherwise: "Dequantise to float32 and cast the result.",
      },
    },
  ],
]);

/** Later names of attributes, and those of 0.8. */
const moved: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ["on_device", { se_scope: "device_type", virtual_device: "device_type", constrain_result: "is_fixed" }],
  [
    "device_copy",
    {
      src_se_scope: "src_dev_type",
      src_virtual_device: "src_dev_type",
      dst_se_scope: "dst_dev_type",
      dst_virtual_device: "dst_dev_type",
    },
  ],
]);

/** Notes something of a later TVM, once for each `what`. */
function tellLater(p: Parser, what: string, since: string, span: Span, because: string): void {
  if (p.laterTold.has(what)) return;
  p.laterTold.add(what);
  report(p, "RS1026", `${what} is of TVM ${since}.`, { severity: "info", span, because });
}

/** DLDeviceType of the CPU: where the text does not say which device it was. */
const cpu = 1;

/** The attributes of a call of `op` as 0.8 has them; what is not known here either stays for the caller. */
export function asOf08(p: Parser, op: string, list: readonly NamedAttr[]): readonly NamedAttr[] {
  const renamed = moved.get(op);
  const added = later.get(op);
  if (renamed === undefined && added === undefined) return list;
  const other = (name: string) => list.find((attr) => attr.name === name)?.value.value;
  return list.flatMap((attr): readonly NamedAttr[] => {
    const { name, nameSpan, value } = attr;
    if (op === "on_device" && name === "constrain_body" && value.value === true) return [];
    const old = renamed !== undefined && Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (old !== undefined) return [movedAttr(p, op, attr, old)];
    const entry = added !== undefined && Object.hasOwn(added, name) ? added[name] : undefined;
    if (entry === undefined) return requantized(op, attr) ? [] : [attr];
    if (entry.isIdle(value.value, other))
      tellLater(p, `The attribute \`${name}\` of ${op}`, entry.since, nameSpan, "it changes nothing here");
    else
      report(p, "RS1022", `${op} has no attribute \`${name}\` in TVM 0.8: TVM ${entry.since} added it.`, {
        span: nameSpan,
        expected: `${op} without \`${name}\`, or with a value that changes nothing`,
        got: p.lexer.text.slice(nameSpan.start, value.span.end).slice(0, 60),
        because: "leaving it out would change the result",
        hint: entry.otherwise,
      });
    return [];
  });
}

/** From 0.9 on the rounding "None" is that of the configuration, which is 0.8's. */
function requantized(op: string, { name, value }: NamedAttr): boolean {
  return op === "qnn.requantize" && name === "rounding" && value.value === "None";
}

function movedAttr(p: Parser, op: string, attr: NamedAttr, old: string): NamedAttr {
  const { name, nameSpan, value } = attr;
  const isDevice = old !== "is_fixed";
  const unknown = isDevice && typeof value.value !== "number";
  tellLater(
    p,
    `The attribute \`${name}\` of ${op}`,
    name.includes("se_scope") ? "0.9" : "0.10",
    nameSpan,
    unknown
      ? "its device stands in the metadata, which is not here: the CPU is taken for it"
      : `it is read as \`${old}\``,
  );
  return { ...attr, name: old, value: unknown ? { ...value, kind: "int", value: cpu } : value };
}

/** Attributes of functions that say where something lies: one CPU runs everything. */
const placing: ReadonlySet<string> = new Set([
  "virtual_device",
  "param_virtual_devices",
  "result_virtual_device",
  "param_se_scopes",
  "result_se_scope",
  "param_device_types",
  "result_device_type",
]);

/** Whether an attribute of a function or variable is left out, which is said. */
export function isPlacing(p: Parser, { name, nameSpan }: NamedAttr): boolean {
  if (!placing.has(name) || name.endsWith("device_types") || name.endsWith("device_type")) return false;
  tellLater(
    p,
    `\`${name}\``,
    name.includes("se_scope") ? "0.9" : "0.10",
    nameSpan,
    "devices are planned here from on_device and device_copy; this mark is left out",
  );
  return true;
}

/** Operators that came after 0.8, with the version. */
const laterOperators: ReadonlyMap<string, string> = new Map([
  ["dft", "0.10"],
  ["fixed_point_multiply_per_axis", "0.10"],
  ["index_put", "0.13"],
  ["invert_permutation", "0.9"],
  ["multinomial", "0.9"],
  ["nn.conv2d_backward_weight", "0.9"],
  ["qnn.avg_pool2d", "0.12"],
  ["qnn.batch_matmul", "0.9"],
  ["qnn.hardswish", "0.11"],
  ["qnn.leaky_relu", "0.9"],
  ["qnn.softmax", "0.11"],
  ["random.multinomial", "0.9"],
  ["scatter_elements", "0.11"],
  ["searchsorted", "0.9"],
  ["sliding_window", "0.9"],
  ["stft", "0.10"],
  ["trilu", "0.10"],
]);

/** The version of TVM that has operator `name` as the first, null where none has. */
export function operatorSince(name: string): string | null {
  return laterOperators.get(name) ?? null;
}
