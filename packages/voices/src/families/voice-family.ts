import type { VoiceManifest } from "@katari/contracts";
import { assertNever } from "@katari/core";
import type { VoiceFamily } from "./family.ts";
import { kokoroFamily } from "./kokoro.ts";

/** The family that a manifest names. */
export function voiceFamily(manifest: Pick<VoiceManifest, "family">): VoiceFamily {
  switch (manifest.family) {
    case "kokoro":
      return kokoroFamily;
    default:
      return assertNever(manifest.family);
  }
}
