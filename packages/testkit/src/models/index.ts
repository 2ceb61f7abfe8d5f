/** Models for tests and benchmarks; this door works outside the test runner too. */
export { writeProbeModel } from "./probe-model.ts";
export { writeTestVoice } from "./test-voice.ts";
export { isSounding, tokenHz, tokenUnits, unitSamples } from "./tone-tables.ts";
