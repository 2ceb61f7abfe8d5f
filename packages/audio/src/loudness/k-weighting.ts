/**
 * The K-weighting of ITU-R BS.1770-4 (Annex 1): a high shelf for the head and a high pass, here for any sample rate.
 * The standard prints coefficients for 48 kHz only; these are the analogue prototypes behind them (centre frequency,
 * quality, gain), taken through the bilinear transform at the wanted rate. At 48 kHz they give the printed numbers.
 */
export interface BiquadCoefficients {
  readonly b: readonly [number, number, number];
  /** a1 and a2; a0 is 1. */
  readonly a: readonly [number, number];
}

const shelf = { frequency: 1_681.974450955533, gainDb: 3.999843853973347, quality: 0.7071752369554196 };
const shelfBandExponent = 0.4996667741545416;
const highPass = { frequency: 38.13547087602444, quality: 0.5003270373238773 };

/** First stage: the high shelf of +4 dB. */
export function shelfCoefficients(sampleRate: number): BiquadCoefficients {
  const k = Math.tan((Math.PI * shelf.frequency) / sampleRate);
  const high = 10 ** (shelf.gainDb / 20);
  const band = high ** shelfBandExponent;
  const a0 = 1 + k / shelf.quality + k * k;
  return {
    b: [
      (high + (band * k) / shelf.quality + k * k) / a0,
      (2 * (k * k - high)) / a0,
      (high - (band * k) / shelf.quality + k * k) / a0,
    ],
    a: [(2 * (k * k - 1)) / a0, (1 - k / shelf.quality + k * k) / a0],
  };
}

/** Second stage: the high pass. Its numerator is 1, −2, 1 as the standard prints it, not scaled to unity gain. */
export function highPassCoefficients(sampleRate: number): BiquadCoefficients {
  const k = Math.tan((Math.PI * highPass.frequency) / sampleRate);
  const a0 = 1 + k / highPass.quality + k * k;
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / highPass.quality + k * k) / a0] };
}

/**
 * Runs both stages over a stream. Each call weighs `pcm` from `start` up to `end` (the next samples of the stream) and
 * gives the sum of the weighted samples' squares.
 */
export function createKWeighting(sampleRate: number): (pcm: Float32Array, start: number, end: number) => number {
  const first = shelfCoefficients(sampleRate);
  const second = highPassCoefficients(sampleRate);
  const coefficients = Float64Array.of(...first.b, ...first.a, ...second.b, ...second.a);
  const state = new Float64Array(4);
  return (pcm, start, end) => {
    // All in local numbers while the loop runs, the meter's innermost: out of a closure they come at twice the time.
    const [b0 = 0, b1 = 0, b2 = 0, a1 = 0, a2 = 0, c0 = 0, c1 = 0, c2 = 0, d1 = 0, d2 = 0] = coefficients;
    let [s1 = 0, s2 = 0, t1 = 0, t2 = 0] = state;
    let sum = 0;
    for (let i = start; i < end; i++) {
      const x = pcm[i] ?? 0;
      const y = b0 * x + s1;
      s1 = b1 * x - a1 * y + s2;
      s2 = b2 * x - a2 * y;
      const z = c0 * y + t1;
      t1 = c1 * y - d1 * z + t2;
      t2 = c2 * y - d2 * z;
      sum += z * z;
    }
    // Denormal numbers in long silences slow the arithmetic down by an order of magnitude.
    state[0] = Math.abs(s1) < 1e-30 ? 0 : s1;
    state[1] = Math.abs(s2) < 1e-30 ? 0 : s2;
    state[2] = Math.abs(t1) < 1e-30 ? 0 : t1;
    state[3] = Math.abs(t2) < 1e-30 ? 0 : t2;
    return sum;
  };
}
