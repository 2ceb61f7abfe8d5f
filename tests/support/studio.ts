import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startKatari, type Place } from "./katari.ts";

/** A running studio that a story drives over its API. */
export interface Studio {
  readonly child: ChildProcess;
  /** The link that opens the page. */
  readonly openUrl: string;
  readonly url: string;
  api<T>(path: string, init?: RequestInit): Promise<T>;
  /** Text of the model server's metrics. */
  modelMetrics(): Promise<string>;
  /** Process ids of the tree below the studio whose command line matches. */
  children(pattern: RegExp): Promise<number[]>;
  /** kill -9 of the whole tree at once. */
  killTree(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `katari serve` and waits for its link. */
export async function startStudio(place: Place, environment: Record<string, string> = {}): Promise<Studio> {
  const child = startKatari(["serve", "--port", "0", "--json"], place, environment);
  child.stderr?.pipe(process.stderr);
  if (child.stdout === null) throw new Error("the studio has no output");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const openUrl = (JSON.parse(line) as { url: string }).url;
  const { origin, searchParams } = new URL(openUrl);
  const token = searchParams.get("token") ?? "";
  const ended = once(child, "exit");

  const api = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  return {
    child,
    openUrl,
    url: origin,
    api,
    async modelMetrics() {
      const { adapters } = await api<{ adapters: Record<string, string> }>("/system");
      const url = /http:\/\/\S+/u.exec(adapters["inference"] ?? "")?.[0];
      return (await fetch(`${url}/metrics`)).text();
    },
    children: (pattern) => descendants(child.pid ?? 0, pattern),
    async killTree() {
      for (const pid of [child.pid ?? 0, ...(await descendants(child.pid ?? 0, /./u))]) kill(pid);
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** kill -9 of one process (of a group when negative); one that is gone already is no matter. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself in between.
  }
}

async function descendants(root: number, pattern: RegExp): Promise<number[]> {
  const found: number[] = [];
  for (const task of await readdir(`/proc/${root}/task`).catch(() => [])) {
    const children = await readFile(`/proc/${root}/task/${task}/children`, "utf8").catch(() => "");
    for (const pid of children.split(" ").filter(Boolean).map(Number)) {
      const command = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ");
      if (pattern.test(command)) found.push(pid);
      found.push(...(await descendants(pid, pattern)));
    }
  }
  return found;
}

/** Sum of a counter over all its labels in Prometheus text. */
export function counter(metrics: string, name: string): number {
  let sum = 0;
  for (const [, value] of metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gmu"))) sum += Number(value);
  return sum;
}

/** Asks again until the answer is good; gives up after a time that no working run needs. */
export async function until<T>(ask: () => Promise<T | undefined>, what: string, limitMs = 300_000): Promise<T> {
  const endsAtMs = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > endsAtMs) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Files of the object store below a prefix, without their folder; none before the data folder is there. */
export async function objects(place: Place, prefix: string): Promise<string[]> {
  const data = await realpath(place.data).catch(() => place.data);
  const folder = join(data, "store", "objects", prefix);
  return readdir(folder).catch(() => []);
}
