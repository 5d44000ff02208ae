import { describe, expect, it } from "vitest";
import { defaultOptions } from "../compiler/options.ts";
import { type CompileReply } from "../protocol/compile.ts";
import { examples } from "../page/ui/examples/examples.ts";
import { listingText, type ListingId } from "../protocol/listing-id.ts";
import { createSession } from "../worker/session.ts";

const text = examples.find((example) => example.id === "dynamic")!.text;

async function compiled(source = text) {
  const session = createSession();
  const reply = await session.compile({
    runId: 1,
    source: { kind: "relay", text: source, name: "dynamic" },
    options: defaultOptions,
  });
  return { session, reply: reply as Extract<CompileReply, { readonly summary: unknown }> };
}

describe("a program with a dynamic batch in the page", () => {
  it("compiles to primitives with shape functions; both executors say why they refuse", async () => {
    const { reply } = await compiled();
    expect([reply.status, reply.stoppedAt]).toEqual(["ok", null]);
    const { summary } = reply;
    expect([summary.dynamic, summary.dynamicInputs]).toEqual([
      true,
      [{ name: "x", dtype: "float32", dims: [null, 16] }],
    ]);
    expect(summary.primitives.map((primitive) => primitive.shapeFunc)).toEqual([
      { name: "shape_func_nn_dense_add_nn_relu", needs: ["shape", "shape", "shape"] },
      null,
      { name: "shape_func_subtract_reshape", needs: ["shape", "shape"] },
      { name: "shape_func_nn_softmax", needs: ["shape"] },
    ]);
    expect(reply.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["RS5002", "warning"]]);
    expect(reply.diagnostics[0]!.message).toContain("%x");
    expect(summary.listings.map(({ id }) => listingText(id)).filter((id) => /^(shape|tir)/.test(id))).toEqual(
      ["shape/0", "shape/2", "shape/3"],
    );
  });

  it("shows a shape function's text, the kernel for given shapes, and the graph with dynamic extents", async () => {
    const { session } = await compiled();
    const listing = (id: ListingId) => {
      const view = session.view(1, { kind: "listing", id });
      return view.status === "listing" ? view.listing.text : view.status;
    };
    expect(listing({ kind: "shape", primitive: 2 })).toContain("shape[1] = T.int64(2)");
    expect(
      listing({
        kind: "kernel",
        primitive: 2,
        inputs: [
          [5, 8],
          [1, 8],
        ],
        outputs: [[5, 2, 4]],
      }),
    ).toContain('T.Buffer[(5, 2, 4), "float32"]');
    expect(listing({ kind: "kernel", primitive: 9, inputs: [], outputs: [] })).toBe("gone");
    const view = session.view(1, { kind: "graph" });
    expect(view.status === "graph" ? view.graph.edges.map((edge) => edge.shape) : []).toEqual(
      expect.arrayContaining(["?×8", "?×2×4", "1×8"]),
    );
  });

  it("evaluates the shapes of every call", async () => {
    const { session } = await compiled();
    const found = session.evaluateShapes(1, { x: [5, 16] });
    if (found.status !== "ok") throw new Error(found.status);
    expect(
      found.calls.map((call) => [call.call, call.primitive, call.inputs, call.outputs, call.shapeFunc]),
    ).toEqual([
      [0, 0, [[5, 16], [8, 16], [8]], [[5, 8]], "shape_func_nn_dense_add_nn_relu"],
      [1, 1, [[5, 8]], [[1, 8]], null],
      [
        2,
        2,
        [
          [5, 8],
          [1, 8],
        ],
        [[5, 2, 4]],
        "shape_func_subtract_reshape",
      ],
      [3, 3, [[5, 2, 4]], [[5, 2, 4]], "shape_func_nn_softmax"],
    ]);
    expect(found.outputs).toEqual([{ name: "output", shape: [5, 2, 4], dtype: "float32", bytes: 160 }]);
    const { primitive, inputs, outputs } = found.calls[0]!;
    const id = { kind: "kernel", primitive, inputs, outputs } as const;
    expect(session.view(1, { kind: "listing", id }).status).toBe("listing");
  });

  it("says which input a shape does not fit", async () => {
    const { session } = await compiled();
    expect(session.evaluateShapes(1, { x: [5, 17] })).toMatchObject({
      status: "failed",
      code: "RS6503",
      input: "x",
      expected: "Tensor[(?, 16), float32]",
      got: "(5, 17)",
    });
    expect(session.evaluateShapes(1, {})).toMatchObject({ status: "failed", code: "RS6502", input: "x" });
    expect(session.evaluateShapes(1, { y: [1] })).toMatchObject({
      status: "failed",
      code: "RS6501",
      input: "y",
    });
    expect(session.evaluateShapes(2, {})).toEqual({ status: "gone" });
  });

  it("runs for the shape that is given", async () => {
    const { session } = await compiled();
    const request = { runId: 1, executor: "aot", inputs: {}, repeats: 1 } as const;
    const reply = session.dynamicRun({ ...request, shapes: { x: [3, 16] } });
    expect(reply).toMatchObject({ status: "ok", outputs: [{ name: "output", shape: [3, 2, 4] }] });
    const sums =
      reply?.status === "ok"
        ? Array.from({ length: 6 }, (_, row) =>
            [0, 1, 2, 3].reduce((sum, i) => sum + Number(reply.outputs[0]!.values[4 * row + i]), 0),
          )
        : [];
    for (const sum of sums) expect(sum).toBeCloseTo(1, 5);
    expect(session.dynamicRun(request)).toMatchObject({ status: "failed", code: "RS6502" });
  });

  it("tells shapes that follow from values, and operators whose arguments do not fit", async () => {
    const { session } = await compiled(
      "def @main(%c: Tensor[(?), float32], %y: Tensor[(?), float32]) { (argwhere(%c), add(%c, %y)) }",
    );
    expect(session.evaluateShapes(1, { c: [4], y: [1] })).toMatchObject({
      status: "ok",
      calls: [
        { shapeFunc: "shape_func_argwhere", outputs: [[4, 1]], fromValues: ["c"] },
        { outputs: [[4]], fromValues: [] },
      ],
    });
    const wrong = session.evaluateShapes(1, { c: [4], y: [3] });
    expect(wrong).toMatchObject({
      status: "failed",
      code: "RS2103",
      input: null,
      notes: [
        "`lhs` is %p0: Tensor[(4), float32]",
        "`rhs` is %p1: Tensor[(3), float32]",
        "found when running fused_add with arguments of shape (4), (3)",
      ],
    });
  });
});
