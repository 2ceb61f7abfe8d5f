import { decodeModel, encodeModel, unfoldConvolutions } from "../onnx/index.ts";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { InferenceSession, Tensor } from "onnxruntime-node";

/** What the child is asked to do; it gets one order and ends. */
export interface PrepareOrder {
  readonly published: string;
  readonly rewritten: string;
  /** A speaker file. */
  readonly style: string;
  /** Token ids, without pads. */
  readonly inputs: readonly (readonly number[])[];
}

export interface ComparedInput {
  readonly tokens: number;
  readonly audioSeconds: number;
  /** Processor time, which other work on the machine disturbs less than the clock. */
  readonly publishedMs: number;
  readonly rewrittenMs: number;
  readonly identical: boolean;
}

export type PrepareAnswer =
  | { readonly kind: "step"; readonly step: "rewrite" | "compare" }
  | { readonly kind: "done"; readonly inputs: readonly ComparedInput[] }
  | { readonly kind: "failed"; readonly message: string };

const styleWidth = 256;
const sampleRate = 24_000;

async function prepare(order: PrepareOrder): Promise<readonly ComparedInput[]> {
  answer({ kind: "step", step: "rewrite" });
  await rewrite(order.published, order.rewritten);
  answer({ kind: "step", step: "compare" });
  const published = await openModel(order.published);
  const rewritten = await openModel(order.rewritten);
  const style = new Float32Array(new Uint8Array(await readFile(order.style)).buffer);
  const compared: ComparedInput[] = [];
  for (const tokens of order.inputs) {
    const row = tokens.length - 1;
    const feeds = {
      tokens: new Tensor("int64", BigInt64Array.from([0, ...tokens, 0], BigInt), [1, tokens.length + 2]),
      style: new Tensor("float32", style.slice(row * styleWidth, (row + 1) * styleWidth), [1, styleWidth]),
      speed: new Tensor("float32", Float32Array.of(1), [1]),
    };
    const a = await timedRun(published, feeds);
    const b = await timedRun(rewritten, feeds);
    compared.push({
      tokens: tokens.length,
      audioSeconds: a.samples / sampleRate,
      publishedMs: Math.round(a.ms),
      rewrittenMs: Math.round(b.ms),
      identical: a.digest === b.digest,
    });
  }
  return compared;
}

async function rewrite(from: string, to: string): Promise<void> {
  const { model } = unfoldConvolutions(decodeModel(await readFile(from)));
  await writeFile(to, encodeModel(model));
}

const openModel = (path: string): Promise<InferenceSession> =>
  InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1, enableMemPattern: false });

async function timedRun(
  session: InferenceSession,
  feeds: Record<string, Tensor>,
): Promise<{ ms: number; digest: string; samples: number }> {
  const start = process.cpuUsage();
  const outputs = await session.run(feeds);
  const { user, system } = process.cpuUsage(start);
  const hash = createHash("sha256");
  for (const name of session.outputNames.toSorted()) {
    const data = outputs[name]?.data;
    if (data instanceof Float32Array) hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return { ms: (user + system) / 1000, digest: hash.digest("hex"), samples: outputs["audio"]?.size ?? 0 };
}

function answer(message: PrepareAnswer): void {
  process.send?.(message);
}

// The parent is gone: nobody waits for the answer.
process.on("disconnect", () => process.exit(1));
process.once("message", (order: PrepareOrder) => {
  prepare(order).then(
    (inputs) => answer({ kind: "done", inputs }),
    (error: unknown) => answer({ kind: "failed", message: error instanceof Error ? error.message : String(error) }),
  );
});
