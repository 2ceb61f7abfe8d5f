import { AppError } from "@katari/core";
import { Client, escapeIdentifier, type ClientConfig } from "pg";
import type { Unlisten } from "./handle.ts";

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * LISTEN belongs to a connection, so it has one of its own. When that breaks, or does not answer a question that is put
 * to it every `pingMs`, another is made (again and again, with growing pauses) and the handler is called with
 * `undefined`: some may have been missed. Throws what the driver says when the first one cannot be made.
 */
export async function listenTo(
  config: ClientConfig,
  channel: string,
  handler: (payload: string | undefined) => void,
  options: { readonly pingMs: number },
): Promise<Unlisten> {
  let ended = false;
  let current: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let opening: Promise<void> | undefined;
  let failures = 0;

  const open = async (): Promise<void> => {
    const client = new Client(config);
    client.on("error", () => undefined);
    client.on("notification", (message) => handler(message.payload));
    try {
      await client.connect();
      await client.query(`listen ${escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (ended) return client.end();
    current = client;
    failures = 0;
    client.once("end", () => lose(client));
    sleep(options.pingMs, () => void ping(client));
  };

  const sleep = (ms: number, then: () => void): void => {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(then, ms).unref();
  };

  const lose = (client: Client): void => {
    if (current !== client) return;
    current = undefined;
    reopen();
  };

  const reopen = (): void => {
    if (!ended) opening = openAgain();
  };

  const openAgain = async (): Promise<void> => {
    try {
      await open();
    } catch {
      sleep(Math.min(firstPauseMs * 2 ** failures++, longestPauseMs), reopen);
      return;
    }
    if (!ended) handler(undefined);
  };

  const ping = async (client: Client): Promise<void> => {
    try {
      await client.query("select 1");
      if (current === client) sleep(options.pingMs, () => void ping(client));
    } catch {
      lose(client);
      // Whatever it says now, another takes its place.
      await client.end().catch(() => undefined);
    }
  };

  await open().catch((error: unknown) => {
    ended = true;
    throw error instanceof Error ? error : new AppError("internal", "Listening failed.", { cause: error });
  });
  return async () => {
    ended = true;
    clearTimeout(timer);
    await opening;
    const last = current;
    current = undefined;
    await last?.end();
  };
}
