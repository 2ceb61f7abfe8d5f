import { AppError } from "@katari/core";
import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Everything comes from this very origin, and nothing may frame the page. There is no `unsafe-inline`: the studio has
 * no inline script or style.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
};

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Refuses whatever was not meant for this server (403): a foreign `Host` is how DNS rebinding looks, a foreign `Origin`
 * or `Sec-Fetch-Site` is another page's script, form or element, also one of another port of this machine, which
 * cookies do not tell apart.
 *
 * @param options.port asks for the port that the server listens on; before it listens nothing is allowed.
 * @param options.names other names by which people reach the server, with or without a port.
 */
export function guardOrigin(
  app: FastifyInstance,
  options: { readonly port: () => number | undefined; readonly names: readonly string[] },
): void {
  const isOurs = (host: string | undefined): boolean => {
    if (host === undefined) return false;
    const lower = host.toLowerCase();
    const port = options.port();
    if (port !== undefined && loopbackNames.some((name) => lower === `${name}:${port}`)) return true;
    // Port 80 is left out of `Host` by every client.
    if (port === 80 && loopbackNames.includes(lower)) return true;
    return options.names.some((name) => lower === name.toLowerCase() || lower === `${name.toLowerCase()}:${port}`);
  };
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders);
    if (!isOurs(request.headers.host))
      throw new AppError("forbidden", "This server does not answer to that host name.", {
        cure: "Open it by the address that it printed, or add the name to its configuration.",
      });
    if (!isOwnOrigin(request, isOurs))
      throw new AppError("forbidden", "This server does not take requests from other pages.", {
        cure: "Open the studio by the address that the server printed.",
      });
  });
}

function isOwnOrigin(request: FastifyRequest, isOurs: (host: string | undefined) => boolean): boolean {
  const origin = request.headers.origin;
  if (origin !== undefined) {
    // `null` is the origin of sandboxed frames and files: not ours.
    const match = /^https?:\/\/([^/]+)$/.exec(origin);
    if (!match || !isOurs(match[1])) return false;
  }
  const site = request.headers["sec-fetch-site"];
  const foreign = site !== undefined && site !== "same-origin" && site !== "none";
  // A link from elsewhere may open the studio's pages; it brings no session with it and reaches no data.
  return !foreign || (request.headers["sec-fetch-mode"] === "navigate" && !isData(request.url));
}

/** Whether a path carries somebody's data, and so needs a session. */
const isData = (url: string): boolean => /^\/(api|metrics)(?=[/?]|$)/.test(url);
