/** Progress for people, on stderr: one line that is drawn again on a terminal, a plain line now and then elsewhere. */
export interface Progress {
  /** `ratio` 0..1; undefined when it is not known how much there is. */
  update(title: string, ratio: number | undefined, details?: string): void;
  /** Ends the current line with what came of it. */
  done(line: string): void;
}

export interface ProgressOptions {
  readonly stream: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  readonly quiet?: boolean;
  readonly now: () => number;
}

const plainIntervalMs = 5_000;
const drawIntervalMs = 100;
const barWidth = 24;

/** A bar such as `████████░░░░`. */
export function progressBar(ratio: number, width = barWidth): string {
  const filled = Math.max(0, Math.min(width, Math.round(ratio * width)));
  return "█".repeat(filled) + "░".repeat(width - filled);
}

/** `1:05:09`, `5:09`, `0:09`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function createProgress({ stream, quiet = false, now }: ProgressOptions): Progress {
  const terminal = stream.isTTY === true;
  let lastTitle = "";
  let lastAtMs = Number.NEGATIVE_INFINITY;
  return {
    update(title, ratio, details = "") {
      if (quiet) return;
      const atMs = now();
      const wait = terminal ? drawIntervalMs : plainIntervalMs;
      if (title === lastTitle && atMs - lastAtMs < wait) return;
      lastTitle = title;
      lastAtMs = atMs;
      const percent = ratio === undefined ? "" : `${Math.floor(ratio * 100)} %`;
      if (!terminal) {
        stream.write(`${[title, percent, details].filter((part) => part !== "").join("  ")}\n`);
        return;
      }
      const bar = ratio === undefined ? "" : progressBar(ratio);
      const line = [title, bar, percent, details].filter((part) => part !== "").join("  ");
      stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? 100) - 1)}`);
    },
    done(line) {
      lastTitle = "";
      if (quiet) return;
      stream.write(terminal ? `\r\u001b[K${line}\n` : `${line}\n`);
    },
  };
}
