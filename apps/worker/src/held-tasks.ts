import { controlSchema } from "@katari/contracts";
import { AppError, type Clock } from "@katari/core";

/** Cancelled conversions and tasks that are remembered, so that their waiting messages are skipped when they come. */
const rememberedCancels = 10_000;
/**
 * How long the messages of a paused conversion are skipped. That it goes on is said at most once and may be missed, so
 * this is short: it covers what waited on the queue when the person paused.
 */
const rememberPauseMs = 10_000;

export interface HeldTask {
  /** Aborts when somebody cancelled the task or its conversion. */
  readonly signal: AbortSignal;
  readonly release: () => void;
}

export interface HeldTasks {
  /** Notes that the task is being worked on. Throws AppError `cancelled` when it was cancelled before it came. */
  hold(task: { readonly taskId: string; readonly conversionId?: string }): HeldTask;
  /** What was said on the topic `control`; what does not parse is for a newer worker. */
  readonly heard: (body: unknown) => void;
}

/** What this worker works on, and what was cancelled: the two meet here. */
export function createHeldTasks(clock: Clock): HeldTasks {
  const running = new Set<{ readonly ids: readonly string[]; readonly cancel: AbortController }>();
  const cancelled = new Set<string>();
  const pausedUntilMs = new Map<string, number>();

  const isCancelled = (id: string): boolean => cancelled.has(id) || (pausedUntilMs.get(id) ?? 0) > clock.now();
  const abort = (id: string): void => {
    for (const each of running) if (each.ids.includes(id)) each.cancel.abort(wasCancelled());
  };

  return {
    hold({ taskId, conversionId }) {
      const ids = [`task ${taskId}`, ...(conversionId === undefined ? [] : [`conversion ${conversionId}`])];
      if (ids.some(isCancelled)) throw wasCancelled();
      const held = { ids, cancel: new AbortController() };
      running.add(held);
      return { signal: held.cancel.signal, release: () => void running.delete(held) };
    },
    heard(body) {
      const parsed = controlSchema.safeParse(body);
      if (!parsed.success) return;
      const control = parsed.data;
      switch (control.kind) {
        case "cancel-conversion":
          remember(cancelled, `conversion ${control.conversionId}`);
          return abort(`conversion ${control.conversionId}`);
        case "cancel-task":
          remember(cancelled, `task ${control.taskId}`);
          return abort(`task ${control.taskId}`);
        case "pause-conversion":
          for (const [id, untilMs] of pausedUntilMs) if (untilMs <= clock.now()) pausedUntilMs.delete(id);
          pausedUntilMs.set(`conversion ${control.conversionId}`, clock.now() + rememberPauseMs);
          return abort(`conversion ${control.conversionId}`);
        case "resume-conversion":
          pausedUntilMs.delete(`conversion ${control.conversionId}`);
          return;
      }
    },
  };
}

function remember(set: Set<string>, id: string): void {
  set.add(id);
  const [oldest] = set;
  if (set.size > rememberedCancels && oldest !== undefined) set.delete(oldest);
}

const wasCancelled = (): AppError => new AppError("cancelled", "The work was cancelled.");
