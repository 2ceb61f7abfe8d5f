import http from "node:http";
import { streamedEventSchema, streamResetSchema } from "@katari/contracts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { streamEvents } from "./event-stream.ts";
import { openDoor, owner, type Door } from "./testing/door.ts";

let door: Door;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.server.close());

interface Message {
  id?: string;
  event?: string;
  data?: string;
  comment?: string;
  retry?: string;
}

/** Reads server-sent events as the WHATWG specification says, one message at a time. */
async function* messages(response: Response): AsyncGenerator<Message> {
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const message: Message = {};
      for (const line of text.slice(0, end).split("\n")) {
        const colon = line.indexOf(":");
        const name = colon === 0 ? "comment" : line.slice(0, colon);
        Object.assign(message, { [name]: line.slice(colon + 1).replace(/^ /, "") });
      }
      text = text.slice(end + 2);
      yield message;
    }
  }
}

async function take(source: AsyncGenerator<Message>, count: number): Promise<Message[]> {
  const taken: Message[] = [];
  while (taken.length < count) {
    const { value, done } = await source.next();
    if (done) break;
    if (value.data !== undefined) taken.push(value);
  }
  return taken;
}

const progress = (readySegments: number) =>
  ({
    type: "progress",
    conversionId: "c",
    documentId: "d",
    readySegments,
    totalSegments: 5_000,
    audioMs: 0,
  }) as const;

describe("the event stream", () => {
  it("replays what is in the database and goes on with what comes, in order and without gaps", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    for (let index = 1; index <= 3; index++) door.application.emit(id, progress(index));
    const leave = new AbortController();
    const response = await door.api(`/projects/${id}/events?after=1`, { signal: leave.signal });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const stream = messages(response);
    expect((await take(stream, 2)).map((one) => one.id)).toEqual(["2", "3"]);
    for (let index = 4; index <= 60; index++) door.application.emit(id, progress(index));
    const live = await take(stream, 57);
    expect(live.map((one) => Number(one.id))).toEqual(Array.from({ length: 57 }, (_, index) => index + 4));
    const last = streamedEventSchema.parse(JSON.parse(live.at(-1)?.data ?? ""));
    expect([last.id, last.event]).toEqual([60, progress(60)]);
    leave.abort();
  });

  it("goes on from the browser's last event, which is newer than the address", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    for (let index = 1; index <= 5; index++) door.application.emit(id, progress(index));
    const leave = new AbortController();
    const response = await door.api(`/projects/${id}/events?after=1`, {
      signal: leave.signal,
      headers: { "last-event-id": "4" },
    });
    expect((await take(messages(response), 1))[0]?.id).toBe("5");
    leave.abort();
  });

  it("resets a reader that is too far behind, or ahead of the database, and goes on from there", async () => {
    const { id } = door.application.addProject("local", "a.epub").detail;
    for (let index = 1; index <= 1_002; index++) door.application.emit(id, progress(index));
    for (const after of [0, 5_000]) {
      const leave = new AbortController();
      const stream = messages(await door.api(`/projects/${id}/events?after=${after}`, { signal: leave.signal }));
      const [reset] = await take(stream, 1);
      const newest = door.application.projects.get(id)?.detail.lastEventId;
      expect([reset?.event, Number(reset?.id)]).toEqual(["reset", newest]);
      expect(streamResetSchema.parse(JSON.parse(reset?.data ?? "")).lastEventId).toBe(newest);
      door.application.emit(id, progress(1));
      const [next] = await take(stream, 1);
      expect([next?.event, Number(next?.id)]).toEqual([undefined, (newest ?? 0) + 1]);
      leave.abort();
    }
    // 1,000 events are still replayed.
    const leave = new AbortController();
    const newest = door.application.projects.get(id)?.detail.lastEventId ?? 0;
    const stream = messages(await door.api(`/projects/${id}/events?after=${newest - 1_000}`, { signal: leave.signal }));
    const replayed = await take(stream, 1_000);
    expect(replayed.every((one) => one.event === undefined)).toBe(true);
    expect(Number(replayed.at(-1)?.id)).toBe(newest);
    leave.abort();
  });

  it("answers wrong ids and positions with a problem", async () => {
    expect((await door.api("/projects/nobody/events")).status).toBe(404);
    const { id } = door.application.addProject("local", "a.epub").detail;
    expect((await door.api(`/projects/${id}/events?after=-1`)).status).toBe(400);
    expect((await door.api(`/projects/${id}/events`, { headers: { "last-event-id": "x" } })).status).toBe(400);
  });

  it("ends when the project is deleted, and lets go of its listener when the reader leaves", async () => {
    const project = door.application.addProject("local", "a.epub");
    const leave = new AbortController();
    const response = await door.api(`/projects/${project.detail.id}/events`, { signal: leave.signal });
    await response.body?.getReader().read();
    expect(project.listeners.size).toBe(1);
    leave.abort();
    await expect.poll(() => project.listeners.size).toBe(0);

    const other = door.application.addProject("local", "b.epub");
    const stream = messages(await door.api(`/projects/${other.detail.id}/events`));
    await stream.next();
    await door.api(`/projects/${other.detail.id}`, { method: "DELETE" });
    expect(await take(stream, 1)).toEqual([]);
  });

  it("does not keep the server from closing", async () => {
    const closing = await openDoor();
    const { id } = closing.application.addProject("local", "a.epub").detail;
    const stream = messages(await closing.api(`/projects/${id}/events`));
    await stream.next();
    await closing.server.close();
    expect(await take(stream, 1)).toEqual([]);
  });
});

/** A server with nothing but one stream, whose reader the test controls. */
async function withStream(
  options: { heartbeatMs?: number; stallMs?: number },
  run: (project: ReturnType<Door["application"]["addProject"]>, url: string, ended: Promise<void>) => Promise<void>,
): Promise<void> {
  const project = door.application.addProject("local", "a.epub");
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const server = http.createServer((_request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    response.writeHead(200, { "content-type": "text/event-stream" });
    void streamEvents({
      application: door.application,
      caller: owner,
      projectId: project.detail.id,
      after: 0,
      response,
      signal: gone.signal,
      ...options,
    }).finally(() => {
      response.end();
      end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  try {
    await run(project, `http://127.0.0.1:${port}/`, ended);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}

describe("a stream's line", () => {
  it("shows that it is alive while nothing happens", async () => {
    await withStream({ heartbeatMs: 20 }, async (_project, url) => {
      const leave = new AbortController();
      const stream = messages(await fetch(url, { signal: leave.signal }));
      const first = [await stream.next(), await stream.next(), await stream.next()].map((one) => one.value as Message);
      expect(first.map((one) => one.retry ?? one.comment)).toEqual(["2000", "still here", "still here"]);
      leave.abort();
    });
  });

  it("is cut when the reader takes nothing, instead of piling up what it did not take", async () => {
    await withStream({ stallMs: 200 }, async (project, url, ended) => {
      let asked = 0;
      const plain = door.application.eventsAfter.bind(door.application);
      door.application.eventsAfter = async (caller, id, after, limit) => {
        asked++;
        const events = await plain(caller, id, after, limit);
        // Large enough that a few pages fill every buffer on the way.
        return events.map((one) => ({
          ...one,
          event: { type: "import", state: "ready", message: "x".repeat(20_000) },
        }));
      };
      const request = http.get(url, (response) => response.pause());
      request.on("error", () => undefined);
      const busy = setInterval(() => {
        for (let index = 0; index < 200; index++) door.application.emit(project.detail.id, progress(index));
      }, 5);
      try {
        await ended;
      } finally {
        clearInterval(busy);
        request.destroy();
      }
      // It stopped reading the database at the reader's pace: all that was produced meanwhile was never fetched.
      expect(asked).toBeLessThan(50);
      expect(project.listeners.size).toBe(0);
    });
  });
});
