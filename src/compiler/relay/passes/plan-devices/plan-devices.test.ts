import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultOptions, type Options } from "../../../options.ts";
import { compareRelay } from "../../../../testing/harness/relay-compare.ts";
import { runPass } from "../../../../testing/harness/pass-run.ts";
import { typedModule } from "../../../../testing/harness/relay-text.ts";
import { withJit } from "../../../../testing/harness/relay-run.ts";
import { CompileError } from "../../../ir/diagnostic.ts";
import { ops } from "../../../ops/index.ts";
import { calledOp, type Call } from "../../expr.ts";
import { functionDevices } from "../../on-device.ts";
import { runRelayPrefix } from "../../pass-list.ts";
import { printModule } from "../../text/print.ts";
import { postOrder } from "../../visit.ts";
import { planDevices } from "./plan-devices.ts";

const targets: Options["targets"] = [
  { device: 1, kind: "c" },
  { device: 4, kind: "opencl" },
];
const folder = new URL("../../../../testing/golden/devices/", import.meta.url);

interface DeviceRecord {
  readonly name: string;
  readonly input: string;
  readonly fused?: string;
  readonly error?: string;
}

const records = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as DeviceRecord);

function planned(text: string, options: Partial<Options> = {}) {
  return runPass(text, planDevices, { targets, ...options });
}

function copiesIn(run: ReturnType<typeof planned>): readonly string[] {
  const found: string[] = [];
  for (const func of run.after.functions.values()) {
    postOrder(func, (expr) => {
      if (calledOp(expr) === "device_copy")
        found.push(
          `${String((expr as Call).attrs["src_dev_type"])}->${String((expr as Call).attrs["dst_dev_type"])}`,
        );
    });
  }
  return found;
}

function devicesOf(run: ReturnType<typeof planned>, name = "main") {
  return functionDevices(run.after.functions.get(name)!);
}

function refusal(text: string, options: Partial<Options> = {}) {
  try {
    planned(text, options);
  } catch (error) {
    if (error instanceof CompileError) return error.diagnostic;
    throw error;
  }
  throw new Error("not refused");
}

const x = "%x: Tensor[(2, 2), float32]";
const y = "%y: Tensor[(2, 2), float32]";

describe("golden/devices", () => {
  it.each(records.filter((record) => record.fused !== undefined))(
    "$name: the fused text is TVM's",
    ({ input, fused }) => {
      const { module, cx } = typedModule(input);
      const after = runRelayPrefix(module, { ...withJit(cx), options: { ...defaultOptions, targets } });
      expect(
        compareRelay(fused!, printModule(after, { ops, showMeta: false }).text, { types: true }),
      ).toBeNull();
    },
  );

  it.each(records.filter((record) => record.error !== undefined))(
    "$name: the value that TVM refuses to share is copied",
    ({ input }) => {
      const run = planned(input);
      expect(copiesIn(run)).toContain("4->1");
      expect(run.cx.remarks.filter((found) => found.kind === "device.copy")).toHaveLength(1);
    },
  );

  it("devices_conflict: warns with both devices and both places", () => {
    const { cx } = planned(records.find(({ name }) => name === "devices_conflict")!.input);
    const warning = cx.diagnostics.find((found) => found.code === "RS3006");
    expect(warning).toMatchObject({ severity: "warning" });
    expect(warning?.message).toMatch(/device 1 .* device 4/);
    expect(warning?.related).toHaveLength(1);
    expect(warning?.related?.[0]?.span).not.toEqual(warning?.span);
  });
});

describe("PlanDevices", () => {
  it("puts everything on the default device where nothing is said", () => {
    expect(devicesOf(planned(`def @main(${x}, ${y}) { add(%x, %y) }`))).toEqual({
      params: [1, 1],
      result: 1,
    });
    expect(
      devicesOf(planned(`def @main(${x}) { exp(%x) }`, { config: { "relay.fallback_device_type": "4" } })),
    ).toEqual({ params: [4], result: 4 });
  });

  it("copies a shared input once for all readers on the other device", () => {
    const run = planned(
      `def @main(${x}, ${y}) { %0 = on_device(add(%x, %y), device_type=1); %1 = add(%x, %y); %2 = on_device(multiply(%1, %x), device_type=4); subtract(%0, %2) }`,
    );
    expect(copiesIn(run).filter((copy) => copy === "1->4")).toHaveLength(2);
    expect(copiesIn(run).filter((copy) => copy === "4->1")).toHaveLength(1);
  });

  it("gives an annotation its copy at every use, as TVM does", () => {
    const run = planned(
      `def @main(${x}) { %0 = on_device(exp(%x), device_type=4); on_device(add(%0, %0), device_type=1) }`,
    );
    expect(copiesIn(run)).toEqual(["4->1", "4->1"]);
  });

  it("drops a copy within a device and annotations that changed nothing", () => {
    const run = planned(
      `def @main(${x}) { %0 = device_copy(%x, src_dev_type=4, dst_dev_type=4); on_device(exp(%0), device_type=4) }`,
    );
    expect(run.text).not.toMatch(/device_copy|on_device/);
    expect(devicesOf(run)).toEqual({ params: [4], result: 4 });
  });

  it("lets a let-bound value lie elsewhere than the let, and marks it", () => {
    const run = planned(
      `def @main(${x}) { let %a = on_device(exp(%x), device_type=4); on_device(tanh(%a), device_type=1) }`,
    );
    expect(run.text).toContain("on_device(");
    expect(copiesIn(run)).toEqual(["4->1"]);
  });

  it("follows devices through functions, tuples, projections, branches and references", () => {
    const through = (body: string, head = ""): unknown =>
      devicesOf(planned(`${head} def @main(${x}, %c: bool) { ${body} }`));
    expect(
      through(
        "let %f = fn (%a: Tensor[(2, 2), float32]) -> Tensor[(2, 2), float32] { on_device(exp(%a), device_type=4) }; %f(%x)",
      ),
    ).toEqual({ params: [4, 4], result: 4 });
    expect(through("%0 = (%x, %x); on_device(exp(%0.1), device_type=4)")).toEqual({
      params: [4, 4],
      result: 4,
    });
    expect(through("on_device(if (%c) { exp(%x) } else { %x }, device_type=4)")).toEqual({
      params: [4, 4],
      result: 4,
    });
    expect(through("let %r = ref(%x); on_device(exp(ref_read(%r)), device_type=4)")).toEqual({
      params: [4, 1],
      result: 1,
    });
    expect(
      devicesOf(
        planned(
          `def @f(${x}) -> Tensor[(2, 2), float32] { on_device(exp(%x), device_type=4) } def @main(${x}) { @f(%x) }`,
        ),
      ),
    ).toEqual({ params: [4], result: 4 });
  });

  it("copies at the edge of a branch, once a branch", () => {
    const run = planned(
      `def @main(${x}, %c: bool) { %0 = on_device(exp(%x), device_type=4); on_device(if (%c) { %0 } else { tanh(%x) }, device_type=1) }`,
    );
    expect(copiesIn(run)).toEqual(["4->1", "4->1"]);
  });

  it("is idle the second time", () => {
    const run = planned(records.find(({ name }) => name === "devices_two_chain")!.input);
    expect(
      printModule(planDevices.run(run.after, run.cx), { ops, showMeta: false, header: false }).text,
    ).toBe(run.text);
  });

  it("plans for other devices under one target too, as TVM does", () => {
    expect(
      devicesOf(
        planned(`def @main(${x}) { on_device(exp(%x), device_type=4) }`, {
          targets: [{ device: 1, kind: "c" }],
        }),
      ),
    ).toEqual({ params: [4], result: 4 });
  });
});

describe("PlanDevices refuses", () => {
  it("annotations that fix one value on two devices, naming both and both places", () => {
    const found = refusal(
      `def @main(${x}) { %0 = exp(%x); %1 = on_device(%0, device_type=1); %2 = on_device(%0, device_type=4); add(%1, %2) }`,
    );
    expect(found.code).toBe("RS3005");
    expect(found.message).toMatch(/the result of exp cannot lie on device [14] and on device [14]/);
    expect(found.related?.map(({ text }) => text).sort()).toEqual([
      "on_device(…, device_type=1) asks for device 1",
      "on_device(…, device_type=4) asks for device 4",
    ]);
  });

  it("fixed operands of one operator on two devices", () => {
    const found = refusal(
      `def @main(${x}, ${y}) { add(on_device(exp(%x), device_type=4, is_fixed=True), on_device(exp(%y), device_type=1, is_fixed=True)) }`,
    );
    expect(found.code).toBe("RS3005");
    expect(found.related).toHaveLength(2);
  });

  it("a header that contradicts the body", () => {
    expect(
      refusal(
        `def @main(${x}, param_device_types=[1], result_device_type=1) { on_device(%x, device_type=4) }`,
      ).code,
    ).toBe("RS3005");
  });

  it("a device without a target, and a fallback that is none", () => {
    expect(refusal(`def @main(${x}) { on_device(exp(%x), device_type=2) }`)).toMatchObject({
      code: "RS3007",
      message: "device 2 (cuda) has no target",
    });
    expect(
      refusal(`def @main(${x}) { exp(%x) }`, { config: { "relay.fallback_device_type": "cpu" } }).code,
    ).toBe("RS3001");
  });
});

describe("a chain of 10,000 calls", () => {
  it("is planned for two devices", () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, i) =>
        `%${i} = ${i % 5000 === 2500 ? `on_device(exp(${i === 0 ? "%x" : `%${i - 1}`}), device_type=4)` : `tanh(${i === 0 ? "%x" : `%${i - 1}`})`};`,
    );
    const run = planned(`def @main(${x}) { ${lines.join("\n")} on_device(exp(%9999), device_type=1) }`);
    expect(copiesIn(run)).toEqual(["4->1"]);
  });
});
