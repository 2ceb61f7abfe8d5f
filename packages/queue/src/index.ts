export type { Acknowledgement, ConsumeOptions, Consumer, Delivery, MessageBus } from "./message-bus.ts";
export { createMemoryBus, type MemoryBusOptions } from "./memory-bus.ts";
export { serveBusOverIpc, type BusServer } from "./ipc-server.ts";
export { connectBusOverIpc } from "./ipc-client.ts";
export type { IpcEnd } from "./ipc-protocol.ts";
