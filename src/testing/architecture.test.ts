// The layers, held by a test: imports go to lower ranks only, rooms of one rank do not know each other, no
// cycles, no file outgrows its room, and the words that the compiler may not use are not there.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** First matching prefix wins: it is the file's room. Rooms of one rank do not import each other. */
const ranks: readonly (readonly [prefix: string, rank: number])[] = [
  ["support/", 0],
  ["compiler/options.ts", 1],
  ["compiler/limits.ts", 1],
  ["compiler/ir/", 2],
  ["compiler/memory/", 2.5],
  ["compiler/tir/passes/", 4.5],
  ["compiler/tir/", 3],
  ["compiler/arith/", 4],
  ["compiler/te/", 5],
  ["compiler/topi/", 5.2],
  ["compiler/recipes/", 5.4],
  ["compiler/relay/", 5],
  ["compiler/ops/", 6],
  ["compiler/lower/", 7],

  ["compiler/executor/", 8],
  ["compiler/codegen/", 9],
  ["compiler/frontend/", 10],
  ["compiler/", 11],
  ["protocol/", 12],
  ["runtime/", 13],
  ["node/", 14],
  ["views/", 14],
  ["worker/", 15],
  ["page/compiler-client/", 16],
  ["page/store/", 17],
  ["page/ui/kit/", 18],
  ["page/ui/code/", 18.1],
  ["page/ui/examples/", 18.1],
  ["page/ui/panes/", 18.2],
  ["page/ui/shell/", 18.4],
  ["page/ui/", 18.5],
  ["main.tsx", 19],
  ["cli/", 20],
  ["testing/", 20],
  ["tools/", 21],
];

/** Pairs that must not know each other whatever their ranks, and the page's ban on the compiler. */
const forbidden: readonly (readonly [from: string, to: string])[] = [
  ["compiler/relay/", "compiler/tir/"],
  ["compiler/topi/", "compiler/relay/"],
  ["compiler/recipes/", "compiler/relay/"],
  ["compiler/codegen/c/", "compiler/codegen/wasm/"],
  ["compiler/codegen/wasm/", "compiler/codegen/c/"],
  ["page/", "compiler/"],
  ["page/ui/", "worker/"],
  ["page/ui/", "page/compiler-client/"],
  ["page/store/", "page/compiler-client/"],
  ["page/", "views/"],
  ["protocol/", "compiler/"],
  ["compiler/codegen/", "compiler/tir/interp/"],
  ["compiler/tir/interp/", "compiler/codegen/"],
];

/** What anybody may read although a ban or a rank speaks against it: plain data. */
const open = new Set(["compiler/options.ts", "compiler/limits.ts", "compiler/ir/diagnostic-codes.ts"]);

/** Tables that are filled while their module loads, and constant from then on: file -> why. */
const filledAtStart = new Map([
  ["compiler/codegen/wasm/opcodes.ts", "the opcode table is built by a call a row"],
]);

/** Files whose exports wait for their users: packed weights. */
const reserved = new Set(["compiler/te/prepack.ts"]);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|tsx)$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

const files = sources(root).map((path) => ({ name: relative(root, path), text: readFileSync(path, "utf8") }));
const own = "testing/architecture.test.ts";

/** Tests may import anything. */
const layered = files.filter((file) => !file.name.includes(".test."));
const product = layered.filter((file) => !file.name.startsWith("testing/"));

const architecture = readFileSync(resolve(root, "../ARCHITECTURE.md"), "utf8");

function importsOf(file: { readonly name: string; readonly text: string }): string[] {
  const found = [...file.text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)].map((match) =>
    match[1]!.replace(/\?.*$/, ""),
  );
  return found.map((spec) => relative(root, resolve(root, dirname(file.name), spec)));
}

const outside: readonly [prefix: string, rank: number] = ["", -1];

function roomOf(name: string): readonly [prefix: string, rank: number] {
  return ranks.find(([prefix]) => name.startsWith(prefix)) ?? outside;
}

describe("architecture", () => {
  it("finds the tree", () => {
    expect(product.length).toBeGreaterThan(40);
    expect(layered.filter((file) => roomOf(file.name) === outside).map((file) => file.name)).toEqual([]);
  });

  it("imports lower ranks only", () => {
    const wrong: string[] = [];
    for (const file of layered) {
      for (const target of importsOf(file)) {
        if (open.has(target)) continue;
        const banned = forbidden.some(([from, to]) => file.name.startsWith(from) && target.startsWith(to));
        const [here, there] = [roomOf(file.name), roomOf(target)];
        if (banned || (there !== here && there[1] >= here[1])) wrong.push(`${file.name} -> ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("has the rooms and ranks that ARCHITECTURE.md's code map says", () => {
    const known = new Map(ranks.map(([prefix, rank]) => [prefix.replace(/\/$/, ""), rank]));
    known.set("compiler/*.ts", roomOf("compiler/compile.ts")[1]);
    known.set("compiler/codegen/c", roomOf("compiler/codegen/c/")[1]);
    known.set("compiler/codegen/wasm", roomOf("compiler/codegen/wasm/")[1]);
    const rows = [...architecture.matchAll(/^\| ((?:`[^`]+`,? ?)+) \| ([\d., to]+) \|/gm)];
    const said = rows.flatMap(([, names, numbers]) => {
      const rooms = [...names!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
      const numbersSaid = numbers!.split(/, | to /).map(Number);
      return rooms.map((room, i) => {
        // "`compiler/tir`, `arith`": the second stands beside the first.
        const beside = dirname(rooms[0]!);
        const path = [room, `${beside}/${room}`, `${dirname(beside)}/${room}`].find((name) =>
          known.has(name),
        );
        const least = numbersSaid[0]!;
        const most = numbersSaid.at(-1)!;
        const rank = known.get(path ?? "") ?? NaN;
        const right = /to/.test(numbers!)
          ? least <= rank && rank <= most
          : rank === (numbersSaid[i] ?? least);
        return right ? path! : `${room}: not ${numbers}`;
      });
    });
    expect(said.filter((name) => name.includes(":"))).toEqual([]);
    expect(said.length).toBeGreaterThan(25);
  });

  it("panes of the page know each other only through kit and code", () => {
    const folder = (name: string): string | undefined => /^page\/ui\/panes\/(\w+)\//.exec(name)?.[1];
    const wrong = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => folder(file.name) && folder(target) && folder(target) !== folder(file.name))
        .map((target) => `${file.name} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycles of values", () => {
    const graph = new Map(product.map((file) => [file.name, valueImports(file)]));
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const walk = (name: string, path: readonly string[]): void => {
      if (state.get(name) === "done") return;
      if (state.get(name) === "open") {
        cycles.push([...path.slice(path.indexOf(name)), name].join(" -> "));
        return;
      }
      state.set(name, "open");
      for (const next of graph.get(name) ?? []) walk(next, [...path, name]);
      state.set(name, "done");
    };
    for (const name of graph.keys()) walk(name, []);
    expect(cycles).toEqual([]);
  });

  it("keeps files under 600 lines", () => {
    expect(product.filter((file) => file.text.split("\n").length > 600).map((file) => file.name)).toEqual([]);
  });

  it("keeps comments to 110 columns", () => {
    // Addresses and rows of tables may be longer.
    const long = (line: string): boolean =>
      line.length > 110 && /^\s*(?:\/\/|\*|\/\*)/.test(line) && !/:\/\/|(?:\|.*){4}/.test(line);
    const wrong = files.flatMap(({ name, text }) =>
      text.split("\n").flatMap((line, i) => (long(line) ? [`${name}:${i + 1}`] : [])),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps clocks, randomness, locale and the console out of the compiler", () => {
    const banned =
      /\bMath\.random\b|\bDate\b\s*[.(]|\bnew Date\b|\bperformance\.|\bconsole\.|\bWebAssembly\.|\blocaleCompare\b|\btoLocale\w+\(|^\s*export default\b|^\s*(?:export )?enum\b|\.sort\(\)/m;
    const wrong = product.filter(
      (file) => file.name.startsWith("compiler/") && banned.test(withoutComments(file.text)),
    );
    expect(wrong.map((file) => file.name)).toEqual([]);
  });

  it("keeps state out of the compiler's modules", () => {
    // What is left is never written once its module has loaded, or memory of what is immutable, held weakly,
    // or of a fixed size: tables and scratch.
    const variable = /^(?:export )?(?:let|var)\b/m;
    const empty =
      /^(?:export )?const (\w+)(?::(?!\s*(?:Readonly|readonly))[^=;]+)? =\s*(?:new (?:Map|Set|Array)\b|\[\];|\{\};)/m;
    const held = product.filter(({ name }) => /^(?:compiler|support)\//.test(name));
    const constants = new Map(held.map((file) => [file.name, constantsOf(file.text)]));
    const written = product
      .filter((file) => !filledAtStart.has(file.name))
      .flatMap((file) => {
        const names = [...(constants.get(file.name) ?? []), ...importedOf(file, constants)];
        return writesTo(names, withoutComments(file.text)).map((write) => `${file.name}: ${write}`);
      });
    expect(written).toEqual([]);
    expect(
      held
        .filter(({ name, text }) => variable.test(text) || (empty.test(text) && !filledAtStart.has(name)))
        .map(({ name }) => name),
    ).toEqual([]);
    expect(writesTo(["a", "b"], "a.set(1); x.a.set(1); b[0] ??= 2; b.c.d += 1; a == b; delete b.x")).toEqual([
      "a.set(",
      "b[0] ??=",
      "b.c.d +=",
      "delete b.",
    ]);
  });

  it("lets compile.ts alone walk the stages, and stages.ts alone call what makes a program whole", () => {
    const importers = (target: string): readonly string[] =>
      product.filter((file) => valueImports(file).includes(target)).map((file) => file.name);
    expect(importers("compiler/stages.ts")).toEqual(["compiler/compile.ts"]);
    const makers = /import[^;]*\b(?:planAot|planGraph|planDynamic|relayPrefix)\b[^;]*from/;
    const callers = product.filter((file) => makers.test(file.text)).map((file) => file.name);
    expect(callers.filter((name) => name !== "compiler/stages.ts")).toEqual([]);
  });

  it("has an operator a file", () => {
    const index = product.find((file) => file.name === "compiler/ops/index.ts")!.text;
    const imports = [...index.matchAll(/^import \{([^}]*)\} from "(\.\/[^"]+)"/gm)];
    expect(imports.filter(([, names]) => names!.includes(",")).map(([line]) => line)).toEqual([]);
    expect(new Set(imports.map((match) => match[2])).size).toBe(imports.length);
  });

  it("keeps Relay's text out of the imports of models, and domain words out of support", () => {
    const reading = product.filter(
      (file) =>
        /^compiler\/frontend\/(?:onnx|tflite)\//.test(file.name) &&
        importsOf(file).some((target) => target.startsWith("compiler/relay/text/")),
    );
    expect(reading.map((file) => file.name)).toEqual([]);
    const words = /relay|tensor|dtype|\btir\b|primitive|kernel/i;
    const speaking = product.filter(
      (file) => file.name.startsWith("support/") && words.test(withoutComments(file.text)),
    );
    expect(speaking.map((file) => file.name)).toEqual([]);
  });

  it("keeps clocks out of tests", () => {
    const clock = /\bperformance\.now\b|\bDate\.now\b|\bhrtime\b/;
    const measuring = files.filter(
      (file) => file.name.includes(".test.") && file.name !== own && clock.test(withoutComments(file.text)),
    );
    expect(measuring.map((file) => file.name)).toEqual([]);
  });

  it("keeps the IR out of the protocol", () => {
    const wrong = product.filter(
      (file) =>
        file.name.startsWith("protocol/") &&
        importsOf(file).some((target) => target.startsWith("compiler/") && !open.has(target)),
    );
    expect(wrong.map((file) => file.name)).toEqual([]);
  });

  it("exports what another file imports, and nothing else", () => {
    const imported = new Set<string>();
    for (const file of files) {
      const lists = /(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*["'](\.[^"']+)["']/g;
      for (const [, list, spec] of file.text.matchAll(lists)) {
        const target = relative(root, resolve(root, dirname(file.name), spec!));
        for (const word of list!.split(","))
          imported.add(
            `${target} ${word
              .replace(/\btype\s/, "")
              .split(/\sas\s/)[0]!
              .trim()}`,
          );
      }
    }
    const whole = new Set(
      files.flatMap(({ name, text }) =>
        [...text.matchAll(/(?:import\s*\*[^"']*|import\()\s*["'](\.[^"']+)["']/g)].map((match) =>
          relative(root, resolve(root, dirname(name), match[1]!)),
        ),
      ),
    );
    const declared = /^export (?:async )?(?:function\*?|const|interface|type|class) ([\w$]+)/gm;
    const unused = product
      .filter((file) => !whole.has(file.name) && !reserved.has(file.name))
      .flatMap((file) =>
        [...file.text.matchAll(declared)]
          .map((match) => `${file.name} ${match[1]}`)
          .filter((key) => !imported.has(key)),
      );
    expect(unused).toEqual([]);
  });
});

/** Names of a module's constants that could grow: all but weak tables and arrays of numbers. */
function constantsOf(text: string): readonly string[] {
  const fixed = /^(?:new Weak(?:Map|Set)|weakTable|new (?:[A-Z]\w*Array|DataView)\()/;
  const declared = /^(?:export )?const (\w+)(?::(?:[^=]|=>)*?)? =\s*(\S.*)$/gm;
  return [...text.matchAll(declared)].filter((match) => !fixed.test(match[2]!)).map((match) => match[1]!);
}

/** What `file` calls those of `constants` that it imports. */
function importedOf(
  file: { readonly name: string; readonly text: string },
  constants: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [...file.text.matchAll(/import\s+\{([^}]*)\}\s*from\s*["'](\.[^"']+)["']/g)].flatMap(
    ([, list, spec]) => {
      const there = constants.get(relative(root, resolve(root, dirname(file.name), spec!))) ?? [];
      return list!.split(",").flatMap((word) => {
        const [name, local] = word.trim().split(/\sas\s/);
        return there.includes(name!) ? [local ?? name!] : [];
      });
    },
  );
}

/** Places in `text` that change what one of `names` holds; where a sticky expression stands is no state. */
function writesTo(names: readonly string[], text: string): readonly string[] {
  if (names.length === 0) return [];
  const any = `(?:${names.join("|")})`;
  const change = String.raw`!?\.(?:set|add|push|unshift|splice|clear|delete|pop|shift|sort|reverse)\(`;
  const assign = String.raw`(?:!?\.(?!lastIndex\b)\w+|!?\[[^\]\n]+\])+\s*(?:=(?![=>])|[-+*/|&]=|\?\?=|\|\|=|\+\+|--)`;
  const writes = String.raw`(?<![.\w])${any}(?:${change}|${assign})|\bdelete ${any}[.[]|\bObject\.assign\(${any}\b`;
  return [...text.matchAll(new RegExp(writes, "g"))].map(([found]) => found);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
}

/** Imports that survive type erasure. */
function valueImports(file: { readonly name: string; readonly text: string }): string[] {
  const text = file.text
    .replace(/import\s+type\s[\s\S]*?from\s*["'][^"']+["']/g, "")
    .replace(/export\s+type\s*\{[\s\S]*?from\s*["'][^"']+["']/g, "");
  return importsOf({ name: file.name, text });
}
