import { createPacketEncoder, type PacketEncoder } from "./packet-encoder.ts";
import { aacFrameSamples } from "./mp4-audio-track.ts";

export interface AacEncoderOptions {
  readonly sampleRate: number;
  /** Bits a second. */
  readonly bitrate: number;
  /** Is called in the order of the stream and one at a time. */
  readonly onPacket: (packet: Uint8Array, description: Uint8Array | undefined) => Promise<void>;
}

/** Always so many, whatever the machine: which part goes to which encoder decides the bytes. */
const laneCount = 3;
const leastPartSeconds = 10;
/** Frames of digital silence around a seam, half of them on each side. */
const silentFrames = 4;
const blockFrames = 16;
/** Blocks that may wait for a lane, about 20 s of sound at 24 kHz (2 MB). */
const waitingBlocks = 30;

/** A stretch of the stream that one encoder takes, and its packets that cannot be handed on yet. */
interface Part {
  readonly packets: { readonly data: Uint8Array; readonly description: Uint8Array | undefined }[];
  ended: boolean;
  /** Packets of this part that have not come yet. */
  missing: number;
}

interface Lane {
  readonly encoder: Promise<PacketEncoder>;
  /** Whose the next packets are; a spacer's are nobody's. */
  readonly route: { readonly part: Part | undefined; left: number }[];
  readonly waiting: Promise<void>[];
  tail: Promise<void>;
}

/**
 * AAC by several encoders at once, each in its own thread, as one stream. The sound is cut into parts of 10 s or more at
 * frame boundaries that have two frames of digital silence on both sides, and parts go to the encoders in turn. An AAC-LC
 * packet needs nothing of others but the overlap with the one before it (ISO/IEC 14496-3, 4.6.11), and here that is
 * silence on both sides of every seam; so the packets, put in order, are one right stream. Each part is followed by a
 * frame of silence, whose packet is left out, so that an encoder, which is one frame late, gives all of the part.
 *
 * Sound without such silence stays in one part. The same samples give the same bytes. Memory is bounded: `push` waits
 * while a lane is 20 s behind. Throws as `createPacketEncoder` does.
 */
export async function createAacEncoder({ sampleRate, bitrate, onPacket }: AacEncoderOptions): Promise<PacketEncoder> {
  const leastPartFrames = Math.ceil((leastPartSeconds * sampleRate) / aacFrameSamples);
  const parts: Part[] = [];
  let closed = false;
  let handedOn: Promise<void> = Promise.resolve();

  const handOn = async () => {
    for (let part = parts[0]; part; part = parts[0]) {
      for (let packet = part.packets.shift(); packet; packet = part.packets.shift())
        await onPacket(packet.data, packet.description);
      if (!part.ended || part.missing > 0) return;
      parts.shift();
    }
  };
  const openLane = (): Lane => {
    const route: Lane["route"] = [];
    const encoder = createPacketEncoder({
      codec: "aac",
      sampleRate,
      bitrate,
      onPacket: (data, description) => {
        const goal = route[0];
        if (!goal) return Promise.resolve();
        if (--goal.left === 0) route.shift();
        if (!goal.part) return Promise.resolve();
        goal.part.packets.push({ data, description });
        goal.part.missing--;
        handedOn = handedOn.then(handOn);
        return handedOn;
      },
    });
    const tail = encoder.then(() => undefined);
    // Whoever waits for the lane gets the error; until then it must not count as unhandled.
    tail.catch(() => undefined);
    return { encoder, route, waiting: [], tail };
  };
  const lanes: Lane[] = [openLane()];
  await lanes[0]?.encoder;
  let partCount = 0;
  const openPart = (): { part: Part; lane: Lane } => {
    const part: Part = { packets: [], ended: false, missing: 0 };
    const index = partCount++ % laneCount;
    const lane = lanes[index] ?? openLane();
    lanes[index] = lane;
    parts.push(part);
    return { part, lane };
  };

  const give = async (lane: Lane, samples: Float32Array) => {
    const { encoder, waiting } = lane;
    const done = lane.tail.then(async () => (closed ? undefined : (await encoder).push(samples)));
    lane.tail = done;
    done.catch(() => undefined);
    waiting.push(done);
    if (waiting.length > waitingBlocks) await waiting.shift();
  };

  let current = openPart();
  let partFrames = 0;
  const buffer = new Float32Array((blockFrames + silentFrames) * aacFrameSamples);
  let filled = 0;
  let silent = 0;

  /** Gives the first frames of the buffer to the current part. */
  const giveFrames = async (frames: number) => {
    if (frames === 0) return;
    const { part, lane } = current;
    part.missing += frames;
    lane.route.push({ part, left: frames });
    const samples = buffer.slice(0, frames * aacFrameSamples);
    buffer.copyWithin(0, samples.length, filled);
    filled -= samples.length;
    await give(lane, samples);
  };
  const endPart = async () => {
    const { part, lane } = current;
    part.ended = true;
    lane.route.push({ part: undefined, left: 1 });
    await give(lane, new Float32Array(aacFrameSamples));
    current = openPart();
    partFrames = 0;
  };
  const onFrame = async () => {
    partFrames++;
    silent = isSilent(buffer, filled - aacFrameSamples, filled) ? silent + 1 : 0;
    const frames = filled / aacFrameSamples;
    const kept = silentFrames / 2;
    if (silent >= silentFrames && partFrames >= leastPartFrames) {
      await giveFrames(frames - kept);
      await endPart();
      partFrames = kept;
    } else if (frames >= blockFrames + kept) await giveFrames(frames - kept);
  };

  return {
    async push(samples) {
      for (let at = 0; at < samples.length;) {
        const room = aacFrameSamples - (filled % aacFrameSamples);
        const end = Math.min(samples.length, at + room);
        buffer.set(samples.subarray(at, end), filled);
        filled += end - at;
        at = end;
        if (filled % aacFrameSamples === 0) await onFrame();
      }
    },
    async finish() {
      buffer.fill(0, filled);
      filled = Math.ceil(filled / aacFrameSamples) * aacFrameSamples;
      await giveFrames(filled / aacFrameSamples);
      // The packet that holds the second half of the last frame.
      const { part, lane } = current;
      part.missing++;
      part.ended = true;
      lane.route.push({ part, left: 1 });
      for (const { encoder, tail } of lanes) {
        await tail;
        await (await encoder).finish();
      }
      await handedOn;
    },
    async close() {
      closed = true;
      // An encoder that could not be opened has told so to whoever pushed, and has nothing to close.
      await Promise.all(
        lanes.map(({ encoder }) =>
          encoder.then(
            (opened) => opened.close(),
            () => undefined,
          ),
        ),
      );
    },
  };
}

function isSilent(buffer: Float32Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (buffer[i] !== 0) return false;
  return true;
}
