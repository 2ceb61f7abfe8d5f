/** Modified Bessel function of the first kind, order 0, by its series. */
function bessel0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; k < 60; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
    if (term < sum * 1e-16) break;
  }
  return sum;
}

/**
 * Value at `x` (in input samples from the centre) of a low-pass kernel: a sinc with its cut-off at `cutoff` (1 = half
 * the input rate) under a Kaiser window that ends at ± `halfWidth` samples.
 */
export function kaiserSinc(x: number, halfWidth: number, beta: number, cutoff = 1): number {
  const place = x / halfWidth;
  if (Math.abs(place) >= 1) return 0;
  const phase = Math.PI * cutoff * x;
  const sinc = x === 0 ? cutoff : (cutoff * Math.sin(phase)) / phase;
  return (sinc * bessel0(beta * Math.sqrt(1 - place * place))) / bessel0(beta);
}
