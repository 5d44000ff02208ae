// relay.ext.<name>: what writes the C of external functions. Names as in relay/external/external-targets.ts.
import { ccompilerSource } from "./ccompiler.ts";
import type { ExternalSourceGenerator } from "./external-source.ts";

export const externalSources: ReadonlyMap<string, ExternalSourceGenerator> = new Map<
  string,
  ExternalSourceGenerator
>([["ccompiler", ccompilerSource]]);
