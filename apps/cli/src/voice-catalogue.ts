import { createVoiceCatalogue, type VoiceCatalogue } from "@katari/voices/catalogue";
import { cacheFolder } from "./data-folder/paths.ts";

/** The voices of this user's cache folder. */
export function voiceCatalogue(environment: Readonly<Record<string, string | undefined>>): VoiceCatalogue {
  return createVoiceCatalogue({ cacheDir: cacheFolder(environment), environment });
}
