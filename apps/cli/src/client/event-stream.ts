import { AppError, type ProjectEvent, type StoredEvent } from "@katari/core";

const reconnectMs = 500;
/** A server that is started again has its database open and its models loaded within this time. */
const giveUpAfterMs = 60_000;

/**
 * Server-sent events (WHATWG HTML §9.2) as an endless iterable: reconnects with the last id seen, so that nothing is
 * missed or told twice. `undefined` stands for `reset`: the reader has to fetch the state anew. Throws what `connect`
 * threw last when nobody has answered for `giveUpAfterMs`: a studio that was closed does not come back by itself.
 */
export async function* readEventStream(
  connect: (afterId: number, signal: AbortSignal) => Promise<Response>,
  after: number,
  signal: AbortSignal,
  options: { readonly giveUpAfterMs?: number } = {},
): AsyncIterable<StoredEvent | undefined> {
  let lastId = after;
  let silentSinceMs: number | undefined;
  while (!signal.aborted) {
    try {
      const response = await connect(lastId, signal);
      silentSinceMs = undefined;
      for await (const message of readMessages(response)) {
        if (message.event === "reset") {
          lastId = Number(message.id ?? lastId);
          yield undefined;
          continue;
        }
        const stored = JSON.parse(message.data) as StoredEvent & { event: ProjectEvent };
        if (stored.id <= lastId) continue;
        lastId = stored.id;
        yield stored;
      }
    } catch (error) {
      if (signal.aborted) return;
      const known = AppError.from(error);
      // A refused request will be refused again; a broken connection is what reconnecting is for.
      if (known.code === "not-found" || known.code === "unauthenticated" || known.code === "forbidden") throw known;
      silentSinceMs ??= performance.now();
      if (performance.now() - silentSinceMs >= (options.giveUpAfterMs ?? giveUpAfterMs)) throw known;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, reconnectMs));
  }
}

interface Message {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

async function* readMessages(response: Response): AsyncIterable<Message> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let buffer = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    buffer += decoder.decode(chunk, { stream: true });
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const message = parseMessage(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (message !== undefined) yield message;
    }
  }
}

function parseMessage(text: string): Message | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 && event === "message" ? undefined : { id, event, data: data.join("\n") };
}
