import { AppError } from "@katari/core";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fileDigest } from "./file-digest.ts";

/** Lies as `files.json` in every installed folder: what belongs there. */
const installedFilesSchema = z.object({
  v: z.literal(1),
  /** Name of the shared folder that a voice's files were linked from. */
  madeFrom: z.string().optional(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.int().nonnegative(), sha256: z.string() })),
});
export type InstalledFile = z.infer<typeof installedFilesSchema>["files"][number];

const listName = "files.json";

export async function writeInstalledFiles(
  folder: string,
  files: readonly InstalledFile[],
  madeFrom?: string,
): Promise<void> {
  await writeFile(join(folder, listName), `${JSON.stringify({ v: 1, madeFrom, files }, null, 2)}\n`);
}

/** The list of a folder. Throws `voice-damaged` when there is none or it cannot be read. */
export async function readInstalledFiles(folder: string): Promise<z.infer<typeof installedFilesSchema>> {
  try {
    return installedFilesSchema.parse(JSON.parse(await readFile(join(folder, listName), "utf8")));
  } catch (error) {
    throw new AppError("voice-damaged", `The voice folder ${folder} has no list of its files.`, { cause: error });
  }
}

/** What is wrong with a folder, one line each: missing files and wrong sizes, and with `hashes` wrong content too. */
export async function folderProblems(
  folder: string,
  options: { readonly hashes: boolean; readonly signal?: AbortSignal },
): Promise<string[]> {
  let files: readonly InstalledFile[];
  try {
    ({ files } = await readInstalledFiles(folder));
  } catch (error) {
    return [AppError.from(error).message];
  }
  const problems: string[] = [];
  for (const file of files) {
    options.signal?.throwIfAborted();
    const path = join(folder, file.path);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) problems.push(`${file.path} is missing`);
    else if (found.size !== file.sizeBytes)
      problems.push(`${file.path} has ${found.size} bytes instead of ${file.sizeBytes}`);
    else if (options.hashes && (await fileDigest(path, options.signal)) !== file.sha256)
      problems.push(`${file.path} has changed content`);
  }
  return problems;
}
