import { createClipReader, writeProgramme } from "@katari/audio";
import { assemblyPlanSchema, type ExportTask } from "@katari/contracts";
import { AppError, type AssemblyPlan } from "@katari/core";
import type { ObjectStore } from "@katari/storage";
import type { JobContext, JobResult } from "../job-lane.ts";
import { parseJson, sha256Hex } from "../voice-shelf.ts";
import { bytesOf, withScratchFile } from "./scratch-file.ts";

export interface ExportHandlerOptions {
  readonly store: ObjectStore;
  /** Folder for the programme while it is written. */
  readonly scratchFolder: string;
}

const mediaTypes = { m4b: "audio/mp4", mp3: "audio/mpeg", flac: "audio/flac", wav: "audio/wav" } as const;

/** Share of the work that writing the programme takes; the rest is putting it into the store. */
const writingShare = 0.97;

/**
 * Makes one output file from its plan: reads takes clip by clip, writes the programme to a scratch file, and puts it as
 * `exports/<sha256>.<format>` with its timeline beside it. Memory does not grow with the programme. Throws AppError;
 * a take that is not in the store is `incomplete`.
 */
export function createExportHandler({ store, scratchFolder }: ExportHandlerOptions) {
  return async (task: ExportTask, { signal, progress }: JobContext): Promise<JobResult> => {
    const plan = await readPlan(store, task.planKey, signal);
    const cover = plan.cover && {
      mediaType: plan.cover.mediaType,
      bytes: await store.get(plan.cover.objectKey, { signal }),
    };
    const readClip = createClipReader({
      sampleRate: plan.sampleRate,
      readWav: (key, stop) => readTake(store, key, stop),
    });

    return withScratchFile(scratchFolder, `.${task.format}`, async (path) => {
      const written = await writeProgramme({
        format: task.format,
        plan,
        readClip,
        path,
        loudness: task.loudness,
        onProgress: (share) => progress(share * writingShare),
        signal,
        ...(cover ? { cover } : {}),
      }).catch(async (error: unknown) => {
        // Where one take is damaged, others may be: all are found now, so that one conversion repairs the book.
        if (AppError.from(error).code === "incomplete") await removeDamagedTakes(store, plan, signal);
        throw error;
      });
      const { timeline, ...file } = written;
      const objectKey = `exports/${file.sha256}.${task.format}`;
      const timelineKey = `exports/${file.sha256}.timeline.json`;
      await store.put(objectKey, bytesOf(path), { contentType: mediaTypes[task.format], signal });
      const text = new TextEncoder().encode(JSON.stringify(timeline));
      await store.put(timelineKey, text, { contentType: "application/json", signal });
      return { kind: "export", file: { ...file, objectKey, timelineKey } };
    });
  };
}

async function readPlan(store: ObjectStore, key: string, signal: AbortSignal): Promise<AssemblyPlan> {
  const parsed = assemblyPlanSchema.safeParse(parseJson(await store.get(key, { signal })));
  if (parsed.success) return parsed.data;
  throw new AppError("internal", "The plan of this export cannot be read.", {
    cure: "Start the export again.",
    cause: parsed.error,
  });
}

/**
 * A take's audio. What is not what its name says (objects are named by their content) is taken out of the store: only
 * what is missing is rendered anew by the next conversion, so damage that stayed there would stay for ever.
 */
async function readTake(store: ObjectStore, key: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const options = signal ? { signal } : {};
  const bytes = await store.get(key, options).catch((error: unknown) => {
    if (AppError.from(error).code !== "not-found") throw error;
    throw gone(`The audio ${key} is not in the store.`, error);
  });
  const digest = /^audio\/([0-9a-f]{64})\.wav$/u.exec(key)?.[1];
  if (digest === undefined || sha256Hex(bytes) === digest) return bytes;
  await store.delete([key], options);
  throw gone(`The audio ${key} was damaged and was taken out of the store.`);
}

async function removeDamagedTakes(store: ObjectStore, plan: AssemblyPlan, signal: AbortSignal): Promise<void> {
  const clips = plan.documents.flatMap(({ segments }) => segments.flatMap((segment) => segment.clips));
  for (const key of new Set(clips.map((clip) => clip.audioKey)))
    await readTake(store, key, signal).catch((error: unknown) => {
      if (AppError.from(error).code !== "incomplete") throw error;
    });
}

const gone = (message: string, cause?: unknown): AppError =>
  new AppError("incomplete", message, { cure: "Convert the book again; only what is missing is spoken anew.", cause });
