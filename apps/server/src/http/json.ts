import type { FastifyReply } from "fastify";
import { z } from "zod";

/**
 * Answers with JSON in the shape of its schema. What the schema does not name stays inside; a value that does not fit
 * is a fault of the server (500), not something that a client should meet later.
 */
export function sendJson<T extends z.ZodType>(
  reply: FastifyReply,
  schema: T,
  value: z.output<T>,
  status = 200,
): FastifyReply {
  return reply.code(status).header("cache-control", "no-store").send(schema.parse(value));
}
