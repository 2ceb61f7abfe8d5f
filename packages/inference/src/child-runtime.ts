import type { Tensor } from "@katari/contracts";

/** A model as a child loads it. */
export interface ModelFile {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** Threads that one run may use. */
  readonly threads: number;
}

export interface TensorSignature {
  readonly name: string;
  readonly datatype: string;
  /** −1 stands for a dimension that varies. */
  readonly shape: readonly number[];
}

export interface ModelSignature {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
}

export interface ChildStats {
  /** Resident memory of the child after its last run. */
  readonly rssBytes: number;
  /** Runs since it was started. */
  readonly runs: number;
  /** Processor time that it has used. */
  readonly cpuMs: number;
}

/** How a child ended. `wanted` is true when the parent asked for it. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly wanted: boolean;
}

/**
 * One process that runs one model: where the model server (parent) and whatever runs models (child) meet.
 *
 * - One run at a time: `infer` while another is going on is a fault of the caller.
 * - `infer` gives the outputs in one or several groups of tensors, in order; it fails with InferenceError. When the
 *   process dies in between, the error is `model-failed` with `retryable` and `mayHaveRun`.
 * - `cancel` asks the child to stop before its next group. A runtime that gives one group (ONNX) cannot stop a run:
 *   then nothing happens, and `kill` is the only way.
 * - `drain` lets a run end, then ends the child. `kill` ends it at once (SIGKILL).
 * - The child never outlives its parent: it ends when the parent's end of the socket closes, also in a run.
 * - The parent judges health: a child in a run cannot answer.
 */
export interface ChildRuntime {
  readonly pid: number;
  readonly exited: Promise<ChildExit>;
  load(model: ModelFile): Promise<ModelSignature>;
  infer(inputs: readonly Tensor[], outputs: readonly string[]): AsyncIterable<readonly Tensor[]>;
  cancel(): void;
  drain(): Promise<void>;
  kill(): void;
  stats(): ChildStats;
}

/** Starts a child. */
export type StartChild = () => ChildRuntime;
