import { AppError } from "@katari/core";
import {
  frameMark,
  gone,
  responseSchema,
  sendFrame,
  type BusRequest,
  type BusResponse,
  type DeliveryAnswer,
  type IpcEnd,
} from "./ipc-protocol.ts";
import { throwIfAborted, toJson } from "./memory-bus.ts";
import type { Acknowledgement, Delivery, MessageBus } from "./message-bus.ts";

type Handler = (delivery: Delivery, signal: AbortSignal) => Promise<Acknowledgement>;
interface Subscription {
  readonly handler: Handler;
  readonly running: Set<Promise<void>>;
  cancelled: boolean;
}
interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
type WithId<T> = T extends { id: number } ? Omit<T, "id" | "mark"> : never;

/**
 * The bus of the process at the other end of a Node IPC channel (`serveBusOverIpc` there). Resolves when that process
 * has answered with its epoch; throws AppError `unavailable` when there is no channel or it closes.
 *
 * When the channel closes, every request in flight rejects with `unavailable`, the signals of running handlers abort
 * (their messages are given to others), and the bus is of no use any more.
 */
export async function connectBusOverIpc(end: IpcEnd): Promise<MessageBus> {
  const waiting = new Map<number, Waiting>();
  const subscriptions = new Map<number, Subscription>();
  const listeners = new Map<string, Set<(body: unknown) => void>>();
  const lifetime = new AbortController();
  let nextId = 1;
  let closed = false;

  const request = async (body: WithId<BusRequest>, signal?: AbortSignal): Promise<unknown> => {
    if (closed) throw new AppError("unavailable", "The message bus is closed.", { retryable: true });
    throwIfAborted(signal);
    const id = nextId++;
    const promise = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    const onAbort = (): void =>
      waiting
        .get(id)
        ?.reject(new AppError("cancelled", "The work was cancelled.", { cause: signal?.reason as unknown }));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      // The answer may come before the channel says that it took the frame, and a lost channel rejects both.
      const [answer] = await Promise.all([promise, sendFrame(end, { ...body, id, mark: frameMark })]);
      return answer;
    } finally {
      waiting.delete(id);
      signal?.removeEventListener("abort", onAbort);
    }
  };

  const runHandler = async (subscription: Subscription | undefined, frame: BusResponse & { op: "delivery" }) => {
    let answer: DeliveryAnswer;
    if (!subscription || subscription.cancelled) answer = "requeue";
    else {
      const { body, headers, deliveryCount } = frame;
      try {
        answer = await subscription.handler({ body, headers, deliveryCount }, lifetime.signal);
      } catch {
        // By the port's contract: the same as a consumer that went away.
        answer = "lost";
      }
    }
    // With the channel gone the other end has already taken the message back.
    await sendFrame(end, { mark: frameMark, op: "acknowledged", delivery: frame.delivery, answer }).catch(
      () => undefined,
    );
  };

  const onMessage = (message: unknown): void => {
    if ((message as { mark?: unknown } | null)?.mark !== frameMark) return;
    const parsed = responseSchema.safeParse(message);
    if (!parsed.success) return;
    const frame = parsed.data;
    switch (frame.op) {
      case "answer": {
        const { error } = frame;
        if (error)
          waiting.get(frame.id)?.reject(new AppError(error.code, error.message, { retryable: error.retryable }));
        else waiting.get(frame.id)?.resolve(frame.value);
        return;
      }
      case "delivery": {
        const subscription = subscriptions.get(frame.consumer);
        const run = runHandler(subscription, frame).finally(() => subscription?.running.delete(run));
        subscription?.running.add(run);
        return;
      }
      case "said":
        for (const listener of listeners.get(frame.topic) ?? []) setImmediate(listener, frame.body);
    }
  };
  const onDisconnect = (): void => {
    closed = true;
    end.off("message", onMessage);
    end.off("disconnect", onDisconnect);
    lifetime.abort(gone());
    for (const each of waiting.values()) each.reject(gone());
  };
  const cancel = async (consumer: number, subscription: Subscription): Promise<void> => {
    if (subscription.cancelled) return void (await Promise.all(subscription.running));
    subscription.cancelled = true;
    if (!closed) await request({ op: "cancel", consumer });
    await Promise.all(subscription.running);
    subscriptions.delete(consumer);
  };

  end.on("message", onMessage);
  end.on("disconnect", onDisconnect);
  const epoch = String(await request({ op: "hello" }));

  return {
    epoch,
    async publish(queue, body, options) {
      const text = toJson(body);
      const plain: unknown = JSON.parse(text);
      await request({ op: "publish", queue, body: plain, headers: { ...options?.headers } }, options?.signal);
    },
    async consume(queue, { slots }, handler) {
      const consumer = nextId++;
      const subscription: Subscription = { handler, running: new Set(), cancelled: false };
      subscriptions.set(consumer, subscription);
      try {
        await request({ op: "consume", consumer, queue, slots });
      } catch (error) {
        subscriptions.delete(consumer);
        throw error;
      }
      return { cancel: () => cancel(consumer, subscription) };
    },
    async broadcast(topic, body) {
      await request({ op: "broadcast", topic, body: JSON.parse(toJson(body)) });
    },
    listen(topic, handler) {
      const listener = (body: unknown): void => handler(body);
      const known = listeners.get(topic);
      const set = known ?? new Set();
      listeners.set(topic, set.add(listener));
      // The channel keeps order: a broadcast that this process asks for later is said to it too. When the channel is
      // gone there is nothing to hear.
      if (!known) void request({ op: "listen", topic }).catch(() => undefined);
      return () => void set.delete(listener);
    },
    async depth(queue) {
      return Number(await request({ op: "depth", queue }));
    },
    async close() {
      if (closed) return;
      await Promise.all([...subscriptions].map(([consumer, each]) => cancel(consumer, each)));
      await request({ op: "bye" });
      listeners.clear();
      onDisconnect();
    },
  };
}
