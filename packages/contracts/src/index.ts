/** The only place where wire shapes are written. */
// Every schema of these files is public by definition, so the door opens all of them.
export * from "./voice-manifest.ts";
export * from "./messages.ts";
export * from "./outcome.ts";
export * from "./queues.ts";
export * from "./assembly-plan.ts";
export * from "./api.ts";
export * from "./tensor.ts";
export * from "./deployment.ts";
