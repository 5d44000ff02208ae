// Before every test file: random properties try the same inputs in every run, so that a red test is red for
// everybody. New inputs are the fuzz tool's work.
import fc from "fast-check";

fc.configureGlobal({ seed: 1 });
