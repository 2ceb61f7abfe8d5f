export { createWorker, type Worker, type WorkerOptions } from "./worker.ts";
export { workerConfigurationSchema, type WorkerConfiguration } from "./configuration.ts";
export { runWorker, type RunWorkerOptions } from "./run-worker.ts";
