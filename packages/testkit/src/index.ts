export { describeMessageBus, type MessageBusUnderTest } from "./message-bus-conformance.ts";
export { describeObjectStore, type ObjectStoreUnderTest } from "./object-store-conformance.ts";
export { describeModelServer, type ModelServerUnderTest } from "./model-server-conformance.ts";
export { describeChildRuntime, type ChildRuntimeUnderTest } from "./child-runtime-conformance.ts";
