// Options that name something: a config key, a pass, the module. A name that means nothing is told instead of
// ignored.
// TVM: python/tvm/ir/transform.py (PassContext refuses unknown config keys, takes any pass name),
// python/tvm/relay/backend/utils.py (mangle_module_name refuses names that are not ASCII).
import type { Options } from "./options.ts";
import { diagnostic, type Diagnostic } from "./ir/diagnostic.ts";
import { relayPassList } from "./relay/pass-list.ts";
import { didYouMean } from "./relay/text/nearest.ts";

/** Keys that a pass here reads. */
const configKeys: readonly string[] = [
  "relay.FuseOps.max_depth",
  "relay.fallback_device_type",
  "tir.disable_vectorize",
];

/** TVM's other keys: taken, without effect here. */
const otherConfigKeys: readonly string[] = [
  "relay.backend.use_auto_scheduler",
  "relay.backend.use_meta_schedule",
  "relay.backend.disable_compile_engine_cache",
  "relay.ToMixedPrecision.keep_orig_output_dtype",
  "tir.LoopPartition",
  "tir.UnrollLoop",
  "tir.HoistIfThenElse",
  "tir.InjectDoubleBuffer",
  "tir.add_lower_pass",
  "tir.debug_keep_trivial_loop",
  "tir.detect_global_barrier",
  "tir.disable_assert",
  "tir.disable_storage_rewrite",
  "tir.instrument_bound_checkers",
  "tir.is_entry_func",
  "tir.noalias",
];

/** TVM's passes that may be named although they are not on the list of this compiler's. */
const otherPasses: readonly string[] = [
  "AlterOpLayout",
  "AutoSchedulerLayoutRewrite",
  "BackwardFoldScaleAxis",
  "ForwardFoldScaleAxis",
  "ConvertLayout",
  "DeadCodeElimination",
  "Defunctionalization",
  "EtaExpand",
  "LambdaLift",
  "LazyGradientInit",
  "ManifestAlloc",
  "MergeComposite",
  "PartialEvaluate",
  "SimplifyFCTranspose",
  "ToANormalForm",
  "ToCPS",
  "ToGraphNormalForm",
  "ToMixedPrecision",
  "tir.StorageFlatten",
  "tir.StorageRewrite",
  "tir.UnrollLoop",
  "tir.VectorizeLoop",
  "tir.LoopPartition",
  "tir.Simplify",
  "tir.NarrowDataType",
  "tir.RemoveNoOp",
  "tir.RewriteUnsafeSelect",
  "tir.HoistIfThenElse",
  "tir.InjectDoubleBuffer",
  "tir.InjectVirtualThread",
  "tir.CommonSubexprElimTIR",
];

/** Mistakes in `options` that no later stage would find. */
export function checkOptions(options: Options): readonly Diagnostic[] {
  return [
    ...Object.entries(options.config).flatMap(([key, value]) => [
      ...checkConfigKey(key),
      ...checkConfigValue(key, value),
    ]),
    ...checkPasses(options),
    ...(/^[\x20-\x7e]*$/.test(options.modName)
      ? []
      : [
          diagnostic("RS3002", `the module cannot be called ${JSON.stringify(options.modName)}`, {
            expected: "printable ASCII characters",
            got: JSON.stringify(options.modName),
            because: "the name becomes a part of C symbols",
            hint: "use letters, digits and _ (anything else becomes _ in symbols)",
          }),
        ]),
  ];
}

/** What a value must be, by key, whether or not a pass comes to read it in this compilation. */
const configValues: Readonly<Record<string, readonly [(value: string) => boolean, string, string]>> = {
  "relay.FuseOps.max_depth": [isInt32, "an integer", "an integer such as 256"],
  "relay.fallback_device_type": [
    (value) => isInt32(value) && Number(value) >= 1,
    "a device",
    "a DLDeviceType such as 1",
  ],
  "tir.disable_vectorize": [
    (value) => /^(true|false)$/i.test(value.trim()) || isInt32(value),
    "true or false",
    "true, false, 1 or 0",
  ],
};

/** TVM's Integer in a PassContext has 32 bits. */
function isInt32(value: string): boolean {
  return /^[+-]?\d+$/.test(value.trim()) && Number(value) === (Number(value) | 0);
}

function checkConfigValue(key: string, value: string): readonly Diagnostic[] {
  const rule = configKeys.includes(key) ? configValues[key] : undefined;
  if (rule === undefined) return [];
  const [fits, what, expected] = rule;
  if (fits(value)) return [];
  return [
    diagnostic("RS3001", `${key} is not ${what}`, {
      expected,
      got: value,
      because: "a pass reads the option, and would decide otherwise than you mean",
      hint: "Correct the value, or leave the option out.",
    }),
  ];
}

function checkConfigKey(key: string): readonly Diagnostic[] {
  if (configKeys.includes(key)) return [];
  if (otherConfigKeys.includes(key)) {
    return [
      diagnostic("RS3001", `${key} has no effect here`, {
        severity: "warning",
        expected: configKeys.join(", "),
        got: key,
        because: "the pass that reads it in TVM works another way, or is not a part of this compiler",
        hint: "leave it out",
      }),
    ];
  }
  return [
    diagnostic("RS3001", `there is no config option ${key}`, {
      expected: configKeys.join(", "),
      got: key,
      because: "no pass reads it",
      hint: didYouMean(key, [...configKeys, ...otherConfigKeys]) ?? "take one of those that are there",
    }),
  ];
}

function checkPasses(options: Options): readonly Diagnostic[] {
  const known = new Set([
    ...relayPassList({ ...options, optLevel: 4 }).map(({ pass }) => pass.name),
    ...otherPasses,
  ]);
  const named = [
    ...options.disabledPasses.map((name) => [name, "disabled"] as const),
    ...options.requiredPasses.map((name) => [name, "required"] as const),
  ];
  return named
    .filter(([name]) => !known.has(name))
    .map(([name, how]) =>
      diagnostic("RS3003", `the ${how} pass ${name} is not known`, {
        severity: "warning",
        expected: "a pass by TVM's name, such as FoldConstant",
        got: name,
        because: `nothing is ${how === "disabled" ? "left out" : "run"} for it`,
        hint: didYouMean(name, known) ?? "see the list of passes in the stages rail",
      }),
    );
}
