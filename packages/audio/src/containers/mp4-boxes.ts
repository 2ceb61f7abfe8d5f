import { join, latin1, u16, u24, u32, u64, u8, utf8 } from "./byte-writer.ts";

/** Boxes of ISO/IEC 14496-12 and of the QuickTime file format, as bytes. */
export function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const size = 8 + parts.reduce((sum, part) => sum + part.length, 0);
  return join(u32(size), latin1(type), ...parts);
}

export function fullBox(type: string, version: number, flags: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return box(type, u8(version), u24(flags), ...parts);
}

const fits32 = (...values: number[]): boolean => values.every((value) => value < 2 ** 32);
const unityMatrix = join(...[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].map(u32));
const zeros = (count: number): Uint8Array => new Uint8Array(count);

/** Times of creation are 0 (not known): equal takes and settings give equal files. */
export function mvhd(timescale: number, duration: number, nextTrack: number): Uint8Array {
  const times = fits32(duration)
    ? join(u32(0), u32(0), u32(timescale), u32(duration))
    : join(u64(0), u64(0), u32(timescale), u64(duration));
  return fullBox(
    "mvhd",
    fits32(duration) ? 0 : 1,
    0,
    times,
    u32(0x1_0000),
    u16(0x100),
    zeros(10),
    unityMatrix,
    zeros(24),
    u32(nextTrack),
  );
}

export function tkhd(track: number, duration: number, enabled: boolean): Uint8Array {
  const times = fits32(duration)
    ? join(u32(0), u32(0), u32(track), u32(0), u32(duration))
    : join(u64(0), u64(0), u32(track), u32(0), u64(duration));
  const flags = enabled ? 3 : 0;
  const volume = u16(enabled ? 0x100 : 0);
  return fullBox("tkhd", fits32(duration) ? 0 : 1, flags, times, zeros(12), volume, u16(0), unityMatrix, zeros(8));
}

/** One edit: `mediaTime` −1 is silence (an empty edit). Both durations are in the units that 14496-12 says. */
export interface Edit {
  readonly duration: number;
  readonly mediaTime: number;
}

export function edts(edits: readonly Edit[]): Uint8Array {
  const small = edits.every((edit) => fits32(edit.duration) && edit.mediaTime < 2 ** 31);
  const rows = edits.map(({ duration, mediaTime }) =>
    small
      ? join(u32(duration), u32(mediaTime < 0 ? 0xffff_ffff : mediaTime), u32(0x1_0000))
      : join(u64(duration), mediaTime < 0 ? join(u32(0xffff_ffff), u32(0xffff_ffff)) : u64(mediaTime), u32(0x1_0000)),
  );
  return box("edts", fullBox("elst", small ? 0 : 1, 0, u32(edits.length), ...rows));
}

/** `language` is an ISO 639-2/T code of three letters. */
export function mdhd(timescale: number, duration: number, language: string): Uint8Array {
  const packed = [0, 1, 2].reduce((code, i) => (code << 5) | ((language.charCodeAt(i) - 0x60) & 31), 0);
  const times = fits32(duration)
    ? join(u32(0), u32(0), u32(timescale), u32(duration))
    : join(u64(0), u64(0), u32(timescale), u64(duration));
  return fullBox("mdhd", fits32(duration) ? 0 : 1, 0, times, u16(packed), u16(0));
}

export function hdlr(type: string, name: string): Uint8Array {
  return fullBox("hdlr", 0, 0, u32(0), latin1(type), zeros(12), utf8(name), u8(0));
}

/** Data information: everything is in this file. */
export function dinf(): Uint8Array {
  return box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1)));
}

/** Runs of equal durations as the time-to-sample table. */
export function stts(durations: readonly { readonly count: number; readonly duration: number }[]): Uint8Array {
  const rows = durations.flatMap(({ count, duration }) => [u32(count), u32(duration)]);
  return fullBox("stts", 0, 0, u32(durations.length), ...rows);
}

/** `perChunk` samples in every chunk, fewer in the last. */
export function stsc(samples: number, perChunk: number): Uint8Array {
  const full = Math.floor(samples / perChunk);
  const rest = samples % perChunk;
  const rows = [];
  if (full > 0) rows.push(join(u32(1), u32(perChunk), u32(1)));
  if (rest > 0) rows.push(join(u32(full + 1), u32(rest), u32(1)));
  return fullBox("stsc", 0, 0, u32(rows.length), ...rows);
}

export function stsz(sizes: ArrayLike<number>, count: number): Uint8Array {
  const table = new DataView(new ArrayBuffer(count * 4));
  for (let i = 0; i < count; i++) table.setUint32(i * 4, sizes[i] ?? 0);
  return fullBox("stsz", 0, 0, u32(0), u32(count), new Uint8Array(table.buffer));
}

/** Chunk offsets: `stco`, or `co64` for files that may pass 4 GB. */
export function chunkOffsets(offsets: readonly number[], wide: boolean): Uint8Array {
  const table = new DataView(new ArrayBuffer(offsets.length * (wide ? 8 : 4)));
  offsets.forEach((offset, i) => {
    if (wide) {
      table.setUint32(i * 8, Math.floor(offset / 2 ** 32));
      table.setUint32(i * 8 + 4, offset % 2 ** 32);
    } else table.setUint32(i * 4, offset);
  });
  return fullBox(wide ? "co64" : "stco", 0, 0, u32(offsets.length), new Uint8Array(table.buffer));
}
