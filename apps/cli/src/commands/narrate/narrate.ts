import type { Conversion, Export, ProjectDetail } from "@katari/contracts";
import { AppError, fileNameOf, isEndedConversion } from "@katari/core";
import { checkSourceKind } from "@katari/documents";
import { access, constants, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ApiClient } from "../../client/api-client.ts";
import { remoteServer } from "../../client/remote-server.ts";
import { watchFreeSpace } from "../../data-folder/free-space.ts";
import { callersFolder, dataFolder, fromCaller } from "../../data-folder/paths.ts";
import { openApplication } from "../../embedded/open-application.ts";
import { clockTime, createProgress } from "../../output/progress.ts";
import { voiceCatalogue } from "../../voice-catalogue.ts";
import { ensureVoice, knownVoice } from "../voices.ts";
import { chooseDocuments, parseChapters } from "./chapters.ts";
import { followConversion, followExport, followImport } from "./follow.ts";
import {
  checkOutput,
  checkOutputFolder,
  chooseFormat,
  digestFile,
  writeOutput,
  type OutputSettings,
} from "./output-file.ts";

export interface NarrateOptions {
  readonly output?: string;
  readonly format?: string;
  readonly voice: string;
  readonly speed: string;
  readonly chapters?: string;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly data?: string;
  readonly overwrite?: boolean;
  /** A server elsewhere does the work, with its own voices. */
  readonly server?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `katari narrate <file>`: from a source to a finished audiobook. Throws AppError; `signal` is Ctrl-C. */
export async function narrate(
  file: string,
  options: NarrateOptions,
  context: { environment: Environment; signal: AbortSignal },
): Promise<void> {
  const { environment } = context;
  const source = fromCaller(file, environment);
  const folder = dataFolder(options.data, environment);
  const format = chooseFormat(options.format, options.output);
  const speed = parseSpeed(options.speed);
  if (options.chapters !== undefined) parseChapters(options.chapters);
  await checkSource(source);
  if (options.output !== undefined) await checkOutputFolder(fromCaller(options.output, environment));
  const catalogue = voiceCatalogue(environment);
  if (options.server === undefined) await knownVoice(catalogue, options.voice);
  const progress = createProgress({ stream: process.stderr, quiet: options.json === true, now: Date.now });
  const startedAtMs = Date.now();

  const application =
    options.server === undefined
      ? await openApplication({ dataFolder: folder, command: "narrate", environment, port: 0, signal: context.signal })
      : { api: remoteServer(options.server, environment), close: async () => undefined };
  const space = watchFreeSpace(folder, context.signal);
  const { signal } = space;
  try {
    const { api } = application;
    const sourceDigest = await digestFile(source);
    const project = await importSource(api, { source, sourceDigest, progress, signal });
    if (options.list === true) {
      printList(project, options.json === true);
      return;
    }
    const documents = chooseDocuments(project.documents, options.chapters);
    const settings: OutputSettings = {
      sourceDigest,
      voice: options.voice,
      speed,
      format,
      chapters: documents.map((document) => document.index),
    };
    const output =
      options.output === undefined
        ? join(callersFolder(environment), fileNameOf(project.title, format))
        : fromCaller(options.output, environment);
    await checkOutput(output, settings, { dataFolder: folder, overwrite: options.overwrite === true });

    if (options.server === undefined) await ensureVoice(catalogue, options.voice, { environment, progress, signal });
    const chosen = documents.map((document) => document.id);
    const wanted = { voice: options.voice, speed, documents: chosen };
    const narrateChosen = (): Promise<void> =>
      narrateDocuments(api, { projectId: project.id, wanted, progress, signal });
    const exportChosen = async (): Promise<Export> => {
      const { lastEventId: after } = await api.getProject(project.id);
      const started = await api.startExport(project.id, { format, documents: chosen });
      return followExport(api, { projectId: project.id, after, started, progress, signal });
    };
    await narrateChosen();
    const exported = await exportChosen().catch(async (error: unknown) => {
      if (AppError.from(error).code !== "incomplete") throw error;
      // Sound that lies damaged in the store is found by the export and taken out; the next conversion speaks it again.
      await narrateChosen();
      return exportChosen();
    });
    const content = await api.downloadExport(exported.id, signal);
    const { sizeBytes } = await writeOutput(output, content, settings, {
      dataFolder: folder,
      signal,
      sha256: exported.sha256,
    });
    const lengthMs = exported.lengthMs ?? 0;
    progress.done(
      `${clockTime(lengthMs)} of audio in ${clockTime(Date.now() - startedAtMs)}, ${(sizeBytes / 1e6).toFixed(1)} MB.`,
    );
    if (options.json === true) {
      const { loudnessLufs, truePeakDbtp, sha256 } = exported;
      const { segments, voicedSegments } = await api.getProject(project.id);
      process.stdout.write(
        `${JSON.stringify({ output, format, lengthMs, sizeBytes, sha256, loudnessLufs, truePeakDbtp, segments, voicedSegments, seconds: (Date.now() - startedAtMs) / 1000 })}\n`,
      );
    } else process.stdout.write(`${output}\n`);
  } catch (error) {
    throw space.fault() ?? error;
  } finally {
    space.stop();
    await application.close();
  }
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!Number.isFinite(speed) || speed < 0.5 || speed > 2)
    throw new AppError("invalid-argument", `"${text}" is not a speed.`, { cure: "Choose a number from 0.5 to 2." });
  return speed;
}

async function checkSource(path: string): Promise<void> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR")
      throw new AppError("not-found", `There is no file ${path}.`, { cure: "Check the path.", cause: error });
    throw AppError.from(error);
  });
  if (info.isDirectory())
    throw new AppError("invalid-argument", `${path} is a folder.`, {
      cure: "Give the path of an EPUB, Markdown or text file.",
    });
  if (!info.isFile())
    throw new AppError("invalid-argument", `${path} is not a file.`, {
      cure: "Give the path of an EPUB, Markdown or text file.",
    });
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw new AppError("no-permission", `${path} cannot be read.`, {
      cure: "Give yourself read access to it.",
      cause: error,
    });
  });
  if (info.size === 0)
    throw new AppError("empty-source", `${path} is empty.`, {
      cure: "Check that the file was saved or downloaded whole.",
    });
  await checkSourceKind({ path, fileName: basename(path) });
}

/** The project of this very file where there is one already, else a new one. */
async function importSource(
  api: ApiClient,
  input: { source: string; sourceDigest: string; progress: ReturnType<typeof createProgress>; signal: AbortSignal },
): Promise<ProjectDetail> {
  const fileName = basename(input.source);
  const known = (await api.listProjects()).find(
    (project) =>
      project.sourceDigest === input.sourceDigest && project.fileName === fileName && project.importState !== "failed",
  );
  const projectId = known?.id ?? (await api.createProject(input.source, fileName, input.signal)).projectId;
  return followImport(api, projectId, input.progress, input.signal);
}

/** Converts documents and waits until every sentence has its sound. */
async function narrateDocuments(
  api: ApiClient,
  input: {
    projectId: string;
    wanted: { voice: string; speed: number; documents: string[] };
    progress: ReturnType<typeof createProgress>;
    signal: AbortSignal;
  },
): Promise<void> {
  const { projectId, wanted, progress, signal } = input;
  const project = await api.getProject(projectId);
  const conversion = await convert(api, project, wanted);
  // A person who stops wants silence, not work that goes on the next time for another book.
  const ended = await followConversion(api, { project, conversion, progress, now: Date.now, signal }).catch(
    async (error: unknown) => {
      if (signal.aborted) await api.changeConversion(conversion.id, "pause").catch(() => undefined);
      throw error;
    },
  );
  if (ended.state !== "succeeded") throw await failure(api, projectId, ended);
  const chapters = wanted.documents.length;
  progress.done(`Narrated ${chapters} ${chapters === 1 ? "chapter" : "chapters"}.`);
}

/** Goes on with a conversion of the same settings that has not ended, else starts one. */
async function convert(
  api: ApiClient,
  project: ProjectDetail,
  wanted: { voice: string; speed: number; documents: string[] },
): Promise<Conversion> {
  const same = project.conversions.find(
    (conversion) =>
      !isEndedConversion(conversion.state) &&
      conversion.state !== "cancelling" &&
      conversion.voice === wanted.voice &&
      conversion.speed === wanted.speed &&
      conversion.documents.join() === wanted.documents.join(),
  );
  if (same === undefined) return api.startConversion(project.id, wanted);
  if (same.state === "paused" || same.state === "pausing") return api.changeConversion(same.id, "resume");
  return same;
}

async function failure(api: ApiClient, projectId: string, conversion: Conversion): Promise<AppError> {
  if (conversion.state === "cancelled")
    return new AppError("cancelled", "The conversion was cancelled.", { cure: "Run the same command again." });
  const { failed } = await api.getCompleteness(projectId, conversion.documents);
  const first = failed.slice(0, 3).map((gap) => `“${gap.text.slice(0, 60)}”: ${gap.reason}`);
  return new AppError("incomplete", [`${failed.length} sentences could not be narrated.`, ...first].join("\n  "), {
    cure: "Run the same command again to try them once more; the studio (npm start) lists them all.",
  });
}

function printList(project: ProjectDetail, json: boolean): void {
  const documents = project.documents.map(({ index, title, characters, segments }) => ({
    index,
    title,
    characters,
    segments,
  }));
  if (json) {
    process.stdout.write(`${JSON.stringify({ documents, skipped: project.skipped })}\n`);
    return;
  }
  const width = String(documents.length).length;
  for (const { index, title, characters, segments } of documents)
    process.stdout.write(
      `${String(index).padStart(width)}  ${title}  (${segments} sentences, ${characters} characters)\n`,
    );
  for (const { title, rule, characters } of project.skipped)
    process.stdout.write(
      `${" ".repeat(width)}  left out: ${title === "" ? rule : `${title} (${rule})`}, ${characters} characters\n`,
    );
}
