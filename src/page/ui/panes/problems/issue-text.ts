// A bug report as Markdown: what went wrong, the options that differ from the defaults, the text in a fold.
// Cut by section, visibly.
import type { Options } from "../../../../compiler/options.ts";
import { type DiagnosticView } from "../../../../protocol/compile.ts";
import { changedOptions } from "../../../store/changed-options.ts";

/** Most characters of source in an issue. */
const mostSource = 50_000;

export function issueText(source: string, options: Options, diagnostics: readonly DiagnosticView[]): string {
  const first = diagnostics.find((found) => found.severity === "error") ?? diagnostics[0];
  const lines =
    first === undefined
      ? []
      : [
          `### ${first.code}: ${first.message}`,
          "",
          ...(first.line > 0
            ? [`at ${first.line}:${first.column}, stage ${first.stage}`]
            : [`stage ${first.stage}`]),
          ...(
            [
              ["expected", first.expected],
              ["got", first.got],
              ["because", first.because],
              ["hint", first.hint],
            ] as const
          ).flatMap(([term, value]) => (value === null ? [] : [`- ${term}: \`${value}\``])),
          ...(diagnostics.length > 1 ? ["", `and ${diagnostics.length - 1} more`] : []),
          "",
        ];
  const changed = JSON.stringify(changedOptions(options));
  const cut =
    source.length > mostSource
      ? `${source.slice(0, mostSource)}\n… ${source.length - mostSource} more characters`
      : source;
  return [
    ...lines,
    `Options that differ from the defaults: \`${changed}\``,
    "",
    "<details><summary>Source</summary>",
    "",
    "```",
    cut,
    "```",
    "",
    "</details>",
    "",
  ].join("\n");
}
