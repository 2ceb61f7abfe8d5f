import { AppError } from "@katari/core";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const tokenCharacters = 32;

/** The secret that opens this data folder's studio: made once, readable by its owner alone. */
export async function firstRunToken(dataFolder: string): Promise<string> {
  const path = join(dataFolder, "token");
  const kept = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw AppError.from(error);
  });
  if (kept.trim().length >= tokenCharacters) return kept.trim();
  const token = randomBytes((tokenCharacters * 3) / 4).toString("base64url");
  await writeFile(path, token, { mode: 0o600 });
  return token;
}
