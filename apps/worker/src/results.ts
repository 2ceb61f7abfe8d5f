import { outcomeOf, resultQueue, type Outcome, type ResultMessage } from "@katari/contracts";
import { AppError, type Clock } from "@katari/core";
import type { MessageBus } from "@katari/queue";

/** Which task, and which attempt of it, a result is for. */
export interface TaskRef {
  readonly taskId: string;
  readonly attempt: number;
}

export interface Results {
  /**
   * Resolves when the bus has confirmed the result. One that does not fit into a message is told as a failure. Throws
   * AppError of the bus.
   */
  publish(task: TaskRef, outcome: Outcome): Promise<void>;
}

/** This worker's side of the result queue. */
export function createResults(options: {
  readonly bus: MessageBus;
  readonly workerId: string;
  readonly clock: Clock;
}): Results {
  const { bus, workerId, clock } = options;
  return {
    async publish({ taskId, attempt }, outcome) {
      const message: ResultMessage = { v: 1, taskId, attempt, workerId, atMs: clock.now(), outcome };
      try {
        await bus.publish(resultQueue, message);
      } catch (error) {
        const told = AppError.from(error);
        if (told.code !== "too-large") throw error;
        // Nobody would ever hear of it, and the task would go round until it counts as poison.
        await bus.publish(resultQueue, { ...message, outcome: outcomeOf(told) } satisfies ResultMessage);
      }
    },
  };
}
