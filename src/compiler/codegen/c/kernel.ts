// One primitive as a C function, in both calling conventions.
// unpacked: `int32_t f(const float* restrict p0, float* restrict out)`; packed: TVM's `(void* args, int32_t*
// arg_type_ids, …)`. The pointers are restrict: a caller must not hand in an output that overlaps another
// argument.
import type { TextWriter } from "../../../support/text-writer.ts";
import { ownedBy, type LineOwner } from "../../ir/origin.ts";
import type { LoweredPrimitive } from "../../executor/plan.ts";
import type { Buffer } from "../../tir/expr.ts";
import type { PrimFunc } from "../../tir/prim-func.ts";
import { stmtChildren, stmtExprs, visitExpr } from "../../tir/visit.ts";
import type { Stmt } from "../../tir/stmt.ts";
import { cNames, nameOf } from "./names.ts";
import { emitStmt, type Scratch, type StmtContext } from "./stmt.ts";
import { storageType } from "./types.ts";
import { useHelper, type HelperSet } from "./helpers.ts";

export const packedParameters =
  "void* args, int32_t* arg_type_ids, int32_t num_args, void* out_ret_value, int32_t* out_ret_tcode, void* resource_handle";
export const ignorePacked =
  "(void)arg_type_ids; (void)out_ret_value; (void)out_ret_tcode; (void)resource_handle;";

interface KernelContext {
  readonly out: TextWriter<LineOwner>;
  readonly helpers: HelperSet;
  readonly scratch: Scratch;
  readonly unpacked: boolean;
}

/** Name of the function with plain pointers; the packed convention wraps it. */
function bodySymbol(cx: KernelContext, symbol: string): string {
  return cx.unpacked ? symbol : `${symbol}_body`;
}

export function emitKernel(cx: KernelContext, primitive: LoweredPrimitive): void {
  const f = primitive.forC;
  const names = cNames();
  const owner = ownedBy({ origin: primitive.origin, primitive: primitive.index });
  const stmts: StmtContext = {
    names,
    helpers: cx.helpers,
    lets: new Map(),
    out: cx.out,
    primitive: primitive.index,
    scratch: cx.scratch,
  };
  const used = usedBuffers(f);
  cx.out.withOwner(owner, () => {
    cx.out.line(`/* ${primitive.ops.map((op) => op.name).join(", ")} */`);
    const parameters = f.params
      .map((param, i) => `${pointerType(f, i)} restrict ${nameOf(names, param)}`)
      .join(", ");
    cx.out.line(
      `${cx.unpacked ? "TVM_DLL" : "static"} int32_t ${bodySymbol(cx, primitive.symbol)}(${parameters === "" ? "void" : parameters}) {`,
    );
    cx.out.indent(() => {
      for (const param of f.params) if (!used.has(param)) cx.out.line(`(void)${nameOf(names, param)};`);
      emitStmt(stmts, f.body);
      cx.out.line("return 0;");
    });
    cx.out.line("}");
    if (!cx.unpacked) emitPackedWrapper(cx, primitive, f);
  });
}

function pointerType(f: PrimFunc, index: number): string {
  return `${index < f.inputCount ? "const " : ""}${storageType(f.params[index]!.dtype)}*`;
}

function emitPackedWrapper(cx: KernelContext, primitive: LoweredPrimitive, f: PrimFunc): void {
  useHelper(cx.helpers, { kind: "fixed", name: "rs_data" });
  cx.out.line("");
  cx.out.line(`TVM_DLL int32_t ${primitive.symbol}(${packedParameters}) {`);
  cx.out.indent(() => {
    cx.out.line(ignorePacked);
    cx.out.line(`if (num_args != ${f.params.length}) return -1;`);
    cx.out.line("const TVMValue* values = (const TVMValue*)args;");
    const args = f.params.map((_, i) => `(${pointerType(f, i)})rs_data(values[${i}])`);
    cx.out.line(`return ${bodySymbol(cx, primitive.symbol)}(${args.join(", ")});`);
  });
  cx.out.line("}");
}

export function usedBuffers(f: PrimFunc): ReadonlySet<Buffer> {
  const used = new Set<Buffer>();
  const walk = (stmt: Stmt): void => {
    if (stmt.kind === "store") used.add(stmt.buffer);
    for (const expr of stmtExprs(stmt)) {
      visitExpr(expr, (part) => {
        if (part.kind === "load" || part.kind === "buffer-ref") used.add(part.buffer);
      });
    }
    for (const inner of stmtChildren(stmt)) walk(inner);
  };
  walk(f.body);
  return used;
}
