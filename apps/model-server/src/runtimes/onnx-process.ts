import { spawn, type ChildProcess } from "node:child_process";
import { setPriority } from "node:os";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  InferenceError,
  type ChildExit,
  type ChildRuntime,
  type ChildStats,
  type ModelSignature,
} from "@katari/inference";
import { AppError } from "@katari/core";
import { z } from "zod";
import { createFrameReader, encodeFrame, frameKinds, type Frame } from "../workers/framing.ts";

/** The built entry: the child is plain JavaScript, also when the parent runs from its sources in tests. */
const childEntry = fileURLToPath(new URL("../../dist/runtimes/onnx-child.js", import.meta.url));

const tensorSignature = z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.number()) });
const statsSchema = z.object({ rssBytes: z.number(), runs: z.number(), cpuMs: z.number() });
const loadedSchema = statsSchema.extend({ inputs: z.array(tensorSignature), outputs: z.array(tensorSignature) });
const failedSchema = z.object({ code: z.string(), message: z.string() });

/** What the parent waits for: frames of one request until `done` or `failed`. */
interface Exchange {
  readonly requestId: number;
  frames: Frame[];
  wake: () => void;
}

export interface OnnxProcessOptions {
  /** Niceness of the child, 0 to 19: below the server and the application, so that these stay quick to answer. */
  readonly niceness: number;
  /** Gets every line that the child writes to its standard error. */
  readonly onErrorLine: (line: string) => void;
}

/** ChildRuntime over ONNX Runtime in a process of its own, which speaks frames over a socket pair. */
export function startOnnxProcess(options: OnnxProcessOptions): ChildRuntime {
  const { child, socket, stderr } = spawnChild();
  const reader = createFrameReader();
  let exchange: Exchange | undefined;
  let lastStats: ChildStats = { rssBytes: 0, runs: 0, cpuMs: 0 };
  let nextRequestId = 1;
  let wanted = false;
  let gone: ChildExit | undefined;

  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    for (const line of text.split("\n")) if (line.trim() !== "") options.onErrorLine(line);
  });
  socket.on("data", (piece: Buffer) => {
    try {
      for (const frame of reader.push(piece)) take(frame);
    } catch (error) {
      options.onErrorLine(`frames out of step: ${error instanceof Error ? error.message : "unknown"}`);
      child.kill("SIGKILL");
    }
  });
  // The end of the process says all that an error of its socket could say.
  socket.on("error", () => undefined);

  const exited = new Promise<ChildExit>((resolve) => {
    const end = (code: number | null, signal: string | null): void => {
      gone ??= { code, signal, wanted };
      exchange?.wake();
      resolve(gone);
    };
    // "close" comes after the socket was read to its end, so an answer that was written before the end still counts.
    child.on("close", end);
    child.on("error", (error) => {
      options.onErrorLine(error.message);
      if (child.pid === undefined) end(null, null);
    });
  });

  if (child.pid !== undefined && options.niceness > 0) lowerPriority(child.pid, options.niceness);

  function take(frame: Frame): void {
    if (exchange?.requestId !== frame.requestId) return;
    const stats = statsSchema.safeParse(frame.header);
    if (stats.success) lastStats = stats.data;
    exchange.frames.push(frame);
    exchange.wake();
  }

  async function* request(frame: Omit<Frame, "requestId">): AsyncGenerator<Frame> {
    if (exchange) throw new AppError("internal", "A child of the model server was given two requests at once.");
    const current: Exchange = { requestId: nextRequestId++, frames: [], wake: () => undefined };
    exchange = current;
    try {
      const pieces = encodeFrame({ ...frame, requestId: current.requestId });
      if (!gone) {
        socket.cork();
        for (const piece of pieces) socket.write(piece);
        socket.uncork();
      }
      for (;;) {
        const next = current.frames.shift();
        if (next) {
          if (next.kind === frameKinds.failed) throw refusal(next);
          yield next;
          if (next.kind === frameKinds.done || next.kind === frameKinds.loaded) return;
        } else if (gone) throw died(gone);
        else await new Promise<void>((resolve) => (current.wake = resolve));
      }
    } finally {
      exchange = undefined;
    }
  }

  return {
    pid: child.pid ?? -1,
    exited,
    async load(model): Promise<ModelSignature> {
      const header = { path: model.path, threads: model.threads };
      for await (const frame of request({ kind: frameKinds.load, header, tensors: [] })) {
        const { inputs, outputs } = loadedSchema.parse(frame.header);
        return { inputs, outputs };
      }
      throw new AppError("internal", "The child of the model server did not say what it loaded.");
    },
    async *infer(inputs, outputs) {
      for await (const frame of request({ kind: frameKinds.infer, header: { outputs }, tensors: inputs }))
        if (frame.kind === frameKinds.chunk) yield frame.tensors;
    },
    cancel() {
      if (exchange && !gone)
        for (const piece of encodeFrame({
          kind: frameKinds.cancel,
          requestId: exchange.requestId,
          header: {},
          tensors: [],
        }))
          socket.write(piece);
    },
    async drain() {
      wanted = true;
      if (!gone)
        for (const piece of encodeFrame({ kind: frameKinds.drain, requestId: 0, header: {}, tensors: [] }))
          socket.write(piece);
      await exited;
    },
    kill() {
      wanted = true;
      child.kill("SIGKILL");
    },
    stats: () => lastStats,
  };
}

function spawnChild(): { child: ChildProcess; socket: Socket; stderr: Readable } {
  const child = spawn(process.execPath, ["--max-semi-space-size=4", childEntry], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    env: childEnvironment(),
  });
  const socket = child.stdio[3];
  if (!(socket instanceof Socket) || !child.stderr)
    throw new AppError("internal", "The model server could not open the socket to its child.");
  return { child, socket, stderr: child.stderr };
}

/**
 * A run of a speech model allocates and frees hundreds of megabytes. In huge pages that costs a few page faults instead
 * of a hundred thousand: 10 % of the time of a run (docs/measurements.md). glibc asks for them where the kernel leaves
 * the choice to the program; elsewhere the variable means nothing.
 */
const hugePages = "glibc.malloc.hugetlb=1";

/** Only what a child needs to run: no secrets of the server reach the process that runs foreign models. */
function childEnvironment(): NodeJS.ProcessEnv {
  const names = ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "TEMP", "SystemRoot", "CUDA_VISIBLE_DEVICES", "GLIBC_TUNABLES"];
  const inherited = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { GLIBC_TUNABLES: hugePages, ...Object.fromEntries(inherited) };
}

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // Not allowed in some sandboxes; priority is a courtesy, not a need.
  }
}

function refusal(frame: Frame): InferenceError {
  const failed = failedSchema.safeParse(frame.header);
  const message = failed.success ? failed.data.message : "The model failed.";
  if (failed.success && failed.data.code === "cancelled")
    return new InferenceError("cancelled", message, { mayHaveRun: false });
  if (failed.success && failed.data.code === "invalid-argument")
    return new InferenceError("invalid-argument", message, { mayHaveRun: false });
  return new InferenceError("model-failed", message, { mayHaveRun: true });
}

function died(exit: ChildExit): InferenceError {
  const how = exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code ?? "unknown"}`;
  return new InferenceError("model-failed", `The process that ran the model ended (${how}).`, {
    retryable: true,
    mayHaveRun: true,
  });
}
