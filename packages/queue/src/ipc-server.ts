import { AppError } from "@katari/core";
import {
  describeError,
  frameMark,
  requestSchema,
  sendFrame,
  type BusRequest,
  type BusResponse,
  type DeliveryAnswer,
  type IpcEnd,
} from "./ipc-protocol.ts";
import type { Acknowledgement, Consumer, Delivery, MessageBus } from "./message-bus.ts";

/** Broadcasts that may lie unsent in the channel of one slow child; later ones are dropped, as the port allows. */
const maxUnsentBroadcasts = 1_000;

export interface BusServer {
  /** Resolves when the child has gone and everything it held is back on the bus. Never rejects. */
  readonly ended: Promise<void>;
  /** Lets go of the child; what it holds counts as lost. */
  close(): Promise<void>;
}

/**
 * Lets the process at the other end of a Node IPC channel use this process's bus (`connectBusOverIpc` there).
 *
 * When that process goes away (exit, kill, closed channel), its consumers are cancelled first and only then are the
 * messages that it held given back as lost, so that none of them is handed to the dead end again. A message that
 * arrives in between is put back without raising its count.
 */
export function serveBusOverIpc(bus: MessageBus, end: IpcEnd): BusServer {
  const consumers = new Map<number, Consumer>();
  const deliveries = new Map<number, (answer: DeliveryAnswer) => void>();
  const endListening: (() => void)[] = [];
  let settle: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let nextDelivery = 1;
  let unsentBroadcasts = 0;
  let closed = false;

  const respond = (frame: BusResponse): Promise<void> => sendFrame(end, frame);

  const deliver = async (consumer: number, { body, headers, deliveryCount }: Delivery): Promise<Acknowledgement> => {
    if (closed) return "requeue";
    const delivery = nextDelivery++;
    const answered = new Promise<DeliveryAnswer>((resolve) => deliveries.set(delivery, resolve));
    try {
      await respond({
        mark: frameMark,
        op: "delivery",
        delivery,
        consumer,
        body,
        headers: { ...headers },
        deliveryCount,
      });
    } catch {
      // The channel broke while sending: the child never saw the message.
      deliveries.delete(delivery);
      return "requeue";
    }
    const answer = await answered;
    if (answer === "lost") throw new AppError("unavailable", "The consumer went away.", { retryable: true });
    return answer;
  };

  const perform = async (request: Exclude<BusRequest, { op: "acknowledged" }>): Promise<unknown> => {
    switch (request.op) {
      case "hello":
        return bus.epoch;
      case "publish":
        return bus.publish(request.queue, request.body, { headers: request.headers });
      case "consume": {
        const { consumer, queue, slots } = request;
        const made = await bus.consume(queue, { slots }, (delivery) => deliver(consumer, delivery));
        if (closed) return made.cancel();
        consumers.set(consumer, made);
        return undefined;
      }
      case "cancel":
        await consumers.get(request.consumer)?.cancel();
        return void consumers.delete(request.consumer);
      case "broadcast":
        return bus.broadcast(request.topic, request.body);
      case "listen": {
        const { topic } = request;
        const say = (body: unknown): void => {
          if (unsentBroadcasts >= maxUnsentBroadcasts) return;
          unsentBroadcasts++;
          respond({ mark: frameMark, op: "said", topic, body })
            // At most once: a child that is away has missed it.
            .catch(() => undefined)
            .finally(() => unsentBroadcasts--);
        };
        return void endListening.push(bus.listen(topic, say));
      }
      case "depth":
        return bus.depth(request.queue);
      case "bye":
        await release();
        return undefined;
    }
  };

  const answer = async (request: Exclude<BusRequest, { op: "acknowledged" }>): Promise<void> => {
    let response: BusResponse;
    try {
      response = { mark: frameMark, op: "answer", id: request.id, value: await perform(request) };
    } catch (error) {
      response = { mark: frameMark, op: "answer", id: request.id, error: describeError(error) };
    }
    // Whoever asked has gone: nobody waits for the answer.
    await respond(response).catch(() => undefined);
  };

  const onMessage = (message: unknown): void => {
    if ((message as { mark?: unknown } | null)?.mark !== frameMark) return;
    const parsed = requestSchema.safeParse(message);
    if (!parsed.success) return;
    const request = parsed.data;
    if (request.op !== "acknowledged") return void answer(request);
    const settleDelivery = deliveries.get(request.delivery);
    deliveries.delete(request.delivery);
    settleDelivery?.(request.answer);
  };

  const release = async (): Promise<void> => {
    closed = true;
    for (const stop of endListening.splice(0)) stop();
    const cancelled = [...consumers.values()].map((each) => each.cancel());
    consumers.clear();
    for (const settleDelivery of deliveries.values()) settleDelivery("lost");
    deliveries.clear();
    await Promise.allSettled(cancelled);
  };

  const close = async (): Promise<void> => {
    end.off("message", onMessage);
    end.off("disconnect", onDisconnect);
    await release();
    settle();
  };
  const onDisconnect = (): void => void close();

  end.on("message", onMessage);
  end.on("disconnect", onDisconnect);
  if (!end.connected) onDisconnect();
  return { ended, close };
}
