// Programs with words dropped, swapped, doubled or replaced: compiling one never throws, an accepted one
// runs, and both executors and the interpreter agree on it. The numbers come from a fixed seed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compileText, filledInputs } from "../node/engine.ts";
import { CompileError } from "../compiler/ir/diagnostic.ts";
import type { TensorData } from "../compiler/ir/tensor-data.ts";
import { defaultOptions, type Options } from "../compiler/options.ts";
import { interpretModel } from "../runtime/interp-run.ts";
import { runModel } from "../runtime/run.ts";
import { loweringMessages } from "./messages/lowering.ts";
import { typesMessages } from "./messages/types.ts";
import { generator } from "./harness/random-te-group.ts";

const folder = join(import.meta.dirname, "cases");
const programs: readonly string[] = [
  ...readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").replace(/^\/\/.*\n/gm, "")),
  ...[...loweringMessages, ...typesMessages].map((row) => row.text).filter((text) => text.length < 2000),
  `def @f(%n: int32, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  if (equal(%n, 0)) { %x } else { @f(subtract(%n, 1), multiply(%x, 2f)) }
}
def @main(%c: bool, %x: Tensor[(2), float32]) {
  let %g = if (%c) { fn (%a: Tensor[(2), float32]) { exp(%a) } } else { fn (%a: Tensor[(2), float32]) { @f(2, %a) } };
  let %r = ref((%x, %g(%x)));
  %0 = ref_read(%r);
  %1 = if (%c) { (%0.1, %0.0) } else { (nn.softmax(%0.0), %x) };
  (add(%1.0, %1.1), %1)
}`,
];

const spare: readonly string[] = [
  "%0",
  "%x",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ",",
  ";",
  "-1",
  "0",
  "1",
  "7",
  "1099511627776",
  "2147483648",
  "?",
  "int64",
  "bool",
  "uint8",
  "Tensor[(2, 3), float32]",
  "Tensor[(0, 3), float32]",
  "Tensor[(), int32]",
  "if (%c)",
  "let %y = ",
  "add",
  "nn.conv2d",
  "nn.softmax",
  "reshape",
  "concatenate",
  "True",
  "2.5f",
  "axis=",
  "Primitive=1",
  "ref_read(",
  ".0",
  "()",
  "meta[relay.Constant][0]",
];

function words(text: string): string[] {
  return text.match(/\s+|[A-Za-z_][\w.]*|%[\w./:]+|@\w+|-?\d+(?:\.\d+)?\w*|"[^"]*"|./gs) ?? [];
}

function mutated(text: string, pick: (below: number) => number): string {
  const all = words(text);
  for (let n = 1 + pick(3); n > 0; n--) {
    const at = pick(all.length);
    const number = all.map((word, i) => (/^-?\d+$/.test(word) ? i : -1)).filter((i) => i >= 0);
    switch (pick(6)) {
      case 0:
        all.splice(at, 1);
        break;
      case 1:
        all.splice(at, 0, ` ${spare[pick(spare.length)]!} `);
        break;
      case 2:
        all[at] = spare[pick(spare.length)]!;
        break;
      case 3:
        all.splice(at, 0, ...all.slice(at, at + pick(12)));
        break;
      case 4:
        if (pick(4) === 0) all.length = at;
        break;
      default:
        if (number.length > 0)
          all[number[pick(number.length)]!] = String(
            [-3, -1, 0, 1, 2, 3, 5, 16, 1000, 65536, 4294967296][pick(11)],
          );
    }
  }
  return all.join("");
}

function agree(a: readonly TensorData[], b: readonly TensorData[]): boolean {
  return (
    a.length === b.length &&
    a.every((x, i) =>
      x.data.every((value, k) => {
        const p = Number(value);
        const q = Number(b[i]!.data[k]);
        return (
          Object.is(p, q) || p === q || (Number.isFinite(p) && Math.abs(p - q) <= 1e-4 * (1 + Math.abs(p)))
        );
      }),
    )
  );
}

async function tryOne(text: string, options: Options): Promise<"accepted" | "refused"> {
  const { compilation: done } = await compileText(text, options, "fuzz");
  const refused = done.diagnostics.some((found) => found.severity === "error");
  if (!refused && done.stoppedAt !== null) throw new Error(`stopped at ${done.stoppedAt} without an error`);
  if (
    refused ||
    done.reached !== "wasm" ||
    !done.aot.ok ||
    !done.graph.ok ||
    done.wasm.layout.totalBytes > 2 ** 22
  )
    return refused ? "refused" : "accepted";
  const inputs = filledInputs(done);
  try {
    const aot = runModel(done, inputs, { executor: "aot", repeats: 0 }).outputs;
    if (!agree(aot, runModel(done, inputs, { executor: "graph", repeats: 0 }).outputs))
      throw new Error("the executors differ");
    if (
      done.wasm.layout.totalBytes < 20_000 &&
      !agree(aot, interpretModel(done.aot.value, done.primitives, inputs))
    )
      throw new Error("the interpreter differs");
  } catch (error) {
    // An integer may be divided by zero.
    if (!(error instanceof CompileError)) throw error;
  }
  return "accepted";
}

it("1,500 mutated programs are compiled and run, or refused", async () => {
  const pick = generator(20261129);
  const counts = { accepted: 0, refused: 0 };
  for (let n = 0; n < 1500; n++) {
    const text = mutated(programs[pick(programs.length)]!, pick);
    const options: Options = { ...defaultOptions, optLevel: pick(5) as Options["optLevel"] };
    try {
      counts[await tryOne(text, options)]++;
    } catch (error) {
      throw new Error(`program ${n}, opt level ${options.optLevel}:\n${text}`, { cause: error });
    }
  }
  expect(counts.accepted).toBeGreaterThan(100);
  expect(counts.refused).toBeGreaterThan(300);
}, 120_000);
