// npm run cases -- DIR [--verify]: runs every case file of a folder at all levels, by both executors, on
// WebAssembly, the TIR interpreter and C, and prints a line each and a closing count. A .py file prints Relay
// text or writes an ONNX model with its values; where python3 (or the interpreter that PYTHON names) or its
// onnx module is missing it is left out.
// Exit 1 if a case is wrong.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCase, readRuns } from "../testing/harness/case-file.ts";
import { nodeHost, verifyingHost } from "../node/engine.ts";
import { allLevels, runCase, runModelCase } from "../testing/harness/case-run.ts";

const [folder, numbers] = process.argv.slice(2).filter((word) => word !== "--verify");
const only = numbers?.split(",");
const settings = { ...allLevels, host: process.argv.includes("--verify") ? verifyingHost : nodeHost };

const python = process.env["PYTHON"] ?? "python3";

async function problemsOf(file: string): Promise<readonly string[]> {
  const path = join(folder!, file);
  const text = readFileSync(path, "utf8");
  if (file.endsWith(".relay")) return runCase(readCase(text), text, settings);
  const found = readCase(text, "#");
  if (!/^import onnx/m.test(text))
    return runCase(found, execFileSync(python, [path], { encoding: "utf8", maxBuffer: 2 ** 28 }), settings);
  const work = mkdtempSync(join(tmpdir(), "relayscope-case-"));
  try {
    execFileSync(python, [path, join(work, "model.onnx"), join(work, "runs.json")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    return await runModelCase(
      found,
      new Uint8Array(readFileSync(join(work, "model.onnx"))),
      readRuns(readFileSync(join(work, "runs.json"), "utf8")),
      settings,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Problems, empty if there are none; null where the case cannot be made on this machine. */
async function verdict(file: string): Promise<readonly string[] | null> {
  try {
    return await problemsOf(file);
  } catch (error) {
    const said = `${error instanceof Error ? error.message : String(error)} ${String((error as { readonly stderr?: unknown }).stderr ?? "")}`;
    if (file.endsWith(".py") && /ENOENT|ModuleNotFoundError/.test(said)) return null;
    return [`crashed: ${said}`];
  }
}

async function main(): Promise<number> {
  if (folder === undefined) {
    process.stderr.write("usage: npm run cases -- DIR [NUMBER,NUMBER] [--verify]\n");
    return 2;
  }
  const files = readdirSync(folder)
    .filter((file) => /^\d+-.*\.(?:relay|py)$/.test(file))
    .sort()
    .filter((file) => only === undefined || only.some((number) => file.startsWith(`${number}-`)));
  let right = 0;
  let wrong = 0;
  let left = 0;
  for (const file of files) {
    const problems = await verdict(file);
    if (problems === null) left++;
    else if (problems.length === 0) right++;
    else wrong++;
    process.stdout.write(
      `${problems === null ? "left" : problems.length === 0 ? "ok  " : "BAD "}  ${file}${problems === null ? "  (needs python3 with onnx)" : ""}\n`,
    );
    for (const problem of problems ?? [])
      process.stdout.write(`        ${problem.replaceAll("\n", "\n          ").slice(0, 600)}\n`);
  }
  process.stdout.write(`${right} right, ${wrong} wrong, ${left} left out\n`);
  return wrong > 0 ? 1 : 0;
}

process.exitCode = await main();
