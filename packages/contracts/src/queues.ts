import type { Lane } from "./voice-manifest.ts";

/** The queues of the system. A speech queue is a lane times how urgent its work is. */
export const speechQueues = [
  "speech.cpu.interactive",
  "speech.cpu.bulk",
  "speech.gpu.interactive",
  "speech.gpu.bulk",
] as const;
export const taskQueues = [...speechQueues, "import", "export"] as const;
export type TaskQueue = (typeof taskQueues)[number];
/** Where workers put their results. */
export const resultQueue = "results";
/** A message that was delivered too often without an answer ends here. */
export const deadLetterQueue = (queue: QueueName): QueueName => `${queue}.dead` as QueueName;
export type QueueName = TaskQueue | typeof resultQueue | `${TaskQueue | typeof resultQueue}.dead`;

export const broadcastTopics = ["control", "announcements"] as const;
export type BroadcastTopic = (typeof broadcastTopics)[number];

export function speechQueue(lane: Lane, interactive: boolean): TaskQueue {
  return `speech.${lane}.${interactive ? "interactive" : "bulk"}`;
}
