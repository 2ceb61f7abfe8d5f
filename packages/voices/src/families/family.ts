import type { Tensor, VoiceManifest } from "@katari/contracts";

/** A part of an utterance in symbols (Unicode code points) of its phonemes; words are `[start, end)`. */
export interface FamilyPart {
  readonly start: number;
  readonly end: number;
  readonly words: readonly (readonly [number, number])[];
}

/** The same part in samples of the take. */
export interface SoundedPart {
  readonly startSamples: number;
  readonly endSamples: number;
  readonly words: readonly (readonly [number, number])[];
}

/** The code that turns a voice's input into a model's tensors, and its outputs into audio and timings. Pure. */
export interface VoiceFamily {
  /** Raised when the same input would sound otherwise: part of every take key. */
  readonly revision: number;

  /**
   * Tensors for one utterance. `style` is the voice's whole speaker file. Throws `invalid-argument` for symbols that
   * the voice does not have, a speed out of range, or more tokens than the voice takes.
   */
  prepare(input: {
    readonly phonemes: string;
    readonly speed: number;
    readonly manifest: VoiceManifest;
    readonly style: Float32Array;
  }): { readonly inputs: Tensor[]; readonly tokenCount: number };

  /**
   * Audio and timings from the model's outputs. `parts` tile the phonemes in order, except for the separating symbols
   * between them; the returned parts tile the take. Throws `model-failed` when the outputs contradict each other.
   */
  interpret(
    outputs: readonly Tensor[],
    input: { readonly manifest: VoiceManifest; readonly phonemes: string; readonly parts: readonly FamilyPart[] },
  ): { readonly pcm: Float32Array; readonly parts: readonly SoundedPart[] };
}
