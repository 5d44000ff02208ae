// Pools against plain loops.
import { describe, expect, test } from "vitest";
import { at, build, disagreement, opNamed, runCall, type Nd } from "../../../../testing/harness/op-runner.ts";

/** All positions of a window of `sizes`. */
function positions(sizes: readonly number[]): number[][] {
  return sizes.reduce<number[][]>(
    (all, size) => all.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i])),
    [[]],
  );
}

function poolOf(kind: string, x: Nd, axes: readonly number[], attrs: Readonly<Record<string, unknown>>): Nd {
  const size = attrs["pool_size"] as number[];
  const ones = size.map(() => 1);
  const strides = (attrs["strides"] as number[] | undefined) ?? ones;
  const dilation = (attrs["dilation"] as number[] | undefined) ?? ones;
  const padding = (attrs["padding"] as number[] | undefined) ?? ones.map(() => 0);
  const ends = padding.length === 2 * size.length ? padding.slice(size.length) : padding;
  const ceil = attrs["ceil_mode"] === true;
  const shape = [...x.shape];
  axes.forEach((axis, i) => {
    const room = (x.shape[axis]! + padding[i]! + ends[i]! - (size[i]! - 1) * dilation[i]! - 1) / strides[i]!;
    shape[axis] = (ceil ? Math.ceil(room) : Math.floor(room)) + 1;
  });
  return build(shape, (index) => {
    const found: number[] = [];
    for (const k of positions(size)) {
      const source = [...index];
      axes.forEach((axis, i) => {
        source[axis] = index[axis]! * strides[i]! + k[i]! * dilation[i]! - padding[i]!;
      });
      if (source.every((s, axis) => s >= 0 && s < x.shape[axis]!)) found.push(at(x, ...source));
    }
    if (kind === "max") return Math.max(...found);
    const count =
      attrs["count_include_pad"] === true ? size.reduce((a, b) => a * b, 1) : Math.max(found.length, 1);
    return found.reduce((a, b) => a + b, 0) / count;
  });
}

const spatialOf = (name: string): string => ["", "W", "HW", "DHW"][Number(/(\d)d$/.exec(name)![1])]!;
const axesOf = (name: string, attrs: Readonly<Record<string, unknown>>): number[] => {
  const spatial = spatialOf(name);
  const layout = (attrs["layout"] as string | undefined) ?? `NC${spatial}`;
  return spatial.split("").map((letter) => layout.indexOf(letter));
};

describe.each([
  "nn.max_pool1d",
  "nn.max_pool2d",
  "nn.max_pool3d",
  "nn.avg_pool1d",
  "nn.avg_pool2d",
  "nn.avg_pool3d",
])("%s", (name) => {
  test.each(opNamed(name).examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
    const attrs = example.attrs ?? {};
    const { ins, outs } = runCall(name, example);
    expect(disagreement(outs[0]!, poolOf(name.slice(3, 6), ins[0]!, axesOf(name, attrs), attrs))).toBeNull();
  });
});

function adaptive(kind: string, x: Nd, axes: readonly number[], sizes: readonly number[]): Nd {
  const shape = [...x.shape];
  axes.forEach((axis, i) => {
    shape[axis] = sizes[i] ?? sizes[0]!;
  });
  return build(shape, (index) => {
    const ranges = axes.map((axis) => {
      const begin = Math.floor((index[axis]! * x.shape[axis]!) / shape[axis]!);
      const end = Math.ceil(((index[axis]! + 1) * x.shape[axis]!) / shape[axis]!);
      return { begin, size: end - begin };
    });
    const found = positions(ranges.map((range) => range.size)).map((k) => {
      const source = [...index];
      axes.forEach((axis, i) => {
        source[axis] = ranges[i]!.begin + k[i]!;
      });
      return at(x, ...source);
    });
    return kind === "max" ? Math.max(...found) : found.reduce((a, b) => a + b, 0) / found.length;
  });
}

describe.each([1, 2, 3].flatMap((rank) => [`nn.adaptive_max_pool${rank}d`, `nn.adaptive_avg_pool${rank}d`]))(
  "%s",
  (name) => {
    test.each(opNamed(name).examples.map((example) => [example.name, example] as const))(
      "%s",
      (_, example) => {
        const attrs = example.attrs ?? {};
        const { ins, outs } = runCall(name, example);
        expect(
          disagreement(
            outs[0]!,
            adaptive(name.slice(12, 15), ins[0]!, axesOf(name, attrs), attrs["output_size"] as number[]),
          ),
        ).toBeNull();
      },
    );
  },
);

test.each(["nn.global_max_pool2d", "nn.global_avg_pool2d"])("%s", (name) => {
  for (const example of opNamed(name).examples) {
    const { ins, outs } = runCall(name, example);
    expect(
      disagreement(outs[0]!, adaptive(name.slice(10, 13), ins[0]!, axesOf(name, example.attrs ?? {}), [1])),
    ).toBeNull();
  }
});
