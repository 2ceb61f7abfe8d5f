import { resultQueue, type Outcome, type ResultMessage } from "@katari/contracts";
import type { Clock } from "@katari/core";
import type { MessageBus } from "@katari/queue";

/** Which task, and which attempt of it, a result is for. */
export interface TaskRef {
  readonly taskId: string;
  readonly attempt: number;
}

export interface Results {
  /** Resolves when the bus has confirmed the result. Throws AppError of the bus. */
  publish(task: TaskRef, outcome: Outcome, signal?: AbortSignal): Promise<void>;
}

/** This worker's side of the result queue. */
export function createResults(options: {
  readonly bus: MessageBus;
  readonly workerId: string;
  readonly clock: Clock;
}): Results {
  const { bus, workerId, clock } = options;
  return {
    publish({ taskId, attempt }, outcome, signal) {
      const message: ResultMessage = { v: 1, taskId, attempt, workerId, atMs: clock.now(), outcome };
      return bus.publish(resultQueue, message, signal ? { signal } : {});
    },
  };
}
