export { createModelServer, type ModelServerHandle, type ModelServerOptions } from "./model-server.ts";
export type { ModelSource } from "./registry/model-source.ts";
export type { Logger } from "./logger.ts";
