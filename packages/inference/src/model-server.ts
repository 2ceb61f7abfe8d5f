import type { Tensor } from "@katari/contracts";

export interface InferOptions {
  /** Time from now after which the answer is of no use; the server drops or stops the work then. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Someone is listening: goes before bulk work. */
  readonly interactive?: boolean;
  /** For logs on both sides. */
  readonly requestId?: string;
}

export interface Inference {
  readonly outputs: readonly Tensor[];
  /** The version that answered; always the one that was asked for. */
  readonly version: string;
}

export interface ModelDescription {
  readonly name: string;
  readonly version: string;
  readonly inputs: readonly { readonly name: string; readonly datatype: string; readonly shape: readonly number[] }[];
  readonly outputs: readonly { readonly name: string; readonly datatype: string; readonly shape: readonly number[] }[];
  /** Facts that the server tells of the model, such as `source_digest`; empty on servers that tell none. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Anything that runs models behind an inference protocol.
 *
 * `infer` names model and version, and fails with `model-unavailable` when another version answered. Errors are
 * InferenceError: `retryable` says whether the same request may succeed later, `mayHaveRun` whether the model may have
 * run for it. Cancelling by signal or reaching `timeoutMs` frees the server's slot as soon as the server can.
 * Nothing is ordered; nothing is remembered between requests. Audio never travels as JSON numbers.
 */
export interface ModelServer {
  infer(model: string, version: string, inputs: readonly Tensor[], options: InferOptions): Promise<Inference>;
  /** True when this model and version can answer now. */
  ready(model: string, version: string, options?: { signal?: AbortSignal }): Promise<boolean>;
  describe(model: string, version: string, options?: { signal?: AbortSignal }): Promise<ModelDescription>;
  close(): Promise<void>;
}
