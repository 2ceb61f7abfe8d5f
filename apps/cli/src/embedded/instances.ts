import { keptInstances, measureInstances, type InstanceChoice } from "@katari/model-server";
import { defaultVoiceId, type LoadedVoice, type VoiceCatalogue } from "@katari/voices/catalogue";
import { voiceFamily } from "@katari/voices/families";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** An utterance of middling length in Misaki's symbols: "The clock in the hall struck nine, and nobody …". */
const utterance = "ðə klˈɑk ɪn ðə hˈɔl stɹˈʌk nˈIn, ænd nˈObˌɑdi ɪn ðə hˈWs wʌz əwˈAk tə hˈɪɹ ɪt.";

const fileOf = (cacheFolder: string): string => join(cacheFolder, "instances.json");

/**
 * Measures how many processes with how many threads run this voice's model fastest on this machine, and keeps the
 * answer in the cache folder; what was measured already costs nothing. A busy machine gives no answer worth keeping.
 */
export async function measureVoice(voice: LoadedVoice, cacheFolder: string, signal: AbortSignal): Promise<void> {
  const { manifest, modelPath, stylePath } = voice;
  const { name, version, servedDigest } = manifest.model;
  const style = new Float32Array(new Uint8Array(await readFile(stylePath)).buffer);
  const { inputs } = voiceFamily(manifest).prepare({ phonemes: utterance, speed: 1, manifest, style });
  const model = { name, version, path: modelPath, digest: servedDigest };
  await measureInstances({ model, inputs, cacheFile: fileOf(cacheFolder), signal });
}

/** What was measured for the default voice, where it is installed: how many requests a worker keeps under way. */
export async function measuredChoice(
  catalogue: VoiceCatalogue,
  cacheFolder: string,
): Promise<InstanceChoice | undefined> {
  const installed = (await catalogue.list()).find(({ id, state }) => id === defaultVoiceId && state === "ready");
  return installed === undefined ? undefined : measuredInstances(await catalogue.load(installed.id), cacheFolder);
}

/** What was measured for the voice's model; `undefined` leaves the choice to the model server. */
export function measuredInstances(voice: LoadedVoice, cacheFolder: string): Promise<InstanceChoice | undefined> {
  return keptInstances({ digest: voice.manifest.model.servedDigest, cacheFile: fileOf(cacheFolder) });
}
