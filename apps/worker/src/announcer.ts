import type { Announcement } from "@katari/contracts";
import type { MessageBus } from "@katari/queue";
import type { Logger } from "@katari/telemetry";

export interface AnnouncerOptions {
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** What to say now. */
  readonly describe: () => Announcement;
  readonly everyMs?: number;
}

export interface Announcer {
  /** Says it now, because something changed. */
  announce(): void;
  /** Says it a last time, then no more. */
  stop(): Promise<void>;
}

/** Says every 10 seconds on the topic `announcements` what this worker can take. */
export function createAnnouncer({ bus, logger, describe, everyMs = 10_000 }: AnnouncerOptions): Announcer {
  let saying: Promise<void> = Promise.resolve();
  const announce = (): void => {
    saying = saying
      .then(() => bus.broadcast("announcements", describe()))
      // Broadcasts are at most once; the next one comes soon.
      .catch((error: unknown) => logger.debug({ err: error }, "announcement not sent"));
  };
  announce();
  const timer = setInterval(announce, everyMs);
  return {
    announce,
    async stop() {
      clearInterval(timer);
      announce();
      await saying;
    },
  };
}
