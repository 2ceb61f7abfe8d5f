import { systemSchema, voiceSchema } from "@katari/contracts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { sendJson } from "../json.ts";
import type { RouteContext } from "./context.ts";

/** Voices, and how the system is doing. */
export function registerSystem(app: FastifyInstance, { application }: RouteContext): void {
  app.get("/voices", async (_request, reply) => sendJson(reply, z.array(voiceSchema), await application.listVoices()));
  app.get("/system", async (_request, reply) => sendJson(reply, systemSchema, await application.getSystem()));
}
