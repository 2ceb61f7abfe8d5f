import type { FastifyReply } from "fastify";
import { AppError } from "@katari/core";

/** A signal that fires when the client goes away before it has the whole answer. */
export function abortedWith(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort(new AppError("cancelled", "The client went away."));
  });
  return controller.signal;
}
