// Where TVM 0.8 is known to be wrong or to refuse what can be done, and we do the better thing. Each line
// also stands in ARCHITECTURE.md's fidelity table. Keys: name:aspect, or "GROUP group:aspect" where a whole
// group departs; the reason is printed by the conformance tool.

export const departures: Readonly<Record<string, string>> = {
  "long_name:aot": "TVM's C target has no tir.fabs; abs is fabsf here",
  "op_isfinite:aot": "TVM's C target has no tir.fabs; isfinite works here",
  "op_isinf:aot": "TVM's C target has no tir.fabs; isinf works here",
  "op_broadcast_to:fused":
    'TVM had this module from Python, where dtype is left unset and prints as ""; here it was read from text, which TVM too then prints without',
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
    "TVM's schedules of conv2d take no dynamic extents; here kernels are made for the shapes at hand",
  "fn_without_arguments:graph":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "fn_without_arguments:aot":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "fn_without_arguments:outputs":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "test_pass_to_basic_block_normal_form__test_no_explicit_bind__2:graph":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "test_pass_to_basic_block_normal_form__test_no_explicit_bind__2:aot":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "test_pass_to_basic_block_normal_form__test_no_explicit_bind__2:outputs":
    "TVM does not lower a function that is called without arguments; here it is a kernel without inputs",
  "fuzz_long_1010:aot": "TVM's C target has no tir.trunc; C's own function is called here",
  "fuzz_mix_1048:aot": "TVM's C target has no tir.fabs; C's own function is called here",
  "fuzz_mix_20023:aot": "TVM's C target has no tir.exp; C's own function is called here",
  "reduce_diamond:aot": "TVM's C target has no tir.fabs; C's own function is called here",
  "fuzz_mlp_20067:aot":
    'TVM\'s C target leaves a variable unbound ("undefined Variable k"); here the kernel compiles',
  "fuzz_shape_20002:aot":
    'TVM\'s C target leaves a variable unbound ("undefined Variable k"); here the kernel compiles',
  "fuzz_shape_20106:aot":
    'TVM\'s C target leaves a variable unbound ("undefined Variable k"); here the kernel compiles',
  "fuzz_qnn_20105:fused": "TVM was too slow at level 4; here it compiles",
  "fuzz_shape_20034:graph": "TVM's x86 schedule of this kernel fails in Python; here it runs",
  "fuzz_shape_20034:aot": "TVM's x86 schedule of this kernel fails in Python; here it runs",
  "fuzz_shape_20034:outputs": "TVM's x86 schedule of this kernel fails in Python; here it runs",
  "if_const:graph": "TVM's executors have no if; here it is a branch in the runner",
  "if_const:aot": "TVM's executors have no if; here it is a branch in the runner",
  "if_shared:graph": "TVM's executors have no if; here it is a branch in the runner",
  "if_shared:aot": "TVM's executors have no if; here it is a branch in the runner",
  "if_shared:outputs": "TVM's executors have no if; here it is a branch in the runner",
  "leg_i8u8:graph": "TVM's int8 schedule fails on data and weights of unlike signs; here they are multiplied",
  "leg_i8u8:aot": "TVM's int8 schedule fails on data and weights of unlike signs; here they are multiplied",
  "leg_i8u8:outputs":
    "TVM's int8 schedule fails on data and weights of unlike signs; here they are multiplied",
  "let_tuple:aot": "TVM's AOT executor has no let; a let of a tensor is a name for it",
  "let_unused:aot": "TVM's AOT executor has no let; a let of a tensor is a name for it",
  "par_dense_scalar_diff:fused":
    "TVM's CombineParallelDense joins unlike scalars into a wrong type and fails; here such branches stay apart",
  "reshape_of_scalar_o1:graph":
    "TVM's memory planner wants an argument of a reshape; one of a constant inside is computed here",
  "test_pass_fold_scale_axis__test_fold_fwd_dual_path__4:graph":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fold_scale_axis__test_fold_fwd_dual_path__4:aot":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fold_scale_axis__test_fold_fwd_dual_path__4:outputs":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fold_scale_axis__test_fold_fwd_relu_fail__7:graph":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fold_scale_axis__test_fold_fwd_relu_fail__7:aot":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fold_scale_axis__test_fold_fwd_relu_fail__7:outputs":
    "TVM has no kernels for a layout of which only the data is blocked; here there are",
  "test_pass_fuse_ops__test_fuse_myia_regression__1:graph":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_fuse_ops__test_fuse_myia_regression__1:aot":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_fuse_ops__test_fuse_myia_regression__1:outputs":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_plan_devices__test_annotate_expr__2:graph":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_plan_devices__test_annotate_expr__2:aot":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_plan_devices__test_annotate_expr__2:outputs":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_plan_devices__test_unpropagatable_graph__1:graph":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_plan_devices__test_unpropagatable_graph__1:aot":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_plan_devices__test_unpropagatable_graph__1:outputs":
    "TVM's AOT metadata counts constants of one target twice and fails; here there is one count a device",
  "test_pass_to_basic_block_normal_form__test_if__1:graph":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_if__1:aot":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_if__1:outputs":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_nested_if__1:graph":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_nested_if__1:aot":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_nested_if__1:outputs":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_top_level_nested_if__2:graph":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_top_level_nested_if__2:aot":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_top_level_nested_if__2:outputs":
    "TVM's executors have no if; here it is a branch in the runner",
  "test_pass_to_basic_block_normal_form__test_ref__1:graph":
    "TVM's executors have no references; here they are read and written in place",
  "test_pass_to_basic_block_normal_form__test_ref__1:aot":
    "TVM's executors have no references; here they are read and written in place",
  "test_pass_to_basic_block_normal_form__test_ref__1:outputs":
    "TVM's executors have no references; here they are read and written in place",
  "tuple_param_concat:graph":
    "TVM's graph executor fails on a parameter that is a tuple; here it is its tensors",
  "tuple_param_concat:outputs":
    "TVM's graph executor fails on a parameter that is a tuple; here it is its tensors",
  "tuple_param_concat:aot":
    "TVM's AOT runner has one parameter for a tuple of inputs; here it has one a tensor",
  "test_pass_dead_code_elimination__test_dead_recursion__1:fused":
    "TVM's types let log of an integer pass and its kernels fail; here its type is refused",
  "test_pass_dead_code_elimination__test_live_recursion__1:fused":
    "TVM's types let log of an integer pass and its kernels fail; here its type is refused",
  "test_pass_fuse_ops__test_fuse_parallel_injective__2:fused":
    "TVM's types let a shift of floats pass and its kernels fail; here its type is refused",
  "test_pass_fuse_ops__test_fuse_parallel_injective__3:fused":
    "TVM's types let a shift of floats pass and its kernels fail; here its type is refused",
  "test_pass_fuse_ops__test_fuse_parallel_injective__4:fused":
    "TVM's types let a shift of floats pass and its kernels fail; here its type is refused",
  "test_pass_dead_code_elimination__test_tuple_get_item__1:fused":
    "TVM leaves a let that nothing reads and a function with Primitive=0 around a tuple; here its field is the result",
  "fuzz_shape_20066:fused":
    "TVM prints the bounds of arange from its metadata where they were parameters; here they are numbers",
  "test_pass_fuse_ops__test_fuse_bcast_reduce_scalar__1:fused":
    "TVM's types let min of a bool pass; here its type is refused",
  "test_pass_fuse_ops__test_fuse_bcast_reduce_scalar__2:fused":
    "TVM's types let min of a bool pass; here its type is refused",
  "test_pass_fuse_ops__test_fuse_bcast_reduce_scalar__3:fused":
    "TVM's types let min of a bool pass; here its type is refused",
  "test_op_level2__test_lrn__1:fused":
    "TVM's types let nn.lrn of an even size pass, which has no middle; here it is refused",
  "test_op_level2__test_conv2d_transpose_infer_type__4:fused":
    "TVM's types let an output_padding as large as the stride pass and its kernels fail; here it is refused",
  "test_pass_fuse_ops__test_fuse_dynamic_squeeze_slice_take__1:fused":
    "TVM does not fuse take behind a strided slice of dynamic extents; here it is fused",
  "test_op_level10__test_checkpoint__4:fused":
    "annotation.checkpoint is for training; it is not among the operators here",
  "test_op_level10__test_checkpoint_alpha_equal__2:fused":
    "annotation.checkpoint is for training; it is not among the operators here",
  "test_pass_plan_devices__test_alloc_storage__2:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_alloc_tensor__2:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_reshape_tensor__2:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_reshape_tensor__3:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_reshape_tensor__4:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_shape_func__1:fused":
    "operators of TVM's virtual machine are not among those here",
  "test_pass_plan_devices__test_shape_of__2:fused":
    "operators of TVM's virtual machine are not among those here",
  "on_device_kept:steps":
    "TVM keeps an on_device as an expression of its own in ToBasicBlockNormalForm; here it is written around the value",
};
