import { conversionSchema, startConversionSchema, type Conversion } from "@katari/contracts";
import type { FastifyInstance } from "fastify";
import type { Caller } from "../../application.ts";
import { sendJson } from "../json.ts";
import { callerOf } from "../session.ts";
import { conversionParamsSchema, idempotencyKeySchema, projectParamsSchema, validate } from "../validate.ts";
import type { RouteContext } from "./context.ts";

/** Conversions: start, look, pause, resume, cancel, try again. */
export function registerConversions(app: FastifyInstance, { application }: RouteContext): void {
  app.post("/projects/:projectId/conversions", async (request, reply) => {
    const { projectId } = validate(projectParamsSchema, request.params, "project id");
    const { documents, ...settings } = validate(startConversionSchema, request.body ?? {}, "conversion");
    const idempotencyKey = validate(idempotencyKeySchema, request.headers["idempotency-key"], "idempotency key");
    const conversion = await application.startConversion(callerOf(request), projectId, {
      ...settings,
      ...(documents === undefined ? {} : { documents }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return sendJson(
      reply.header("location", `/api/v1/conversions/${conversion.id}`),
      conversionSchema,
      conversion,
      202,
    );
  });

  app.get("/conversions/:conversionId", async (request, reply) => {
    const { conversionId } = validate(conversionParamsSchema, request.params, "conversion id");
    return sendJson(reply, conversionSchema, await application.getConversion(callerOf(request), conversionId));
  });

  const commands: Readonly<Record<string, (caller: Caller, conversionId: string) => Promise<Conversion>>> = {
    pause: (caller, id) => application.pauseConversion(caller, id),
    resume: (caller, id) => application.resumeConversion(caller, id),
    cancel: (caller, id) => application.cancelConversion(caller, id),
    retry: (caller, id) => application.retryConversion(caller, id),
  };
  for (const [name, command] of Object.entries(commands)) {
    app.post(`/conversions/:conversionId/${name}`, async (request, reply) => {
      const { conversionId } = validate(conversionParamsSchema, request.params, "conversion id");
      return sendJson(reply, conversionSchema, await command(callerOf(request), conversionId));
    });
  }
}
