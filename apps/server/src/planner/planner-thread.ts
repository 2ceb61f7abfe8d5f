import { parentPort } from "node:worker_threads";
import { AppError } from "@katari/core";
import { createSpeakerShelf, planText } from "./plan-text.ts";
import type { ThreadAnswer, ThreadRequest } from "./thread-text-planner.ts";

/** The thread's side: one request after the other, each answered with its number. */
const shelf = createSpeakerShelf();
let last: Promise<void> = Promise.resolve();

parentPort?.on("message", ({ id, request }: ThreadRequest) => {
  const answer = (result: ThreadAnswer): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origins
    parentPort?.postMessage(result);
  };
  last = last
    .then(() => planText(shelf, request))
    .then(
      (plan) => answer({ id, plan }),
      (error: unknown) => {
        const { code, message, cure, retryable } = AppError.from(error);
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
        answer({ id, error: { code, message, retryable, cause, ...(cure === undefined ? {} : { cure }) } });
      },
    );
});
