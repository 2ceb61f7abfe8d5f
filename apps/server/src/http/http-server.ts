import cookie from "@fastify/cookie";
import { AppError } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import fastify, { type FastifyInstance } from "fastify";
import type { Application } from "../application.ts";
import type { AccessToken } from "./access-token.ts";
import { guardOrigin } from "./guard.ts";
import { registerHealth, type MetricsRegistry } from "./health.ts";
import { problemMediaType, problemOf, toPublicError } from "./problem.ts";
import type { RouteContext } from "./routes/context.ts";
import { registerConversions } from "./routes/conversions.ts";
import { registerEvents } from "./routes/events.ts";
import { registerExports } from "./routes/exports.ts";
import { registerProjects } from "./routes/projects.ts";
import { registerSystem } from "./routes/system.ts";
import { registerOpen, requireCaller } from "./session.ts";
import { registerStudio } from "./studio-files.ts";

/** The part of a pino logger that the door uses. */
interface HttpLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface HttpServerOptions {
  readonly application: Application;
  readonly store: ObjectStore;
  readonly logger: HttpLogger;
  readonly version: string;
  readonly token: AccessToken;
  /** Folder with the built studio; without it the server has an API only. */
  readonly studioFolder?: string;
  /** Address to bind; default 127.0.0.1. */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names besides the loopback ones by which clients may call the server. */
  readonly hostNames?: readonly string[];
  /** Default 512 MiB. */
  readonly maxUploadBytes?: number;
  /** What `/metrics` shows; without it there is no such route. */
  readonly metrics?: MetricsRegistry;
}

export interface HttpServer {
  /** Where it listens, as a person would open it, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, ends event streams, lets answers finish for up to 3 seconds. */
  close(): Promise<void>;
}

const closeGraceMs = 3_000;

/**
 * The HTTP door of the application: the API below `/api/v1`, health, metrics, the studio.
 *
 * @throws AppError `port-taken` when another program listens there, `no-permission` for a port that needs rights.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  let port: number | undefined;
  const stopping = new AbortController();
  const app = fastify({ logger: false, bodyLimit: 1_048_576, forceCloseConnections: "idle" });
  guardOrigin(app, { port: () => port, names: options.hostNames ?? [] });
  answerWithProblems(app, options.logger);
  readBodies(app);
  await app.register(cookie);
  registerOpen(app, { token: options.token, port: () => port, studioFolder: options.studioFolder });
  registerHealth(app, { ...options, boundPort: () => port });
  const context: RouteContext = {
    application: options.application,
    store: options.store,
    maxUploadBytes: options.maxUploadBytes ?? 536_870_912,
    stopping: stopping.signal,
    logFailure: (error, message) => options.logger.warn({ err: error }, message),
  };
  await app.register(
    async (api) => {
      requireCaller(api, { token: options.token, port: () => port });
      registerProjects(api, context);
      registerConversions(api, context);
      registerExports(api, context);
      registerEvents(api, context);
      registerSystem(api, context);
      // A route of its own, so that it asks who is there before it says what is not.
      api.all("/*", async () => {
        throw new AppError("not-found", "The API has no such route.", { cure: "Check the address and the method." });
      });
    },
    { prefix: "/api/v1" },
  );
  await registerStudio(app, options.studioFolder);

  const host = options.host ?? "127.0.0.1";
  try {
    await app.listen({ host, port: options.port });
  } catch (error) {
    await app.close();
    throw AppError.from(error);
  }
  const address = app.server.address();
  const bound = address !== null && typeof address === "object" ? address.port : options.port;
  port = bound;
  return {
    url: `http://${urlHost(host)}:${bound}`,
    port: bound,
    async close() {
      stopping.abort(new AppError("cancelled", "The server stops."));
      const timer = setTimeout(() => app.server.closeAllConnections(), closeGraceMs);
      try {
        await app.close();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A wildcard address is no place to go to; loopback is. */
function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** JSON (an empty body is no body), and raw streams for uploads. Nothing else: forms of other pages are not read. */
function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parseJson(request, body.toString(), done);
  });
  app.addContentTypeParser("application/octet-stream", (_request, payload, done) => done(null, payload));
}

function answerWithProblems(app: FastifyInstance, logger: HttpLogger): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const problem = problemOf(toPublicError(thrown));
    // The pattern of the route, never its address: a query may hold a token.
    const route = { method: request.method, route: request.routeOptions.url ?? "unknown", status: problem.status };
    // A fault with a name is told to whoever asked; what nobody foresaw is told here alone.
    if (problem.code === "internal") logger.error({ ...route, err: thrown }, "a request failed");
    else if (problem.status >= 500) logger.warn({ ...route, code: problem.code, err: thrown }, "a request failed");
    else if (problem.code !== "cancelled") logger.info({ ...route, code: problem.code }, "a request was refused");
    if (problem.status === 401) reply.header("www-authenticate", 'Bearer realm="katari"');
    reply.removeHeader("content-length").removeHeader("content-disposition");
    return reply
      .code(problem.status)
      .header("cache-control", "no-store")
      .type(problemMediaType)
      .send(JSON.stringify(problem));
  });
}
