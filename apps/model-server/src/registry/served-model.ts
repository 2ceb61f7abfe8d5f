import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { InferenceError, type ModelSignature, type StartChild } from "@katari/inference";
import { checkTensor } from "@katari/inference/kserve";
import { AppError, type Clock } from "@katari/core";
import type { Tensor } from "@katari/contracts";
import type { Logger } from "../logger.ts";
import type { ModelGauges, ModelMetrics } from "../metrics/server-metrics.ts";
import { createModelScheduler, type ScheduledRequest } from "../scheduler/model-scheduler.ts";
import { createInstance, type InstanceLimits } from "../workers/instance.ts";
import type { ModelSource } from "./model-source.ts";

export interface ServingSettings {
  readonly instances: number;
  readonly threads: number;
  readonly queueLimit: number;
  readonly ageingMs: number;
  readonly limits: InstanceLimits;
  readonly startChild: StartChild;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One version of a model, loaded, with its queue and its children. */
export interface ServedModel {
  readonly source: ModelSource;
  readonly signature: ModelSignature;
  readonly servedDigest: string;
  /** True while at least one child has the model loaded. */
  readonly ready: boolean;
  readonly gauges: ModelGauges;
  /** Checks the inputs against the signature (`invalid-argument`), then runs them. */
  infer(request: ScheduledRequest): Promise<readonly Tensor[]>;
  /** Process ids of the children. */
  readonly pids: readonly number[];
  /** Takes no new requests, lets accepted ones end for at most `drainMs`, then ends the children. */
  stop(drainMs: number): Promise<void>;
}

/**
 * Loads a model into its children; resolves when the first of them can answer. Throws `not-found` for a missing file,
 * `voice-damaged` for one with another digest, and `model-failed` for one that ONNX Runtime refuses.
 */
export async function serveModel(
  source: ModelSource,
  settings: ServingSettings,
  metrics: ModelMetrics,
): Promise<ServedModel> {
  const servedDigest = await fileDigest(source.path);
  if (source.servedDigest !== undefined && source.servedDigest !== servedDigest)
    throw new AppError("voice-damaged", `The file of model ${source.name} is not the one that was installed.`, {
      cure: "Install the voice again with `katari voices add`.",
      details: { path: source.path, expected: source.servedDigest, found: servedDigest },
    });
  const { name, version, path } = source;
  const count = Math.max(1, source.instances ?? settings.instances);
  const instances = Array.from({ length: count }, () =>
    createInstance({
      startChild: settings.startChild,
      model: { name, version, path, threads: source.threads ?? settings.threads },
      limits: settings.limits,
      logger: settings.logger,
      onIdle: () => scheduler.dispatch(),
      onChildEnded: (reason) => metrics.childEnded(reason),
    }),
  );
  const { queueLimit, ageingMs, clock } = settings;
  const scheduler = createModelScheduler({ instances, queueLimit, ageingMs, clock, metrics });
  const stopAll = (): Promise<unknown> => Promise.all(instances.map((instance) => instance.stop()));

  let signature: ModelSignature;
  try {
    signature = await Promise.any(instances.map((instance) => instance.loaded));
  } catch (error) {
    await stopAll();
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
  return {
    source,
    signature,
    servedDigest,
    get ready() {
      return instances.some((instance) => instance.state === "idle" || instance.state === "busy");
    },
    get pids() {
      return instances.flatMap((instance) => (instance.pid === undefined ? [] : [instance.pid]));
    },
    get gauges() {
      return {
        model: name,
        version,
        queued: scheduler.queued,
        instances: instances.map((instance) => ({
          ready: instance.state === "idle" || instance.state === "busy",
          busy: instance.state === "busy",
          rssBytes: instance.rssBytes,
        })),
      };
    },
    infer(request) {
      checkInputs(signature, request);
      return scheduler.infer(request);
    },
    async stop(drainMs) {
      const limit = setTimeout(() => {
        scheduler.abandonQueue();
        for (const instance of instances) instance.killRun();
      }, drainMs);
      try {
        await scheduler.drain();
      } finally {
        clearTimeout(limit);
      }
      await stopAll();
    },
  };
}

/** Names, types and fixed dimensions must fit before a child is bothered. */
function checkInputs(signature: ModelSignature, request: ScheduledRequest): void {
  const refuse = (message: string): InferenceError =>
    new InferenceError("invalid-argument", message, { mayHaveRun: false });
  const given = new Map(request.inputs.map((input) => [input.name, input]));
  for (const expected of signature.inputs) {
    const input = given.get(expected.name);
    if (!input) throw refuse(`expected ${signature.inputs.length} inputs: '${expected.name}' is missing`);
    if (input.datatype !== expected.datatype)
      throw refuse(`'${expected.name}' has datatype ${input.datatype}, expected ${expected.datatype}`);
    const fits =
      input.shape.length === expected.shape.length &&
      input.shape.every((dim, axis) => expected.shape[axis] === -1 || expected.shape[axis] === dim);
    if (!fits)
      throw refuse(
        `unexpected shape for input '${expected.name}': [${input.shape.join(",")}], expected [${expected.shape.join(",")}]`,
      );
    checkTensor(input);
    given.delete(expected.name);
  }
  for (const name of given.keys()) throw refuse(`unexpected inference input '${name}'`);
  for (const name of request.outputs)
    if (!signature.outputs.some((output) => output.name === name))
      throw refuse(`unexpected inference output '${name}'`);
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    throw AppError.from(error);
  }
  return hash.digest("hex");
}
