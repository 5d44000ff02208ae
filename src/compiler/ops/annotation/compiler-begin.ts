// Where a region for an external compiler begins: a value that goes in.
// TVM: src/relay/op/annotation/annotation.cc
import { defineCompilerMark } from "./compiler-mark.ts";

export const compilerBegin = defineCompilerMark("compiler_begin", "enters");
