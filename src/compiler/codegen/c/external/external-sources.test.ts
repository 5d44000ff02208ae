import { expect, it } from "vitest";
import { externalTargets } from "../../../relay/external/external-targets.ts";
import { externalSources } from "./external-sources.ts";

it("every external target has a code generator, and the other way round", () => {
  expect([...externalSources.keys()]).toEqual([...externalTargets.keys()]);
});
