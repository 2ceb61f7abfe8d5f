/** The voice catalogue: what is installed, and how more is. */
export {
  createVoiceCatalogue,
  defaultVoiceId,
  type AddVoiceOptions,
  type AvailableVoice,
  type InstalledVoice,
  type LoadedVoice,
  type VoiceCatalogue,
  type VoiceCatalogueOptions,
  type VoiceCheck,
} from "./catalogue.ts";
export { kokoroVocabulary } from "./kokoro-vocabulary.ts";
export { cacheFolder, type Environment } from "./cache-folder.ts";
export type { OnVoiceProgress, VoiceLogger, VoiceProgress } from "./progress.ts";
export type { AssetSource, SourceContext } from "./sources/source.ts";
