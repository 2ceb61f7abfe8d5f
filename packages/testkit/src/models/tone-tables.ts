/** What the test voice does with each of Kokoro's token ids. */
export const tokenIds = 178;
export const unitSamples = 600;

/** Pad, punctuation, brackets, quotation marks and the space: no sound. */
const silentIds: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16]);
const padUnits = 12;
const punctuationUnits = 8;
const spaceUnits = 2;
const spaceId = 16;

/** Whether a token is heard. */
export function isSounding(id: number): boolean {
  return !silentIds.has(id);
}

/**
 * Units of 25 ms that a token lasts at speed 1: 12 for the pads (0.3 s of silence at both ends of a take), 8 for
 * punctuation, 2 for a space, 2 to 4 for what sounds. At another speed it is max(1, round(units / speed)), halves to
 * even.
 */
export function tokenUnits(id: number): number {
  if (id === 0) return padUnits;
  if (id === spaceId) return spaceUnits;
  return isSounding(id) ? 2 + (id % 3) : punctuationUnits;
}

/**
 * Pitch of a token: a multiple of 40 Hz, so that a unit holds whole periods and the tone goes on from unit to unit;
 * different for every id.
 */
export function tokenHz(id: number): number {
  return 40 * (5 + id);
}

/** Loudness of a token at style 0. */
const toneAmplitude = 0.3;

/** One unit of every token's sound, row by row: [tokenIds, unitSamples]. */
export function toneTable(): Float32Array {
  const table = new Float32Array(tokenIds * unitSamples);
  for (let id = 0; id < tokenIds; id++) {
    if (!isSounding(id)) continue;
    const periodsPerUnit = tokenHz(id) / 40;
    for (let at = 0; at < unitSamples; at++)
      table[id * unitSamples + at] = toneAmplitude * Math.sin((2 * Math.PI * periodsPerUnit * at) / unitSamples);
  }
  return table;
}

/** Loudness over one unit, [4, unitSamples]: inside a token, its first unit, its last, its only one. */
export function envelopeTable(): Float32Array {
  const table = new Float32Array(4 * unitSamples);
  for (let at = 0; at < unitSamples; at++) {
    const rise = 0.5 - 0.5 * Math.cos((Math.PI * at) / unitSamples);
    const fall = 1 - rise;
    table.set([1], at);
    table.set([rise], unitSamples + at);
    table.set([fall], 2 * unitSamples + at);
    table.set([4 * rise * fall], 3 * unitSamples + at);
  }
  return table;
}
