export { connectRabbitMq, type RabbitMqOptions } from "./connect.ts";
export type { BusLogger, RabbitMqTls } from "./link.ts";
