// Where TVM 0.8 is known to be wrong or to refuse what can be done, and we do the better thing. Each line also stands in
// ARCHITECTURE.md's fidelity table. Keys: name:aspect, or "GROUP group:aspect" where a whole group departs; the reason is printed by the conformance tool.

export const departures: Readonly<Record<string, string>> = {
  "long_name:aot": "TVM's C target has no tir.fabs; abs is fabsf here",
  "op_isfinite:aot": "TVM's C target has no tir.fabs; isfinite works here",
  "op_isinf:aot": "TVM's C target has no tir.fabs; isinf works here",
  "if_expression:graph": "TVM's graph executor has no if; here it is a branch",
  "if_expression:aot": "TVM's AOT executor has no if; here it is a branch in the runner",
  "if_expression:outputs": "TVM's executors have no if; here it is a branch in the runner",
  "global_function_call:fused":
    "TVM's InferType fails on calls of global functions after SimplifyInference; ours types them",
  "global_function_call:graph": "TVM's executors know no global functions; here they are called in place",
  "global_function_call:aot": "TVM's executors know no global functions; here they are called in place",
  "global_function_call:outputs": "TVM's executors know no global functions; here they are called in place",
  "let_expression:aot": "TVM's AOT executor has no let; a let of a tensor is a name for it",
  "lstm_net:graph": "TVM fails on let-bound primitive functions at the end of LowerTE; here they are called",
  "lstm_net:aot": "TVM's AOT executor has no let; a let of a tensor is a name for it",
  "lstm_net:outputs": "TVM's executors have no closures; here they are called in place",
  "nested_tuple:graph": "TVM's memory planner forgets fields of nested tuples at opt level 0",
  "scalar_const_kinds:outputs": "TVM cannot read back the 0.1f64 that it prints; here it is 0.1",
  "external group:outputs": "TVM's run was not linked with ccompiler's code; here the region runs",
  "devices_branch_join:fused": "TVM refuses a value that two devices read; here it is copied",
  "devices_branch_join:graph": "TVM refuses a value that two devices read; here it is copied",
  "devices_tuple_across:fused": "TVM refuses a value that two devices read; here it is copied",
  "devices_tuple_across:graph": "TVM refuses a value that two devices read; here it is copied",
  "returns_same_twice:aot": "TVM writes one of two equal outputs; here both are written",
  "dynamic_conv2d:runs":
    "TVM's schedules of conv2d take no unknown extents; here kernels are made for the shapes at hand",
};
