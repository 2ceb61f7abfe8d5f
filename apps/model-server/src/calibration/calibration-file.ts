import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import type { InstanceChoice } from "./instance-choice.ts";

const shape = { instances: z.int().positive(), threads: z.int().positive() };
const fileSchema = z.record(
  z.string(),
  z.object({
    ...shape,
    disturbed: z.literal(false),
    measurements: z.array(
      z.object({ ...shape, runsPerSecond: z.number(), rssBytes: z.number(), cpuShare: z.number() }),
    ),
  }),
);

/** The choice that was kept under a key. A file that is missing or unreadable holds none: it is measured again. */
export async function readCalibration(file: string, key: string): Promise<InstanceChoice | undefined> {
  return (await readAll(file))[key];
}

/** Keeps a choice beside those of other models; the file is replaced whole, so a reader never sees half of it. */
export async function writeCalibration(file: string, key: string, choice: InstanceChoice): Promise<void> {
  const all = { ...(await readAll(file)), [key]: choice };
  await mkdir(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  await writeFile(fresh, `${JSON.stringify(all, null, 2)}\n`);
  await rename(fresh, file);
}

async function readAll(file: string): Promise<Readonly<Record<string, InstanceChoice>>> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
