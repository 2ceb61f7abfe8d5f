export type { Application, Caller, SegmentAudio } from "./application.ts";
export { createApplication, type ApplicationOptions, type RunningApplication } from "./create-application.ts";
export { createThreadTextPlanner } from "./planner/thread-text-planner.ts";
export type { TextPlan, TextPlanner } from "./planner/text-planner.ts";
export type { LoadedVoice, Voices } from "./planner/voices.ts";
export type { Logger, ServerTiming } from "./server-context.ts";
export { createHttpServer, type HttpServer, type HttpServerOptions } from "./http/http-server.ts";
export { createAccessToken, type AccessToken } from "./http/access-token.ts";
export { runServer, type RunServerOptions } from "./run-server.ts";
