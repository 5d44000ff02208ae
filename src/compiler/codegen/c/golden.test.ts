// Generated C of the recorded programs: compiles under the strict flags, equals the TIR interpreter on the
// same plan, and equals TVM's recorded outputs where the recorded fused text holds all its constants.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultOptions, type Options } from "../../options.ts";
import { flatValues } from "../../../node/values.ts";
import { compareOutputs, type GoldenOutput } from "../../../testing/harness/compare-outputs.ts";
import { fusedMain } from "../../../testing/harness/fused.ts";
import { interpretPlan } from "../../../testing/harness/plan-run.ts";
import { runCProgram } from "../../../node/run-c.ts";
import { fillTensor } from "../../frontend/fill.ts";
import { planAot } from "../../executor/aot-main.ts";
import type { AotPlan, LoweredPrimitive } from "../../executor/plan.ts";
import { emitC } from "./module.ts";

interface GoldenRecord {
  readonly name: string;
  readonly group: string;
  readonly o3?: { readonly fused: string };
  /** An error: TVM could not run what it compiled (external functions). */
  readonly outputs?: readonly GoldenOutput[] | { readonly error: string };
}

const folder = join(import.meta.dirname, "../../../testing/golden/programs");
const records = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as GoldenRecord);

function planned(
  text: string,
  options: Options,
): { readonly plan: AotPlan; readonly primitives: readonly LoweredPrimitive[] } {
  const { reading, te } = fusedMain(text, options);
  const aot = planAot(reading, te, options);
  if (!aot.ok) throw new Error(`${aot.diagnostic.code}: ${aot.diagnostic.message}`);
  return { plan: aot.value, primitives: te.items() };
}

const packed: Options = { ...defaultOptions, unpackedApi: false, interfaceApi: "packed" };
const skipped = new Set(["refusal", "net"]);

for (const record of records.filter((found) => !skipped.has(found.group) && found.o3 !== undefined)) {
  describe(record.name, () => {
    it("C = TIR interpreter, in both calling conventions", () => {
      const { plan, primitives } = planned(record.o3!.fused, defaultOptions);
      const inputs = plan.inputs.map(({ name, type }) => fillTensor(name, type));
      const want = interpretPlan(plan, primitives, inputs).map(flatValues);
      for (const [options, flags] of [
        [defaultOptions, ["-O1"]],
        [packed, ["-O0"]],
      ] as const) {
        const own = planned(record.o3!.fused, options);
        const c = emitC({ primitives: own.primitives, aot: own.plan, options });
        const { outputs } = runCProgram({ c, plan: own.plan, options }, inputs, { flags });
        expect(
          compareOutputs(outputs.map(flatValues), want, { network: false, quantised: false }),
        ).toBeNull();
      }
      if (
        record.outputs === undefined ||
        "error" in record.outputs ||
        record.o3!.fused.includes("meta[relay.Constant]")
      )
        return;
      expect(compareOutputs(want, record.outputs, { network: false, quantised: false })).toBeNull();
    }, 60_000);
  });
}
