// What this engine's WebAssembly can do beyond the baseline (SIMD is taken for granted).
// Reserved: nothing asks yet; for choosing code by what the engine has.
import { encodeModule } from "../compiler/codegen/wasm/encode.ts";
import { instr } from "../compiler/codegen/wasm/function.ts";

/** Whether f32x4.relaxed_madd may be used: see WasmOptions.relaxedMadd. */
export function hasRelaxedSimd(): boolean {
  const get = instr("local.get", 0);
  const { bytes } = encodeModule({
    imports: [],
    pages: 1,
    data: [],
    globals: [],
    functions: [
      {
        name: "probe",
        params: ["v128"],
        results: ["v128"],
        paramNames: ["x"],
        locals: [],
        body: [get, get, get, instr("f32x4.relaxed_madd")],
        exportName: "probe",
        calls: null,
        primitive: -1,
        origin: null,
      },
    ],
  });
  return WebAssembly.validate(bytes);
}
