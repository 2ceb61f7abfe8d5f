export { describeMessageBus, type MessageBusUnderTest } from "./message-bus-conformance.ts";
