import type { BroadcastTopic, QueueName } from "@katari/contracts";
import { AppError, errorCodes, type ErrorCode } from "@katari/core";
import { z } from "zod";
import type { Acknowledgement } from "./message-bus.ts";

/**
 * One end of a Node IPC channel: `process` in a child, the `ChildProcess` in its parent. Messages are JSON.
 */
export interface IpcEnd {
  readonly connected: boolean;
  send?(message: object, callback: (error: Error | null) => void): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "disconnect", listener: () => void): unknown;
  off(event: "message", listener: (message: unknown) => void): unknown;
  off(event: "disconnect", listener: () => void): unknown;
}

/** The mark that tells frames of the bus from other messages on the same channel. */
export const frameMark = "katari-bus-1";

const errorSchema = z.object({ code: z.enum(errorCodes), message: z.string(), retryable: z.boolean() });
const mark = z.literal(frameMark);
const queue = z.custom<QueueName>((value) => typeof value === "string");
const topic = z.custom<BroadcastTopic>((value) => typeof value === "string");
const headers = z.record(z.string(), z.string());

/**
 * Client → server. Every request with an `id` is answered by exactly one `answer` with it: that answer is the confirm.
 * `acknowledged` answers one `delivery`; `lost` says that the handler threw.
 */
export const requestSchema = z.discriminatedUnion("op", [
  z.object({ mark, op: z.literal("hello"), id: z.number() }),
  z.object({ mark, op: z.literal("publish"), id: z.number(), queue, body: z.unknown(), headers }),
  z.object({ mark, op: z.literal("consume"), id: z.number(), consumer: z.number(), queue, slots: z.number() }),
  z.object({ mark, op: z.literal("cancel"), id: z.number(), consumer: z.number() }),
  z.object({ mark, op: z.literal("broadcast"), id: z.number(), topic, body: z.unknown() }),
  z.object({ mark, op: z.literal("listen"), id: z.number(), topic }),
  z.object({ mark, op: z.literal("depth"), id: z.number(), queue }),
  z.object({
    mark,
    op: z.literal("acknowledged"),
    delivery: z.number(),
    answer: z.enum(["ack", "requeue", "lost"]),
  }),
  z.object({ mark, op: z.literal("bye"), id: z.number() }),
]);
export type BusRequest = z.infer<typeof requestSchema>;

/** Server → client. */
export const responseSchema = z.discriminatedUnion("op", [
  z.object({
    mark,
    op: z.literal("answer"),
    id: z.number(),
    value: z.unknown().optional(),
    error: errorSchema.optional(),
  }),
  z.object({
    mark,
    op: z.literal("delivery"),
    delivery: z.number(),
    consumer: z.number(),
    body: z.unknown(),
    headers,
    deliveryCount: z.number(),
  }),
  z.object({ mark, op: z.literal("said"), topic, body: z.unknown() }),
]);
export type BusResponse = z.infer<typeof responseSchema>;
export type DeliveryAnswer = Acknowledgement | "lost";

/** Sends one frame; resolves when the channel has taken it. Throws AppError `unavailable` when the other end is away. */
export async function sendFrame(end: IpcEnd, frame: BusRequest | BusResponse): Promise<void> {
  const cause = await new Promise<unknown>((resolve) => {
    if (!end.connected || !end.send) return resolve("not connected");
    try {
      end.send(frame, (error) => resolve(error ?? undefined));
    } catch (error) {
      resolve(error);
    }
  });
  if (cause !== undefined) throw gone(cause);
}

export function gone(cause?: unknown): AppError {
  return new AppError("unavailable", "The process that keeps the message bus is away.", { retryable: true, cause });
}

export function describeError(value: unknown): { code: ErrorCode; message: string; retryable: boolean } {
  const { code, message, retryable } = AppError.from(value);
  return { code, message, retryable };
}
