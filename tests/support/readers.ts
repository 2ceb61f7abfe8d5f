import { spawn } from "node:child_process";
import { run } from "./programs.ts";

/** Readers of finished files that share nothing with Katari: ffprobe, ffmpeg, mediainfo. */
export interface Probe {
  readonly chapters: readonly {
    readonly time_base: string;
    readonly start: number;
    readonly tags: { readonly title: string };
  }[];
  readonly streams: readonly {
    readonly codec_type: string;
    readonly codec_name: string;
    readonly width?: number;
    readonly disposition: { readonly attached_pic: number };
  }[];
  readonly format: { readonly duration: string; readonly tags: Readonly<Record<string, string>> };
}

export async function ffprobe(path: string): Promise<Probe> {
  const args = ["-v", "error", "-show_chapters", "-show_streams", "-show_format", "-of", "json", path];
  return JSON.parse((await run("ffprobe", args)).stdout) as Probe;
}

/** Starts of the chapters in samples at a rate, as ffprobe tells them. */
export function chapterStarts(probe: Probe, sampleRate: number): number[] {
  return probe.chapters.map(({ start, time_base: base }) => (start * sampleRate) / Number(base.split("/")[1]));
}

/** Tags by their name in small letters: containers write them in several ways. */
export function tagsOf(probe: Probe): Record<string, string> {
  return Object.fromEntries(Object.entries(probe.format.tags).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Number of samples that ffmpeg gets out of a file, at the file's own rate. */
export async function decodedSamples(path: string): Promise<number> {
  const args = ["-v", "error", "-i", path, "-map", "0:a:0", "-f", "s16le", "-ac", "1", "-"];
  const child = spawn("ffmpeg", args, { stdio: ["ignore", "pipe", "inherit"] });
  let bytes = 0;
  for await (const chunk of child.stdout) bytes += (chunk as Buffer).length;
  return bytes / 2;
}

/** Loudness by EBU R 128 over the whole decoded file, from the values on ffmpeg's last frame. */
export async function loudness(path: string): Promise<{ integratedLufs: number; truePeakDbtp: number }> {
  const filters = "ebur128=peak=true:metadata=1,ametadata=mode=print:file=-";
  const args = ["-v", "error", "-i", path, "-map", "0:a:0", "-af", filters, "-f", "null", "-"];
  const report = (await run("ffmpeg", args)).stdout;
  const last = (name: string): number => {
    const at = report.lastIndexOf(`lavfi.r128.${name}=`);
    return at < 0 ? Number.NaN : Number.parseFloat(report.slice(report.indexOf("=", at) + 1));
  };
  return { integratedLufs: last("I"), truePeakDbtp: 20 * Math.log10(last("true_peaks_ch0")) };
}

/** What mediainfo says of the whole file, and the chapters of its menus as `[["00:00:00.500", title], …]`. */
export async function mediainfo(
  path: string,
): Promise<{ general: Record<string, unknown>; menus: (readonly [string, string])[][] }> {
  type Track = Record<string, unknown> & { "@type": string; extra?: Record<string, string> };
  const { stdout } = await run("mediainfo", ["--Output=JSON", path]);
  const { track } = (JSON.parse(stdout) as { media: { track: Track[] } }).media;
  const menus = track
    .filter((each) => each["@type"] === "Menu")
    .map(({ extra }) =>
      Object.entries(extra ?? {}).flatMap(([name, title]) => {
        const time = /^_(\d+)_(\d+)_(\d+)_(\d+)$/u.exec(name);
        return time === null ? [] : [[`${time[1]}:${time[2]}:${time[3]}.${time[4]}`, title] as const];
      }),
    );
  return { general: track.find((each) => each["@type"] === "General") ?? {}, menus };
}

/** Writes samples `[start, end)` of a file as WAV, without those of `without`. */
export async function cutWav(
  from: string,
  to: string,
  range: readonly [number, number],
  without?: readonly [number, number],
): Promise<void> {
  const ranges = without === undefined ? [range] : [[range[0], without[0]] as const, [without[1], range[1]] as const];
  const cuts = ranges.map(
    ([start, end], at) => `[0:a]atrim=start_sample=${start}:end_sample=${end},asetpts=N/SR/TB[p${at}]`,
  );
  const joined = `${ranges.map((_, at) => `[p${at}]`).join("")}concat=n=${ranges.length}:v=0:a=1`;
  await run("ffmpeg", ["-v", "error", "-y", "-i", from, "-filter_complex", [...cuts, joined].join(";"), to]);
}
