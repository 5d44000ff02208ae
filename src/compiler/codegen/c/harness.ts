// main.c of a test program: reads the inputs' bytes from one file, runs the model, writes the outputs' bytes
// to another. Used by node/run-c.ts and `run --backend c`; never part of an exported model.
import type { Options } from "../../options.ts";
import { TextWriter, type Listing } from "../../../support/text-writer.ts";
import { tensorTypeBytes } from "../../executor/main-flow.ts";
import type { AotPlan } from "../../executor/plan.ts";
import type { LineOwner } from "../../ir/origin.ts";
import { mangledName } from "../../lower/prim-func-name.ts";
import { structFields } from "./entry.ts";
import { packedParameters } from "./kernel.ts";
import { headerName } from "./module.ts";
import { runtimeHeaderName } from "./runtime-header.ts";

/**
 * `program IN OUT [REPEATS]`: IN holds all inputs one after the other, OUT gets all outputs; both dense and
 * row-major. With REPEATS, that many more runs follow and the nanoseconds of the shortest are printed. Exit
 * code 1: a file, 2: the model.
 */
export function emitHarness(plan: AotPlan, options: Options): Listing<LineOwner> {
  const out = new TextWriter<LineOwner>();
  const tensors = [...plan.inputs, ...plan.outputs].map(({ type }, i) => ({
    name: `tensor${i}`,
    bytes: tensorTypeBytes(type),
  }));
  out.line("#include <stdint.h>");
  out.line("#include <stdio.h>");
  out.line("#include <stdlib.h>");
  out.line("#include <time.h>");
  out.line(`#include "${runtimeHeaderName}"`);
  if (options.interfaceApi === "c") out.line(`#include "${headerName(options)}"`);
  else out.line(`TVM_DLL int32_t ${mangledName(options.modName, "run")}(${packedParameters});`);
  out.line("");
  for (const { name, bytes } of tensors)
    out.line(
      `static union { uint8_t bytes[${Math.max(1, bytes)}]; double align; long long align2; } ${name};`,
    );
  out.line("");
  emitRunOnce(
    out,
    plan,
    options,
    tensors.map(({ name }) => name),
  );
  emitMain(out, tensors, plan.inputs.length);
  return out.finish();
}

function emitRunOnce(
  out: TextWriter<LineOwner>,
  plan: AotPlan,
  options: Options,
  names: readonly string[],
): void {
  const run = mangledName(options.modName, "run");
  out.line("static int32_t run_once(void) {");
  out.indent(() => {
    if (options.interfaceApi === "c") {
      const side = (which: "inputs" | "outputs", fields: readonly string[], from: number): void => {
        if (fields.length === 0) return;
        out.line(`struct ${mangledName(options.modName, which)} ${which};`);
        fields.forEach((field, i) => out.line(`${which}.${field} = ${names[from + i]!}.bytes;`));
      };
      side("inputs", structFields(plan.inputs.map(({ name }) => name)), 0);
      side("outputs", structFields(plan.outputs.map(({ name }) => name)), plan.inputs.length);
      const args = [
        ...(plan.inputs.length > 0 ? ["&inputs"] : []),
        ...(plan.outputs.length > 0 ? ["&outputs"] : []),
      ];
      out.line(`return ${run}(${args.join(", ")});`);
      return;
    }
    const count = Math.max(1, names.length);
    out.line(`static DLTensor tensors[${count}];`);
    out.line(`TVMValue values[${count}], result;`);
    out.line(`int32_t types[${count}], result_type;`);
    names.forEach((name, i) => {
      out.line(`tensors[${i}].data = ${name}.bytes; tensors[${i}].device.device_type = kDLCPU;`);
      out.line(`values[${i}].v_handle = &tensors[${i}]; types[${i}] = kTVMDLTensorHandle;`);
    });
    if (names.length === 0) out.line("(void)tensors; values[0].v_int64 = 0; types[0] = 0;");
    out.line(`return ${run}(values, types, ${names.length}, &result, &result_type, NULL);`);
  });
  out.line("}");
  out.line("");
}

function emitMain(
  out: TextWriter<LineOwner>,
  tensors: readonly { readonly name: string; readonly bytes: number }[],
  inputCount: number,
): void {
  const files = (mode: "read" | "write", part: typeof tensors): void => {
    for (const { name, bytes } of part)
      if (bytes > 0) out.line(`if (f${mode}(${name}.bytes, 1, ${bytes}, file) != ${bytes}) return 1;`);
  };
  out.line("int main(int argc, char** argv) {");
  out.indent(() => {
    out.line("if (argc < 3) return 1;");
    out.line('FILE* file = fopen(argv[1], "rb");');
    out.line("if (file == NULL) return 1;");
    files("read", tensors.slice(0, inputCount));
    out.line("fclose(file);");
    out.line("if (run_once() != 0) return 2;");
    out.line('file = fopen(argv[2], "wb");');
    out.line("if (file == NULL) return 1;");
    files("write", tensors.slice(inputCount));
    out.line("if (fclose(file) != 0) return 1;");
    out.line("double least = -1;");
    out.line("for (int i = argc > 3 ? atoi(argv[3]) : 0; i > 0; --i) {");
    out.line("  const clock_t start = clock();");
    out.line("  if (run_once() != 0) return 2;");
    out.line("  const double spent = (double)(clock() - start) / CLOCKS_PER_SEC;");
    out.line("  if (least < 0 || spent < least) least = spent;");
    out.line("}");
    out.line('if (least >= 0) printf("%.0f\\n", least * 1e9);');
    out.line("return 0;");
  });
  out.line("}");
}
