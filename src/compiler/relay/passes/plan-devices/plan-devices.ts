// PlanDevices: decides for every value on which device it lies, inserts the copies and writes devices into
// function headers. The four steps are in the files beside this one.
// TVM: src/relay/transforms/device_planner.cc
import { first } from "../../../../support/assert.ts";
import { deviceNames } from "../../../ir/device.ts";
import { diagnostic, fail } from "../../../ir/diagnostic.ts";
import type { Options } from "../../../options.ts";
import type { Expr } from "../../expr.ts";
import type { IRModule } from "../../module.ts";
import type { RelayContext } from "../../op.ts";
import { deviceCopyOf, onDeviceOf } from "../../on-device.ts";
import { postOrder } from "../../visit.ts";
import type { RelayPass } from "../function-pass.ts";
import { analyzeDevices } from "./analyze.ts";
import { captureDevices } from "./capture-devices.ts";
import { defaultDevices } from "./default-devices.ts";
import { rewriteOnDevices } from "./rewrite-on-devices.ts";
import { isSealed } from "./sealed.ts";

export const planDevices: RelayPass = { name: "PlanDevices", optLevel: 0, requires: [], run: plan };

function plan(module: IRModule, cx: RelayContext): IRModule {
  for (const func of module.functions.values())
    postOrder(
      func,
      (expr) => checkDevices(expr, cx),
      (expr) => !isSealed(expr),
    );
  const device = defaultDevice(cx);
  tellSimulated(cx);
  const annotated = rewriteOnDevices(module, cx);
  const domains = analyzeDevices(annotated, cx);
  defaultDevices(domains, device);
  return captureDevices(annotated, domains, cx);
}

/**
 * Annotations may name devices only that there are targets for. With one target TVM compiles everything for
 * it.
 */
function checkDevices(expr: Expr, cx: RelayContext): void {
  if (expr.kind !== "call") return;
  const named = onDeviceOf(expr) === null ? deviceCopyOf(expr) : [Number(expr.attrs["device_type"])];
  const { targets } = cx.options;
  for (const device of named ?? []) {
    if (device > 0 && (targets.length === 1 || targets.some((target) => target.device === device))) continue;
    fail(
      "RS3007",
      `device ${device}${deviceNames[device] === undefined ? "" : ` (${deviceNames[device]})`} has no target`,
      {
        span: expr.span,
        origin: expr.origin,
        expected: `one of ${targets.map((target) => `${target.device}=${target.kind}`).join(", ")}`,
        got: `device ${device}`,
        because: "the operators of a device are compiled for the target that is given for it",
        hint: `add a target: ${device}=c`,
      },
    );
  }
}

/** What is left free lies here: the only target's device, else relay.fallback_device_type, else the CPU. */
function defaultDevice(cx: RelayContext): number {
  const { targets } = cx.options;
  if (targets.length === 1) return first(targets, "target").device;
  const text = cx.options.config["relay.fallback_device_type"];
  const device = text === undefined ? 1 : Number(text);
  if (!Number.isInteger(device) || device < 1) {
    fail("RS3001", "relay.fallback_device_type is not a device", {
      expected: "a DLDeviceType such as 1",
      got: String(text),
    });
  }
  if (!targets.some((target) => target.device === device)) {
    cx.diagnostics.push(
      diagnostic("RS3008", `device ${device} is the default device and has no target; it is compiled as c`, {
        severity: "warning",
        expected: targetList(cx.options),
        got: `default device ${device}`,
        because: "what no annotation places lies on the default device",
        hint: `set relay.fallback_device_type to a device that has a target, or add ${device}=c`,
      }),
    );
  }
  return device;
}

function targetList(options: Options): string {
  return options.targets.map((target) => `${target.device}=${target.kind}`).join(", ");
}

/** There is one CPU here, whatever the targets are called. */
function tellSimulated(cx: RelayContext): void {
  const { targets } = cx.options;
  if (targets.length < 2) return;
  const others = targets
    .slice(1)
    .map(({ device, kind }) => `device ${device} (${kind})`)
    .join(", ");
  cx.diagnostics.push(
    diagnostic(
      "RS3009",
      `${others} ${targets.length > 2 ? "run" : "runs"} on the same CPU as device ${first(targets, "target").device}`,
      {
        severity: "info",
        because:
          "there is no second processor here: its functions are compiled for the CPU, its memory is kept apart, and copies between devices copy bytes",
      },
    ),
  );
}
