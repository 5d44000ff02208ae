// What fails, made small: results, statements, parameters and extents go as long as the same thing fails.
import { staticShape, tensorType, type TensorType } from "../../compiler/ir/type.ts";
import { present } from "../../support/assert.ts";
import type { Program, ProgramParam } from "./builder.ts";
import { namesIn, programText } from "./program.ts";
import { random } from "./random.ts";
import { randomTensor } from "./values.ts";

/** Whether the program still shows the problem. */
type Fails = (program: Program) => Promise<boolean>;

/** The smallest program found before the clock says `until`. */
export async function reduceProgram(program: Program, fails: Fails, until: number): Promise<Program> {
  let best = program;
  for (let changed = true; changed && performance.now() < until;) {
    changed = false;
    for (const next of candidates(best)) {
      if (performance.now() > until) break;
      if (!(await fails(next))) continue;
      best = next;
      changed = true;
      break;
    }
  }
  return best;
}

function* candidates(program: Program): Generator<Program> {
  yield* oneResult(program);
  yield* withoutUnread(program);
  yield* statementsAsParams(program);
  yield* simplerTexts(program);
  yield* smallerExtents(program);
  yield* plainValues(program);
}

/** Main returns one of what it makes. */
function* oneResult(program: Program): Generator<Program> {
  const made = program.statements.filter(({ type }) => type !== null);
  for (const [i, { name }] of made.entries()) {
    const last = program.statements.findIndex((statement) => statement.name === name);
    if (program.results.length === 1 && i === made.length - 1) continue;
    yield trimmed({ ...program, statements: program.statements.slice(0, last + 1), results: [name] });
  }
}

/** Without what nothing reads. */
function trimmed(program: Program): Program {
  for (let now = program; ;) {
    const read = new Set([...now.results, ...now.statements.flatMap(({ text }) => namesIn(text))]);
    const statements = now.statements.filter(({ name }) => read.has(name));
    const params = now.params.filter(({ name }) => read.has(name));
    const text = statements.map((statement) => statement.text).join("\n");
    const globals = now.globals.filter(
      (source, i) => calls(source, text) || now.globals.some((other, k) => k !== i && calls(source, other)),
    );
    const next = { ...now, statements, params, globals };
    if (size(next) === size(now)) return next;
    now = next;
  }
}

const size = ({ statements, params, globals }: Program): number =>
  statements.length + params.length + globals.length;

function* withoutUnread(program: Program): Generator<Program> {
  const next = trimmed(program);
  if (size(next) < size(program)) yield next;
}

/** Whether `text` reads a name that `source` defines. */
function calls(source: string, text: string): boolean {
  const defined = /def (@\w+)/.exec(source)?.[1];
  if (defined !== undefined) return text.includes(`${defined}(`);
  return /Cons\d+|Nil\d+/.test(text);
}

/** A value that was computed is an input instead. */
function* statementsAsParams(program: Program): Generator<Program> {
  for (const statement of program.statements) {
    const { type, name } = statement;
    if (type?.kind !== "tensor-type" || staticShape(type) === null) continue;
    if (program.results.includes(name) && program.statements.at(-1) === statement) continue;
    const input = `%in${name.slice(1)}`;
    const renamed = (text: string): string => text.replace(new RegExp(`${name}\\b`, "g"), input);
    yield trimmed({
      ...program,
      statements: program.statements
        .filter((other) => other !== statement)
        .map((other) => ({ ...other, text: renamed(other.text) })),
      params: [...program.params, filled(input, type)],
      results: program.results.map((result) => (result === name ? input : result)),
    });
  }
}

function filled(name: string, type: TensorType): ProgramParam {
  return {
    name,
    type,
    value: randomTensor(random(3), type.dtype, present(staticShape(type), "known shape")),
  };
}

/** A construct or call with an attribute less. */
function* simplerTexts(program: Program): Generator<Program> {
  for (const [i, statement] of program.statements.entries()) {
    const attrs = [...statement.text.matchAll(/, (\w+)=(?:\[[^\]]*\]|"[^"]*"|[^,)\s]+)/g)];
    for (const [text] of attrs) {
      const simpler = { ...statement, text: statement.text.replace(text, "") };
      yield { ...program, statements: program.statements.map((other, k) => (k === i ? simpler : other)) };
    }
  }
}

/** An extent is 1, 2 or half, wherever it stands in types and attributes. */
function* smallerExtents(program: Program): Generator<Program> {
  const found = programText(program).matchAll(/(?<![\w.%@-])(\d+)(?![\w.])/g);
  const extents = [...new Set([...found].map(([, digits]) => Number(digits)))].sort((a, b) => b - a);
  for (const extent of extents)
    for (const smaller of [...new Set([1, 2, Math.ceil(extent / 2)])].filter((n) => n < extent))
      yield withExtent(program, extent, smaller);
}

function withExtent(program: Program, from: number, to: number): Program {
  const pattern = new RegExp(`(?<![\\w.%@-])${from}(?![\\w.])`, "g");
  const params = program.params.map((param) => {
    if (!param.type.shape.includes(from)) return param;
    const type = tensorType(
      param.type.shape.map((dim) => (dim === from ? to : dim)),
      param.type.dtype,
    );
    return filled(param.name, type);
  });
  const replaced = (text: string): string => text.replace(pattern, String(to));
  return {
    ...program,
    params,
    globals: program.globals.map(replaced),
    statements: program.statements.map((statement) => ({ ...statement, text: replaced(statement.text) })),
  };
}

/** All elements of an input alike. */
function* plainValues(program: Program): Generator<Program> {
  for (const [i, param] of program.params.entries()) {
    const { data } = param.value;
    if (data.length < 2 || [...data].every((value) => value === data[0])) continue;
    const copy = data.slice();
    for (let k = 0; k < copy.length; k++) copy[k] = data[0]!;
    const value = { ...param.value, data: copy };
    yield { ...program, params: program.params.map((other, k) => (k === i ? { ...param, value } : other)) };
  }
}
