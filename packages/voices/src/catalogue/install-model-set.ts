import { AppError } from "@katari/core";
import { appendFile, link, mkdir, rm, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import type { DownloadStore } from "./download-store.ts";
import { fileDigest } from "./file-digest.ts";
import { writeInstalledFiles, type InstalledFile } from "./installed-files.ts";
import { kokoroGroups, publishedModel, timedModelDigest, timingsSuffix } from "./kokoro-assets.ts";
import { attributionText } from "./kokoro-attribution.ts";
import { prepareModel, type ModelMeasurement } from "./prepare-model.ts";
import type { OnVoiceProgress, VoiceLogger } from "./progress.ts";
import { describeFile, unpackGroup } from "./unpack-groups.ts";

/** Names in the folder that all Kokoro voices share. */
export const modelSetFiles = {
  published: publishedModel.path,
  served: "served.onnx",
  measurements: "measurements.json",
  attribution: "licences/ATTRIBUTION.txt",
} as const;

/**
 * Makes the folder that all Kokoro voices share, from what lies in the store: the published model with its timings
 * exposed, the model that is served, the speaker files, the dictionaries and the licences. The model served is the
 * rewritten one when it gives the same audio to the bit and is faster on this machine, else the published one.
 */
export async function buildModelSet(options: {
  readonly store: DownloadStore;
  readonly folder: string;
  readonly logger: VoiceLogger;
  readonly onProgress: OnVoiceProgress;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { store, folder, logger, onProgress, signal } = options;
  const step = (phase: "unpack" | "rewrite" | "compare", item: string): void =>
    onProgress({ phase, item, doneBytes: 0, totalBytes: 0 });
  const files: InstalledFile[] = [];
  for (const group of kokoroGroups) {
    if (group.optional && !(await store.hasGroup(group))) continue;
    step("unpack", group.title);
    files.push(...(await unpackGroup(group, store, folder, signal)));
  }
  const published = join(folder, modelSetFiles.published);
  await appendFile(published, timingsSuffix);
  const publishedDigest = await fileDigest(published, signal);
  if (publishedDigest !== timedModelDigest)
    throw new AppError("voice-damaged", `The model with its timings has the sha256 ${publishedDigest}.`, {
      cure: "Run the same command again.",
    });

  const served = join(folder, modelSetFiles.served);
  const style = files.find((file) => file.path.startsWith("speakers/"));
  const measurement = await prepareModel({
    published,
    rewritten: served,
    style: join(folder, style?.path ?? ""),
    onStep: (name) => step(name, "the model"),
    ...(signal ? { signal } : {}),
  });
  const keepsRewritten =
    measurement.identical && measurement.rewrittenRealTimeFactor > measurement.publishedRealTimeFactor;
  if (!keepsRewritten) {
    logger.warn({ measurement }, "the model is served as published: the rewritten one is not better here");
    await rm(served);
    await link(published, served);
  }
  await writeMeasurements(folder, measurement, keepsRewritten);
  await mkdir(join(folder, "licences"), { recursive: true });
  await writeFile(join(folder, modelSetFiles.attribution), attributionText);
  const made = [modelSetFiles.published, modelSetFiles.served, modelSetFiles.measurements, modelSetFiles.attribution];
  const others = files.filter((file) => file.path !== modelSetFiles.published);
  const described: InstalledFile[] = [];
  for (const path of made) described.push(await describeFile(folder, path));
  await writeInstalledFiles(folder, [...others, ...described]);
}

async function writeMeasurements(
  folder: string,
  measurement: ModelMeasurement,
  keepsRewritten: boolean,
): Promise<void> {
  const record = {
    v: 1,
    served: keepsRewritten ? "rewritten" : "published",
    processor: cpus()[0]?.model ?? "unknown",
    runtime: "onnxruntime-node 1.30.0",
    ...measurement,
  };
  await writeFile(join(folder, modelSetFiles.measurements), `${JSON.stringify(record, null, 2)}\n`);
}
