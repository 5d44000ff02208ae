// A made-up run of the LeNet example for page tests and for looking at the page without a compiler: true
// names, shapes, sids and calls (golden/lenet.json), invented code and times. Never part of the product.
import { tensorName, type CallArg } from "../../protocol/call-arg.ts";
import type { ListingId } from "../../protocol/listing-id.ts";
import type { StageId } from "../../compiler/options.ts";
import type {
  CallView,
  ListingInfo,
  PrimitiveView,
  RemarkView,
  SourceNodeView,
  StepView,
  Summary,
  TensorTypeView,
} from "../../protocol/compile.ts";
import type {
  GraphEdgeView,
  GraphNodeView,
  GraphView,
  ListingView,
  MemoryBlockView,
  MemoryView,
  PlanView,
} from "../../protocol/views.ts";

interface PrimitiveRow {
  readonly name: string;
  readonly ops: readonly (readonly [string, string, string])[];
  readonly shape: string;
  readonly bytes: number;
  readonly args: readonly CallArg[];
  readonly output: CallArg;
  readonly workspace: number;
  readonly micros: number;
}

const input = (index: number): CallArg => ({ kind: "input", index });
const output = (index: number): CallArg => ({ kind: "output", index });
const sid = (number: number): CallArg => ({ kind: "sid", sid: number });

const outElemwise = "OutEWiseFusable";
const rows: readonly PrimitiveRow[] = [
  {
    name: "fused_nn_conv2d_expand_dims_add_nn_relu",
    ops: [
      ["nn.conv2d", "%0", outElemwise],
      ["expand_dims", "%1", "Broadcast"],
      ["add", "%1", "Broadcast"],
      ["nn.relu", "%2", "ElemWise"],
    ],
    shape: "1×6×28×28",
    bytes: 18816,
    args: [input(0), input(1), input(2)],
    output: sid(16),
    workspace: 7568,
    micros: 41.2,
  },
  {
    name: "fused_nn_max_pool2d",
    ops: [["nn.max_pool2d", "%3", outElemwise]],
    shape: "1×6×14×14",
    bytes: 4704,
    args: [sid(16)],
    output: sid(15),
    workspace: 0,
    micros: 2.9,
  },
  {
    name: "fused_nn_conv2d_expand_dims_add_nn_relu_1",
    ops: [
      ["nn.conv2d", "%4", outElemwise],
      ["expand_dims", "%5", "Broadcast"],
      ["add", "%5", "Broadcast"],
      ["nn.relu", "%6", "ElemWise"],
    ],
    shape: "1×16×10×10",
    bytes: 6400,
    args: [sid(15), input(3), input(4)],
    output: sid(16),
    workspace: 14464,
    micros: 62,
  },
  {
    name: "fused_nn_avg_pool2d",
    ops: [["nn.avg_pool2d", "%7", outElemwise]],
    shape: "1×16×5×5",
    bytes: 1600,
    args: [sid(16)],
    output: sid(15),
    workspace: 1600,
    micros: 1.1,
  },
  {
    name: "fused_nn_batch_flatten",
    ops: [["nn.batch_flatten", "%8", "Injective"]],
    shape: "1×400",
    bytes: 1600,
    args: [sid(15)],
    output: sid(16),
    workspace: 0,
    micros: 0.3,
  },
  {
    name: "fused_nn_dense_add_nn_relu",
    ops: [
      ["nn.dense", "%9", outElemwise],
      ["add", "%10", "Broadcast"],
      ["nn.relu", "%11", "ElemWise"],
    ],
    shape: "1×120",
    bytes: 480,
    args: [sid(16), input(5), input(6)],
    output: sid(15),
    workspace: 192032,
    micros: 14.2,
  },
  {
    name: "fused_nn_dense_add",
    ops: [
      ["nn.dense", "%12", outElemwise],
      ["add", "%13", "Broadcast"],
    ],
    shape: "1×10",
    bytes: 40,
    args: [sid(15), input(7), input(8)],
    output: sid(10),
    workspace: 4824,
    micros: 0.6,
  },
  {
    name: "fused_nn_softmax",
    ops: [["nn.softmax", "", "Opaque"]],
    shape: "1×10",
    bytes: 40,
    args: [sid(10)],
    output: output(0),
    workspace: 56,
    micros: 0.2,
  },
];
const types: Readonly<Record<string, string>> = Object.fromEntries(
  rows.flatMap((row) => row.ops.map(([, local]) => [local, row.shape])),
);

export function tensorView(extents: readonly string[], dtype = "float32"): TensorTypeView {
  return { dims: extents.map((extent) => ({ extent: Number(extent), symbol: "" })), dtype };
}

/** Source nodes of a Relay text by a crude scan; good enough for the examples. */
export function scanSources(text: string): SourceNodeView[] {
  const nodes: SourceNodeView[] = [];
  const lineAt = (at: number): number => text.slice(0, at).split("\n").length;
  const add = (name: string, op: string, start: number, end: number, tensor: TensorTypeView): void => {
    const place = { start, end, line: lineAt(start), endLine: lineAt(end) };
    const type = `Tensor[(${tensor.dims.map(({ extent }) => extent).join(", ")}), ${tensor.dtype}]`;
    nodes.push({ name, op, local: "", ...place, type, tensor });
  };
  const body = Math.max(text.indexOf("{\n"), 0);
  for (const found of text.slice(0, body).matchAll(/(%\w+): Tensor\[\(([^)]*)\), (\w+)\]/g)) {
    const tensor = tensorView(found[2]!.split(", "), found[3]);
    add(found[1]!, "", found.index, found.index + found[0].length, tensor);
  }
  for (const found of text.slice(body).matchAll(/(?:(%\d+) = )?\b([a-z][\w.]*)\(([^;{}]*?)\)(?=;|\n)/g)) {
    const start = body + found.index;
    const shape = types[found[1] ?? ""] ?? "1×10";
    add(found[1] ?? "", found[2]!, start, start + found[0].length, tensorView(shape.split("×")));
  }
  return nodes;
}

class Text {
  readonly lines: string[] = [];
  readonly lineOwner: number[] = [];
  readonly rows: { sources: readonly number[]; primitive: number; call: number; storage: number }[] = [];
  add(text: string, primitive = -1, sources: readonly number[] = [], call = -1, storage = -1): void {
    for (const line of text.split("\n")) {
      this.lines.push(line);
      if (primitive < 0 && call < 0 && sources.length === 0) this.lineOwner.push(0);
      else this.lineOwner.push(this.rows.push({ sources, primitive, call, storage }));
    }
  }
  view(): ListingView {
    const start = [0];
    for (const row of this.rows) start.push(start[start.length - 1]! + row.sources.length);
    return {
      text: this.lines.join("\n") + "\n",
      lineOwner: Uint32Array.from(this.lineOwner),
      owners: {
        sourceStart: Uint32Array.from(start),
        sources: Uint32Array.from(this.rows.flatMap((row) => row.sources)),
        primitive: Int32Array.from(this.rows, (row) => row.primitive),
        call: Int32Array.from(this.rows, (row) => row.call),
        storage: Int32Array.from(this.rows, (row) => row.storage),
      },
    };
  }
}

const kernel = `  for (int32_t oc = 0; oc < 16; ++oc) {
    for (int32_t oh = 0; oh < 10; ++oh) {
      float acc[10] = {0.0f};
      for (int32_t ic = 0; ic < 6; ++ic) {
        for (int32_t k = 0; k < 25; ++k) {
          const int32_t r = ic * 14 + oh + k / 5;
          for (int32_t ow = 0; ow < 10; ++ow)
            acc[ow] += p0[r * 14 + k % 5 + ow] * p1[oc * 150 + ic * 25 + k];
        }
      }
      for (int32_t ow = 0; ow < 10; ++ow)  /* add, relu */
        T_relu[(oc * 10 + oh) * 10 + ow] = fmaxf(acc[ow] + p2[oc], 0.0f);
    }
  }`;

function codeListings(): {
  lib1: Text;
  lib0: Text;
  wat: Text;
  c: [number, number][];
  wats: [number, number][];
  sites: [number, number][];
} {
  const lib1 = new Text();
  const lib0 = new Text();
  const wat = new Text();
  lib1.add("/* default_lib1.c: primitives in call order */\n#include <math.h>\n#include <stdint.h>\n");
  wat.add('(module\n  (memory (export "memory") 4)');
  lib0.add('#include "tvmgen_default.h"\nint32_t tvmgen_default_run_model(void* input, void* output) {');
  const c: [number, number][] = [];
  const wats: [number, number][] = [];
  const sites: [number, number][] = [];
  rows.forEach((row, index) => {
    const sources = row.ops.map((op) => sourceOf(op[1]));
    const from = lib1.lines.length + 1;
    lib1.add(`int32_t tvmgen_default_${row.name}(`, index, sources);
    lib1.add(
      "    const float* restrict p0, const float* restrict p1,\n    const float* restrict p2, float* restrict T_relu) {",
      index,
      sources,
    );
    lib1.add(kernel, index, sources.slice(0, 1));
    lib1.add("  return 0;\n}", index, sources);
    c.push([from, lib1.lines.length]);
    lib1.add("");
    const watFrom = wat.lines.length + 1;
    wat.add(
      `  (func $p${index} (param $p0 i32) (param $p1 i32) (param $out i32)\n    (local $oc i32)\n    (loop $l0\n      (v128.store (local.get $out) (f32x4.add (v128.load (local.get $p0)) (v128.load (local.get $p1))))\n      (br_if $l0 (i32.lt_s (local.get $oc) (i32.const 16)))\n    )\n  )`,
      index,
      sources,
    );
    wats.push([watFrom, wat.lines.length]);
    const site = lib0.lines.length + 1;
    lib0.add(
      `  tvmgen_default_${row.name}(\n      ${[...row.args, row.output].map(tensorName).join(", ")});`,
      index,
      sources,
      index,
      row.output.kind === "sid" ? row.output.sid : -1,
    );
    sites.push([site, lib0.lines.length]);
  });
  lib0.add("  return 0;\n}");
  wat.add(")");
  return { lib1, lib0, wat, c, wats, sites };
}

/** SourceId of a local of the example: nine parameters come first. */
function sourceOf(local: string): number {
  return local === "" ? 9 + 14 : 9 + Number(local.slice(1));
}

const passNames = [
  "RemoveUnusedFunctions",
  "ToBasicBlockNormalForm",
  "InferType",
  "Legalize",
  "SimplifyInference",
  "DynamicToStatic",
  "EliminateCommonSubexpr",
  "SimplifyExpr",
  "FoldConstant",
  "FoldScaleAxis",
  "CanonicalizeCast",
  "CanonicalizeOps",
  "FoldConstant",
  "SplitArgs",
  "PlanDevices",
  "InferType",
];
const changing = new Set([1, 2, 11, 14, 15]);

function steps(): StepView[] {
  const list: { stage: StageId; pass: string; changed: boolean }[] = [
    { stage: "types", pass: "InferType", changed: true },
    ...passNames.map((pass, index) => ({ stage: "passes" as const, pass, changed: changing.has(index) })),
    ...[
      ["FuseOps", true],
      ["InferType", false],
      ["InlineGlobals", false],
      ["LabelOps", true],
    ].map(([pass, changed]) => ({ stage: "fuse" as const, pass: String(pass), changed: changed === true })),
  ];
  const canonicalised = 12;
  const fused = list.findIndex((step) => step.pass === "FuseOps");
  return list.map((step, index) => {
    const count = (at: number): number => (at > fused ? 8 : at > canonicalised ? 17 : 15);
    return {
      ...step,
      index,
      ms: 0.3 + ((index * 7) % 11) / 5,
      opsBefore: count(index),
      opsAfter: count(index + 1),
    };
  });
}

const remarks: readonly RemarkView[] = [
  {
    pass: "FuseOps",
    step: -1,
    kind: "fuse.merged",
    text: "conv2d takes expand_dims, add, relu (%4 … %6)",
    sources: [13, 14, 15],
    otherSources: [],
    primitive: 2,
  },
  {
    pass: "FuseOps",
    step: -1,
    kind: "fuse.refused",
    text: "avg_pool2d starts new: kind above broadcast",
    sources: [16],
    otherSources: [15],
    primitive: 3,
  },
  {
    pass: "FuseOps",
    step: -1,
    kind: "fuse.merged",
    text: "dense takes add, relu (%9 … %11)",
    sources: [18, 19, 20],
    otherSources: [],
    primitive: 5,
  },
  {
    pass: "StorageRewrite",
    step: -1,
    kind: "memory.reused",
    text: "1,600 B reuses sid_16, free since call 3",
    sources: [17],
    otherSources: [],
    primitive: 4,
  },
  {
    pass: "StorageRewrite",
    step: -1,
    kind: "memory.new",
    text: "40 B in new sid_10: sid_16 is over 16× larger",
    sources: [21, 22],
    otherSources: [],
    primitive: 6,
  },
];

function lenetPrimitives(): readonly PrimitiveView[] {
  const { c, wats } = codeListings();
  return rows.map((row, index) => ({
    index,
    name: row.name,
    symbol: `tvmgen_default_${row.name}`,
    ops: row.ops.map(([name, local, pattern]) => ({ name, pattern, sources: [sourceOf(local)] })),
    callSites: [index],
    workspaceBytes: row.workspace,
    operations: row.bytes * 75,
    inputs: row.args.map(() => "float32"),
    outputs: [row.shape],
    cLines: c[index]!,
    wasmFunction: index,
    wasmBytes: 87 + 36 * row.ops.length,
    watLines: wats[index]!,
    cacheKey: `${row.name}/c`,
    cacheHits: 0,
    cListing: { kind: "c-library", library: 1 },
    external: null,
    device: 1,
    shapeFunc: null,
  }));
}

function lenetCalls(): readonly CallView[] {
  const { sites } = codeListings();
  return rows.map((row, index) => ({
    index,
    primitive: index,
    symbol: `tvmgen_default_${row.name}`,
    args: [...row.args, row.output],
    inputCount: row.args.length,
    cLines: sites[index]!,
    graphNode: 9 + index,
    sources: row.ops.map((op) => sourceOf(op[1])),
  }));
}

export function lenetSummary(text: string): Summary {
  const [primitives, calls] = [lenetPrimitives(), lenetCalls()];
  const tir = primitives.map((primitive) => ({
    id: { kind: "tir" as const, primitive: primitive.index },
    title: primitive.name,
    language: "tir" as const,
  }));
  const all = steps();
  return {
    totalMs: 84,
    steps: all,
    primitives,
    calls,
    remarks,
    sources: scanSources(text),
    stageMs: {
      parse: 3.2,
      types: 4.6,
      passes: 21.1,
      fuse: 6.4,
      lower: 17.9,
      aot: 2.2,
      storage: 0.7,
      tir: 11.3,
      c: 5.1,
      wasm: 11.5,
    },
    inputs: [{ name: "data", shape: [1, 1, 28, 28], dtype: "float32", bytes: 3136 }],
    outputs: [{ name: "output", shape: [1, 10], dtype: "float32", bytes: 40 }],
    dynamic: false,
    dynamicInputs: [],
    cache: [],
    currentKey: null,
    arenaBytes: 23560,
    workspaceBytes: 192032,
    worstCallBytes: 194112,
    constantBytes: 207_608,
    seededConstants: 0,
    listings: [
      ...all.map((step): ListingInfo => ({
        id: { kind: "relay", step: step.index },
        title: step.pass,
        language: "relay",
      })),
      ...tir,
      { id: { kind: "c-library", library: 0 }, title: "default_lib0.c", language: "c" },
      { id: { kind: "c-library", library: 1 }, title: "default_lib1.c", language: "c" },
      { id: { kind: "c-header" }, title: "tvmgen_default.h", language: "c" },
      { id: { kind: "wat" }, title: "module", language: "wat" },
      { id: { kind: "graph-json" }, title: "graph.json", language: "json" },
      { id: { kind: "metadata" }, title: "metadata.json", language: "json" },
      { id: { kind: "aot" }, title: "main", language: "tir" },
    ],
    wasmBytes: 3187,
    aotError: null,
    graphError: null,
    model: null,
  };
}

export function lenetListing(id: ListingId, text: string): ListingView | null {
  const out = new Text();
  const { lib0, lib1, wat } = codeListings();
  if (id.kind === "wat") return wat.view();
  if (id.kind === "c-library") return (id.library === 0 ? lib0 : lib1).view();
  if (id.kind === "c-header")
    out.add(
      "#ifndef TVMGEN_DEFAULT_H_\n#define TVMGEN_DEFAULT_H_\n#include <stdint.h>\nint32_t tvmgen_default_run_model(void* input, void* output);\n#endif",
    );
  else if (id.kind === "graph-json" || id.kind === "metadata")
    out.add(JSON.stringify({ nodes: rows.map((row) => ({ op: "tvm_op", name: row.name })) }, null, 2));
  else if (id.kind === "aot")
    rows.forEach((row, index) =>
      out.add(
        `  T.call_extern("tvmgen_default_${row.name}", ${[...row.args, row.output].map(tensorName).join(", ")})`,
        index,
        [],
        index,
      ),
    );
  else if (id.kind === "tir") {
    const index = id.primitive;
    out.add(
      `primfn(p0: handle, p1: handle, T_relu: handle) -> ()\n  attr = {"global_symbol": "tvmgen_default_${rows[index]?.name ?? ""}"} {\n  for (ax0: int32, 0, 16) {\n    for (ax1: int32, 0, 10) "vectorized" {\n      T_relu[((ax0*10) + ax1)] = max((p0[ax1] + p1[ax0]), 0f32)\n    }\n  }\n}`,
      index,
    );
  } else if (id.kind === "relay") {
    const canonical = id.step > 11;
    out.add(text.slice(0, text.indexOf("{\n") + 1));
    for (const row of rows) {
      for (const [name, local] of row.ops) {
        if (name === "expand_dims" && !canonical) continue;
        const shown = name === "add" && !canonical ? "nn.bias_add" : name;
        out.add(
          `  ${local || "%14"} = ${shown}(…) /* ty=Tensor[(${row.shape.replaceAll("×", ", ")}), float32] */;`,
          -1,
          [sourceOf(local)],
        );
      }
    }
    out.add("}");
  } else return null;
  return out.view();
}

export function lenetGraph(): GraphView {
  const nodes: GraphNodeView[] = [];
  const edges: GraphEdgeView[] = [];
  const node = (
    kind: GraphNodeView["kind"],
    call: number,
    label: string,
    results: readonly CallArg[],
    y: number,
  ): void => {
    const row = rows[call];
    nodes.push({
      id: nodes.length,
      kind,
      primitive: call,
      call,
      label,
      results,
      device: 1,
      sid: results[0]?.kind === "sid" ? results[0].sid : -1,
      x: 44,
      y,
      width: 260,
      height: 24,
      sources: row ? row.ops.map((op) => sourceOf(op[1])) : [],
      ops: row ? row.ops.map(([name, local, pattern]) => ({ name, local, pattern })) : [],
    });
  };
  node("input", -1, "data", [], 0);
  rows.forEach((row, index) => node("call", index, row.name, [row.output], 40 + index * 44));
  node("output", -1, "output", [output(0)], 40 + rows.length * 44);
  for (let to = 1; to < nodes.length; to++) {
    const row = rows[to - 2];
    edges.push({
      from: to - 1,
      to,
      shape: row?.shape ?? "1×1×28×28",
      dtype: "float32",
      bytes: row?.bytes ?? 3136,
      points: [52, nodes[to - 1]!.y + 24, 52, nodes[to]!.y],
    });
  }
  return { nodes, edges, width: 380, height: 480 };
}

function sidOf({ output: written }: PrimitiveRow): number {
  return written.kind === "sid" ? written.sid : -1;
}

export function lenetMemory(): MemoryView {
  const blocks = (offsetOf: (index: number) => number, held: (index: number) => number): MemoryBlockView[] =>
    rows
      .slice(0, 7)
      .map((row, index) => ({
        sid: sidOf(row),
        offset: offsetOf(index),
        bytes: row.bytes,
        held: held(index),
        from: index,
        to: index + 1,
        primitive: index,
        shape: row.shape,
        device: 1,
        sources: row.ops.map((op) => sourceOf(op[1])),
      }));
  const rewrite: ReadonlyMap<number, readonly [number, number]> = new Map([
    [16, [0, 18816]],
    [15, [18816, 4704]],
    [10, [23520, 40]],
  ]);
  let end = 0;
  const starts = rows.map((row) => (end += row.bytes) - row.bytes);
  const planned = blocks(
    (index) => rewrite.get(sidOf(rows[index]!))![0],
    (index) => rewrite.get(sidOf(rows[index]!))![1],
  );
  const plans: PlanView[] = [
    {
      planner: "on-demand",
      title: "On-demand",
      totalBytes: 33640,
      blocks: blocks(
        (index) => starts[index]!,
        (index) => rows[index]!.bytes,
      ),
      holds: [],
    },
    {
      planner: "storage-rewrite",
      title: "StorageRewrite",
      totalBytes: 23560,
      blocks: planned,
      holds: [
        { sid: 16, offset: 0, bytes: 18816, from: 0, to: 5 },
        { sid: 15, offset: 18816, bytes: 4704, from: 1, to: 6 },
        { sid: 10, offset: 23520, bytes: 40, from: 6, to: 7 },
      ],
    },
    { planner: "greedy", title: "Greedy arena", totalBytes: 23520, blocks: planned, holds: [] },
    { planner: "lower-bound", title: "Lower bound", totalBytes: 23520, blocks: planned, holds: [] },
  ];
  return {
    plans,
    steps: 8,
    peakStep: 1,
    liveBytes: Uint32Array.from([18816, 23520, 11104, 8000, 3200, 2080, 520, 40]),
    workspaceBytes: Uint32Array.from(rows, (row) => row.workspace),
  };
}

export const lenetMicros = Float64Array.from(rows, (row) => row.micros);
