import {
  completenessSchema,
  createdProjectSchema,
  projectDetailSchema,
  projectSummarySchema,
  segmentPageSchema,
  segmentQuerySchema,
} from "@katari/contracts";
import { AppError } from "@katari/core";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Readable } from "node:stream";
import { z } from "zod";
import { abortedWith } from "../abort.ts";
import { sendJson } from "../json.ts";
import { segmentWav } from "../segment-wav.ts";
import { callerOf } from "../session.ts";
import { sendFile, wholeObject } from "../stored-file.ts";
import {
  documentParamsSchema,
  documentsQuerySchema,
  projectParamsSchema,
  segmentParamsSchema,
  uploadQuerySchema,
  validate,
} from "../validate.ts";
import type { RouteContext } from "./context.ts";

/** Projects with their documents and segments. */
export function registerProjects(app: FastifyInstance, context: RouteContext): void {
  const { application, store } = context;
  const project = (request: FastifyRequest): string =>
    validate(projectParamsSchema, request.params, "project id").projectId;

  app.post("/projects", async (request, reply) => {
    const { fileName } = validate(uploadQuerySchema, request.query, "file name");
    const body = uploadOf(request);
    if (!body)
      throw new AppError("invalid-argument", "There is no file in the request.", {
        cure: "Send the file's bytes as the body, with content type `application/octet-stream`.",
      });
    const signal = abortedWith(reply);
    try {
      const declared = Number(request.headers["content-length"] ?? 0);
      if (declared > context.maxUploadBytes) throw tooLarge(context.maxUploadBytes);
      const created = await application.createProject(callerOf(request), {
        fileName,
        // An application that stops reading must not cut the line on which it will get its answer.
        body: body.iterator({ destroyOnReturn: false }),
        maxBytes: context.maxUploadBytes,
        signal,
      });
      return sendJson(
        reply.header("location", `/api/v1/projects/${created.projectId}`),
        createdProjectSchema,
        created,
        201,
      );
    } catch (error) {
      await discard(body);
      throw error;
    }
  });

  app.get("/projects", async (request, reply) =>
    sendJson(reply, z.array(projectSummarySchema), await application.listProjects(callerOf(request))),
  );

  app.get("/projects/:projectId", async (request, reply) =>
    sendJson(reply, projectDetailSchema, await application.getProject(callerOf(request), project(request))),
  );

  app.delete("/projects/:projectId", async (request, reply) => {
    await application.deleteProject(callerOf(request), project(request));
    return reply.code(204).send();
  });

  app.get("/projects/:projectId/cover", async (request, reply) => {
    const cover = await application.getCover(callerOf(request), project(request));
    const piece = await wholeObject(store, cover.objectKey);
    const size = "end" in piece ? piece.end : 0;
    // Nothing but pictures leaves here, whatever a source calls its cover.
    const mediaType = cover.mediaType === "image/png" || cover.mediaType === "image/jpeg" ? cover.mediaType : undefined;
    if (mediaType === undefined) throw new AppError("not-found", "The project has no cover that can be shown.");
    const etag = `${cover.objectKey.replace(/[^A-Za-z0-9]/g, "-")}-${size}`;
    return sendFile(request, reply, store, { pieces: [piece], mediaType, etag });
  });

  app.get("/projects/:projectId/completeness", async (request, reply) => {
    const { documents } = validate(documentsQuerySchema, request.query, "list of documents");
    const report = await application.getCompleteness(callerOf(request), project(request), documents);
    return sendJson(reply, completenessSchema, report);
  });

  app.get("/projects/:projectId/documents/:documentId/segments", async (request, reply) => {
    const { projectId, documentId } = validate(documentParamsSchema, request.params, "document id");
    const { after, limit } = validate(segmentQuerySchema, request.query, "page");
    const page = await application.listSegments(callerOf(request), {
      projectId,
      documentId,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    return sendJson(reply, segmentPageSchema, page);
  });

  app.get("/projects/:projectId/segments/:segmentId/audio", async (request, reply) => {
    const { projectId, segmentId } = validate(segmentParamsSchema, request.params, "segment id");
    const audio = await application.getSegmentAudio(callerOf(request), projectId, segmentId);
    return sendFile(request, reply, store, await segmentWav(store, audio, abortedWith(reply)));
  });

  app.post("/projects/:projectId/segments/:segmentId/listen", async (request, reply) => {
    const { projectId, segmentId } = validate(segmentParamsSchema, request.params, "segment id");
    await application.listenFrom(callerOf(request), projectId, segmentId);
    return reply.code(204).send();
  });
}

function uploadOf(request: FastifyRequest): Readable | undefined {
  return request.body === request.raw ? request.raw : undefined;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too-large", `The file is larger than ${Math.floor(maxBytes / 2 ** 20)} MB.`, {
    cure: "Raise the server's upload limit, or take out large pictures and fonts.",
    details: { maxBytes },
  });
}

/** Longest time for which what is still coming of a refused upload is read and thrown away. */
const discardMs = 10_000;

/**
 * Reads the rest of a refused upload: a client that still writes would lose the answer otherwise (its connection would
 * be reset before it reads). One that goes on for too long loses it after all.
 */
async function discard(body: Readable): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      body.destroy();
      resolve();
    }, discardMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    body.once("end", done).once("close", done).once("error", done).resume();
  });
}
