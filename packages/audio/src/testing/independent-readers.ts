import { spawnSync } from "node:child_process";

const requireAll = process.env["KATARI_REQUIRE_ALL"] === "1";

/**
 * Whether a test that needs these programs is to be left out. With KATARI_REQUIRE_ALL=1 nothing is left out: the test
 * runs and fails.
 */
export function lacks(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => spawnSync(program, ["-version"]).error !== undefined);
  return missing.length > 0 && !requireAll;
}

/** Runs a program to its end and gives its output; throws with what it wrote when it fails. */
export function run(program: string, args: readonly string[]): { stdout: Buffer; stderr: string } {
  const result = spawnSync(program, args, { maxBuffer: 1 << 30 });
  if (result.error) throw result.error;
  const stderr = result.stderr.toString();
  if (result.status !== 0) throw new Error(`${program} ended with ${result.status}: ${stderr}`);
  return { stdout: result.stdout, stderr };
}

/** Decoded samples, as ffmpeg gives them (following edit lists and gapless information). */
export function ffmpegDecode(path: string): Float32Array {
  const { stdout } = run("ffmpeg", ["-v", "error", "-i", path, "-map", "0:a:0", "-f", "f32le", "-ac", "1", "-"]);
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}

export interface Ebur128 {
  readonly integratedLufs: number;
  readonly rangeLu: number;
  readonly truePeakDbtp: number;
}

/**
 * Loudness by ffmpeg's ebur128, from the values that it hangs on its last frame (three decimals; the peak as a factor).
 * Not by loudnorm, which leaves the last seconds out.
 */
export function ffmpegLoudness(path: string): Ebur128 {
  const filters = "ebur128=peak=true:metadata=1,ametadata=mode=print:file=-";
  const args = ["-v", "error", "-i", path, "-map", "0:a:0", "-af", filters, "-f", "null", "-"];
  const report = run("ffmpeg", args).stdout.toString();
  const last = (name: string) => {
    const at = report.lastIndexOf(`lavfi.r128.${name}=`);
    return at < 0 ? Number.NaN : Number.parseFloat(report.slice(report.indexOf("=", at) + 1));
  };
  return {
    integratedLufs: last("I"),
    rangeLu: last("LRA"),
    truePeakDbtp: 20 * Math.log10(last("true_peaks_ch0")),
  };
}

export interface Probe {
  readonly chapters: readonly {
    readonly time_base: string;
    readonly start: number;
    readonly end: number;
    readonly tags: { readonly title: string };
  }[];
  readonly streams: readonly {
    readonly codec_type: string;
    readonly codec_name: string;
    readonly sample_rate?: string;
    readonly disposition: { readonly attached_pic: number };
  }[];
  readonly format: { readonly tags: Readonly<Record<string, string>> };
}

export function ffprobe(path: string): Probe {
  const args = ["-v", "error", "-show_chapters", "-show_streams", "-show_format", "-of", "json", path];
  return JSON.parse(run("ffprobe", args).stdout.toString()) as Probe;
}

/** The shift in samples (within ± `reach`) at which `other` fits `reference` best, over the range given. */
export function bestLag(reference: Float32Array, other: Float32Array, from: number, to: number, reach: number): number {
  let best = { lag: Number.NaN, correlation: -Infinity };
  for (let lag = -reach; lag <= reach; lag++) {
    let product = 0;
    let energy = 0;
    for (let i = from; i < to; i++) {
      const value = other[i + lag] ?? 0;
      product += (reference[i] ?? 0) * value;
      energy += value * value;
    }
    const correlation = product / Math.sqrt(energy || 1);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best.lag;
}
