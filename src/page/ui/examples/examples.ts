// The bundled examples: text files beside this one. The first is what a first visit opens.
import type { NewSource } from "../../store/source-actions.ts";
import type { ModelOptions } from "../../store/state.ts";
import attention from "./attention.relay?raw";
import byoc from "./byoc.relay?raw";
import convBnRelu from "./conv-bn-relu.relay?raw";
import dynamic from "./dynamic.relay?raw";
import failing from "./failing.relay?raw";
import lenet from "./lenet.relay?raw";
import mlp from "./mlp.relay?raw";
import mobilenetBlock from "./mobilenet-block.relay?raw";
import residual from "./residual.relay?raw";
import twoDevices from "./two-devices.relay?raw";

export interface Example {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly text: string;
  /**
   * The drawing on its card: operators of each fused primitive, in call order; examples.test.ts holds it
   * against the compiler.
   */
  readonly blocks: readonly number[];
  /**
   * What it is compiled with: parameters bound as constants (what a trained model has), code generators,
   * targets.
   */
  readonly options?: Partial<ModelOptions>;
  /** Indices of the blocks that the card frames: made by a code generator, on another device. */
  readonly framed?: readonly number[];
  /** An input has a dynamic dimension. */
  readonly dynamic?: boolean;
  /** Index of the block that a skip edge from the input leads to. */
  readonly skipTo?: number;
}

export const examples: readonly Example[] = [
  {
    id: "lenet",
    title: "LeNet",
    text: lenet,
    blocks: [4, 1, 4, 1, 1, 3, 2, 1],
    about: "Two convolutions, two dense layers: every pane has something to say.",
  },
  {
    id: "mlp",
    title: "Multi-layer perceptron",
    text: mlp,
    blocks: [1, 3, 3, 2, 1],
    about: "Three dense layers. Watch bias_add become add and vanish into dense.",
  },
  {
    id: "conv-bn-relu",
    title: "Convolution, batch norm, relu",
    text: convBnRelu,
    blocks: [3],
    options: { bindFill: ["w", "gamma", "beta", "mean", "var"] },
    about: "Batch norm in inference: its scale folds into the weights, its shift joins the convolution.",
  },
  {
    id: "residual",
    title: "Residual block",
    text: residual,
    blocks: [2, 3],
    skipTo: 1,
    about: "A skip edge. The second convolution takes the add, the first cannot.",
  },
  {
    id: "mobilenet-block",
    title: "MobileNet block",
    text: mobilenetBlock,
    blocks: [3, 3, 3],
    skipTo: 2,
    options: {
      bindFill: [
        "we",
        "ge",
        "be",
        "me",
        "evar",
        "wd",
        "gd",
        "bd",
        "md",
        "dvar",
        "wp",
        "gp",
        "bp",
        "mp",
        "pvar",
      ],
    },
    about: "Expand, depthwise, project: three convolutions with their batch norms.",
  },
  {
    id: "attention",
    title: "Attention",
    text: attention,
    blocks: [2, 1, 1],
    about: "Two matrix products around a softmax; the scale joins the first.",
  },
  {
    id: "byoc",
    title: "External code generator",
    text: byoc,
    blocks: [2, 2, 3, 1],
    framed: [0, 2],
    options: { bindFill: ["mean", "scale", "w"] },
    about: "Two regions go to ccompiler: their calls, their C files, their constants.",
  },
  {
    id: "two-devices",
    title: "Two devices",
    text: twoDevices,
    blocks: [1, 1, 2, 1, 1],
    framed: [2],
    options: {
      bindFill: ["w"],
      targets: [
        { device: 1, kind: "c" },
        { device: 4, kind: "opencl" },
      ],
    },
    about: "CPU, OpenCL and back: copies at the borders, memory for each device.",
  },
  {
    id: "dynamic",
    title: "Unknown batch",
    text: dynamic,
    blocks: [3, 1, 2, 1],
    dynamic: true,
    about: "A batch of ?: shape functions say what comes out, for any shape you type in.",
  },
  {
    id: "failing",
    title: "A failing repro",
    text: failing,
    blocks: [],
    about: "The weight wants 8 channels, the data has 6. See what we say.",
  },
];

export function exampleById(id: string): Example | undefined {
  return examples.find((example) => example.id === id);
}

/** An example as a source to open. */
export function exampleSource({ id, text, options }: Example): NewSource {
  return { text, name: `${id}.relay`, exampleId: id, ...(options === undefined ? {} : { options }) };
}
