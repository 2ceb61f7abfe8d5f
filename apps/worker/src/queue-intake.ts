import type { TaskQueue } from "@katari/contracts";
import type { Acknowledgement, Consumer, Delivery, MessageBus } from "@katari/queue";

export interface QueueIntake {
  readonly queue: TaskQueue;
  readonly slots: number;
  /** Begins or goes on to take messages. */
  open(): Promise<void>;
  /** Takes no more; resolves when the handlers that run have answered. */
  close(): Promise<void>;
  readonly isOpen: boolean;
}

export interface QueueIntakeOptions {
  readonly bus: MessageBus;
  readonly queue: TaskQueue;
  readonly slots: number;
  readonly handler: (delivery: Delivery, signal: AbortSignal) => Promise<Acknowledgement>;
}

/**
 * A consumer that can be stopped and started again. Openings and closings happen one after another, in the order in
 * which they were asked for. A message that comes while it is closing is put back, uncounted.
 */
export function createQueueIntake({ bus, queue, slots, handler }: QueueIntakeOptions): QueueIntake {
  let wanted = false;
  let consumer: Consumer | undefined;
  let chain: Promise<void> = Promise.resolve();

  const afterwards = (step: () => Promise<void>): Promise<void> => {
    // A failed step was told to whoever asked for it; the next one starts anew.
    chain = chain.catch(() => undefined).then(step);
    return chain;
  };

  return {
    queue,
    slots,
    get isOpen() {
      return wanted;
    },
    open() {
      wanted = true;
      return afterwards(async () => {
        if (!wanted || consumer) return;
        consumer = await bus.consume(queue, { slots }, (delivery, signal) =>
          wanted ? handler(delivery, signal) : Promise.resolve("requeue"),
        );
      });
    },
    close() {
      wanted = false;
      return afterwards(async () => {
        await consumer?.cancel();
        consumer = undefined;
      });
    },
  };
}
