import { cpus, totalmem } from "node:os";
import type { Tensor } from "@katari/contracts";
import { AppError } from "@katari/core";
import type { ChildRuntime, StartChild } from "@katari/inference";
import { startOnnxProcess } from "../runtimes/onnx-process.ts";
import { readCalibration, writeCalibration } from "./calibration-file.ts";
import type { InstanceChoice, InstanceMeasurement, InstanceShape } from "./instance-choice.ts";
import { usableCores } from "./usable-cores.ts";

export interface MeasureInstancesOptions {
  readonly model: { readonly name: string; readonly version: string; readonly path: string; readonly digest: string };
  /** Inputs of a run as it will be in use: for speech, an utterance of middling length. */
  readonly inputs: readonly Tensor[];
  readonly cores?: number;
  /** Time for each shape and round, in which every process runs at least once. */
  readonly roundMs?: number;
  /** Where the choice is kept, by model, processor and number of cores; nothing is measured when it is there. */
  readonly cacheFile?: string;
  readonly signal?: AbortSignal;
}

/** A shape with fewer processes is taken when it is at most this much slower: it needs less memory. */
const tolerance = 0.03;
/** Share of the machine's memory that all processes together may take. */
const memoryShare = 0.6;
const rounds = 2;
/** A process that computes and gets less than this of one core is not alone on the machine. */
const undisturbedShare = 0.75;

/**
 * Shapes worth measuring: one process with all cores, one process a core, and between them two processes a core pair
 * and half as many single ones (two logical cores are often one physical).
 */
export function candidateShapes(cores: number): InstanceShape[] {
  const half = Math.floor(cores / 2);
  const shapes = [
    { instances: 1, threads: cores },
    ...(cores >= 4
      ? [
          { instances: half, threads: 1 },
          { instances: half, threads: 2 },
        ]
      : []),
    { instances: cores, threads: 1 },
  ];
  return cores === 1 ? [{ instances: 1, threads: 1 }] : shapes;
}

/**
 * Measures with the real model how many processes with how many threads give most runs a second on this machine.
 * Shapes are measured in turn, twice, and each one's better round counts. When others are busy on the machine the
 * measurement ends early, one process a core is taken (the best shape wherever it was measured in quiet), and nothing
 * is kept, so that the next start measures again. Throws what loading or running the model throws.
 */
export async function measureInstances(options: MeasureInstancesOptions): Promise<InstanceChoice> {
  const cores = options.cores ?? usableCores();
  const key = calibrationKey(options.model.digest, cores);
  const kept = options.cacheFile === undefined ? undefined : await readCalibration(options.cacheFile, key);
  if (kept) return kept;

  const shapes = candidateShapes(cores);
  if (shapes.length === 1) return { instances: 1, threads: 1, disturbed: false, measurements: [] };
  const best = new Map<InstanceShape, InstanceMeasurement>();
  for (let round = 0; round < rounds; round++)
    for (const shape of shapes) {
      options.signal?.throwIfAborted();
      const before = best.get(shape);
      if (!before && tooLarge(shape, [...best.values()])) continue;
      const measured = await measureShape(shape, options);
      if (!before || measured.runsPerSecond > before.runsPerSecond) best.set(shape, measured);
      // Threads of one process may wait for each other, but one of them always computes.
      if (measured.cpuShare * shape.threads < undisturbedShare)
        return { instances: cores, threads: 1, disturbed: true, measurements: [...best.values()] };
    }
  const choice = chooseShape([...best.values()]);
  if (options.cacheFile !== undefined) await writeCalibration(options.cacheFile, key, choice);
  return choice;
}

/** What an earlier measurement on this machine chose for the model; `undefined` when there is none. */
export function keptInstances(options: {
  readonly digest: string;
  readonly cacheFile: string;
  readonly cores?: number;
}): Promise<InstanceChoice | undefined> {
  return readCalibration(options.cacheFile, calibrationKey(options.digest, options.cores ?? usableCores()));
}

function calibrationKey(digest: string, cores: number): string {
  return [digest, cpus()[0]?.model ?? "unknown processor", `${cores} cores`].join(" / ");
}

/** The fastest measurement, or one with fewer processes that is nearly as fast. */
export function chooseShape(measurements: readonly InstanceMeasurement[]): InstanceChoice {
  const fastest = Math.max(0, ...measurements.map((measured) => measured.runsPerSecond));
  const good = measurements.filter((measured) => measured.runsPerSecond >= fastest * (1 - tolerance));
  const [chosen] = good.sort((a, b) => a.instances - b.instances || b.runsPerSecond - a.runsPerSecond);
  return { instances: chosen?.instances ?? 1, threads: chosen?.threads ?? 1, disturbed: false, measurements };
}

function tooLarge(shape: InstanceShape, measured: readonly InstanceMeasurement[]): boolean {
  const perInstance = Math.max(0, ...measured.map(({ rssBytes, instances }) => rssBytes / instances));
  return perInstance * shape.instances > machineMemory() * memoryShare;
}

/** Memory of the machine, or of the container where it has a limit. */
function machineMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

async function measureShape(shape: InstanceShape, options: MeasureInstancesOptions): Promise<InstanceMeasurement> {
  const startChild: StartChild = () => startOnnxProcess({ niceness: 0, onErrorLine: () => undefined });
  const children = Array.from({ length: shape.instances }, startChild);
  const onAbort = (): void => {
    for (const child of children) child.kill();
  };
  options.signal?.addEventListener("abort", onAbort);
  try {
    const { name, version, path } = options.model;
    await Promise.all(children.map((child) => child.load({ name, version, path, threads: shape.threads })));
    // The first run of a process allocates what later ones use again.
    await Promise.all(children.map((child) => runOnce(child, options.inputs)));
    const cpuMs = (): number => children.reduce((sum, child) => sum + child.stats().cpuMs, 0);
    const cpuBefore = cpuMs();
    const started = performance.now();
    const until = started + (options.roundMs ?? 3_000);
    // Each process's own rate counts: a run that goes on when the others have stopped would have more of the machine.
    const processes = await Promise.all(
      children.map(async (child) => {
        let runs = 0;
        do {
          await runOnce(child, options.inputs);
          runs++;
        } while (performance.now() < until);
        const wallMs = performance.now() - started;
        return { runsPerSecond: (runs / wallMs) * 1000, wallMs };
      }),
    );
    return {
      ...shape,
      runsPerSecond: processes.reduce((sum, own) => sum + own.runsPerSecond, 0),
      rssBytes: children.reduce((sum, child) => sum + child.stats().rssBytes, 0),
      cpuShare: (cpuMs() - cpuBefore) / (shape.threads * processes.reduce((sum, own) => sum + own.wallMs, 0)),
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw AppError.from(error);
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exited));
  }
}

async function runOnce(child: ChildRuntime, inputs: readonly Tensor[]): Promise<void> {
  for await (const group of child.infer(inputs, [])) if (group.length === 0) return;
}
