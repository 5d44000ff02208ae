// What type relations fill in, and what they say when arguments do not fit.
import { expect, test } from "vitest";
import { typeOfCall } from "../../testing/harness/op-runner.ts";
import { printType } from "../ir/type.ts";

const filled = (name: string, args: readonly string[], attrs = {}) => {
  const typed = typeOfCall(name, args, attrs);
  expect(typed.diagnostics).toEqual([]);
  return {
    type: typed.type === null ? null : printType(typed.type),
    filled: [...typed.filled].map(([i, type]) => [i, printType(type)]),
  };
};

test("holes are filled from the other arguments and the attributes", () => {
  const image = "Tensor[(1, 4, 8, 8), float32]";
  expect(filled("nn.conv2d", [image, "?"], { channels: 6, kernel_size: [3, 3] })).toEqual({
    type: "Tensor[(1, 6, 6, 6), float32]",
    filled: [[1, "Tensor[(6, 4, 3, 3), float32]"]],
  });
  expect(
    filled("nn.conv2d", ["Tensor[(1, 8, 8, 4), float32]", "?"], {
      channels: 6,
      kernel_size: [3, 3],
      data_layout: "NHWC",
      kernel_layout: "HWIO",
    }),
  ).toEqual({ type: "Tensor[(1, 6, 6, 6), float32]", filled: [[1, "Tensor[(3, 3, 4, 6), float32]"]] });
  expect(
    filled("nn.conv2d_transpose", [image, "?"], { channels: 6, kernel_size: [2, 2], kernel_layout: "IOHW" }),
  ).toEqual({ type: "Tensor[(1, 6, 9, 9), float32]", filled: [[1, "Tensor[(4, 6, 2, 2), float32]"]] });
  expect(filled("nn.dense", ["Tensor[(2, 5), float32]", "?"], { units: 3 })).toEqual({
    type: "Tensor[(2, 3), float32]",
    filled: [[1, "Tensor[(3, 5), float32]"]],
  });
  expect(filled("nn.bias_add", [image, "?"])).toEqual({ type: image, filled: [[1, "Tensor[(4), float32]"]] });
  expect(filled("nn.batch_norm", [image, "?", "?", "?", "?"]).filled).toEqual(
    [1, 2, 3, 4].map((i) => [i, "Tensor[(4), float32]"]),
  );
});

test("a batch of 1 serves a batch of none", () => {
  expect(filled("nn.batch_matmul", ["Tensor[(1, 2, 3), float32]", "Tensor[(0, 3, 4), float32]"]).type).toBe(
    "Tensor[(0, 2, 4), float32]",
  );
});

test("what cannot be known yet waits without a word", () => {
  expect(filled("nn.conv2d", ["Tensor[(1, 4, 8, 8), float32]", "?"])).toEqual({ type: null, filled: [] });
  expect(filled("nn.dense", ["Tensor[(2, 5), float32]", "?"])).toEqual({ type: null, filled: [] });
  expect(filled("add", ["Tensor[(2, 5), float32]", "?"])).toEqual({ type: null, filled: [] });
});

test("a dynamic dimension stays dynamic where it must", () => {
  expect(filled("add", ["Tensor[(?, 4), float32]", "Tensor[(3, 1), float32]"]).type).toBe(
    "Tensor[(3, 4), float32]",
  );
  expect(filled("add", ["Tensor[(?, 4), float32]", "float32"]).type).toBe("Tensor[(?, 4), float32]");
  expect(filled("nn.conv2d", ["Tensor[(?, 4, ?, 8), float32]", "Tensor[(6, 4, 3, 3), float32]"]).type).toBe(
    "Tensor[(?, 6, ?, 6), float32]",
  );
  expect(
    filled("nn.max_pool2d", ["Tensor[(?, 4, 8, ?), float32]"], { pool_size: [2, 2], strides: [2, 2] }).type,
  ).toBe("Tensor[(?, 4, 4, ?), float32]");
  expect(filled("concatenate", ["(Tensor[(?, 4), float32], Tensor[(2, 4), float32])"]).type).toBe(
    "Tensor[(?, 4), float32]",
  );
  expect(filled("nn.batch_flatten", ["Tensor[(?, 4, 3), float32]"]).type).toBe("Tensor[(?, 12), float32]");
  expect(
    filled("strided_slice", ["Tensor[(?, 4), float32]"], {
      begin: [0, 1],
      end: [9223372036854775807n, 3],
      strides: [1, 1],
    }).type,
  ).toBe("Tensor[(?, 2), float32]");
});

const image = "Tensor[(1, 3, 8, 8), float32]";

test.each([
  [
    "add",
    ["Tensor[(2, 3), float32]", "Tensor[(2, 4), float32]"],
    {},
    "RS2103",
    "`lhs` and `rhs`",
    "(2, 3) and (2, 4)",
  ],
  [
    "add",
    ["Tensor[(2), float32]", "Tensor[(2), int32]"],
    {},
    "RS2102",
    "`lhs` and `rhs`",
    "float32 and int32",
  ],
  ["exp", ["Tensor[(2), int32]"], {}, "RS2110", "`data`", "int32"],
  ["logical_and", ["Tensor[(2), int32]", "Tensor[(2), int32]"], {}, "RS2110", "`lhs`", "int32"],
  ["nn.softmax", ["Tensor[(2, 3), float32]"], { axis: 2 }, "RS2104", "`axis`", "2"],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 5, 3, 3), float32]"],
    {},
    "RS2105",
    "channels of `data` do not match `weight`",
    "5, from weight (4, 5, 3, 3) in layout OIHW",
  ],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 3, 3, 3), float32]"],
    { channels: 8, kernel_size: [3, 3] },
    "RS2105",
    "`weight`",
    "Tensor[(4, 3, 3, 3), float32]",
  ],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 3, 5, 5), float32]"],
    { kernel_size: [3, 3] },
    "RS2105",
    "kernel_size",
    "[5, 5], from weight (4, 3, 5, 5) in layout OIHW",
  ],
  ["nn.conv2d", [image, "Tensor[(4, 3, 9, 3), float32]"], {}, "RS2111", "along H", "8 (8 and padding)"],
  ["cast", ["Tensor[(2), float32]"], { dtype: "handle" }, "RS2108", "`dtype`", '"handle"'],
  ["cast", ["Tensor[(2), float32]"], { dtype: "int32x4" }, "RS2108", "`dtype`", '"int32x4"'],
  [
    "fixed_point_multiply",
    ["Tensor[(2), int32]"],
    { multiplier: 1, shift: 2 ** 31 },
    "RS2108",
    "`shift`",
    "2147483648",
  ],
  [
    "nn.bitserial_dense",
    ["Tensor[(1, 8), uint8]", "Tensor[(2, 8), uint8]"],
    { units: 2, data_bits: 1, weight_bits: 1, pack_dtype: "uint8", out_dtype: "float32" },
    "RS2108",
    "`out_dtype`",
    "float32",
  ],
  [
    "split",
    ["Tensor[(2, 0), float32]"],
    { indices_or_sections: 2147483647, axis: 1 },
    "RS2108",
    "`indices_or_sections`",
    "2147483647",
  ],
  // What they become at inference divides by a square root.
  [
    "nn.batch_norm",
    Array<string>(5).fill("Tensor[(2), int8]").with(0, "Tensor[(1, 2), int8]"),
    {},
    "RS2110",
    "`data`",
    "int8",
  ],
  [
    "nn.instance_norm",
    ["Tensor[(1, 2, 3), uint8]", "Tensor[(2), uint8]", "Tensor[(2), uint8]"],
    {},
    "RS2110",
    "`data`",
    "uint8",
  ],
  [
    "nn.layer_norm",
    ["Tensor[(1, 2), int32]", "Tensor[(2), int32]", "Tensor[(2), int32]"],
    {},
    "RS2110",
    "`data`",
    "int32",
  ],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 3, 3, 3), float32]"],
    { data_layout: "NCWX" },
    "RS2107",
    "`data_layout`",
    '"NCWX"',
  ],
  ["nn.conv2d", [image, "Tensor[(4, 3, 3, 3), float32]"], { strides: [1] }, "RS2108", "`strides`", "[1]"],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 3, 3, 3), float32]"],
    { strides: [0, 1] },
    "RS2108",
    "`strides`",
    "[0, 1]",
  ],
  [
    "nn.conv2d",
    [image, "Tensor[(4, 3, 3, 3), float32]"],
    { groups: 2 },
    "RS2105",
    "2 groups",
    "3 input channels",
  ],
  [
    "nn.conv2d",
    ["Tensor[(3, 8, 8), float32]", "Tensor[(4, 3, 3, 3), float32]"],
    {},
    "RS2106",
    "`data`",
    "rank 3: (3, 8, 8)",
  ],
  [
    "nn.dense",
    ["Tensor[(2, 5), float32]", "Tensor[(3, 6), float32]"],
    { units: 3 },
    "RS2105",
    "`weight`",
    "Tensor[(3, 6), float32]",
  ],
  [
    "nn.dense",
    ["Tensor[(2, 5), float32]", "Tensor[(3, 6), float32]"],
    {},
    "RS2105",
    "`data` and `weight`",
    "Tensor[(2, 5), float32] and Tensor[(3, 6), float32]",
  ],
  ["nn.bias_add", [image, "Tensor[(8), float32]"], {}, "RS2105", "`bias`", "Tensor[(8), float32]"],
  ["nn.bias_add", [image, "Tensor[(3), float32]"], { axis: 4 }, "RS2104", "`axis`", "4"],
  [
    "nn.batch_matmul",
    ["Tensor[(2, 3, 4), float32]", "Tensor[(3, 4, 5), float32]"],
    {},
    "RS2105",
    "batches",
    "Tensor[(2, 3, 4), float32] and Tensor[(3, 4, 5), float32]",
  ],
  ["nn.max_pool2d", [image], {}, "RS2112", "`pool_size`", "nothing"],
  ["nn.max_pool2d", [image], { pool_size: [9, 1] }, "RS2111", "along H", "8 (8 and padding)"],
  [
    "nn.max_pool2d",
    [image],
    { pool_size: [1, 1], strides: [2 ** 31, 1] },
    "RS2108",
    "`strides`",
    "[2147483648, 1]",
  ],
  [
    "nn.max_pool2d",
    [image],
    { pool_size: [1, 1], strides: [2 ** 31 - 1, 1], ceil_mode: true },
    "RS2111",
    "too long along H",
    String(2 ** 31 + 8),
  ],
  ["dyn.image.resize2d", [image, "Tensor[(1), int64]"], {}, "RS2105", "`size`", "Tensor[(1), int64]"],
  ["dyn.image.resize2d", [image, "Tensor[(2), int64]"], { method: "x" }, "RS2108", "`method`", '"x"'],
  ["dyn.nn.upsampling", [image, "float32", "float32"], { method: "x" }, "RS2108", "`method`", '"x"'],
  [
    "dyn.nn.pad",
    ["Tensor[(1, 1), float32]", "Tensor[(1, 0), int64]", "float32"],
    {},
    "RS2105",
    "`pad_width`",
    "Tensor[(1, 0), int64]",
  ],
  [
    "nn.space_to_batch_nd",
    [image],
    { block_shape: null, paddings: [] },
    "RS2112",
    "`block_shape`",
    "nothing",
  ],
  ["nn.batch_to_space_nd", [image], { block_shape: [0], crops: [[0, 0]] }, "RS2108", "`block_shape`", "[0]"],
  [
    "layout_transform",
    ["Tensor[(2, 2, 3, 3, 2), float32]"],
    { src_layout: "NCHW4c", dst_layout: "NCHW" },
    "RS2105",
    "blocks of layout NCHW4c",
    "2 in (2, 2, 3, 3, 2)",
  ],
  [
    "nn.contrib_conv2d_NCHWc",
    ["Tensor[(1, 1, 4, 4, 8), float32]", "Tensor[(1, 1, 3, 3, 4, 4), float32]"],
    { kernel_size: [3, 3], channels: 4, data_layout: "NCHW4c", kernel_layout: "OIHW4i4o" },
    "RS2105",
    "`data`",
    "8 in (1, 1, 4, 4, 8)",
  ],
  ["dyn.topk", ["Tensor[(3), float32]", "Tensor[(2), int64]"], {}, "RS2105", "`k`", "Tensor[(2), int64]"],
  [
    "nn.batch_norm",
    [image, "Tensor[(3), float32]", "Tensor[(4), float32]", "Tensor[(3), float32]", "Tensor[(3), float32]"],
    {},
    "RS2105",
    "`beta`",
    "Tensor[(4), float32]",
  ],
  [
    "concatenate",
    ["(Tensor[(2, 3), float32], Tensor[(3, 3), float32])"],
    { axis: 1 },
    "RS2105",
    "tensor 1",
    "Tensor[(3, 3), float32]",
  ],
  [
    "concatenate",
    ["(Tensor[(2, 3), float32], Tensor[(2, 3), int8])"],
    {},
    "RS2102",
    "`data.0` and `data.1`",
    "float32 and int8",
  ],
  ["transpose", ["Tensor[(2, 3), float32]"], { axes: [0, 0] }, "RS2104", "axis 0 twice", "[0, 0]"],
  ["transpose", ["Tensor[(2, 3), float32]"], { axes: [0] }, "RS2104", "every axis", "[0]"],
  ["expand_dims", ["Tensor[(2, 3), float32]"], { axis: 4 }, "RS2104", "`axis`", "4"],
  [
    "take",
    ["Tensor[(2, 3), float32]", "Tensor[(2), float32]"],
    { axis: 0 },
    "RS2110",
    "`indices`",
    "float32",
  ],
  [
    "where",
    ["Tensor[(2), bool]", "Tensor[(3), float32]", "Tensor[(3), float32]"],
    {},
    "RS2103",
    "`condition`, `x` and `y`",
    "(2), (3), (3)",
  ],
  [
    "nn.pad",
    ["Tensor[(2, 3), float32]", "float32"],
    { pad_width: [[1, 1]] },
    "RS2108",
    "`pad_width`",
    "1 pairs",
  ],
  ["cast", ["Tensor[(2, 3), float32]"], {}, "RS2112", "`dtype`", "nothing"],
] as const)("%s of %o with %o is refused: %s", (name, args, attrs, code, words, got) => {
  const typed = typeOfCall(name, args, attrs);
  expect(typed.type).toBeNull();
  expect(typed.diagnostics).toHaveLength(1);
  const [found] = typed.diagnostics;
  expect(found).toMatchObject({ code, got });
  expect(found!.message.startsWith(`${name}: `)).toBe(true);
  expect(found!.message).toContain(words);
  expect(found!.expected).not.toBeNull();
});
