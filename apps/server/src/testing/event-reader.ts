import type { StoredEvent } from "@katari/core";

/** Keeps the ids of a project's events, read whenever it is woken from where it stands, as an event stream reads them. */
export function createReader(read: (after: number) => Promise<readonly StoredEvent[]>) {
  const ids: number[] = [];
  let reading = Promise.resolve();
  const readOn = async (before: Promise<void>): Promise<void> => {
    await before;
    try {
      for (const event of await read(ids.at(-1) ?? 0)) ids.push(event.id);
    } catch {
      // The database is away: the call after the gap reads on.
    }
  };
  return {
    ids,
    wake(): void {
      reading = readOn(reading);
    },
  };
}
