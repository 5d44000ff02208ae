// Before every test file: random properties try the same inputs in every run. A red test is red for everybody;
// new inputs are the fuzz tool's work.
import fc from "fast-check";

fc.configureGlobal({ seed: 1 });
