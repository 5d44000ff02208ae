// npm run cases -- DIR: runs every case file of a folder (and the .py files that print Relay text) at all levels, by both
// executors, on WebAssembly, the TIR interpreter and C, and prints a line each and a closing count. Exit 1 if one is wrong.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCase } from "../testing/case-file.ts";
import { runCase } from "../testing/case-run.ts";

const folder = process.argv[2];
const only = process.argv[3]?.split(",");

/** The Relay program of a file and what starts its comment lines; null for a file that makes a model of another kind. */
function program(file: string): { readonly text: string; readonly header: string; readonly mark: "//" | "#" } | null {
  const path = join(folder!, file);
  const header = readFileSync(path, "utf8");
  if (file.endsWith(".relay")) return { text: header, header, mark: "//" };
  if (/^import .*\bonnx\b|^import onnx|from onnx/m.test(header)) return null;
  return { text: execFileSync("/usr/bin/python3", [path], { encoding: "utf8", maxBuffer: 2 ** 28 }), header, mark: "#" };
}

async function verdict(file: string): Promise<readonly string[] | null> {
  try {
    const found = program(file);
    return found === null ? null : await runCase(readCase(found.header, found.mark), found.text);
  } catch (error) {
    return [`crashed: ${error instanceof Error ? error.message : String(error)}`];
  }
}

async function main(): Promise<number> {
  if (folder === undefined) {
    process.stderr.write("usage: npm run cases -- DIR [NUMBER,NUMBER]\n");
    return 2;
  }
  const files = readdirSync(folder).filter((file) => /^\d+-.*\.(?:relay|py)$/.test(file)).sort().filter((file) => only === undefined || only.some((number) => file.startsWith(`${number}-`)));
  let right = 0;
  let wrong = 0;
  let left = 0;
  for (const file of files) {
    const problems = await verdict(file);
    if (problems === null) left++;
    else if (problems.length === 0) right++;
    else wrong++;
    process.stdout.write(`${problems === null ? "left" : problems.length === 0 ? "ok  " : "BAD "}  ${file}${problems === null ? "  (makes an ONNX model)" : ""}\n`);
    for (const problem of problems ?? []) process.stdout.write(`        ${problem.replaceAll("\n", "\n          ").slice(0, 600)}\n`);
  }
  process.stdout.write(`${right} right, ${wrong} wrong, ${left} left out\n`);
  return wrong > 0 ? 1 : 0;
}

process.exitCode = await main();
