export { createModelServer, type ModelServerHandle, type ModelServerOptions } from "./model-server.ts";
export { modelOfVoice, readConfiguration, type ProcessConfiguration } from "./configuration.ts";
export { runModelServerProcess, type ProcessParts } from "./run-process.ts";
export type { ModelSource } from "./registry/model-source.ts";
export { type Logger } from "./logger.ts";
export { keptInstances, measureInstances, type MeasureInstancesOptions } from "./calibration/measure-instances.ts";
export type { InstanceChoice, InstanceMeasurement, InstanceShape } from "./calibration/instance-choice.ts";
