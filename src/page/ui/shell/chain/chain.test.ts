import { describe, expect, it } from "vitest";
import { resolveSelection, type Entity } from "../../../store/selection.ts";
import { lenetFixture } from "../../../../testing/fixtures/lenet-views.ts";
import { planOf } from "../../panes/memory/model.ts";
import { chainLinks } from "./chain.ts";

const { summary, memory, callMicros } = lenetFixture();
const texts = (
  entity: Entity,
  planner: "storage-rewrite" | "greedy" = "storage-rewrite",
  micros: Float64Array | null = callMicros,
): string[] =>
  chainLinks({
    summary,
    lit: resolveSelection(summary, entity),
    plan: planOf(memory, planner),
    callMicros: micros,
  }).map((l) => `${l.value} ${l.rest}`.trim());

describe("chainLinks", () => {
  it("follows a call through all seven places", () => {
    expect(texts({ kind: "call", id: 2 })).toEqual([
      "7–9 %4 … %6",
      "fused_nn_conv2d_expand_dims_add_nn_relu_1",
      "2 of 0–7",
      "sid_16 @ 0x0000 6,400 of 18,816 B",
      "56–77 default_lib1.c",
      "func 4 231 B",
      "62.0 µs 51 %",
    ]);
  });

  it("starts from any of them", () => {
    expect(texts({ kind: "source", id: 14 })[2]).toBe("2 of 0–7");
    expect(texts({ kind: "primitive", id: 2 })).toEqual(texts({ kind: "call", id: 2 }));
  });

  it("tells a storage with all who write it", () => {
    const links = texts({ kind: "sid", id: 16 });
    expect(links[2]).toBe("0, 2, 4 of 0–7");
    expect(links[3]).toBe("sid_16 @ 0x0000 18,816 B");
  });

  it("has no sid in an arena", () => {
    expect(texts({ kind: "call", id: 3 }, "greedy")[3]).toBe("@ 0x1900 1,600 B");
  });

  it("says what is not there", () => {
    const links = chainLinks({
      summary,
      lit: resolveSelection(summary, { kind: "source", id: 0 }),
      plan: null,
      callMicros: null,
    });
    expect(links.map((l) => l.there)).toEqual([true, false, false, false, false, false, false]);
    expect(texts({ kind: "call", id: 2 }, "storage-rewrite", null)[6]).toBe("– not run yet");
    expect(texts({ kind: "call", id: 7 })[3]).toBe("output the caller's buffer");
  });
});
