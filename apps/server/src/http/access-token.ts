import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "@katari/core";
import type { Caller } from "../application.ts";

/**
 * Who may come in. A token opens the door to programs (`Authorization: Bearer`) and, once, to a browser (`/open`),
 * which from then on shows a session that was derived from it. Neither is ever logged.
 */
export interface AccessToken {
  /** Whoever holds this token; `undefined` for a wrong one. Takes the same time for every wrong token. */
  verify(token: string): Caller | undefined;
  /** Value of the session cookie for whoever holds the token. It cannot be turned back into the token. */
  sessionOf(caller: Caller): string;
  /** Whoever holds this session; `undefined` for a wrong one. */
  verifySession(session: string): Caller | undefined;
}

/**
 * The embedded default: one person, one secret. The session is an HMAC of the secret, so it outlives a restart of the
 * server as long as the secret stays, and a new secret ends every session.
 *
 * @throws AppError `invalid-argument` when the secret is too short to keep anybody out (under 16 characters).
 */
export function createAccessToken(options: { readonly secret: string; readonly caller: Caller }): AccessToken {
  if (options.secret.length < 16)
    throw new AppError("invalid-argument", "The access token has fewer than 16 characters.", {
      cure: "Use a random token of at least 16 characters.",
    });
  const digest = (text: string): Buffer => createHmac("sha256", options.secret).update(text).digest();
  const session = digest("katari session 1").toString("base64url");
  // Both sides are hashed first: digests have one length, so the comparison tells nothing about lengths either.
  const equal = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
  return {
    verify: (token) => (equal(token, options.secret) ? options.caller : undefined),
    sessionOf: () => session,
    verifySession: (value) => (equal(value, session) ? options.caller : undefined),
  };
}
