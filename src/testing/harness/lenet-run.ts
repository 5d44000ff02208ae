// A made-up run of the LeNet example for page tests and for looking at the page without a compiler: true
// names, shapes, sids and calls (golden/programs/lenet.json), invented code and times. Never part of the
// product.
import { tensorName } from "../../protocol/call-arg.ts";
import { bodyId, kernels, lenetFixture, localText, tensorView } from "../fixtures/lenet-views.ts";
import type { ListingId } from "../../protocol/listing-id.ts";
import type { StageId } from "../../compiler/options.ts";
import type {
  ListingInfo,
  PrimitiveView,
  SourceNodeView,
  StepView,
  Summary,
  TensorTypeView,
} from "../../protocol/compile.ts";
import type { ListingView } from "../../protocol/views.ts";

const { summary: base, graph, memory, callMicros } = lenetFixture();
const types: Readonly<Record<string, string>> = Object.fromEntries(
  kernels.flatMap(({ ops, shape }) => ops.map(([, , local]) => [localText(local), shape])),
);
const sourcesOf = ({ ops }: (typeof kernels)[number]): readonly number[] =>
  ops.map(([, , local]) => bodyId(local));

export const lenetGraph = graph;
export const lenetMemory = memory;
export const lenetMicros = callMicros;

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
  kernels.forEach((row, index) => {
    const sources = sourcesOf(row);
    const written = row.args.at(-1)!;
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
      `  tvmgen_default_${row.name}(\n      ${row.args.map(tensorName).join(", ")});`,
      index,
      sources,
      index,
      written.kind === "sid" ? written.sid : -1,
    );
    sites.push([site, lib0.lines.length]);
  });
  lib0.add("  return 0;\n}");
  wat.add(")");
  return { lib1, lib0, wat, c, wats, sites };
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

function lenetPrimitives(): readonly PrimitiveView[] {
  const { c, wats } = codeListings();
  return base.primitives.map((primitive, index) => ({
    ...primitive,
    cLines: c[index]!,
    wasmFunction: index,
    watLines: wats[index]!,
    cacheKey: `${primitive.name}/c`,
  }));
}

export function lenetSummary(text: string): Summary {
  const primitives = lenetPrimitives();
  const { sites } = codeListings();
  const calls = base.calls.map((call, index) => ({ ...call, cLines: sites[index]! }));
  const tir = primitives.map((primitive) => ({
    id: { kind: "tir" as const, primitive: primitive.index },
    title: primitive.name,
    language: "tir" as const,
  }));
  const all = steps();
  return {
    ...base,
    steps: all,
    primitives,
    calls,
    sources: scanSources(text),
    inputs: [{ name: "data", shape: [1, 1, 28, 28], dtype: "float32", bytes: 3136 }],
    constantBytes: 207_608,
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
    out.add(JSON.stringify({ nodes: kernels.map((row) => ({ op: "tvm_op", name: row.name })) }, null, 2));
  else if (id.kind === "aot")
    kernels.forEach((row, index) =>
      out.add(
        `  T.call_extern("tvmgen_default_${row.name}", ${row.args.map(tensorName).join(", ")})`,
        index,
        [],
        index,
      ),
    );
  else if (id.kind === "tir") {
    const index = id.primitive;
    out.add(
      `primfn(p0: handle, p1: handle, T_relu: handle) -> ()\n  attr = {"global_symbol": "tvmgen_default_${kernels[index]?.name ?? ""}"} {\n  for (ax0: int32, 0, 16) {\n    for (ax1: int32, 0, 10) "vectorized" {\n      T_relu[((ax0*10) + ax1)] = max((p0[ax1] + p1[ax0]), 0f32)\n    }\n  }\n}`,
      index,
    );
  } else if (id.kind === "relay") {
    const canonical = id.step > 11;
    out.add(text.slice(0, text.indexOf("{\n") + 1));
    for (const row of kernels) {
      for (const [name, , local] of row.ops) {
        if (name === "expand_dims" && !canonical) continue;
        const shown = name === "add" && !canonical ? "nn.bias_add" : name;
        out.add(
          `  %${local} = ${shown}(…) /* ty=Tensor[(${row.shape.replaceAll("×", ", ")}), float32] */;`,
          -1,
          [bodyId(local)],
        );
      }
    }
    out.add("}");
  } else return null;
  return out.view();
}
