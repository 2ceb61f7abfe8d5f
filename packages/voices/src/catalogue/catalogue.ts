import type { VoiceManifest } from "@katari/contracts";
import { AppError } from "@katari/core";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { acquireGroups } from "./acquire.ts";
import { groupBytes } from "./asset-group.ts";
import type { Environment } from "./cache-folder.ts";
import { defaultSources } from "./default-sources.ts";
import { requireDiskSpace } from "./disk-space.ts";
import { createDownloadStore } from "./download-store.ts";
import { withInstallLock } from "./install-lock.ts";
import { buildModelSet } from "./install-model-set.ts";
import { folderProblems, readInstalledFiles } from "./installed-files.ts";
import { kokoroGroups } from "./kokoro-assets.ts";
import { kokoroLanguage, kokoroTitle } from "./kokoro-manifest.ts";
import { kokoroSpeakers } from "./kokoro-speakers.ts";
import type { OnVoiceProgress, VoiceLogger } from "./progress.ts";
import { localSource } from "./sources/local.ts";
import type { AssetSource } from "./sources/source.ts";
import { makeWorkFolder, replaceFolder, sweepWorkFolders } from "./staging.ts";
import { buildKokoroVoice, copyVoiceFolder, readManifest } from "./voice-folder.ts";

/** A voice that can be installed. */
export interface AvailableVoice {
  readonly id: string;
  readonly title: string;
  readonly languages: readonly string[];
  /** The one that is taken when nobody chooses. */
  readonly isDefault: boolean;
}

export interface InstalledVoice {
  readonly id: string;
  readonly title: string;
  readonly languages: readonly string[];
  /** Files missing or of a wrong size make a voice `damaged`; `add` repairs it. */
  readonly state: "ready" | "damaged";
  /** SPDX identifier; empty when the manifest cannot be read. */
  readonly licence: string;
  readonly folder: string;
}

/** A voice that is ready to be used; all paths are absolute. */
export interface LoadedVoice {
  readonly manifest: VoiceManifest;
  readonly folder: string;
  readonly modelPath: string;
  readonly stylePath: string;
  /** Files of the pronunciation data by language and role. */
  readonly pronunciation: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface VoiceCheck {
  readonly id: string;
  /** What is wrong, one line each; none when the voice is whole. */
  readonly problems: readonly string[];
}

export interface AddVoiceOptions {
  /** A file or folder that the person has: the packages, the files in them, or the folder of a finished voice. */
  readonly from?: string;
  readonly onProgress?: OnVoiceProgress;
  readonly signal?: AbortSignal;
}

export interface VoiceCatalogue {
  available(): readonly AvailableVoice[];
  list(): Promise<readonly InstalledVoice[]>;
  /**
   * Makes sure that a voice is installed and whole; one that is costs a check of its files' hashes and nothing else.
   * Safe to call from several processes at once, and again after one was killed. Throws `unknown-voice`,
   * `voice-unavailable` (with what each source said), `disk-full`, `no-permission`.
   */
  add(id: string, options?: AddVoiceOptions): Promise<LoadedVoice>;
  /** Removes a voice, and what all voices of its model share when it was the last. Throws `unknown-voice`. */
  remove(id: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Compares every file with its hash. Throws `unknown-voice` when the voice is not installed. */
  verify(id: string, options?: { readonly signal?: AbortSignal }): Promise<VoiceCheck>;
  /** What one needs to use a voice. Throws `unknown-voice` or `voice-damaged`; looks at sizes, not at hashes. */
  load(id: string): Promise<LoadedVoice>;
}

export interface VoiceCatalogueOptions {
  readonly cacheDir: string;
  readonly environment: Environment;
  /** Instead of the sources of the product, in the order in which they are tried. */
  readonly sources?: readonly AssetSource[];
  readonly logger?: VoiceLogger;
  readonly fetch?: typeof globalThis.fetch;
}

/** The voice that is taken when nobody chooses. */
export const defaultVoiceId = "af_heart";

/** The folder that all Kokoro voices share; a new rewrite of the graph gets a new number. */
const modelSetPrefix = "kokoro-82m-v1.0-int8.";
const modelSetName = `${modelSetPrefix}2`;

/** What an installation holds beside the downloads: two models, speakers, dictionaries, and some room. */
const installedBytes = 250_000_000;

const quiet: VoiceLogger = { info: () => undefined, warn: () => undefined };

/** Voices on this machine, in `cacheDir`: `voices/<id>` for each, `models/<set>` for what they share. */
export function createVoiceCatalogue(options: VoiceCatalogueOptions): VoiceCatalogue {
  const { cacheDir, environment, logger = quiet, fetch = globalThis.fetch } = options;
  const voicesFolder = join(cacheDir, "voices");
  const setFolder = join(cacheDir, "models", modelSetName);
  const folderOf = (id: string): string => join(voicesFolder, id);

  const unknown = (id: string): AppError =>
    new AppError("unknown-voice", `There is no voice ${JSON.stringify(id)}.`, {
      cure: "`katari voices list` shows the voices there are.",
    });
  const isKokoro = (id: string): boolean => kokoroSpeakers.some((speaker) => speaker.id === id);
  const isInstalled = async (id: string): Promise<boolean> =>
    /^[a-z0-9][a-z0-9._-]*$/u.test(id) && (await stat(folderOf(id)).catch(() => undefined))?.isDirectory() === true;

  const load = async (id: string): Promise<LoadedVoice> => {
    if (!(await isInstalled(id))) {
      if (!isKokoro(id)) throw unknown(id);
      throw new AppError("unknown-voice", `The voice ${id} is not installed.`, {
        cure: `Run \`katari voices add ${id}\`.`,
      });
    }
    const folder = folderOf(id);
    const [problem] = await folderProblems(folder, { hashes: false });
    if (problem !== undefined)
      throw new AppError("voice-damaged", `The voice ${id} is damaged: ${problem}.`, {
        cure: `Run \`katari voices add ${id}\` to repair it.`,
      });
    const manifest = await readManifest(folder);
    const absolute = (path: string): string => join(folder, path);
    const pronunciation = Object.fromEntries(
      Object.entries(manifest.pronunciation).map(([language, roles]) => [
        language,
        Object.fromEntries(Object.entries(roles).map(([role, path]) => [role, absolute(path)])),
      ]),
    );
    const { model, style } = manifest;
    return { manifest, folder, modelPath: absolute(model.file), stylePath: absolute(style.file), pronunciation };
  };

  /** Whether a voice was made from the shared folder that this version makes, or is somebody's own. */
  const isCurrent = async (id: string): Promise<boolean> => {
    if (!isKokoro(id)) return true;
    const { madeFrom = modelSetName } = await readInstalledFiles(folderOf(id)).catch(() => ({ madeFrom: "" }));
    return madeFrom === modelSetName;
  };

  /** Brings the shared folder to be, from whatever source has it. */
  const ensureModelSet = async (id: string, add: AddVoiceOptions, workFolder: string): Promise<void> => {
    const { onProgress = () => undefined, signal, from } = add;
    const abort = signal ? { signal } : {};
    if ((await folderProblems(setFolder, { hashes: true, ...abort })).length === 0) return;
    const store = createDownloadStore(join(cacheDir, "downloads"));
    const downloadBytes = kokoroGroups.reduce((sum, group) => sum + groupBytes(group), 0);
    await requireDiskSpace(cacheDir, installedBytes + downloadBytes);
    const modelsFolder = join(cacheDir, "models");
    const sources = [
      ...(from === undefined ? [] : [localSource(from)]),
      ...((await stat(modelsFolder).catch(() => undefined)) ? [localSource(modelsFolder, "what is installed")] : []),
      ...(options.sources ?? defaultSources),
    ];
    await acquireGroups({
      voiceId: id,
      groups: kokoroGroups,
      sources,
      store,
      environment,
      workFolder,
      fetch,
      logger,
      onProgress,
      ...abort,
    });
    const staged = join(workFolder, "set");
    await mkdir(staged);
    await buildModelSet({ store, folder: staged, logger, onProgress, ...abort });
    onProgress({ phase: "install", item: "the model", doneBytes: 0, totalBytes: 0 });
    await replaceFolder(staged, setFolder, join(workFolder, "old-set"));
    for (const name of await readdir(modelsFolder))
      if (name.startsWith(modelSetPrefix) && name !== modelSetName)
        await rm(join(modelsFolder, name), { recursive: true, force: true });
    await store.clear();
  };

  const ensureVoice = async (id: string, add: AddVoiceOptions): Promise<void> => {
    const whole = async (): Promise<boolean> =>
      (await isInstalled(id)) &&
      (await isCurrent(id)) &&
      (await folderProblems(folderOf(id), { hashes: true, ...(add.signal ? { signal: add.signal } : {}) })).length ===
        0;
    if (await whole()) return;
    const finished = add.from === undefined ? undefined : await finishedVoice(add.from);
    if (finished === undefined && !isKokoro(id)) throw unknown(id);
    await withInstallLock(cacheDir, add.signal, async () => {
      if (await whole()) return;
      await sweepWorkFolders(cacheDir);
      const workFolder = await makeWorkFolder(cacheDir);
      try {
        const staged = join(workFolder, "voice");
        await mkdir(staged);
        if (finished !== undefined) await copyVoiceFolder(id, finished, staged);
        else {
          await ensureModelSet(id, add, workFolder);
          await buildKokoroVoice(id, setFolder, staged);
        }
        await replaceFolder(staged, folderOf(id), join(workFolder, "old-voice"));
        logger.info({ voice: id, folder: folderOf(id) }, "voice installed");
      } finally {
        await rm(workFolder, { recursive: true, force: true });
      }
    });
  };

  return {
    available: () =>
      kokoroSpeakers.map(({ id }) => ({
        id,
        title: kokoroTitle(id),
        languages: [kokoroLanguage(id)],
        isDefault: id === defaultVoiceId,
      })),

    async list() {
      const voices: InstalledVoice[] = [];
      for (const id of (await readdir(voicesFolder).catch((): string[] => [])).sort((a, b) => (a < b ? -1 : 1))) {
        if (!(await isInstalled(id))) continue;
        const folder = folderOf(id);
        const manifest = await readManifest(folder).catch(() => undefined);
        const problems = await folderProblems(folder, { hashes: false });
        voices.push({
          id,
          title: manifest?.title ?? id,
          languages: manifest?.languages ?? [],
          state: manifest && problems.length === 0 ? "ready" : "damaged",
          licence: manifest?.licence.spdx ?? "",
          folder,
        });
      }
      return voices;
    },

    async add(id, add = {}) {
      if (add.from !== undefined && !isAbsolute(add.from))
        throw new AppError("invalid-argument", `${add.from} is not an absolute path.`, {
          cure: "Give the whole path.",
        });
      try {
        await mkdir(cacheDir, { recursive: true });
        await ensureVoice(id, add);
        return await load(id);
      } catch (error) {
        throw AppError.from(error);
      }
    },

    async remove(id, { signal } = {}) {
      if (!(await isInstalled(id))) throw unknown(id);
      await withInstallLock(cacheDir, signal, async () => {
        const workFolder = await makeWorkFolder(cacheDir);
        try {
          await rename(folderOf(id), join(workFolder, "voice"));
          const left = await readdir(voicesFolder);
          if (!left.some(isKokoro)) await rm(setFolder, { recursive: true, force: true });
        } finally {
          await rm(workFolder, { recursive: true, force: true });
        }
      });
    },

    async verify(id, { signal } = {}) {
      if (!(await isInstalled(id))) throw unknown(id);
      const problems = await folderProblems(folderOf(id), { hashes: true, ...(signal ? { signal } : {}) });
      return { id, problems };
    },

    load,
  };
}

/** The folder, when it is that of a finished voice. */
async function finishedVoice(from: string): Promise<string | undefined> {
  const found = await stat(join(from, "voice.json")).catch(() => undefined);
  return found?.isFile() ? from : undefined;
}
