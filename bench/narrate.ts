/**
 * How fast a book becomes an audiobook: audio seconds per second, from the command to the M4B, with a running studio
 * (so without set-up), beside
 * (a) a bare loop over ONNX Runtime with the very token sequences that the product sent, the same served model, warm
 *     sessions and the best of 1, 2 and cores processes; its audio must equal the product's takes sample for sample.
 *     Once as anybody would start it, and once with the huge pages that the product's model server asks for;
 * (b) the model as published in one process with all threads.
 * Then the peak memory of the whole tree for 1 and for all chapters with the test voice.
 *
 * Options: [book] [--chapters 1] [--rounds 2] [--no-memory]
 */
import { AppError } from "@katari/core";
import { openPglite } from "@katari/database";
import { writeTestVoice } from "@katari/testkit/models";
import { createVoiceCatalogue, type LoadedVoice } from "@katari/voices/catalogue";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runBareLoop, type BareLoopResult } from "./support/bare-loop.ts";
import { watchMemory } from "./support/process-tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entry = join(root, "apps/cli/dist/main.js");
const cacheDir =
  process.env["KATARI_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "katari");
const theTimeMachine = join(root, "../shared/books/the-time-machine.epub");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chapters: { type: "string", default: "1" },
    rounds: { type: "string", default: "2" },
    memory: { type: "boolean", default: true },
  },
  allowNegative: true,
});
const book = positionals[0] ?? theTimeMachine;
if (!existsSync(book)) throw new AppError("not-found", `There is no ${book}.`, { cure: "Give the path of a book." });

const folder = await mkdtemp(join(tmpdir(), "katari-bench-"));
try {
  const voice = await createVoiceCatalogue({ cacheDir, environment: process.env }).load("af_heart");
  const products: { seconds: number; audioSeconds: number }[] = [];
  const loops: BareLoopResult[] = [];
  let takesEqual = true;
  let shape: LoopShape | undefined;
  for (let round = 0; round < Number(values.rounds); round++) {
    // Product and bare loop in turn, so that a machine that drifts drifts under both.
    const data = join(folder, `round-${round}`);
    products.push(await narrateOnce(data));
    const { phonemes, hashes } = await takesOf(data);
    if (round === 0) console.log(`${phonemes.length} utterances, ${products[0]?.audioSeconds.toFixed(0)} s of audio`);
    shape ??= await bestShape(voice, phonemes);
    const loop = await runBareLoop({ ...job(voice, phonemes), threads: shape.threads }, shape.processes);
    loops.push(loop);
    takesEqual &&= loop.hashes.every((hash, at) => hash === hashes[at]);
  }
  const { phonemes } = await takesOf(join(folder, "round-0"));
  const hugePages = await runBareLoop(
    { ...job(voice, phonemes), threads: shape?.threads ?? 1 },
    shape?.processes ?? availableParallelism(),
    { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" },
  );
  // The published model is slow: a sample is enough to know its rate.
  const stock = await runBareLoop(
    { ...job(voice, sampleOf(phonemes)), modelPath: stockModel(voice), threads: availableParallelism() },
    1,
  );

  const rate = (samples: number, seconds: number): number => samples / voice.manifest.sampleRate / seconds;
  const productRates = products.map((each) => each.audioSeconds / each.seconds);
  const bareRates = loops.map((each) => rate(each.samples, each.seconds));
  const ratios = products.map((each, at) => (loops[at]?.seconds ?? 0) / each.seconds);
  const hugePageRate = rate(hugePages.samples, hugePages.seconds);
  const stockRate = rate(stock.samples, stock.seconds);
  const memory = values.memory ? await memoryFigures() : undefined;

  const figures = {
    ratioToBareLoop: round3(median(ratios)),
    ratioToHugePageLoop: round3(hugePages.seconds / median(products.map((each) => each.seconds))),
    ratioToStock: round3(median(productRates) / stockRate),
    audioSecondsPerSecond: round3(median(productRates)),
    spread: round3((Math.max(...productRates) - Math.min(...productRates)) / median(productRates)),
    peakRssBytes: memory?.all ?? 0,
    takesEqual,
    ...(memory === undefined
      ? {}
      : { peakRssBytesOneChapter: memory.one, memoryRatio: round3(memory.all / memory.one) }),
  };
  console.log(`product, from command to M4B        ${median(productRates).toFixed(2)} s of audio a second`);
  console.log(`bare loop, ${loops[0]?.processes} processes             ${median(bareRates).toFixed(2)}`);
  console.log(`the same with huge pages            ${hugePageRate.toFixed(2)}`);
  console.log(`published model, ${availableParallelism()} threads          ${stockRate.toFixed(2)}`);
  console.log(`audio equal to the bare loop's      ${takesEqual}`);
  if (memory !== undefined)
    console.log(`peak memory, 1 and all chapters     ${mb(memory.one)} and ${mb(memory.all)} MB`);
  console.log(JSON.stringify(figures));
  if (!takesEqual) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** One narration by a studio that runs and is warm; from the command to the file. */
async function narrateOnce(data: string): Promise<{ seconds: number; audioSeconds: number }> {
  const studio = start(["serve", "--port", "0", "--json", "--data", data]);
  try {
    if (studio.stdout === null) throw new AppError("internal", "The studio has no output.");
    await once(studio.stdout, "data");
    const warm = join(root, "bench/support/warm.txt");
    await narrateBook([warm, "--data", data, "-o", join(folder, "warm.m4b"), "--overwrite"]);
    const startedAt = process.hrtime.bigint();
    const output = join(folder, "book.m4b");
    const { lengthMs } = await narrateBook([
      book,
      "--chapters",
      values.chapters,
      "--data",
      data,
      "-o",
      output,
      "--overwrite",
    ]);
    return { seconds: Number(process.hrtime.bigint() - startedAt) / 1e9, audioSeconds: lengthMs / 1000 };
  } finally {
    studio.kill("SIGTERM");
    await once(studio, "exit");
  }
}

async function narrateBook(args: readonly string[]): Promise<{ lengthMs: number }> {
  const child = start(["narrate", ...args, "--json"]);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new AppError("internal", `The narration ended with ${code}: ${output}`);
  return JSON.parse(output) as { lengthMs: number };
}

function start(args: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [entry, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
}

/** What the product sent, in order, with the hash of the audio that it stored for each. */
async function takesOf(data: string): Promise<{ phonemes: string[]; hashes: string[] }> {
  const database = await openPglite({ folder: join(data, "database") });
  try {
    const rows = await database.db
      .selectFrom("tasks")
      .innerJoin("takes", "takes.key", "tasks.take_key")
      .innerJoin("conversions", "conversions.id", "tasks.conversion_id")
      .select(["tasks.payload", "takes.audio_key", "conversions.created_at", "tasks.ordinal"])
      .where("tasks.kind", "=", "speech")
      .orderBy("conversions.created_at", "desc")
      .orderBy("tasks.ordinal")
      .execute();
    const newest = rows.filter((row) => row.created_at === rows[0]?.created_at);
    return {
      phonemes: newest.map((row) => (row.payload as { phonemes: string }).phonemes),
      hashes: newest.map((row) => /([0-9a-f]{64})/u.exec(row.audio_key)?.[1] ?? ""),
    };
  } finally {
    await database.close();
  }
}

function job(voice: LoadedVoice, phonemes: string[]): Parameters<typeof runBareLoop>[0] {
  const { manifest, modelPath, stylePath } = voice;
  return { modelPath, stylePath, manifest, threads: 1, speed: 1, phonemes };
}

interface LoopShape {
  readonly processes: number;
  readonly threads: number;
}

/** The fastest of 1, 2 and cores processes, each with its share of the cores as threads. */
async function bestShape(voice: LoadedVoice, phonemes: string[]): Promise<LoopShape> {
  const tries = [];
  for (const processes of new Set([1, 2, availableParallelism()])) {
    const threads = Math.max(1, Math.floor(availableParallelism() / processes));
    tries.push(await runBareLoop({ ...job(voice, sampleOf(phonemes)), threads }, processes));
  }
  return tries.reduce((fastest, each) => (each.seconds < fastest.seconds ? each : fastest));
}

/** Enough utterances to know a rate: ten or more, spread over the text. */
function sampleOf(phonemes: string[]): string[] {
  const step = Math.max(1, Math.floor(phonemes.length / 10));
  return phonemes.filter((_, at) => at % step === 0);
}

function stockModel(voice: LoadedVoice): string {
  const path = join(voice.modelPath, "..", "published.onnx");
  if (!existsSync(path)) throw new AppError("voice-damaged", "The published model is not kept beside the served one.");
  return path;
}

async function memoryFigures(): Promise<{ one: number; all: number }> {
  const cache = join(folder, "test-cache");
  const source = join(folder, "test-voice");
  await writeTestVoice(source);
  const [installed] = (await once(
    start(["voices", "add", "test", "--from", source], { KATARI_CACHE: cache }),
    "exit",
  )) as [number | null];
  if (installed !== 0) throw new AppError("internal", `The test voice was not installed (${installed}).`);
  const run = async (name: string, args: readonly string[]): Promise<number> => {
    const data = join(folder, name);
    const child = start(
      ["narrate", book, ...args, "--voice", "test", "--data", data, "-o", join(folder, `${name}.m4b`), "--json"],
      { KATARI_CACHE: cache },
    );
    child.stdout?.resume();
    const watch = watchMemory(child.pid ?? 0);
    const [code] = (await once(child, "close")) as [number | null];
    const peak = watch.stop();
    if (code !== 0) throw new AppError("internal", `The narration with the test voice ended with ${code}.`);
    return peak;
  };
  return { one: await run("one-chapter", ["--chapters", "1"]), all: await run("all-chapters", []) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
