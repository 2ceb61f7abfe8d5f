import { createAccessToken } from "../access-token.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "../http-server.ts";
import { createFakeApplication, type FakeApplication } from "./fake-application.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { ObjectStore } from "@katari/storage";

/** What a test needs to knock: the listening door, what is behind it, and what it logged. */
export interface Door {
  readonly server: HttpServer;
  readonly application: FakeApplication;
  readonly store: ObjectStore;
  readonly log: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** Fetches with the bearer token, below `/api/v1`. */
  api(path: string, init?: RequestInit): Promise<Response>;
}

export const secret = "a-token-of-a-first-run-0123456789";
export const owner = { ownerId: "local" };

/** A door on a free loopback port with a fake application behind it. */
export async function openDoor(options: Partial<HttpServerOptions> = {}): Promise<Door> {
  const store = createMemoryStore();
  const application = createFakeApplication(store);
  const log: Door["log"] = [];
  const note = (level: string) => (fields: object, message: string) => {
    log.push({ level, fields, message });
  };
  const server = await createHttpServer({
    application,
    store,
    logger: { info: note("info"), warn: note("warn"), error: note("error") },
    version: "0.1.0",
    token: createAccessToken({ secret, caller: owner }),
    port: 0,
    ...options,
  });
  return {
    server,
    application,
    store,
    log,
    api(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${secret}`);
      return fetch(`${server.url}/api/v1${path}`, { ...init, headers });
    },
  };
}
