/** Where sentences sound. One at a time; `stop` ends it without a further call back. */
export interface SoundOutput {
  play(
    url: string,
    options: {
      /** Silence to keep after the sound, from its length in seconds. */
      readonly pauseMs: (soundSeconds: number) => number;
      /** The sound and the silence after it are over. */
      readonly onEnd: () => void;
      readonly onFail: () => void;
    },
  ): void;
  /** Loads what will probably be played next. */
  prefetch(url: string): void;
  stop(): void;
}

/** Two audio elements that take turns: one sounds while the other loads what follows. */
export function createSoundOutput(): SoundOutput {
  const elements = [new Audio(), new Audio()] as const;
  let current: HTMLAudioElement = elements[0];
  let ending = new AbortController();
  const absolute = (url: string): string => new URL(url, window.location.href).href;
  const other = (): HTMLAudioElement => (current === elements[0] ? elements[1] : elements[0]);
  const load = (element: HTMLAudioElement, url: string): void => {
    element.preload = "auto";
    if (element.src === absolute(url) && element.error === null) return;
    element.src = url;
  };

  const output: SoundOutput = {
    play(url, { pauseMs, onEnd, onFail }) {
      output.stop();
      if (other().src === absolute(url)) current = other();
      const element = current;
      load(element, url);
      element.currentTime = 0;
      const { signal } = ending;
      const fail = (): void => {
        if (signal.aborted) return;
        output.stop();
        onFail();
      };
      element.addEventListener("error", fail, { signal });
      element.addEventListener(
        "ended",
        () => {
          const timer = setTimeout(onEnd, pauseMs(element.duration));
          signal.addEventListener("abort", () => clearTimeout(timer));
        },
        { signal },
      );
      element.play().catch(fail);
    },
    prefetch: (url) => load(other(), url),
    stop() {
      ending.abort();
      ending = new AbortController();
      for (const element of elements) element.pause();
    },
  };
  return output;
}
