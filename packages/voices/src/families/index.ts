/** Voice families: pure code, no I/O. */
export type { FamilyPart, SoundedPart, VoiceFamily } from "./family.ts";
export { voiceFamily } from "./voice-family.ts";
export { kokoroFamily } from "./kokoro.ts";
