import { expect, it } from "vitest";
import { checkOptions } from "./options-check.ts";
import { defaultOptions } from "./options.ts";

it.each([
  ["relay.FuseOps.max_depth", "256", true],
  ["relay.FuseOps.max_depth", "-5", true], // no limit, as in TVM
  ["relay.FuseOps.max_depth", "99999999999999999999", false],
  ["relay.FuseOps.max_depth", "", false],
  ["relay.fallback_device_type", "4", true],
  ["relay.fallback_device_type", "x", false],
  ["relay.fallback_device_type", "0", false],
  ["tir.disable_vectorize", "True", true],
  ["tir.disable_vectorize", "1", true],
  ["tir.disable_vectorize", "maybe", false],
])("%s=%s", (key, value, fits) => {
  const found = checkOptions({ ...defaultOptions, config: { [key]: value } });
  expect(found.map(({ code }) => code)).toEqual(fits ? [] : ["RS3001"]);
});
