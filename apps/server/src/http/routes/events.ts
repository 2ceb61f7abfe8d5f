import { AppError } from "@katari/core";
import type { FastifyInstance } from "fastify";
import { abortedWith } from "../abort.ts";
import { streamEvents } from "../event-stream.ts";
import { securityHeaders } from "../guard.ts";
import { callerOf } from "../session.ts";
import { eventsQuerySchema, projectParamsSchema, validate } from "../validate.ts";
import type { RouteContext } from "./context.ts";

/** `GET /projects/:id/events`: the project's events, from the position that the reader names (or the beginning). */
export function registerEvents(app: FastifyInstance, context: RouteContext): void {
  app.get("/projects/:projectId/events", { exposeHeadRoute: false }, async (request, reply) => {
    const { projectId } = validate(projectParamsSchema, request.params, "project id");
    const query = validate(eventsQuerySchema, request.query, "position");
    // A browser that comes back sends the header; the query is where it began, and so the older of the two.
    const header = request.headers["last-event-id"];
    const resumed = validate(eventsQuerySchema, header === undefined || header === "" ? {} : { after: header }, "id");
    const caller = callerOf(request);
    // Asked before the head is sent, so that a wrong id is a problem and not an empty stream.
    await context.application.getProject(caller, projectId);

    const signal = AbortSignal.any([abortedWith(reply), context.stopping]);
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      ...securityHeaders,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // nginx and its relatives hold back small pieces otherwise.
      "x-accel-buffering": "no",
    });
    try {
      await streamEvents({
        application: context.application,
        caller,
        projectId,
        after: resumed.after ?? query.after ?? 0,
        response,
        signal,
      });
    } catch (error) {
      // A deleted project ends its streams; the reader learns it when it comes back.
      if (!(error instanceof AppError && error.code === "not-found"))
        context.logFailure(error, "an event stream ended early");
    } finally {
      response.end();
    }
  });
}
