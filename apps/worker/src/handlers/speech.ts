import type { Rendering, SpeechTask, VoicePart } from "@katari/contracts";
import { checkTake, encodeWav } from "@katari/audio";
import { AppError, takeKey, type Take } from "@katari/core";
import type { ModelServer } from "@katari/inference";
import { voiceFamily } from "@katari/voices/families";
import type { ModelFacts } from "../model-facts.ts";
import type { TakeArchive } from "../take-archive.ts";
import { sha256Hex, type ShelvedVoice, type VoiceShelf } from "../voice-shelf.ts";

export interface SpeechHandlerOptions {
  readonly takes: TakeArchive;
  readonly voices: VoiceShelf;
  readonly modelServer: ModelServer;
  readonly modelFacts: ModelFacts;
}

export interface SpeechResult {
  readonly kind: "speech";
  readonly take: Take;
  /** False when the take was found in the store. */
  readonly rendered: boolean;
}

/**
 * Turns one speech task into a take in the store: looks for it, else prepares tensors, has the model run, checks the
 * sound, and stores audio and record. Throws AppError; whatever is retryable may succeed when tried again.
 */
export function createSpeechHandler(options: SpeechHandlerOptions) {
  const { takes, voices, modelServer, modelFacts } = options;

  return async (task: SpeechTask, signal: AbortSignal): Promise<SpeechResult> => {
    const { rendering, phonemes, parts } = task;
    const { modelName, modelVersion } = rendering;
    checkKey(task, rendering);
    const known = await takes.find(task.takeKey, parts.length, signal);
    if (known) return { kind: "speech", take: known, rendered: false };

    const voice = await voices.get(rendering.voiceRef);
    const { manifest } = voice;
    const toldDigest = await modelFacts.sourceDigest(modelName, modelVersion);
    checkRendering(task, voice, toldDigest);

    const family = voiceFamily(manifest);
    const { inputs } = family.prepare({ phonemes, speed: rendering.speed, manifest, style: voice.style });
    const { outputs } = await modelServer.infer(modelName, modelVersion, inputs, {
      timeoutMs: task.timeoutMs,
      signal,
      interactive: task.interactive,
      requestId: `${task.taskId}/${task.attempt}`,
    });
    const sounded = family.interpret(outputs, { manifest, phonemes, parts });
    const { pcm } = sounded;
    const { sampleRate } = manifest;
    const { checks, sounds } = checkTake({
      pcm,
      sampleRate,
      parts: sounded.parts.map((part, at) => ({ ...part, symbols: symbolsOf(parts[at]) })),
    });
    const takeParts = sounded.parts.map((part, at) => {
      const [soundStartSamples, soundEndSamples] = sounds[at] ?? [part.startSamples, part.startSamples];
      return { ...part, soundStartSamples, soundEndSamples };
    });
    signal.throwIfAborted();
    const take = await takes.save(
      { key: task.takeKey, sampleRate, lengthSamples: pcm.length, parts: takeParts, checks },
      encodeWav(pcm, sampleRate),
      signal,
    );
    return { kind: "speech", take, rendered: true };
  };
}

/** Symbols that are spoken: without the punctuation and spaces around words. */
const symbolsOf = (part: VoicePart | undefined): number =>
  (part?.words ?? []).reduce((sum, [start, end]) => sum + end - start, 0);

/** Throws when the task's take key is not that of the rendering and its input. */
function checkKey(task: SpeechTask, rendering: Rendering): void {
  const { family, familyRevision, modelSourceDigest, voiceId, voiceDigest, parameters, speed, variant } = rendering;
  const facts = { family, familyRevision, modelSourceDigest, voiceId, voiceDigest, parameters, speed, variant };
  const key = takeKey({ ...facts, voiceInput: { phonemes: task.phonemes } }, sha256Hex);
  if (key !== task.takeKey) throw mismatch("its take key is not that of its input");
}

/**
 * Compares what the task pins with what is really going to run. The planner may have pinned another model than the one
 * that is served, or be of another version than this worker; a take under a wrong key would be heard for ever.
 */
function checkRendering(task: SpeechTask, voice: ShelvedVoice, toldDigest: string | undefined): void {
  const { rendering } = task;
  const { manifest } = voice;
  const real: Rendering = {
    ...rendering,
    family: manifest.family,
    familyRevision: voiceFamily(manifest).revision,
    modelSourceDigest: toldDigest ?? manifest.model.sourceDigest,
    modelName: manifest.model.name,
    modelVersion: manifest.model.version,
    voiceId: manifest.id,
    voiceDigest: manifest.style.digest,
  };
  const differing = Object.entries(real).find(([name, value]) => rendering[name as keyof Rendering] !== value);
  if (differing) throw mismatch(`${differing[0]} is another one here`);
  checkKey(task, real);
}

const mismatch = (what: string): AppError =>
  new AppError("model-unavailable", `The task was planned for another rendering than this worker runs: ${what}.`, {
    cure: "Update server, worker and model server to the same version, and check the voice with `katari voices verify`.",
    retryable: true,
  });
