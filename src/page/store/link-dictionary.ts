// Preset dictionary 1 of codec d1: Relay words and common layer patterns, the likeliest last. FROZEN: links
// made with it must open for ever. A better dictionary gets a new number and a new file entry; this text
// never changes, not by one character.
export const dictionary1 = [
  `type List[A] { Cons(A, List[A]), Nil, } match (%x) { if (%c) { } else { let %y = ref_create ref_read extern_func primitive `,
  `image.resize2d nn.conv3d nn.conv1d nn.deformable_conv2d nn.lrn nn.l2_normalize nn.group_norm nn.instance_norm nn.layer_norm(%0, %gamma, %beta, axis=-1, epsilon=1e-05f) `,
  `qnn.quantize qnn.dequantize qnn.requantize qnn.conv2d qnn.dense output_scale output_zero_point input_zero_point kernel_zero_point out_dtype="int32" int8 uint8 int16 int64 float16 float64 bool `,
  `strided_slice(%0, begin=[0, 0], end=[1, 1], strides=[1, 1], axes=None) split(%0, indices_or_sections=2, axis=1) take(%0, %1, axis=0, mode="clip") where( stack( gather_nd( arange( full( zeros( ones_like( zeros_like( `,
  `broadcast_to( expand_dims(%0, axis=1, num_newaxis=2) squeeze(%0, axis=[2, 3]) transpose(%0, axes=[0, 2, 1]) transpose(%0, axes=[0, 2, 3, 1]) reshape(%0, newshape=[1, -1]) reshape(%0, newshape=[-1, 768]) concatenate(%0, axis=1) cast(%0, dtype="float32") `,
  `mean(%0, axis=[-1], keepdims=True) sum(%0, axis=[1], keepdims=False) max( min( variance( argmax(%0, axis=[1]) power(%0, 2f) sqrt( rsqrt( erf( exp( log( tanh( sigmoid( negative( abs( maximum( minimum( greater( less( equal( logical_and( clip(%0, a_min=0f, a_max=6f) `,
  `nn.adaptive_avg_pool2d(%0, output_size=[1, 1]) nn.upsampling(%0, scale_h=2f, scale_w=2f) nn.conv2d_transpose( nn.leaky_relu(%0, alpha=0.1f) nn.prelu( nn.log_softmax( nn.pad(%0, 0, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]) nn.dropout(%0, rate=0.5f) nn.batch_matmul(%0, %1, transpose_b=True) `,
  `, data_layout="NHWC", kernel_layout="HWIO", kernel_layout="HWOI", out_layout="" , Primitive=1, hash=" /* ty=fn ( /* ty=(Tensor[(1, 64, 56, 56), float32], Tensor[(64), float32], Tensor[(64), float32]) */;\n`,
  `meta[relay.Constant][0] /* ty=Tensor[(64, 64, 3, 3), float32] */ meta[relay.Constant][12] /* ty=Tensor[(256), float32] */ meta[relay.Constant][3] /* ty=Tensor[(1000, 2048), float32] */ free_var %x: Tensor[( -> Tensor[(1, 1000), float32] {\n`,
  `  %0 = nn.conv2d(%data, %conv0_weight, strides=[2, 2], padding=[3, 3, 3, 3], channels=64, kernel_size=[7, 7]) /* ty=Tensor[(1, 64, 112, 112), float32] */;\n`,
  `  %4 = nn.max_pool2d(%3, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1]) /* ty=Tensor[(1, 64, 56, 56), float32] */;\n  %5 = nn.avg_pool2d(%4, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0]);\n`,
  `  %7 = nn.conv2d(%6, %weight, padding=[0, 0, 0, 0], groups=32, channels=256, kernel_size=[1, 1]) /* ty=Tensor[(1, 256, 14, 14), float32] */;\n`,
  `  %90 = nn.global_avg_pool2d(%89) /* ty=Tensor[(1, 512, 1, 1), float32] */;\n  %91 = nn.batch_flatten(%90) /* ty=Tensor[(1, 512), float32] */;\n  %92 = nn.dense(%91, %fc1_weight, units=1000) /* ty=Tensor[(1, 1000), float32] */;\n`,
  `  %93 = nn.bias_add(%92, %fc1_bias, axis=-1) /* ty=Tensor[(1, 1000), float32] */;\n  nn.softmax(%93) /* ty=Tensor[(1, 1000), float32] */\n}\n`,
  `%bn_gamma: Tensor[(64), float32], %bn_beta: Tensor[(64), float32], %bn_moving_mean: Tensor[(64), float32], %bn_moving_var: Tensor[(64), float32], %running_mean, %running_var `,
  `  %1 = nn.batch_norm(%0, %bn_gamma, %bn_beta, %bn_moving_mean, %bn_moving_var, epsilon=2e-05f, scale=False) /* ty=(Tensor[(1, 3, 224, 224), float32], Tensor[(3), float32], Tensor[(3), float32]) */;\n  %2 = %1.0;\n`,
  `  multiply(%1, 0.25f) divide(%1, %2) subtract(%1, %2)  add(%10, %11) /* ty=Tensor[(1, 128, 28, 28), float32] */;\n  %12 = nn.relu(%11) /* ty=Tensor[(1, 128, 28, 28), float32] */;\n`,
  `#[version = "0.0.5"]\ndef @main(%data: Tensor[(1, 3, 224, 224), float32], %w: Tensor[(32, 3, 3, 3), float32], %b: Tensor[(32), float32]) -> Tensor[(1, 10), float32] {\n`,
  `  %0 = nn.conv2d(%x, %w, strides=[1, 1], padding=[1, 1, 1, 1], channels=64, kernel_size=[3, 3]);\n  %1 = nn.bias_add(%0, %b);\n  %2 = nn.relu(%1);\n  %3 = nn.dense(%2, %w1, units=None);\n  nn.softmax(%3)\n}\n`,
].join("");
