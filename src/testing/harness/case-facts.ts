// What single cases ask for beyond their outputs: the sentence after "Right outcome" in their headers, as
// checks.
import { aotPlan, cModule, metadataOf } from "../../compiler/compilation.ts";
import { compileText, type CompiledText } from "../../node/engine.ts";
import { modelLibraryFiles } from "../../node/model-library.ts";
import { printType } from "../../compiler/ir/type.ts";
import type { IRModule } from "../../compiler/relay/module.ts";
import type { LoweredPrimitive } from "../../compiler/executor/plan.ts";
import { defaultOptions, type Options } from "../../compiler/options.ts";
import type { CaseFile } from "./case-file.ts";

export interface CaseFact {
  readonly options?: Partial<Options>;
  /** What is wrong, or null. */
  readonly check: (
    done: CompiledText,
    at: {
      readonly optLevel: number;
      readonly text: string;
      readonly options: Options;
      readonly binds: CaseFile["binds"];
    },
  ) => string | null | Promise<string | null>;
}

function primitives(done: CompiledText): readonly LoweredPrimitive[] {
  return done.compilation.primitives;
}

function opsOf(done: CompiledText): readonly string[] {
  return primitives(done).map((primitive) => primitive.ops.map((op) => op.name).join(" "));
}

/** The kernels and the runner, or the header. */
function cText({ compilation }: CompiledText, wanted: "kernels" | "header"): string {
  const c = cModule(compilation);
  const [name] =
    [...(c?.roles ?? [])].find(([, role]) =>
      wanted === "header" ? role.kind === "header" : role.kind === "library" && role.number === 1,
    ) ?? [];
  return name === undefined ? "" : (c?.files.get(name)?.text ?? "");
}

function first(...problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}

function differs(what: string, got: unknown, want: unknown): string | null {
  return JSON.stringify(got) === JSON.stringify(want)
    ? null
    : `${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(want)}`;
}

export const caseFacts: Readonly<Record<string, CaseFact>> = {
  "08": {
    check: (done) =>
      first(
        differs(
          "inputs",
          aotPlan(done.compilation)?.inputs.map((input) => input.name),
          ["scope/x", "scope/y"],
        ),
        /\bscope_x;/.test(cText(done, "header")) ? null : "the header has no field scope_x",
      ),
  },
  "09": {
    check: (done, { optLevel }) => {
      const sizes = primitives(done)
        .map((primitive) => primitive.ops.length)
        .sort((a, b) => a - b);
      return optLevel < 1
        ? null
        : (differs(
            "calls in each primitive function",
            [...new Set(sizes), sizes.length],
            [32, 128, sizes.length],
          ) ?? differs("operator calls", sizes.reduce((a, b) => a + b, 0) + 128 * (32 - sizes.length), 4000));
    },
  },
  "18": { check: (done) => differs("primitive functions", opsOf(done), []) },
  "19": {
    options: { optLevel: 2, config: { "relay.FuseOps.max_depth": "4" } },
    check: (done) => {
      const sizes = primitives(done).flatMap((primitive) =>
        Array.from({ length: primitive.callSites }, () => primitive.ops.length),
      );
      return first(
        sizes.every((size) => size <= 4) ? null : `a primitive function holds ${Math.max(...sizes)} calls`,
        differs(
          "calls",
          sizes.reduce((a, b) => a + b, 0),
          9,
        ),
      );
    },
  },
  "20": {
    options: { optLevel: 2 },
    check: (done) =>
      differs(
        "primitive functions",
        primitives(done).map(({ ops }) => ops.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1))),
        [["add", "exp", "multiply", "nn.conv2d", "nn.relu", "nn.relu", "subtract"]],
      ),
  },
  "21": {
    check: (done, { optLevel }) => {
      const symbols = primitives(done).map((primitive) => primitive.symbol);
      if (optLevel === 0)
        return differs("primitive functions", opsOf(done), ["nn.dense", "nn.bias_add", "nn.relu"]);
      const name =
        optLevel < 3
          ? "tvmgen_default_fused_nn_dense_nn_bias_add_nn_relu"
          : "tvmgen_default_fused_nn_dense_add_nn_relu";
      return differs("symbols", symbols, [name]);
    },
  },
  "27": {
    check: (done) =>
      first(
        /\bfabsf\(/.test(cText(done, "kernels")) ? null : "C has no fabsf",
        /#include <math.h>/.test(cText(done, "kernels")) ? null : "C lacks math.h",
      ),
  },
  "28": { check: (done, { optLevel }) => (optLevel < 1 ? null : longNames(done)) },
  "31": {
    check: (done) =>
      /\[0\]\s*(?:=|;|RELAYSCOPE)/.test(cText(done, "kernels").replace(/\w\[0\] = /g, "")) ||
      /[%/] 0\b(?![.x])/.test(cText(done, "kernels"))
        ? "C has an empty array or divides by 0"
        : null,
  },
  "33": {
    check: async (done, { text, options, binds }) => {
      const plan = aotPlan(done.compilation);
      const packed = await compileText(
        text,
        { ...options, unpackedApi: false, interfaceApi: "packed" },
        "packed",
        binds,
      );
      return first(
        differs(
          "inputs",
          plan?.inputs.map((input) => input.name),
          ["x", "unused"],
        ),
        packed.json.aot !== null && "error" in packed.json.aot ? "the packed interface is refused" : null,
      );
    },
  },
  "34": {
    check: (done) =>
      first(
        differs("io bytes", metadataOf(done.compilation)?.functions.main[0]?.io_size_bytes, 64),
        /struct \w+ \{\s*\}/.test(cText(done, "header")) ? "the header has an empty struct" : null,
      ),
  },
  "39": {
    check: async (_, { text, optLevel }) => {
      const dynamic = await compileText(
        text,
        { ...defaultOptions, optLevel: optLevel as Options["optLevel"] },
        "dynamic",
      );
      const said = dynamic.diagnostics.filter(
        (found) =>
          /%x/.test(`${found.message} ${found.got}`) &&
          /Tensor\[\(\?\), float32\]/.test(`${found.message} ${found.got}`),
      );
      return said.length > 0 ? null : "without a shape the refusal does not name %x and its type";
    },
  },
  "42": {
    check: async (_, { text, optLevel }) => {
      const module = await partitionedModule(text, ["test_target=split,negative"], optLevel);
      const region = [...(module?.functions.values() ?? [])].find(
        (func) => func.attrs["Compiler"] === "test_target",
      );
      const half = "Tensor[(2, 3), float32]";
      return differs(
        "the region's results",
        region?.body.type == null ? null : printType(region.body.type),
        `(${half}, ${half}, ${half})`,
      );
    },
  },
  "43": {
    options: { partition: ["ccompiler"] },
    check: (done) =>
      first(
        differs(
          "regions",
          primitives(done)
            .filter(({ external }) => external !== null)
            .map(({ ops }) => ops.map(({ name }) => name).join()),
          ["add", "multiply"],
        ),
        differs(
          "calls",
          aotCalls(done).map(([index]) => primitives(done)[index]?.external?.compiler ?? "here"),
          ["ccompiler", "here", "ccompiler"],
        ),
      ),
  },
  "44": {
    options: { partition: ["ccompiler"] },
    check: async (done, { text, optLevel, binds }) => {
      const module = await partitionedModule(text, ["ccompiler=add,multiply,exp"], optLevel, binds);
      const regions = [...(module?.functions.values() ?? [])].filter(
        (func) => func.attrs["Compiler"] === "ccompiler",
      );
      return first(
        differs(
          "parameters of the regions",
          regions.map((func) => func.params.length),
          [1],
        ),
        differs("arguments of the external call", aotCalls(done)[0]?.[1], 2),
      );
    },
  },
  "45": {
    options: {
      targets: [
        { device: 1, kind: "c" },
        { device: 2, kind: "c" },
      ],
      config: { "relay.fallback_device_type": "2" },
    },
    check: (done) => {
      const calls = aotPlan(done.compilation)?.calls ?? [];
      const copiesOfInputs = calls
        .filter((call) => call.symbol === "__copy" && call.args[0]?.kind === "input")
        .map((call) => call.args[0]);
      return differs("copies of inputs between devices", copiesOfInputs, [{ kind: "input", index: 1 }]);
    },
  },
  "49": {
    options: { modName: "net" },
    check: (done, { optLevel, text, options, binds }) =>
      optLevel < 1 ? null : libraryFacts(done, text, options, binds),
  },
};

/** [primitive, arguments] of each call of the AOT runner. */
function aotCalls(done: CompiledText): readonly (readonly [number, number])[] {
  const calls = aotPlan(done.compilation)?.calls ?? [];
  return calls.map((call) => [call.primitive, call.args.length] as const);
}

/** The module right after PartitionGraph; there need not be a code generator. */
async function partitionedModule(
  text: string,
  partition: readonly string[],
  optLevel: number,
  binds: CaseFile["binds"] = new Map(),
): Promise<IRModule | undefined> {
  const done = await compileText(
    text,
    { ...defaultOptions, optLevel: optLevel as Options["optLevel"], partition },
    "partitioned",
    binds,
  );
  return done.compilation.trace.steps.find((step) => step.pass === "PartitionGraph")?.after;
}

function longNames(done: CompiledText): string | null {
  const symbols = primitives(done).map((primitive) => primitive.symbol);
  const graph = JSON.stringify(done.json.graph);
  const lib = cText(done, "kernels");
  return first(
    differs(
      "hashes",
      symbols.map((symbol) => /_(\d+)_$/.exec(symbol)?.[1]),
      ["15681367426870831573", "13463132115945325410"],
    ),
    symbols.every((symbol) => /^[A-Za-z_]\w{0,119}$/.test(symbol))
      ? null
      : "a symbol is no C identifier of at most 120 characters",
    symbols.every((symbol) => graph.includes(`"func_name":"${symbol}"`) && lib.includes(`${symbol}(`))
      ? null
      : "a symbol differs between graph JSON and C",
  );
}

async function libraryFacts(
  done: CompiledText,
  text: string,
  options: Options,
  binds: CaseFile["binds"],
): Promise<string | null> {
  const main = metadataOf(done.compilation)?.functions.main[0];
  const names = metadataOf(done.compilation)?.functions.operator_functions.map(
    (found) => found.function_name,
  );
  const files = new Map(
    modelLibraryFiles(done.compilation).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]),
  );
  const metadata = JSON.parse(files.get("./metadata.json")!) as {
    readonly version: number;
    readonly style: string;
    readonly model_name: string;
    readonly executors: readonly string[];
  };
  const header = files.get("./codegen/host/include/tvmgen_net.h") ?? "";
  const graph = await compileText(text, { ...options, executor: "graph" }, "graph", binds);
  const graphFiles = new Set(modelLibraryFiles(graph.compilation).map(([name]) => name));
  return first(
    differs(
      "sizes",
      [main?.constants_size_bytes, main?.io_size_bytes, main?.workspace_size_bytes],
      [12, 27, 0],
    ),
    differs("operator functions", names, ["tvmgen_net_fused_multiply_cast_subtract"]),
    differs(
      "metadata",
      [metadata.version, metadata.style, metadata.model_name, metadata.executors],
      [5, "full-model", "net", ["aot"]],
    ),
    /struct tvmgen_net_inputs \{\s*void\* a;[^}]*void\* b;[^}]*\};/.test(header) &&
      /struct tvmgen_net_outputs \{\s*void\* output;/.test(header) &&
      header.includes("tvmgen_net_run(")
      ? null
      : `the header is not as expected:\n${header}`,
    files.has("./parameters/net.params") && /%w: Tensor/.test(files.get("./src/relay.txt") ?? "")
      ? null
      : "net.params is missing, or relay.txt is not the program",
    graphFiles.has("./executor-config/graph/graph.json") &&
      !graphFiles.has("./codegen/host/include/tvmgen_net.h")
      ? null
      : `the graph executor's files are ${[...graphFiles].join(", ")}`,
    differs(
      "sids",
      metadataOf(graph.compilation)?.sids?.map((sid) => [sid.size_bytes, sid.input_binding ?? null]),
      [
        [3, "a"],
        [12, "b"],
        [12, "p0"],
        [12, null],
      ],
    ),
  );
}
