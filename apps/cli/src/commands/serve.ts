import { AppError } from "@katari/core";
import { defaultVoiceId } from "@katari/voices/catalogue";
import { dataFolder } from "../data-folder/paths.ts";
import { openApplication } from "../embedded/open-application.ts";
import { asTyped } from "../output/as-typed.ts";
import { createProgress } from "../output/progress.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";
import { ensureVoice } from "./voices.ts";

interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** `katari serve`: the studio until Ctrl-C. Prints the link that opens it (with `--json` one object on stdout). */
export async function serve(
  options: { port: string; json?: boolean; data?: string },
  { environment, signal }: Context,
): Promise<void> {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new AppError("invalid-argument", `"${options.port}" is not a port.`, {
      cure: "Choose a number from 0 to 65535.",
    });
  const progress = createProgress({ stream: process.stderr, quiet: options.json === true, now: Date.now });
  const folder = dataFolder(options.data, environment);
  progress.update("Starting the studio", undefined);
  const application = await openApplication({ dataFolder: folder, command: "serve", environment, port, signal });
  try {
    if (options.json === true) process.stdout.write(`${JSON.stringify({ url: application.openUrl })}\n`);
    else progress.done(`The studio is open at ${application.openUrl}\nCtrl-C stops it; nothing is lost.`);
    // The page works without a voice, so a voice that cannot be had must not keep the studio from opening.
    await ensureVoice(voiceCatalogue(environment), defaultVoiceId, { environment, progress, signal }).catch(
      (error: unknown) => {
        if (signal.aborted) return;
        const { message, cure } = AppError.from(error);
        process.stderr.write(`${asTyped(`${message}\n${cure ?? ""}`, environment)}\n`);
      },
    );
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    await application.close();
  }
}
