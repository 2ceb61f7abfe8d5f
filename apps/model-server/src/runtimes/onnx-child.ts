import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { AppError } from "@katari/core";
import { InferenceSession } from "onnxruntime-node";
import { z } from "zod";
import { createFrameReader, encodeFrame, frameKinds, type Frame } from "../workers/framing.ts";
import type { ChildStats } from "@katari/inference";
import { datatypeOf, fromOnnx, toOnnx } from "./tensor-types.ts";

/**
 * The process that runs one ONNX model. It is started by the model server with a socket as descriptor 3, and lives as
 * long as that socket. ONNX Runtime's run() blocks this process's event loop, so while it runs nothing is heard here:
 * the parent keeps deadlines, and a thread of its own ends the process when the parent is gone.
 */
const socket = new Socket({ fd: 3, readable: true, writable: true });
const reader = createFrameReader();
const watch = new Worker(new URL("./parent-watch.js", import.meta.url), {
  workerData: process.ppid,
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
});
watch.unref();

let session: InferenceSession | undefined;
let runs = 0;
let queue: Promise<void> = Promise.resolve();
/** Ids of runs that were taken but have not started; only those can be cancelled. */
const waiting = new Set<number>();

const loadSchema = z.object({ path: z.string(), threads: z.int().positive() });
const inferSchema = z.object({ outputs: z.array(z.string()) });

function send(kind: Frame["kind"], requestId: number, rest: Partial<Pick<Frame, "header" | "tensors">> = {}): void {
  const pieces = encodeFrame({ kind, requestId, header: rest.header ?? {}, tensors: rest.tensors ?? [] });
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
}

function stats(): ChildStats {
  const { user, system } = process.cpuUsage();
  return { rssBytes: process.memoryUsage.rss(), runs, cpuMs: (user + system) / 1000 };
}

async function load(frame: Frame): Promise<void> {
  const { path, threads } = loadSchema.parse(frame.header);
  session = await InferenceSession.create(path, {
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
    // Input lengths differ with every request: memory patterns would be kept for each of them.
    enableMemPattern: false,
  });
  send(frameKinds.loaded, frame.requestId, {
    header: {
      inputs: session.inputMetadata.map(signature),
      outputs: session.outputMetadata.map(signature),
      ...stats(),
    },
  });
}

function signature(value: InferenceSession.ValueMetadata): object {
  if (!value.isTensor) throw new AppError("invalid-argument", `${value.name} of the model is no tensor.`);
  const shape = value.shape.map((dim) => (typeof dim === "number" ? dim : -1));
  return { name: value.name, datatype: datatypeOf(value.type), shape };
}

async function infer(frame: Frame): Promise<void> {
  if (!session) throw new AppError("invalid-argument", "No model is loaded.");
  if (!waiting.delete(frame.requestId)) throw new AppError("cancelled", "The inference was cancelled.");
  const { outputs } = inferSchema.parse(frame.header);
  const feeds = Object.fromEntries(frame.tensors.map((tensor) => [tensor.name, toOnnx(tensor)]));
  const results = await (outputs.length === 0 ? session.run(feeds) : session.run(feeds, outputs));
  runs++;
  const tensors = Object.entries(results).map(([name, tensor]) => fromOnnx(name, tensor));
  send(frameKinds.chunk, frame.requestId, { tensors });
  send(frameKinds.done, frame.requestId, { header: { ...stats() } });
}

async function answer(frame: Frame, work: (frame: Frame) => Promise<void>): Promise<void> {
  try {
    await work(frame);
  } catch (error) {
    const known = error instanceof AppError ? error.code : "model-failed";
    const message = error instanceof Error ? error.message : String(error);
    send(frameKinds.failed, frame.requestId, { header: { code: known, message: message.slice(0, 2000), ...stats() } });
  }
}

/** Ends the process once everything that was said has been taken by the socket. */
async function leave(): Promise<void> {
  await new Promise<void>((resolve) => socket.end(() => resolve()));
  process.exit(0);
}

function take(frame: Frame): void {
  switch (frame.kind) {
    case frameKinds.load:
      queue = queue.then(() => answer(frame, load));
      return;
    case frameKinds.infer:
      waiting.add(frame.requestId);
      queue = queue.then(() => answer(frame, infer));
      return;
    case frameKinds.cancel:
      waiting.delete(frame.requestId);
      return;
    case frameKinds.drain:
      queue = queue.then(leave);
      return;
    case frameKinds.loaded:
    case frameKinds.chunk:
    case frameKinds.done:
    case frameKinds.failed:
      // Kinds that only a child says: the stream is out of step, and a new child is the cure.
      process.exit(70);
  }
}

socket.on("data", (piece: Buffer) => {
  for (const frame of reader.push(piece)) take(frame);
});
socket.on("end", () => process.exit(0));
socket.on("error", () => process.exit(0));
// A terminal sends Ctrl-C to the whole group; the parent decides what becomes of running work.
process.on("SIGINT", () => undefined);
