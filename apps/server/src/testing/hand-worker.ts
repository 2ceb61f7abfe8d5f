import {
  resultQueue,
  taskMessageSchema,
  taskQueues,
  type ExportTask,
  type ImportTask,
  type Outcome,
  type SpeechTask,
  type TaskMessage,
  type TaskQueue,
} from "@katari/contracts";
import type { Take } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import type { Acknowledgement, Consumer, MessageBus } from "@katari/queue";

export interface HeldTask {
  readonly task: TaskMessage;
  readonly queue: TaskQueue;
  /** Sends an outcome for the task; the message stays unacknowledged. */
  send(outcome: Outcome): Promise<void>;
  /** Sends the outcome, then acknowledges, as workers do. */
  answer(outcome: Outcome): Promise<void>;
  /** Dies with the task: the message comes again, or goes to the dead-letter queue. */
  die(): void;
}

/** A worker whose every step the test takes. It takes all messages at once and keeps them until they are answered. */
export interface HandWorker {
  readonly held: readonly HeldTask[];
  /** Waits until at least that many tasks are held. */
  waitFor(count: number): Promise<readonly HeldTask[]>;
  announce(slots?: number): Promise<void>;
  close(): Promise<void>;
}

export async function createHandWorker(
  bus: MessageBus,
  options: { readonly workerId?: string; readonly store?: ObjectStore } = {},
): Promise<HandWorker> {
  const { workerId = "hand", store } = options;
  let held: HeldTask[] = [];
  const consumers: Consumer[] = [];
  const drop = (gone: HeldTask): void => {
    held = held.filter((each) => each !== gone);
  };
  for (const queue of taskQueues)
    consumers.push(
      await bus.consume(
        queue,
        { slots: 1_000 },
        ({ body }) =>
          new Promise<Acknowledgement>((resolve, reject) => {
            const task = taskMessageSchema.parse(body);
            const send = (outcome: Outcome) =>
              bus.publish(resultQueue, {
                v: 1,
                taskId: task.taskId,
                attempt: task.attempt,
                workerId,
                atMs: 0,
                outcome,
              });
            const each: HeldTask = {
              task,
              queue,
              send,
              async answer(outcome) {
                // A message never names what is not in the store.
                for (const key of namedBy(outcome)) await store?.put(key, new Uint8Array(1));
                await send(outcome);
                drop(each);
                resolve("ack");
              },
              die() {
                drop(each);
                reject(new Error("the worker died"));
              },
            };
            held.push(each);
          }),
      ),
    );
  return {
    get held() {
      return held;
    },
    async waitFor(count) {
      await until(() => held.length >= count);
      return [...held];
    },
    announce: (slots = 4) =>
      bus.broadcast("announcements", {
        v: 1,
        workerId,
        ready: true,
        slots: Object.fromEntries(taskQueues.map((queue) => [queue, slots])),
      }),
    async close() {
      for (const each of held) each.die();
      // Dead letters come again while there is a consumer, so all of them go first.
      const gone = Promise.all(consumers.map((consumer) => consumer.cancel()));
      for (const each of held) each.die();
      await gone;
    },
  };
}

function namedBy(outcome: Outcome): readonly string[] {
  if (outcome.kind !== "succeeded") return [];
  if (outcome.result.kind === "speech") return [outcome.result.take.audioKey];
  return outcome.result.kind === "export" ? [outcome.result.file.objectKey] : [];
}

/** Waits until something is so; a test that waits in vain fails by its own time limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const isSpeech = (held: HeldTask): held is HeldTask & { readonly task: SpeechTask } =>
  held.task.kind === "speech";
export const isImport = (held: HeldTask): held is HeldTask & { readonly task: ImportTask } =>
  held.task.kind === "import";
export const isExport = (held: HeldTask): held is HeldTask & { readonly task: ExportTask } =>
  held.task.kind === "export";

/** Samples of each symbol in the takes below, and of the silence around each part's sound. */
export const samplesPerSymbol = 600;
export const silenceSamples = 2_400;

/** The take that a voice would give for a task: 600 samples a symbol, 2,400 samples of silence around each part. */
function takeFor(task: SpeechTask): Take {
  let at = 0;
  const parts = task.parts.map((part) => {
    const startSamples = at;
    const soundStartSamples = at + silenceSamples;
    const soundEndSamples = soundStartSamples + (part.end - part.start) * samplesPerSymbol;
    at = soundEndSamples + silenceSamples;
    const words = part.words.map(
      ([from, to]) =>
        [
          soundStartSamples + (from - part.start) * samplesPerSymbol,
          soundStartSamples + (to - part.start) * samplesPerSymbol,
        ] as [number, number],
    );
    return { startSamples, endSamples: at, soundStartSamples, soundEndSamples, words };
  });
  return {
    key: task.takeKey,
    audioKey: `takes/${task.takeKey}.wav`,
    sampleRate: 24_000,
    lengthSamples: at,
    parts,
    checks: { peak: 0.5, levelDb: -20, suspicions: [] },
  };
}

export function spoken(task: SpeechTask): Outcome {
  const { parts, checks, ...rest } = takeFor(task);
  const take = {
    ...rest,
    parts: parts.map((part) => ({ ...part, words: part.words.map(([from, to]): [number, number] => [from, to]) })),
    checks: { ...checks, suspicions: [...checks.suspicions] },
  };
  return { kind: "succeeded", result: { kind: "speech", take, rendered: true } };
}
