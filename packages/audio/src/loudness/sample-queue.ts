/** A queue of samples that knows the absolute index of each: `at(n)` is sample n of the whole stream. */
export interface SampleQueue {
  /** Index after the last sample that was appended. */
  readonly end: number;
  append(pcm: Float32Array): void;
  push(value: number): void;
  /** 0 ≤ `index` < `end`, and not dropped; `otherwise` for any other index. */
  at(index: number, otherwise: number): number;
  /** A view of the samples from `start` to `end`; both must be in the queue. Valid until the next append. */
  view(start: number, end: number): Float32Array;
  dropBefore(index: number): void;
}

export function createSampleQueue(): SampleQueue {
  let buffer = new Float32Array(4096);
  let base = 0;
  let head = 0;
  let length = 0;
  const reserve = (more: number) => {
    if (head + length + more <= buffer.length) return;
    const target = length + more > buffer.length / 2 ? new Float32Array((length + more) * 2) : buffer;
    target.set(buffer.subarray(head, head + length));
    buffer = target;
    head = 0;
  };
  return {
    get end() {
      return base + length;
    },
    append(pcm) {
      reserve(pcm.length);
      buffer.set(pcm, head + length);
      length += pcm.length;
    },
    push(value) {
      reserve(1);
      buffer[head + length] = value;
      length++;
    },
    at(index, otherwise) {
      if (index < base || index >= base + length) return otherwise;
      return buffer[head + index - base] ?? otherwise;
    },
    view(start, end) {
      return buffer.subarray(head + start - base, head + end - base);
    },
    dropBefore(index) {
      const count = Math.min(Math.max(0, index - base), length);
      head += count;
      base += count;
      length -= count;
    },
  };
}
