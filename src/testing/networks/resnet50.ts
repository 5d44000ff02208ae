// Generates the Relay text of ResNet-50 v2 as TVM's own test network prints it: batch norms kept, weights as
// parameters. Architecture: He et al., "Identity Mappings in Deep Residual Networks", 2016.

interface Writer {
  readonly params: string[];
  readonly lines: string[];
  next: number;
}

type Shape = readonly number[];

const type = (shape: Shape): string => `Tensor[(${shape.join(", ")}), float32]`;

function bind(w: Writer, call: string, result: string): string {
  const name = `%${w.next++}`;
  w.lines.push(`  ${name} = ${call} /* ty=${result} */;`);
  return name;
}

function param(w: Writer, name: string, shape: Shape): string {
  w.params.push(`%${name}: ${type(shape)}`);
  return `%${name}`;
}

function batchNorm(w: Writer, data: string, shape: Shape, name: string, extra = ""): string {
  const channels = [shape[1]!];
  const args = ["gamma", "beta", "moving_mean", "moving_var"].map((part) =>
    param(w, `${name}_${part}`, channels),
  );
  const result = `(${type(shape)}, ${type(channels)}, ${type(channels)})`;
  const norm = bind(w, `nn.batch_norm(${data}, ${args.join(", ")}, epsilon=2e-05f${extra})`, result);
  const name2 = `%${w.next++}`;
  w.lines.push(`  ${name2} = ${norm}.0;`);
  return name2;
}

/** A value's name in the text, and its shape. */
type Value = readonly [name: string, shape: Shape];

function conv(
  w: Writer,
  [data, shape]: Value,
  name: string,
  { out, kernel, stride }: { readonly out: number; readonly kernel: number; readonly stride: number },
): Value {
  const weight = param(w, `${name}_weight`, [out, shape[1]!, kernel, kernel]);
  const size = Math.floor((shape[2]! - 1) / stride) + 1;
  const result: Shape = [1, out, size, size];
  const pad = (kernel - 1) / 2;
  const strides = stride === 1 ? "" : `strides=[${stride}, ${stride}], `;
  return [
    bind(
      w,
      `nn.conv2d(${data}, ${weight}, ${strides}padding=[${pad}, ${pad}, ${pad}, ${pad}], channels=${out}, kernel_size=[${kernel}, ${kernel}])`,
      type(result),
    ),
    result,
  ];
}

/** A bottleneck; the first of a stage has a convolution on its short cut too. */
function unit(
  w: Writer,
  [data, shape]: Value,
  name: string,
  { out, stride, first }: { readonly out: number; readonly stride: number; readonly first: boolean },
): Value {
  const relu = (x: string, s: Shape): string => bind(w, `nn.relu(${x})`, type(s));
  const act1 = relu(batchNorm(w, data, shape, `${name}_bn1`), shape);
  const [c1, s1] = conv(w, [act1, shape], `${name}_conv1`, { out: out / 4, kernel: 1, stride: 1 });
  const act2 = relu(batchNorm(w, c1, s1, `${name}_bn2`), s1);
  const [c2, s2] = conv(w, [act2, s1], `${name}_conv2`, { out: out / 4, kernel: 3, stride });
  const act3 = relu(batchNorm(w, c2, s2, `${name}_bn3`), s2);
  const [c3, s3] = conv(w, [act3, s2], `${name}_conv3`, { out, kernel: 1, stride: 1 });
  const skip = first ? conv(w, [act1, shape], `${name}_sc`, { out, kernel: 1, stride })[0] : data;
  return [bind(w, `add(${c3}, ${skip})`, type(s3)), s3];
}

/** Text of one module with @main; `depths` are the units a stage (ResNet-50: 3, 4, 6, 3). */
export function resnet50Text(depths: readonly number[] = [3, 4, 6, 3]): string {
  const w: Writer = { params: [], lines: [], next: 0 };
  let shape: Shape = [1, 3, 224, 224];
  let x = batchNorm(w, param(w, "data", shape), shape, "bn_data", ", scale=False");
  const weight = param(w, "conv0_weight", [64, 3, 7, 7]);
  shape = [1, 64, 112, 112];
  x = bind(
    w,
    `nn.conv2d(${x}, ${weight}, strides=[2, 2], padding=[3, 3, 3, 3], channels=64, kernel_size=[7, 7])`,
    type(shape),
  );
  x = bind(w, `nn.relu(${batchNorm(w, x, shape, "bn0")})`, type(shape));
  shape = [1, 64, 56, 56];
  x = bind(w, `nn.max_pool2d(${x}, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])`, type(shape));
  depths.forEach((depth, stage) => {
    for (let i = 0; i < depth; i++) {
      [x, shape] = unit(w, [x, shape], `stage${stage + 1}_unit${i + 1}`, {
        out: 256 << stage,
        stride: stage > 0 && i === 0 ? 2 : 1,
        first: i === 0,
      });
    }
  });
  x = bind(w, `nn.relu(${batchNorm(w, x, shape, "bn1")})`, type(shape));
  const channels = shape[1]!;
  x = bind(w, `nn.global_avg_pool2d(${x})`, type([1, channels, 1, 1]));
  x = bind(w, `nn.batch_flatten(${x})`, type([1, channels]));
  x = bind(w, `nn.dense(${x}, ${param(w, "fc1_weight", [1000, channels])}, units=1000)`, type([1, 1000]));
  x = bind(w, `nn.bias_add(${x}, ${param(w, "fc1_bias", [1000])}, axis=-1)`, type([1, 1000]));
  w.lines.push(`  nn.softmax(${x}) /* ty=${type([1, 1000])} */`);
  return `#[version = "0.0.5"]\ndef @main(${w.params.join(", ")}) -> ${type([1, 1000])} {\n${w.lines.join("\n")}\n}\n`;
}
