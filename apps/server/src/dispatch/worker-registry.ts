import { announcementSchema, type Announcement, type System } from "@katari/contracts";
import type { Clock } from "@katari/core";
import { taskLanes, type TaskLane } from "@katari/database";
import type { MessageBus } from "@katari/queue";
import { queuesOfLane } from "./lanes.ts";

/** Which workers there are, as they say themselves. Nothing of it is kept: after a start it is known within 10 s. */
export interface WorkerRegistry {
  /** Slots for tasks of the lane, over all workers that are ready. */
  slots(lane: TaskLane): number;
  /** When the lane lost its last worker (or this server started, when it has had none); undefined while it has one. */
  withoutWorkerSinceMs(lane: TaskLane): number | undefined;
  list(): System["workers"];
  close(): void;
}

export function createWorkerRegistry(options: {
  readonly bus: MessageBus;
  readonly clock: Clock;
  readonly silenceMs: number;
  /** Called when a worker came, went or changed. */
  readonly onChange: () => void;
}): WorkerRegistry {
  const { bus, clock, silenceMs, onChange } = options;
  const heard = new Map<string, { announcement: Announcement; atMs: number }>();
  const lastServedMs = new Map<TaskLane, number>(taskLanes.map((lane) => [lane, clock.now()]));

  const slotsOf = (announcement: Announcement, lane: TaskLane): number =>
    announcement.ready ? queuesOfLane(lane).reduce((sum, queue) => sum + (announcement.slots[queue] ?? 0), 0) : 0;

  const forgetSilent = (): void => {
    const oldest = clock.now() - silenceMs;
    for (const [id, { announcement, atMs }] of heard) {
      if (atMs >= oldest) continue;
      heard.delete(id);
      for (const lane of taskLanes)
        if (slotsOf(announcement, lane) > 0) lastServedMs.set(lane, Math.max(lastServedMs.get(lane) ?? 0, atMs));
    }
  };

  const slots = (lane: TaskLane): number => {
    forgetSilent();
    let sum = 0;
    for (const { announcement } of heard.values()) sum += slotsOf(announcement, lane);
    return sum;
  };

  const end = bus.listen("announcements", (body) => {
    const parsed = announcementSchema.safeParse(body);
    // Another version's announcement says nothing about what it could take of ours.
    if (!parsed.success) return;
    const before = heard.get(parsed.data.workerId)?.announcement;
    const nowMs = clock.now();
    heard.set(parsed.data.workerId, { announcement: parsed.data, atMs: nowMs });
    for (const lane of taskLanes)
      if (slotsOf(parsed.data, lane) > 0 || (before !== undefined && slotsOf(before, lane) > 0))
        lastServedMs.set(lane, nowMs);
    if (JSON.stringify(before) !== JSON.stringify(parsed.data)) onChange();
  });

  return {
    slots,
    withoutWorkerSinceMs: (lane) => (slots(lane) > 0 ? undefined : lastServedMs.get(lane)),
    list() {
      forgetSilent();
      return [...heard.values()].map(({ announcement: { workerId, ready, reason, slots } }) => ({
        workerId,
        ready,
        slots,
        ...(reason === undefined ? {} : { reason }),
      }));
    },
    close: end,
  };
}
