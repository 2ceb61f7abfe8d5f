import { exportFormats, type ExportFormat } from "@katari/contracts";
import { AppError, canonicalJson } from "@katari/core";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, appendFile, constants, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { isAlive } from "../../data-folder/lock.ts";

/** What makes two outputs the same work: then the older may be replaced without asking. */
export interface OutputSettings {
  readonly sourceDigest: string;
  readonly voice: string;
  readonly speed: number;
  readonly format: ExportFormat;
  readonly chapters: readonly number[];
}

/** Format of the output: `--format`, else the ending of `-o`, else M4B. Throws AppError when the two disagree. */
export function chooseFormat(format: string | undefined, output: string | undefined): ExportFormat {
  const known = (value: string): ExportFormat | undefined => exportFormats.find((candidate) => candidate === value);
  const ending = output === undefined ? "" : extname(output).slice(1).toLowerCase();
  if (format !== undefined && known(format) === undefined)
    throw new AppError("invalid-argument", `"${format}" is not a format.`, {
      cure: `Choose one of ${exportFormats.join(", ")}.`,
    });
  if (ending !== "" && known(ending) === undefined)
    throw new AppError("invalid-argument", `The output ends with .${ending}, which Katari does not write.`, {
      cure: `Use one of .${exportFormats.join(", .")}.`,
    });
  const byFormat = format === undefined ? undefined : known(format);
  const byEnding = known(ending);
  if (byFormat !== undefined && byEnding !== undefined && byFormat !== byEnding)
    throw new AppError("invalid-argument", `--format ${byFormat} and the output's ending .${byEnding} disagree.`, {
      cure: "Leave out one of the two, or make them agree.",
    });
  return byFormat ?? byEnding ?? "m4b";
}

/** Fails before anything is started when the output is a folder, or its folder is missing or cannot be written to. */
export async function checkOutputFolder(path: string): Promise<void> {
  const folder = dirname(path);
  const folderInfo = await stat(folder).catch(() => undefined);
  if (folderInfo === undefined || !folderInfo.isDirectory())
    throw new AppError("not-found", `The output folder ${folder} does not exist.`, {
      cure: "Create it, or choose another output with -o.",
    });
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new AppError("no-permission", `The output folder ${folder} cannot be written to.`, {
      cure: "Choose another output with -o.",
      cause: error,
    });
  });
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory() === true)
    throw new AppError("output-exists", `The output ${path} is a folder.`, {
      cure: "Give the path of a file with -o.",
    });
}

/**
 * Fails early, before hours of work, when the output cannot be written: its folder is no good, the path is a folder, or
 * a file is there that Katari did not make from the same source and settings.
 */
export async function checkOutput(
  path: string,
  settings: OutputSettings,
  options: { dataFolder: string; overwrite: boolean },
): Promise<void> {
  await checkOutputFolder(path);
  const existing = await stat(path).catch(() => undefined);
  if (existing === undefined) return;
  if (options.overwrite) return;
  const record = await readFile(recordPath(options.dataFolder, settings), "utf8").catch(() => undefined);
  if (record !== undefined && record.split("\n").includes(await digestFile(path))) return;
  throw new AppError("output-exists", `${path} is there already, and is not this narration.`, {
    cure: "Choose another output with -o, or replace it with --overwrite.",
  });
}

/**
 * Writes the output beside its place and renames it: a reader sees the old file or the whole new one. Remembers its
 * digest, so that the same narration may replace it later. Cancelling leaves nothing behind; what a killed process left
 * goes with the next write.
 */
export async function writeOutput(
  path: string,
  content: AsyncIterable<Uint8Array>,
  settings: OutputSettings,
  options: { dataFolder: string; signal: AbortSignal; sha256?: string | undefined },
): Promise<{ sizeBytes: number }> {
  await removeLeftParts(path);
  const temporary = partPath(path, process.pid);
  const hash = createHash("sha256");
  let sizeBytes = 0;
  const file = await open(temporary, "w");
  try {
    for await (const chunk of content) {
      options.signal.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      await file.writeFile(chunk);
    }
    await file.sync();
    await file.close();
    const digest = hash.digest("hex");
    if (options.sha256 !== undefined && digest !== options.sha256) throw damaged(path, options.sha256);
    // Before the name changes: a process that is killed in between must know its own output the next time.
    const record = recordPath(options.dataFolder, settings);
    await mkdir(dirname(record), { recursive: true });
    await appendFile(record, `\n${digest}`);
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw AppError.from(error);
  }
  return { sizeBytes };
}

const damaged = (path: string, sha256: string): AppError =>
  new AppError("incomplete", `The finished audiobook in the store is damaged, so ${path} was not written.`, {
    cure: `Remove exports/${sha256}${extname(path)} from the store (store/objects in the data folder) and run the same command again: it is written anew from the sentences that are there.`,
  });

const partPath = (path: string, pid: number): string => join(dirname(path), `.${basename(path)}.${pid}.part`);

/** Removes unfinished copies of this output whose processes are gone. */
async function removeLeftParts(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const pid = Number(/\.(\d+)\.part$/u.exec(name)?.[1]);
    if (pid > 0 && join(folder, name) === partPath(path, pid) && !isAlive(pid))
      await rm(join(folder, name), { force: true });
  }
}

/** sha256 of a file as hex, streamed. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Where the digests of everything that was written with these settings are kept, one on a line. */
function recordPath(dataFolder: string, settings: OutputSettings): string {
  const key = createHash("sha256").update(canonicalJson(settings)).digest("hex");
  return join(dataFolder, "outputs", key);
}
