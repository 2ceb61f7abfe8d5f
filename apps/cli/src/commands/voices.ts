import { AppError } from "@katari/core";
import type { VoiceCatalogue } from "@katari/voices/catalogue";
import { createProgress, type Progress } from "../output/progress.ts";
import { cacheFolder, fromCaller } from "../data-folder/paths.ts";
import { measureVoice } from "../embedded/instances.ts";
import { voiceCatalogue } from "../voice-catalogue.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Fails with `unknown-voice` when nobody has heard of the voice, naming those that there are. */
export async function knownVoice(catalogue: VoiceCatalogue, id: string): Promise<void> {
  const known = new Set([...catalogue.available(), ...(await catalogue.list())].map((voice) => voice.id));
  if (known.has(id)) return;
  throw new AppError("unknown-voice", `There is no voice "${id}".`, {
    cure: `Choose one of: ${[...known].sort().join(", ")}.`,
  });
}

/** Fails with `unknown-voice` when the voice is not on this machine. */
async function installedVoice(catalogue: VoiceCatalogue, id: string): Promise<void> {
  await knownVoice(catalogue, id);
  if ((await catalogue.list()).some((voice) => voice.id === id)) return;
  throw new AppError("unknown-voice", `The voice ${id} is not installed.`, {
    cure: `Run katari voices add ${id} to install it.`,
  });
}

/** Makes sure that a voice is there before it is used; one that is costs a look at its files' sizes. */
export async function ensureVoice(
  catalogue: VoiceCatalogue,
  id: string,
  context: { environment: Environment; progress: Progress; signal: AbortSignal },
): Promise<void> {
  const installed = (await catalogue.list()).find((voice) => voice.id === id);
  if (installed?.state !== "ready") await installVoice(catalogue, id, context);
}

/** Installs or repairs a voice with a progress line, then measures how this machine runs its model fastest. */
async function installVoice(
  catalogue: VoiceCatalogue,
  id: string,
  context: { environment: Environment; progress: Progress; signal: AbortSignal; from?: string },
): Promise<void> {
  const { environment, progress, signal, from } = context;
  const voice = await catalogue.add(id, {
    ...(from === undefined ? {} : { from }),
    signal,
    onProgress: ({ phase, item, doneBytes, totalBytes }) =>
      progress.update(
        `Voice ${id}: ${phase} ${item}`,
        totalBytes > 0 ? doneBytes / totalBytes : undefined,
        totalBytes > 0 ? `${(doneBytes / 1e6).toFixed(0)} of ${(totalBytes / 1e6).toFixed(0)} MB` : "",
      ),
  });
  // A voice from a folder may have any model; what is worth measuring is what everybody has.
  if (catalogue.available().some((known) => known.id === id)) {
    progress.update(`Voice ${id}: measure this machine`, undefined);
    await measureVoice(voice, cacheFolder(environment), signal);
  }
  progress.done(`Voice ${id} is installed.`);
}

/** `katari voices list`. */
export async function listVoices(environment: Environment, options: { json?: boolean }): Promise<void> {
  const catalogue = voiceCatalogue(environment);
  const installed = new Map((await catalogue.list()).map((voice) => [voice.id, voice]));
  const available = catalogue.available();
  const known = new Set(available.map((voice) => voice.id));
  const own = [...installed.values()].filter((voice) => !known.has(voice.id));
  const voices = [
    ...available.map((voice) => ({ ...voice, state: installed.get(voice.id)?.state ?? "not installed" })),
    ...own.map(({ id, title, languages, state }) => ({ id, title, languages, isDefault: false, state })),
  ];
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ voices })}\n`);
    return;
  }
  for (const { id, title, state } of voices) process.stdout.write(`${id.padEnd(14)} ${state.padEnd(14)} ${title}\n`);
}

/** `katari voices add <id> [--from path]`. */
export async function addVoice(
  id: string,
  environment: Environment,
  options: { from?: string; json?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const catalogue = voiceCatalogue(environment);
  // A folder may hold a voice that this program has not heard of.
  if (options.from === undefined) await knownVoice(catalogue, id);
  const progress = createProgress({ stream: process.stderr, quiet: options.json === true, now: Date.now });
  const from = options.from === undefined ? undefined : fromCaller(options.from, environment);
  await installVoice(catalogue, id, { environment, progress, signal, ...(from === undefined ? {} : { from }) });
  if (options.json === true) process.stdout.write(`${JSON.stringify({ voice: id, state: "ready" })}\n`);
}

/** `katari voices remove <id>`. */
export async function removeVoice(id: string, environment: Environment, options: { json?: boolean }): Promise<void> {
  const catalogue = voiceCatalogue(environment);
  await installedVoice(catalogue, id);
  await catalogue.remove(id);
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ voice: id, state: "removed" })}\n` : `Voice ${id} is removed.\n`,
  );
}

/** `katari voices verify <id>`: every file against its hash. Throws AppError `voice-damaged`. */
export async function verifyVoice(id: string, environment: Environment, options: { json?: boolean }): Promise<void> {
  const catalogue = voiceCatalogue(environment);
  await installedVoice(catalogue, id);
  const { problems } = await catalogue.verify(id);
  if (problems.length > 0)
    throw new AppError("voice-damaged", `The voice ${id} is damaged:\n  ${problems.join("\n  ")}`, {
      cure: `Run katari voices add ${id} to repair it.`,
    });
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ voice: id, state: "ready" })}\n` : `Voice ${id} is whole.\n`,
  );
}
