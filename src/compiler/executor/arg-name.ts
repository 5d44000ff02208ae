// The C name of an argument of the AOT runner: input1, output, sid_3, __tvm_param__p0.
import type { AotArg, AotPlan } from "./plan.ts";

export function argName(arg: AotArg, plan: Pick<AotPlan, "parameters" | "inputs">): string {
  switch (arg.kind) {
    case "input":
      return plan.parameters[arg.index]!;
    case "output":
      return plan.parameters[plan.inputs.length + arg.index]!;
    case "sid":
      return `sid_${arg.sid}`;
    case "param":
      return `__tvm_param__${arg.name}`;
  }
}
