// One ONNX node by our compiler and by ONNX Runtime.
import { runOnnxRuntime } from "../harness/onnx-runtime.ts";
import { compile } from "../../compiler/compile.ts";
import { CompileError } from "../../compiler/ir/diagnostic.ts";
import { relayName } from "../../compiler/frontend/input-names.ts";
import { defaultOptions } from "../../compiler/options.ts";
import { verifyingHost } from "../../node/engine.ts";
import { runDynamic } from "../../runtime/dynamic-run.ts";
import { runPrimitive } from "../../runtime/jit.ts";
import { runModel } from "../../runtime/run.ts";
import { writeOnnx } from "../harness/onnx-writer.ts";
import { differenceOf } from "./compare.ts";
import { nodeText, randomOnnxNode, type OnnxNode } from "./onnx-node.ts";
import type { Random } from "./random.ts";
import { crash, messageProblem, type Problem } from "./ways.ts";

interface OnnxTried {
  readonly problems: readonly Problem[];
  readonly refused: boolean;
  readonly runs: number;
  readonly text: string;
}

export async function tryOnnxNode(rng: Random): Promise<OnnxTried> {
  const node = randomOnnxNode(rng);
  const text = nodeText(node.file);
  const op = node.file.nodes[0]?.op ?? "";
  // What ONNX Runtime refuses is not for it to judge.
  const want = await runOnnxRuntime(node.file, node.inputs).catch(() => null);
  try {
    const ours = await runOurs(node);
    if (!("outputs" in ours)) return { problems: ours.problems, refused: true, runs: 0, text };
    const found = want === null ? null : differenceOf(ours.outputs, want);
    if (found === null) return { problems: [], refused: false, runs: 1, text };
    const detail = `${text}: output ${found.output} element ${found.element} is ${found.got}, ONNX Runtime says ${found.want}`;
    return { problems: [{ kind: "mismatch", key: `onnx ${op}`, detail }], refused: false, runs: 1, text };
  } catch (error) {
    return { problems: [crash(text, error)], refused: false, runs: 0, text };
  }
}

async function runOurs({ file, inputs }: OnnxNode) {
  const source = { kind: "onnx", name: "node.onnx", bytes: writeOnnx(file), files: new Map() } as const;
  const done = await compile(source, defaultOptions, verifyingHost);
  const errors = done.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const problems = errors.flatMap(
      (found, i) => messageProblem(found, done.diagnosticStages[i] ?? "") ?? [],
    );
    return { problems: problems.filter(({ key }) => !key.endsWith("has no place")) };
  }
  const given = new Map([...inputs].map(([name, value]) => [relayName(name), value]));
  try {
    const outputs =
      done.reached === "dynamic"
        ? runDynamic({ plan: done.dynamic, te: done.teCompiler }, given, runPrimitive).values
        : runModel(done, given, { repeats: 0 }).outputs;
    return { outputs };
  } catch (error) {
    if (error instanceof CompileError) return { problems: [] };
    throw error;
  }
}
