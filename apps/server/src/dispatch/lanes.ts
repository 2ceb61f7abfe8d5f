import { speechQueue, type TaskQueue } from "@katari/contracts";
import { assertNever } from "@katari/core";
import type { TaskLane } from "@katari/database";

/** Tasks of this priority and smaller are interactive: somebody is listening. */
export const interactivePriority = 50;

/** The queues that tasks of a lane are published to. */
export function queuesOfLane(lane: TaskLane): readonly TaskQueue[] {
  switch (lane) {
    case "cpu":
    case "gpu":
      return [speechQueue(lane, true), speechQueue(lane, false)];
    case "import":
    case "export":
      return [lane];
    default:
      return assertNever(lane);
  }
}

/** The queue of one task: whether it is urgent is decided now, at dispatch, by its priority of this moment. */
export function queueOf(lane: TaskLane, priority: number): TaskQueue {
  switch (lane) {
    case "cpu":
    case "gpu":
      return speechQueue(lane, priority <= interactivePriority);
    case "import":
    case "export":
      return lane;
    default:
      return assertNever(lane);
  }
}
