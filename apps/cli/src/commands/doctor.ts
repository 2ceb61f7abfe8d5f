import { AppError } from "@katari/core";
import { access, constants, mkdir, statfs } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { cacheFolder, dataFolder } from "../data-folder/paths.ts";
import { openApplication } from "../embedded/open-application.ts";
import { asTyped } from "../output/as-typed.ts";
import { version } from "../version.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";

interface Finding {
  readonly part: string;
  readonly ok: boolean;
  readonly says: string;
}

/** `katari doctor`: which parts are in use and whether each answers. Exit code 15 when one does not. */
export async function doctor(
  options: { json?: boolean; data?: string },
  context: { environment: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<void> {
  const { environment, signal } = context;
  const data = dataFolder(options.data, environment);
  const cache = cacheFolder(environment);
  const findings: Finding[] = [
    { part: "katari", ok: true, says: `${version()} on Node ${process.versions.node}` },
    {
      part: "machine",
      ok: true,
      says: `${availableParallelism()} cores, ${(totalmem() / 1e9).toFixed(0)} GB of memory`,
    },
    await folderFinding("data folder", data),
    await folderFinding("cache folder", cache),
  ];
  const voices = await voiceCatalogue(environment).list();
  const damaged = voices.filter((voice) => voice.state !== "ready");
  findings.push({
    part: "voices",
    ok: voices.length > 0 && damaged.length === 0,
    says:
      voices.length === 0
        ? "none is installed: run katari voices add af_heart"
        : damaged.length === 0
          ? voices.map((voice) => voice.id).join(", ")
          : `damaged: ${damaged.map((voice) => voice.id).join(", ")}; katari voices add repairs them`,
  });
  findings.push(...(await applicationFindings(data, context)));
  signal.throwIfAborted();

  if (options.json === true) process.stdout.write(`${JSON.stringify({ findings })}\n`);
  else
    for (const { part, ok, says } of findings)
      process.stdout.write(`${ok ? "ok  " : "FAIL"}  ${part.padEnd(14)} ${asTyped(says, environment)}\n`);
  if (findings.some((finding) => !finding.ok)) process.exitCode = 15;
}

async function folderFinding(part: string, folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const freeBytes = bavail * bsize;
    const enough = freeBytes > 500_000_000;
    return {
      part,
      ok: enough,
      says: `${folder}, ${(freeBytes / 1e9).toFixed(1)} GB free${enough ? "" : ": too little"}`,
    };
  } catch (error) {
    return { part, ok: false, says: AppError.from(error).message };
  }
}

/** Starts the whole tree (or asks the studio that runs) and lets each part answer. */
async function applicationFindings(
  folder: string,
  context: { environment: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<Finding[]> {
  try {
    const application = await openApplication({ dataFolder: folder, command: "narrate", port: 0, ...context });
    try {
      const system = await application.api.getSystem();
      const adapters = Object.entries(system.adapters).map(([part, says]) => ({ part, ok: true, says }));
      const ready = system.workers.filter((worker) => worker.ready);
      const reasons = system.workers.flatMap((worker) => (worker.reason === undefined ? [] : [worker.reason]));
      return [
        ...adapters,
        {
          part: "workers",
          ok: ready.length > 0,
          says: ready.length > 0 ? `${ready.length} ready` : `none is ready: ${reasons.join("; ")}`,
        },
      ];
    } finally {
      await application.close();
    }
  } catch (error) {
    const { message, cure } = AppError.from(error);
    return [{ part: "application", ok: false, says: `${message} ${cure ?? ""}` }];
  }
}
