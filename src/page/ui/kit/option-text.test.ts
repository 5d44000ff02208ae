import { expect, test } from "vitest";
import {
  configText,
  partitionText,
  readConfig,
  readNames,
  readPartition,
  readShapes,
  readValues,
  shapesText,
  valuesText,
} from "./option-text.ts";

test("shapes read back from what is written, with either sign and without a percent", () => {
  const shapes = { x: [1, 3, 224, 224], scalar: [] };
  expect(readShapes(shapesText(shapes))).toEqual(shapes);
  expect(readShapes("%x = 1×3 ; m=2,4")).toEqual({ x: [1, 3], m: [2, 4] });
  expect([readShapes("x"), readShapes("x=1xa"), readShapes("")]).toEqual([null, null, {}]);
});

test("code generators with and without their operators", () => {
  expect(readPartition("ccompiler; other = add, nn.relu")).toEqual(["ccompiler", "other=add,nn.relu"]);
  expect(partitionText(["ccompiler", "other=add,nn.relu"])).toBe("ccompiler; other=add,nn.relu");
  expect(readPartition("c compiler?")).toBeNull();
});

test("names and configuration", () => {
  expect(readNames("%w, b,")).toEqual(["w", "b"]);
  expect(readNames("a b")).toBeNull();
  const config = { "relay.FuseOps.max_depth": "4", "tir.disable_vectorize": "1" };
  expect(configText(config, ["relay.FuseOps.max_depth"])).toBe("tir.disable_vectorize=1");
  expect(readConfig("a.b=1; c=x=y")).toEqual({ "a.b": "1", c: "x=y" });
  expect(readConfig("a.b")).toBeNull();
});

test("values of small inputs", () => {
  const values = { sr: [16000], k: [1, -2.5] };
  expect(readValues(valuesText(values))).toEqual(values);
  expect([readValues("sr"), readValues("sr="), readValues("sr=a"), readValues("")]).toEqual([
    null,
    null,
    null,
    {},
  ]);
});
