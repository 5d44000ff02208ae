// Which values a `match` leaves out.  TVM: src/relay/analysis/match_exhaustion.cc
// Candidates start at "anything" and are made as specific as the patterns ask, until each matches a clause or
// clashes with all.
import type { Constructor, Match, Pattern } from "../../expr.ts";
import type { IRModule } from "../../module.ts";

type Fit = "match" | "clash" | "open";
const wildcard: Pattern = { kind: "wildcard" };
/** Candidates looked at before giving up; more is no program a person wrote. */
const maxCandidates = 5000;

/** Patterns of values that no clause matches, at most a few. */
export function unmatchedCases(match: Match, module: IRModule): readonly Pattern[] {
  const candidates: Pattern[] = [wildcard];
  const unmatched: Pattern[] = [];
  for (let steps = 0; candidates.length > 0 && steps < maxCandidates && unmatched.length < 4; steps++) {
    const candidate = candidates.pop()!;
    let covered = false;
    for (const { pattern } of match.clauses) {
      const fit = fits(pattern, candidate);
      if (fit === "clash") continue;
      if (fit === "open") candidates.push(...expand(pattern, candidate, module));
      covered = true;
      break;
    }
    if (!covered) unmatched.push(candidate);
  }
  return unmatched;
}

function fits(pattern: Pattern, candidate: Pattern): Fit {
  if (pattern.kind === "wildcard" || pattern.kind === "bind") return "match";
  if (candidate.kind === "wildcard" || candidate.kind === "bind") return "open";
  if (
    pattern.kind === "constructor-pattern" &&
    candidate.kind === "constructor-pattern" &&
    pattern.constructor_.name !== candidate.constructor_.name
  )
    return "clash";
  const inner = pattern.patterns.map((part, i) => fits(part, candidate.patterns[i] ?? wildcard));
  return inner.includes("clash") ? "clash" : inner.includes("open") ? "open" : "match";
}

/** `candidate` in all the ways that are specific enough for `pattern`'s next question. */
function expand(pattern: Pattern, candidate: Pattern, module: IRModule): readonly Pattern[] {
  if (pattern.kind === "wildcard" || pattern.kind === "bind") return [candidate];
  if (candidate.kind === "wildcard" || candidate.kind === "bind") {
    if (pattern.kind === "tuple-pattern")
      return [{ kind: "tuple-pattern", patterns: pattern.patterns.map(() => wildcard) }];
    const all: readonly Constructor[] = module.typeDefs.get(pattern.constructor_.belongTo.name)
      ?.constructors ?? [pattern.constructor_];
    return all.map((c) => ({
      kind: "constructor-pattern",
      constructor_: c,
      patterns: c.inputs.map(() => wildcard),
    }));
  }
  const at = pattern.patterns.findIndex(
    (part, i) => fits(part, candidate.patterns[i] ?? wildcard) === "open",
  );
  if (at < 0) return [candidate];
  return expand(pattern.patterns[at]!, candidate.patterns[at] ?? wildcard, module).map((part) => ({
    ...candidate,
    patterns: candidate.patterns.map((old, i) => (i === at ? part : old)),
  }));
}

export function patternText(pattern: Pattern): string {
  switch (pattern.kind) {
    case "wildcard":
      return "_";
    case "bind":
      return `%${pattern.variable.name}`;
    case "tuple-pattern":
      return `(${pattern.patterns.map(patternText).join(", ")})`;
    case "constructor-pattern":
      return pattern.patterns.length === 0
        ? pattern.constructor_.name
        : `${pattern.constructor_.name}(${pattern.patterns.map(patternText).join(", ")})`;
  }
}
