import { AppError } from "@katari/core";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { groupBytes, type AssetGroup } from "./asset-group.ts";
import type { Environment } from "./cache-folder.ts";
import type { DownloadStore } from "./download-store.ts";
import type { OnVoiceProgress, VoiceLogger } from "./progress.ts";
import type { AssetSource } from "./sources/source.ts";

interface AcquireOptions {
  readonly voiceId: string;
  readonly groups: readonly AssetGroup[];
  /** In the order in which they are tried. */
  readonly sources: readonly AssetSource[];
  readonly store: DownloadStore;
  readonly environment: Environment;
  readonly workFolder: string;
  readonly fetch: typeof globalThis.fetch;
  readonly logger: VoiceLogger;
  readonly onProgress: OnVoiceProgress;
  readonly signal?: AbortSignal;
}

/**
 * Brings every group into the store, from the first source that has it. Throws `voice-unavailable` with what each
 * source said when a group that is needed cannot be had; one that is optional is then left out, with a warning.
 */
export async function acquireGroups(options: AcquireOptions): Promise<void> {
  const { groups, store, onProgress, logger } = options;
  const missing: AssetGroup[] = [];
  for (const group of groups) if (!(await store.hasGroup(group))) missing.push(group);
  const totalBytes = missing.reduce((sum, group) => sum + groupBytes(group), 0);
  let beforeBytes = 0;
  for (const group of missing) {
    const bytes = groupBytes(group);
    const report = (doneBytes: number): void =>
      onProgress({
        phase: "download",
        item: group.title,
        doneBytes: beforeBytes + Math.min(doneBytes, bytes),
        totalBytes,
      });
    report(0);
    const failures = await acquireGroup(group, options, report);
    if (failures) {
      if (!group.optional) throw unavailable(options.voiceId, group, failures);
      logger.warn({ voice: options.voiceId, failures }, `${group.title} could not be had; the voice works without it`);
    }
    beforeBytes += bytes;
    report(0);
  }
}

/** Tries the sources; returns what each said when none had the group. */
async function acquireGroup(
  group: AssetGroup,
  options: AcquireOptions,
  onBytes: (doneBytes: number) => void,
): Promise<readonly string[] | undefined> {
  const { store, environment, fetch, signal, logger } = options;
  const failures: string[] = [];
  for (const [at, source] of options.sources.entries()) {
    if (!source.serves(group)) continue;
    signal?.throwIfAborted();
    const workFolder = join(options.workFolder, `${group.name}-${at}`);
    await mkdir(workFolder, { recursive: true });
    try {
      await source.fetch(group, { store, environment, workFolder, fetch, onBytes, ...(signal ? { signal } : {}) });
      if (!(await store.hasGroup(group))) throw new AppError("voice-unavailable", "not all files came");
      logger.info({ voice: options.voiceId, group: group.name, source: source.name }, "fetched");
      return undefined;
    } catch (error) {
      signal?.throwIfAborted();
      const known = AppError.from(error);
      if (known.code === "disk-full" || known.code === "no-permission") throw known;
      const text = known.code === "internal" && error instanceof Error ? reason(error) : known.message;
      failures.push(`${source.name}: ${text.replace(/\.$/u, "")}`);
    } finally {
      await rm(workFolder, { recursive: true, force: true });
    }
  }
  return failures;
}

/** Node's fetch hides what happened ("fetch failed") in the cause. */
function reason(error: Error): string {
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}

function unavailable(voiceId: string, group: AssetGroup, failures: readonly string[]): AppError {
  const names = [...new Set(group.packages.map((pinned) => pinned.name))];
  const files = group.assets.length === 1 ? `${group.assets[0]?.name ?? ""} or ` : "";
  return new AppError(
    "voice-unavailable",
    [
      `The voice ${voiceId} could not be installed: ${group.title} was not to be had.`,
      ...failures.map((line) => `  ${line}`),
    ].join("\n"),
    {
      cure: `Check the network and run \`katari voices add ${voiceId}\` again, or put ${files}${names.join(", ")} into a folder and run \`katari voices add ${voiceId} --from FOLDER\`.`,
      details: { voice: voiceId, missing: group.name },
    },
  );
}
