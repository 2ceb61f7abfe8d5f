import fastifyStatic from "@fastify/static";
import { AppError } from "@katari/core";
import type { FastifyInstance } from "fastify";

/**
 * The studio: built files by name (those with a hash in it for ever), and its page for every other address that a
 * person may open. Everything else that is not known is a problem (404).
 */
export async function registerStudio(app: FastifyInstance, folder: string | undefined): Promise<void> {
  const unknown = (): AppError =>
    new AppError("not-found", "There is nothing at this address.", { cure: "Check the address." });
  if (folder === undefined) {
    app.setNotFoundHandler(async () => {
      throw unknown();
    });
    return;
  }
  await app.register(fastifyStatic, {
    root: folder,
    index: ["index.html"],
    cacheControl: false,
    setHeaders: (response, path) => {
      const named = /[\\/]assets[\\/]/.test(path);
      void response.header("cache-control", named ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  app.setNotFoundHandler(async (request, reply) => {
    const page = /^\/projects(?=[/?]|$)/.test(request.url) && (request.method === "GET" || request.method === "HEAD");
    if (!page) throw unknown();
    return reply.sendFile("index.html");
  });
}
