import type { ServerResponse } from "node:http";
import type { StreamedEvent } from "@katari/contracts";
import type { Application, Caller } from "../application.ts";

/** A reader that is further behind than this is told to fetch anew instead. */
const maxReplayedEvents = 1_000;

export interface EventStreamOptions {
  readonly application: Pick<Application, "eventsAfter" | "getProject" | "onEvents">;
  readonly caller: Caller;
  readonly projectId: string;
  /** Id of the last event that the reader has. */
  readonly after: number;
  readonly response: ServerResponse;
  /** Ends the stream: the reader went away, or the server stops. */
  readonly signal: AbortSignal;
  /** Default 15,000. */
  readonly heartbeatMs?: number;
  /** How long a reader may take nothing before it is disconnected; default 15,000. */
  readonly stallMs?: number;
}

/**
 * Server-sent events of one project (WHATWG HTML, section 9.2): what the database has after the reader's position,
 * then what comes. Events are only read from the database when the reader has taken those before, so a slow reader
 * costs one page of memory; one that takes nothing is disconnected and comes back with `Last-Event-ID`.
 *
 * Delivery: in order, at least once, without gaps; a message `event: reset` stands for everything up to its id.
 * Resolves when the stream ends; throws what the application throws.
 */
export async function streamEvents(options: EventStreamOptions): Promise<void> {
  const { application, caller, projectId, response, signal } = options;
  let after = options.after;
  let wake: () => void = () => undefined;
  let pending = true;
  const stopListening = application.onEvents(projectId, () => {
    pending = true;
    wake();
  });
  const heartbeat = setInterval(() => wake(), options.heartbeatMs ?? 15_000);
  const stop = (): void => wake();
  signal.addEventListener("abort", stop);
  const write = (text: string): Promise<boolean> => writeOrStall(response, text, options.stallMs ?? 15_000, signal);

  try {
    if (!(await write("retry: 2000\n\n"))) return;
    // A position beyond the newest event is from another database: only a fresh start helps.
    const { lastEventId } = await application.getProject(caller, projectId);
    if (after > lastEventId) {
      after = lastEventId;
      if (!(await write(resetMessage(after)))) return;
    }
    while (!signal.aborted) {
      if (!pending) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (pending || signal.aborted) resolve();
        });
        wake = () => undefined;
        if (signal.aborted) return;
        if (!pending && !(await write(": still here\n\n"))) return;
      }
      if (!pending) continue;
      // Cleared before reading: what comes while we read sets it again.
      pending = false;
      const events = await application.eventsAfter(caller, projectId, after, maxReplayedEvents + 1);
      if (events.length > maxReplayedEvents) {
        pending = true;
        after = (await application.getProject(caller, projectId)).lastEventId;
        if (!(await write(resetMessage(after)))) return;
        continue;
      }
      for (const stored of events) {
        const data: StreamedEvent = { id: stored.id, atMs: stored.atMs, event: stored.event };
        if (!(await write(`id: ${stored.id}\ndata: ${JSON.stringify(data)}\n\n`))) return;
        after = stored.id;
      }
    }
  } finally {
    clearInterval(heartbeat);
    signal.removeEventListener("abort", stop);
    stopListening();
  }
}

const resetMessage = (lastEventId: number): string =>
  `id: ${lastEventId}\nevent: reset\ndata: ${JSON.stringify({ lastEventId })}\n\n`;

/** Writes and waits until the reader has room again. False: it took nothing for too long, or has gone. */
async function writeOrStall(
  response: ServerResponse,
  text: string,
  stallMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted || response.destroyed) return false;
  if (response.write(text)) return true;
  return new Promise<boolean>((resolve) => {
    const settle = (taken: boolean): void => {
      clearTimeout(timer);
      response.off("drain", onDrain);
      signal.removeEventListener("abort", onAbort);
      resolve(taken);
    };
    const onDrain = (): void => settle(true);
    const onAbort = (): void => settle(false);
    const timer = setTimeout(() => {
      response.destroy();
      settle(false);
    }, stallMs);
    response.once("drain", onDrain);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
