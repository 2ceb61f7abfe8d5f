import { exportSchema, startExportSchema } from "@katari/contracts";
import type { FastifyInstance } from "fastify";
import { attachment } from "../content-disposition.ts";
import { sendJson } from "../json.ts";
import { callerOf } from "../session.ts";
import { sendFile, wholeObject } from "../stored-file.ts";
import { exportParamsSchema, projectParamsSchema, validate } from "../validate.ts";
import type { RouteContext } from "./context.ts";

/** Exports: start, look, fetch the file. */
export function registerExports(app: FastifyInstance, { application, store }: RouteContext): void {
  app.post("/projects/:projectId/exports", async (request, reply) => {
    const { projectId } = validate(projectParamsSchema, request.params, "project id");
    const { format, documents } = validate(startExportSchema, request.body ?? {}, "export");
    const started = await application.startExport(callerOf(request), projectId, {
      format,
      ...(documents === undefined ? {} : { documents }),
    });
    return sendJson(reply.header("location", `/api/v1/exports/${started.id}`), exportSchema, started, 202);
  });

  app.get("/exports/:exportId", async (request, reply) => {
    const { exportId } = validate(exportParamsSchema, request.params, "export id");
    return sendJson(reply, exportSchema, await application.getExport(callerOf(request), exportId));
  });

  app.get("/exports/:exportId/file", async (request, reply) => {
    const { exportId } = validate(exportParamsSchema, request.params, "export id");
    const file = await application.getExportFile(callerOf(request), exportId);
    return sendFile(request, reply, store, {
      pieces: [await wholeObject(store, file.objectKey)],
      mediaType: file.mediaType,
      etag: file.sha256,
      disposition: attachment(file.fileName),
    });
  });
}
