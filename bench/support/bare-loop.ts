import { AppError } from "@katari/core";
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { InferenceJob, InferenceReport } from "./inference-child.ts";

export interface BareLoopResult {
  readonly processes: number;
  readonly threads: number;
  /** Of the process that took longest, warm sessions, without loading. */
  readonly seconds: number;
  readonly samples: number;
  /** sha256 of each utterance's WAV, in the order of the job. */
  readonly hashes: readonly string[];
}

/** Runs the utterances in so many processes, with these variables beside the caller's, and waits for the slowest. */
export async function runBareLoop(
  job: InferenceJob,
  processes: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<BareLoopResult> {
  // Longest first to the least loaded process: the best that a bare loop can do.
  const order = job.phonemes.map((_, at) => at).toSorted((a, b) => lengthAt(job, b) - lengthAt(job, a));
  const shares = Array.from({ length: processes }, () => ({ load: 0, indexes: [] as number[] }));
  for (const at of order) {
    const share = shares.reduce((least, each) => (each.load < least.load ? each : least));
    share.load += lengthAt(job, at);
    share.indexes.push(at);
  }
  const entry = fileURLToPath(new URL("inference-child.js", import.meta.url));
  const children = shares.map(() => fork(entry, { env: { ...process.env, ...variables } }));
  try {
    await Promise.all(
      children.map(async (child, at) => {
        const phonemes = shares[at]?.indexes.map((index) => job.phonemes[index] ?? "") ?? [];
        child.send({ ...job, phonemes } satisfies InferenceJob);
        await answer(child);
      }),
    );
    const reports = await Promise.all(
      children.map(async (child) => {
        child.send("run");
        return (await answer(child)) as InferenceReport;
      }),
    );
    const hashes: string[] = [];
    for (const [at, report] of reports.entries())
      for (const [place, index] of (shares[at]?.indexes ?? []).entries()) hashes[index] = report.hashes[place] ?? "";
    const samples = reports.reduce((sum, report) => sum + report.samples, 0);
    const seconds = Math.max(...reports.map((report) => report.seconds));
    return { processes, threads: job.threads, seconds, samples, hashes };
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
  }
}

function lengthAt(job: InferenceJob, at: number): number {
  return job.phonemes[at]?.length ?? 0;
}

async function answer(child: ChildProcess): Promise<unknown> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as unknown),
      once(child, "exit", { signal }).then(() => {
        throw new AppError("internal", "A process of the bare loop ended early.");
      }),
    ]);
  } finally {
    controller.abort();
  }
}
