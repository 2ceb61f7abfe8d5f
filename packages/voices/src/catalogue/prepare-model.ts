import { AppError } from "@katari/core";
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { comparisonInputs } from "./comparison-inputs.ts";
import type { PrepareAnswer, PrepareOrder, ComparedInput } from "./prepare-model-child.ts";

/** How the rewritten model did beside the published one on this machine, one thread each. */
export interface ModelMeasurement {
  readonly threads: 1;
  readonly inputs: readonly ComparedInput[];
  /** Whether all audio and durations were the same to the bit. */
  readonly identical: boolean;
  /** Seconds of audio per second of processor time, without the first input, on which both warm up. */
  readonly publishedRealTimeFactor: number;
  readonly rewrittenRealTimeFactor: number;
}

/**
 * Rewrites the model in `published` for speed into `rewritten`, and runs both on a few short inputs. ONNX Runtime and
 * the 90 MB graph live in a child process, which ends with its work, with the signal, or with this process. Throws
 * `model-failed` when the child cannot do it.
 */
export async function prepareModel(options: {
  readonly published: string;
  readonly rewritten: string;
  readonly style: string;
  /** Token ids to compare on; without them the short sentences of an installation. */
  readonly inputs?: readonly (readonly number[])[];
  readonly onStep?: (step: "rewrite" | "compare") => void;
  readonly signal?: AbortSignal;
}): Promise<ModelMeasurement> {
  const { published, rewritten, style, onStep, signal } = options;
  signal?.throwIfAborted();
  const child = fork(childScript(), {
    execArgv: [],
    serialization: "json",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000);
  });
  const stop = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });
  const order: PrepareOrder = { published, rewritten, style, inputs: options.inputs ?? comparisonInputs };
  try {
    const inputs = await new Promise<readonly ComparedInput[]>((resolve, reject) => {
      child.on("message", (answer: PrepareAnswer) => {
        if (answer.kind === "step") onStep?.(answer.step);
        else if (answer.kind === "done") resolve(answer.inputs);
        else reject(new AppError("model-failed", `The model could not be prepared: ${answer.message}`));
      });
      child.once("error", (error) => reject(AppError.from(error)));
      child.once("close", (status, signalName) => {
        const how = signalName ? `ended by ${signalName}` : `ended with status ${status}`;
        const last = complaint.trim().split("\n").at(-1) ?? "";
        reject(new AppError("model-failed", `The model could not be prepared: the process ${how}. ${last}`.trim()));
      });
      child.send(order);
    });
    return summarize(inputs);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    child.kill("SIGKILL");
  }
}

function summarize(inputs: readonly ComparedInput[]): ModelMeasurement {
  const timed = inputs.slice(1);
  const audio = timed.reduce((sum, input) => sum + input.audioSeconds, 0);
  const seconds = (pick: (input: ComparedInput) => number): number =>
    timed.reduce((sum, input) => sum + pick(input), 0) / 1000;
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  return {
    threads: 1,
    inputs,
    identical: inputs.every((input) => input.identical),
    publishedRealTimeFactor: rounded(audio / seconds((input) => input.publishedMs)),
    rewrittenRealTimeFactor: rounded(audio / seconds((input) => input.rewrittenMs)),
  };
}

/** The built child: Node runs no TypeScript, and tests load this module from its source. */
function childScript(): string {
  const fromSource = import.meta.url.endsWith(".ts");
  const script = fromSource ? "../../dist/catalogue/prepare-model-child.js" : "./prepare-model-child.js";
  return fileURLToPath(new URL(script, import.meta.url));
}
