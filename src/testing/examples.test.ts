// The bundled examples against the compiler: each does what its card says, in primitives and operators, or
// fails where it says.
import { expect, test } from "vitest";
import { compile } from "../compiler/compile.ts";
import { defaultOptions } from "../compiler/options.ts";
import { nodeHost } from "../node/engine.ts";
import { examples } from "../page/ui/examples/examples.ts";
import { summarize } from "../views/summarize.ts";

test.each(examples.map((example) => [example.id, example] as const))("%s", async (id, example) => {
  const done = await compile(
    { kind: "relay", text: example.text, name: id },
    { ...defaultOptions, ...example.options },
    nodeHost,
  );
  const errors = done.diagnostics.filter((found) => found.severity === "error");
  if (example.blocks.length === 0) {
    expect(errors).toHaveLength(1);
    expect(done.stoppedAt).toBe("types");
    return;
  }
  expect(errors).toEqual([]);
  const summary = summarize(done, new Map());
  const drawn = summary.calls.map((call) => summary.primitives[call.primitive]?.ops.length ?? 0);
  expect(drawn).toEqual(example.blocks);
});
