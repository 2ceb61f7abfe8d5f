import { realpath } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import type { FastifyInstance } from "fastify";
import { AppError } from "@katari/core";
import { z } from "zod";
import type { ModelSource } from "../../registry/model-source.ts";
import type { Registry } from "../../registry/registry.ts";

const loadSchema = z.object({
  parameters: z.object({
    path: z.string().min(1),
    version: z.string().min(1).default("1"),
    source_digest: z.string().optional(),
    served_digest: z.string().optional(),
    instances: z.int().min(1).max(256).optional(),
    threads: z.int().min(1).max(256).optional(),
  }),
});
const unloadSchema = z.object({ parameters: z.object({ version: z.string().optional() }).default({}) });

/**
 * Triton's repository API. What to load is said by Katari's own parameters: `path` of an ONNX file below one of the
 * allowed roots, `version`, `source_digest`, `served_digest`, `instances`, `threads`.
 */
export function repositoryRoutes(app: FastifyInstance, registry: Registry, allowedRoots: readonly string[]): void {
  app.post("/v2/repository/index", async () => registry.index());

  app.post<{ Params: { model: string } }>("/v2/repository/models/:model/load", async (request, reply) => {
    const { parameters } = parse(loadSchema, request.body);
    const path = await allowedPath(parameters.path, allowedRoots);
    const source: ModelSource = {
      name: request.params.model,
      version: parameters.version,
      path,
      ...(parameters.source_digest === undefined ? {} : { sourceDigest: parameters.source_digest }),
      ...(parameters.served_digest === undefined ? {} : { servedDigest: parameters.served_digest }),
      ...(parameters.instances === undefined ? {} : { instances: parameters.instances }),
      ...(parameters.threads === undefined ? {} : { threads: parameters.threads }),
    };
    await registry.load(source);
    return reply.status(200).send();
  });

  app.post<{ Params: { model: string } }>("/v2/repository/models/:model/unload", async (request, reply) => {
    const { parameters } = parse(unloadSchema, request.body);
    await registry.unload(request.params.model, parameters.version);
    return reply.status(200).send();
  });
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const text = Buffer.isBuffer(body) && body.byteLength > 0 ? body.toString("utf8") : "{}";
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AppError("invalid-argument", "failed to parse the JSON of the request", { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("invalid-argument", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`);
}

/** The real path of a file below one of the roots; links are followed first. Throws `forbidden` or `not-found`. */
async function allowedPath(path: string, roots: readonly string[]): Promise<string> {
  const refused = new AppError(
    "forbidden",
    "Models may only be loaded from the folders that the server was started with.",
  );
  if (!isAbsolute(path)) throw refused;
  const inside = (root: string, file: string): boolean => {
    const way = relative(root, file);
    return way !== "" && !way.startsWith("..") && !isAbsolute(way);
  };
  // Asked before the file system is, so that nobody learns what lies elsewhere.
  if (!roots.some((root) => inside(root, path))) throw refused;
  try {
    const real = await realpath(path);
    const realRoots = await Promise.all(roots.map((root) => realpath(root)));
    if (realRoots.some((root) => inside(root, real))) return real;
  } catch (error) {
    throw AppError.from(error);
  }
  throw refused;
}
