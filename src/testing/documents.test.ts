// What ARCHITECTURE.md, its pages and README.md say of files, folders, names, limits and commands is so, and
// --help says every option.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseInvocation, usage } from "../cli/args.ts";
import { maxRank, maxScopes, maxTextDepth, maxTupleDepth } from "../compiler/limits.ts";
import { stageIds } from "../compiler/options.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const architecture = read("ARCHITECTURE.md");
const readme = read("README.md");
const scripts = Object.keys((JSON.parse(read("package.json")) as { readonly scripts: object }).scripts);

const names = new Set(
  readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).map((path) => basename(path)),
);

/** Without the column of TVM's files in the fidelity table. */
function ours(text: string): string {
  return text.replace(/^(\|[^|\n]*\|[^|\n]*\|)[^|\n]*\|([^|\n]*\|)$/gm, "$1$2");
}

/** Words in backticks that look like a file or folder of this repository. */
function paths(text: string): readonly string[] {
  const words = [...ours(text).matchAll(/`([^`\s]+)`/g)].map((match) => match[1]!);
  return words.filter((word) => /^[\w.-]+(\/[\w.-]+)+\/?$|^[\w-]+\.(ts|tsx|mjs|json|relay)$/.test(word));
}

/** Paths are said from the root, from src or from src/compiler; a bare file name may be anywhere. */
function isThere(path: string): boolean {
  if (["", "src", "src/compiler"].some((base) => existsSync(join(root, base, path)))) return true;
  return !path.includes("/") && names.has(path);
}

/** Words with a slash or an ending that are no files: what a build writes, and what others call theirs. */
const others = new Set([
  "dist/site",
  "test-results/screenshots",
  "metadata.json",
  "default_lib0.c",
  "default_lib1.c",
]);

describe("documents", () => {
  it.each([
    ["ARCHITECTURE.md", architecture],
    ["README.md", readme],
    ...readdirSync(join(root, "docs/architecture")).map((name): [string, string] => [
      name,
      read(join("docs/architecture", name)),
    ]),
  ])("%s names files that are there", (_, text) => {
    const missing = paths(text).filter(
      (path) => !others.has(path) && !path.startsWith("dist/") && !isThere(path),
    );
    expect(missing).toEqual([]);
  });

  it("find enough to check", () => {
    expect(paths(architecture).length).toBeGreaterThan(60);
  });

  it("README names commands that are there, and all of them", () => {
    const said = [...readme.matchAll(/npm (?:run (?:-s )?)?([\w:-]+)/g)].map((match) => match[1]!);
    const known = new Set([...scripts, "ci", "run"]);
    expect(said.filter((name) => !known.has(name))).toEqual([]);
    expect(scripts.filter((name) => !said.includes(name))).toEqual([]);
  });

  it("ARCHITECTURE.md's first picture has the stages", () => {
    const picture = architecture.slice(
      architecture.indexOf("## Bird's eye"),
      architecture.indexOf("The words are"),
    );
    expect(stageIds.filter((id) => !new RegExp(`\\b${id}\\b`).test(picture))).toEqual([]);
  });

  it("ARCHITECTURE.md says of LeNet what TVM's record says", () => {
    const model = architecture.slice(architecture.indexOf("LeNet ("), architecture.indexOf("## Code map"));
    const { o3 } = JSON.parse(read("src/testing/golden/programs/lenet.json")) as {
      readonly o3: {
        readonly aot_unpacked: {
          readonly allocs: readonly (readonly [string, number])[];
          readonly symbols: readonly string[];
        };
      };
    };
    const { allocs, symbols } = o3.aot_unpacked;
    const [, name, bytes] = /(sid_\d+), ([\d,]+) bytes/.exec(model)!;
    expect(allocs).toContainEqual([name, Number(bytes!.replaceAll(",", ""))]);
    expect(symbols).toContain(/`(tvmgen_\w+)`/.exec(model)![1]);
  });

  it("ARCHITECTURE.md says the limits that there are", () => {
    const depth = architecture.slice(
      architecture.indexOf("- **Depth**"),
      architecture.indexOf("- **Files**"),
    );
    const words = depth.replaceAll(/\s+/g, " ");
    const tuples = maxTupleDepth.toLocaleString("en-US");
    expect(words).toContain(`text nests ${maxTextDepth} deep outside tuples`);
    expect(words).toContain(`tuples ${tuples} deep, scopes ${maxScopes} deep`);
    expect(words).toContain(`a tensor has ${maxRank} dimensions`);
  });

  it("ARCHITECTURE.md says names that are in the code", () => {
    const code = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => read(join("src", name)))
      .join("\n");
    const said = [...ours(architecture).matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    expect(said.length).toBeGreaterThan(80);
    // Symbols of LeNet are held against TVM's record above.
    const names = said.filter((word) => !word.startsWith("tvmgen_"));
    expect(names.filter((word) => !new RegExp(`\\b${word}\\b`).test(code))).toEqual([]);
  });

  it("README's examples of the command line are understood", () => {
    const lines = [...readme.matchAll(/^ +node dist\/cli\/relayscope\.mjs (.+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(() => parseInvocation(line.split(" "))).not.toThrow();
  });

  it("--help says every option of the command line", () => {
    const args = read("src/cli/args.ts");
    const flags = args.slice(args.indexOf("const flags = {"), args.indexOf("} as const;"));
    const names = [...flags.matchAll(/^ {2}"?([\w-]+)"?: \{/gm)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !new RegExp(`--${name}\\b`).test(usage))).toEqual([]);
  });

  it("npm test runs the commands that README names", () => {
    const steps = [...read(".ci/test.sh").matchAll(/npm run -s ([\w:-]+)/g)].map((match) => match[1]);
    expect(steps).toEqual(["check", "unit", "build", "e2e"]);
  });

  it("ARCHITECTURE.md's code map has every room", () => {
    const map = architecture.slice(
      architecture.indexOf("## Code map"),
      architecture.indexOf("## The executors"),
    );
    const rooms = readdirSync(join(root, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) =>
        entry.name === "compiler" || entry.name === "page"
          ? readdirSync(join(root, "src", entry.name), { withFileTypes: true })
              .filter((inner) => inner.isDirectory())
              .map((inner) => inner.name)
          : [entry.name],
      );
    expect(rooms.filter((room) => !new RegExp(`[\`/]${room}[\`/]`).test(map))).toEqual([]);
  });

  it("comments name files that are there", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
      /\.tsx?$/.test(path),
    );
    const known = (path: string): boolean => sources.some((name) => `/${name}`.endsWith(`/${path}`));
    const wrong = sources.flatMap((name) =>
      [...read(join("src", name)).matchAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm)].flatMap(([line]) =>
        [...line.matchAll(/(?<![\w*./-])\w[\w.-]*(?:\/[\w.-]+)*\.tsx?\b/g)]
          .map(([path]) => path)
          .filter((path) => !known(path))
          .map((path) => `${name}: ${path}`),
      ),
    );
    expect(wrong).toEqual([]);
  });
});
