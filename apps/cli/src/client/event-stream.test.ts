import { AppError } from "@katari/core";
import { describe, expect, it } from "vitest";
import { readEventStream } from "./event-stream.ts";

const gone = (): AppError => new AppError("unavailable", "Nothing answers.", { retryable: true });
const event = (id: number): string =>
  `id: ${id}\ndata: ${JSON.stringify({ id, atMs: 0, event: { type: "import", state: "ready" } })}\n\n`;

describe("reading an event stream", () => {
  it("goes on from the last id when the connection was lost, also after some vain attempts", async () => {
    const asked: number[] = [];
    const connect = async (after: number): Promise<Response> => {
      asked.push(after);
      if (asked.length === 2) throw gone();
      // The first connection ends in the middle of an event; the second tells the last whole one again.
      return new Response(asked.length === 1 ? `${event(1)}id: 2\nda` : `${event(1)}${event(2)}`);
    };
    const ids: number[] = [];
    for await (const stored of readEventStream(connect, 0, new AbortController().signal)) {
      ids.push(stored?.id ?? -1);
      if (stored?.id === 2) break;
    }
    expect(ids).toEqual([1, 2]);
    expect(asked).toEqual([0, 1, 1]);
  });

  it("gives up with the connection's error when nobody answers any more", async () => {
    let attempts = 0;
    const connect = async (): Promise<Response> => {
      if (attempts++ === 0) return new Response(event(1));
      throw gone();
    };
    const ids: (number | undefined)[] = [];
    const read = async (): Promise<void> => {
      const events = readEventStream(connect, 0, new AbortController().signal, { giveUpAfterMs: 0 });
      for await (const stored of events) ids.push(stored?.id);
    };
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
    expect(ids).toEqual([1]);
  });
});
