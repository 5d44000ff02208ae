// C of many programs in one gcc call, with address and undefined-behaviour sanitizers: each program's main
// gets a name of its own, and one main calls the one that is asked for.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aotPlan, cModule, type Compilation } from "../../compiler/compilation.ts";
import { emitHarness } from "../../compiler/codegen/c/harness.ts";
import { tensorBytes, type TensorData } from "../../compiler/ir/tensor-data.ts";
import { readOutputs } from "../../node/run-c.ts";
import { present } from "../../support/assert.ts";
import { differenceOf } from "./compare.ts";
import type { Inputs, Problem } from "./ways.ts";

/** A program to build; its options name a module that no other of the batch has. */
export interface CJob {
  readonly done: Compilation;
  readonly inputs: Inputs;
  readonly outputs: readonly TensorData[];
}

const flags = [
  ...["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fno-sanitize-recover=all"],
  ...["-fsanitize=address,undefined,float-cast-overflow", "-fno-omit-frame-pointer"],
];

/** Problems of each job, in order. */
export function runBatch(jobs: readonly CJob[]): readonly (readonly Problem[])[] {
  const folder = mkdtempSync(join(tmpdir(), "relayscope-fuzz-"));
  try {
    const files = jobs.map((job, i) => writeFiles(folder, job, i));
    const refused = build(folder, files);
    return jobs.map((job, i) => {
      const words = refused.get(i);
      return words === undefined ? runOne(folder, job, i) : [gccProblem(words)];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names of the job's C files, the one with its main among them. */
function writeFiles(folder: string, { done }: CJob, i: number): readonly string[] {
  const c = present(cModule(done), "C");
  const plan = present(aotPlan(done), "AOT plan");
  for (const [name, listing] of c.files) writeFileSync(join(folder, name), listing.text);
  const main = emitHarness(plan, done.options).text.replace(
    "int main(int argc",
    `int main_${i}(int argc, char** argv);\nint main_${i}(int argc`,
  );
  writeFileSync(join(folder, `main_${i}.c`), main);
  const libraries = [...c.roles].filter(([, role]) => role.kind === "library").map(([name]) => name);
  return [...libraries, `main_${i}.c`];
}

/** Builds what gcc takes; its words for what it does not take, by job. */
function build(folder: string, files: readonly (readonly string[])[]): ReadonlyMap<number, string> {
  const refused = new Map<number, string>();
  while (refused.size < files.length) {
    const kept = files.map((_, i) => i).filter((i) => !refused.has(i));
    const rows = kept.map((i) => `  if (which == ${i}) return main_${i}(argc - 1, argv + 1);`);
    writeFileSync(
      join(folder, "main.c"),
      `#include <stdlib.h>\n${kept.map((i) => `int main_${i}(int argc, char** argv);`).join("\n")}\nint main(int argc, char** argv) {\n  const int which = atoi(argv[1]);\n${rows.join("\n")}\n  return 99;\n}\n`,
    );
    const sources = ["main.c", ...kept.flatMap((i) => files[i]!)];
    try {
      execFileSync("gcc", [...flags, "-o", "program", ...sources, "-lm"], { cwd: folder, stdio: "pipe" });
      return refused;
    } catch (error) {
      const words = String((error as { readonly stderr?: unknown }).stderr);
      const guilty = kept.filter((i) => files[i]!.some((name) => words.includes(`${name}:`)));
      if (guilty.length === 0) throw new Error(`gcc: ${words.slice(0, 2000)}`, { cause: error });
      for (const i of guilty)
        refused.set(
          i,
          words
            .split("\n")
            .find((line) => files[i]!.some((name) => line.startsWith(name)) && /error/.test(line)) ??
            words.slice(0, 300),
        );
    }
  }
  return refused;
}

const gccProblem = (words: string): Problem => ({
  kind: "sanitizer",
  key: `gcc ${/\[-W[^\]]*\]|error: [\w ]+/.exec(words)?.[0] ?? ""}`,
  detail: `gcc refused the generated C: ${words}`,
});

function runOne(folder: string, { done, inputs, outputs }: CJob, i: number): readonly Problem[] {
  const plan = present(aotPlan(done), "AOT plan");
  const given = plan.inputs.map(({ name }) => present(inputs.get(name), name));
  writeFileSync(join(folder, "in"), Buffer.concat(given.map(tensorBytes)));
  const ran = spawnSync(join(folder, "program"), [String(i), join(folder, "in"), join(folder, "out")], {
    encoding: "utf8",
    timeout: 20_000,
  });
  if (ran.status !== 0) {
    const words = /runtime error: .*|ERROR: \w+Sanitizer: [\w-]+[^\n]*/.exec(ran.stderr)?.[0];
    const what = words ?? `exit ${ran.status ?? ran.signal ?? ""}`;
    const key = `C ${what.replace(/-?\d[\w.+]*/g, "#").slice(0, 60)}`;
    return [{ kind: "sanitizer", key, detail: `C: ${what}\n${ran.stderr.slice(0, 600)}` }];
  }
  const got = readOutputs(new Uint8Array(readFileSync(join(folder, "out"))), plan);
  const found = differenceOf(got, outputs, done.options.optLevel === 4 ? 50 : 1);
  if (found === null) return [];
  const detail = `C and the interpreter: output ${found.output} element ${found.element} is ${found.got} and ${found.want}`;
  return [{ kind: "mismatch", key: "mismatch C", detail }];
}
