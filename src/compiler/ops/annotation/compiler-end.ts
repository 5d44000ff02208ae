// Where a region for an external compiler ends: a value that comes out.
// TVM: src/relay/op/annotation/annotation.cc
import { defineCompilerMark } from "./compiler-mark.ts";

export const compilerEnd = defineCompilerMark("compiler_end", "leaves");
