/** Everything that decides how a take sounds, and nothing else. Two equal inputs always give the same take key. */
export interface TakeKeyInput {
  readonly family: string;
  readonly familyRevision: number;
  /** sha256 of the model as it was published, before any rewriting for speed. */
  readonly modelSourceDigest: string;
  readonly voiceId: string;
  readonly voiceDigest: string;
  readonly parameters: Readonly<Record<string, number | string | boolean>>;
  readonly speed: number;
  readonly voiceInput: { readonly phonemes: string };
  /** 0, raised by "convert again" on voices that are random. */
  readonly variant: number;
}

/** Canonical JSON (RFC 8785 for the values that occur here): keys sorted, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** The take key: sha256 over the canonical JSON of its input. The hash comes from outside: core has no platform. */
export function takeKey(input: TakeKeyInput, sha256Hex: (text: string) => string): string {
  return sha256Hex(canonicalJson(input));
}

/** Sample range of one part (one segment, or a piece of one) in a take. All positions are samples of the take. */
export interface TakePart {
  /** Range that belongs to the part: parts touch each other and tile the take. */
  readonly startSamples: number;
  readonly endSamples: number;
  /** First and last sound inside that range: what assembly keeps (with a short margin). */
  readonly soundStartSamples: number;
  readonly soundEndSamples: number;
  readonly words: readonly (readonly [number, number])[];
}

export interface TakeChecks {
  /** Highest absolute sample, 0..1. */
  readonly peak: number;
  /** RMS of the sounding part in dBFS. */
  readonly levelDb: number;
  /** Names of checks that raised a doubt; an empty list is a clean take. */
  readonly suspicions: readonly string[];
}

/** What is known of one rendering of an utterance. It is stored beside the audio and in the database. */
export interface Take {
  readonly key: string;
  /** Object key of the 16-bit mono WAV, named by the hash of its content. */
  readonly audioKey: string;
  readonly sampleRate: number;
  readonly lengthSamples: number;
  readonly parts: readonly TakePart[];
  readonly checks: TakeChecks;
}
