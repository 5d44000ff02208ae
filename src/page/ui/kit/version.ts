// The version that links and reports carry; package.json is the one place that says it.
import { version as packageVersion } from "../../../../package.json";

export const version: string = packageVersion;
