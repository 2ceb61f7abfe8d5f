import { AppError } from "@katari/core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Caller } from "../application.ts";
import type { AccessToken } from "./access-token.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by `requireCaller` on every route that it guards. */
    caller: Caller | undefined;
  }
}

const sessionMaxAgeSeconds = 30 * 24 * 3_600;

/** Cookies are shared by all ports of a host, so each server has a name of its own. */
const cookieName = (port: number | undefined): string => `katari-${port ?? 0}`;

/** Who asks. @throws AppError `unauthenticated`; the hook of `requireCaller` has run before every route that asks. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw notSignedIn();
  return request.caller;
}

const notSignedIn = (): AppError =>
  new AppError("unauthenticated", "You are not signed in.", {
    cure: "Open the link that the server printed when it started, or send its token as `Authorization: Bearer`.",
  });

/** Lets nobody through without a session cookie or a bearer token. */
export function requireCaller(
  app: FastifyInstance,
  options: { readonly token: AccessToken; readonly port: () => number | undefined },
): void {
  app.decorateRequest("caller", undefined);
  app.addHook("onRequest", async (request) => {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const session = request.cookies[cookieName(options.port())];
    const caller =
      bearer === undefined
        ? session === undefined
          ? undefined
          : options.token.verifySession(session)
        : options.token.verify(bearer);
    if (!caller) throw notSignedIn();
    request.caller = caller;
  });
}

const wrongLink = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Katari</title></head><body>
<h1>This link does not open Katari</h1>
<p>It is an old one or not complete. Use the link that the server printed when it started.</p>
<p lang="ja">このリンクでは開けません。古いか、途中で切れています。サーバーの起動時に表示されたリンクを使ってください。</p>
</body></html>
`;

/**
 * `GET /open?token=…`: the link of the first run. Gives the browser its session and leads to the studio. A wrong link is
 * answered by the studio's own page (401), which says so in the reader's language; without a studio by a plain one.
 */
export function registerOpen(
  app: FastifyInstance,
  options: {
    readonly token: AccessToken;
    readonly port: () => number | undefined;
    /** Folder with the built studio. */
    readonly studioFolder?: string | undefined;
  },
): void {
  app.get("/open", async (request, reply) => {
    const { token } = request.query as { token?: unknown };
    const caller = typeof token === "string" ? options.token.verify(token) : undefined;
    reply.header("cache-control", "no-store");
    if (!caller) {
      const page = await studioPage(options.studioFolder);
      return reply
        .code(401)
        .type("text/html; charset=utf-8")
        .send(page ?? wrongLink);
    }
    return reply
      .setCookie(cookieName(options.port()), options.token.sessionOf(caller), {
        path: "/",
        httpOnly: true,
        sameSite: "strict",
        maxAge: sessionMaxAgeSeconds,
      })
      .redirect("/", 303);
  });
}

async function studioPage(folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  return readFile(join(folder, "index.html"), "utf8").catch(() => undefined);
}
