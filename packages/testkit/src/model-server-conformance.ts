import type { Tensor } from "@katari/contracts";
import { InferenceError, type ModelServer } from "@katari/inference";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A model server on the other side of an adapter, with the probe model (`writeProbeModel`) loaded once. */
export interface ModelServerUnderTest {
  readonly server: ModelServer;
  /** Name and version under which the probe model serves. */
  readonly model: string;
  readonly version: string;
  /** Kills the process that runs the model (SIGKILL). Absent where the server cannot be reached that way. */
  readonly killModelProcess?: () => void;
  /** Connections that the server has taken so far. Absent where it cannot be asked. */
  readonly connectionsTaken?: () => number;
  /** Ends what `setup` started; the adapter is closed already. */
  dispose(): Promise<void>;
}

/** Matrices of this size are still multiplied when a test is through with its request. */
const longWork = 4_000;
const patientMs = 60_000;

const int64 = (name: string, value: number): Tensor => ({
  name,
  datatype: "INT64",
  shape: [1],
  data: new Uint8Array(BigInt64Array.of(BigInt(value)).buffer),
});
const probe = (count: number, work = 1): Tensor[] => [int64("count", count), int64("work", work)];

function floats(outputs: readonly Tensor[], name: string): Float32Array {
  const tensor = outputs.find((output) => output.name === name);
  expect(tensor?.datatype).toBe("FP32");
  const data = tensor?.data ?? new Uint8Array(0);
  return new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4);
}

async function failureOf(work: Promise<unknown>): Promise<InferenceError> {
  const end = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(end instanceof InferenceError)) throw new Error(`expected an InferenceError, got ${String(end)}`);
  return end;
}

/**
 * What every ModelServer adapter must do, against a real server. The server under test runs the probe model in one
 * instance, so that a second request waits for the first.
 */
export function describeModelServer(name: string, setup: () => Promise<ModelServerUnderTest>): void {
  describe(`model server: ${name}`, () => {
    let subject: ModelServerUnderTest;
    beforeEach(async () => {
      subject = await setup();
    });
    afterEach(async () => {
      await subject.server.close();
      await subject.dispose();
    });
    const infer = (
      inputs: readonly Tensor[],
      options: Partial<Parameters<ModelServer["infer"]>[3]> = {},
    ): ReturnType<ModelServer["infer"]> =>
      subject.server.infer(subject.model, subject.version, inputs, { timeoutMs: patientMs, ...options });

    it("answers with the model's outputs and the version that ran", async () => {
      const answer = await infer(probe(4, 3));
      expect(answer.version).toBe(subject.version);
      expect([...floats(answer.outputs, "ramp")]).toEqual([0, 1, 2, 3]);
      expect([...floats(answer.outputs, "effort")]).toEqual([3]);
      expect(answer.outputs.find((output) => output.name === "ramp")?.shape).toEqual([4]);
    });

    it("carries two minutes of sound at 24 kHz in one answer", async () => {
      const samples = 2 * 60 * 24_000;
      const ramp = floats((await infer(probe(samples))).outputs, "ramp");
      expect(ramp).toHaveLength(samples);
      expect(ramp.every((value, at) => value === at)).toBe(true);
    });

    it("carries an empty output", async () => {
      expect(floats((await infer(probe(0))).outputs, "ramp")).toHaveLength(0);
    });

    it("keeps the answers of requests at the same time apart", async () => {
      const counts = Array.from({ length: 20 }, (_, at) => at + 1);
      const answers = await Promise.all(counts.map((count) => infer(probe(count))));
      expect(answers.map((answer) => floats(answer.outputs, "ramp").length)).toEqual(counts);
    });

    it("uses connections again", async (context) => {
      if (!subject.connectionsTaken) return context.skip("the server cannot be asked for its connections");
      for (let round = 0; round < 10; round++) await infer(probe(1));
      // A pool may open a second one while it does not know yet that the first is free; never one a request.
      expect(subject.connectionsTaken()).toBeLessThanOrEqual(2);
    });

    it("says which model and version can answer", async () => {
      expect(await subject.server.ready(subject.model, subject.version)).toBe(true);
      expect(await subject.server.ready(subject.model, "999")).toBe(false);
      expect(await subject.server.ready("nobody", "1")).toBe(false);
    });

    it("describes the model", async () => {
      const described = await subject.server.describe(subject.model, subject.version);
      expect(described.name).toBe(subject.model);
      expect(described.inputs).toContainEqual({ name: "count", datatype: "INT64", shape: [1] });
      expect(described.outputs.map((output) => output.name).sort()).toEqual(["effort", "ramp"]);
    });

    it("fails for an unknown model or version, before anything ran", async () => {
      const options = { timeoutMs: patientMs };
      for (const [model, version] of [
        ["nobody", "1"],
        [subject.model, "999"],
      ] as const) {
        const failure = await failureOf(subject.server.infer(model, version, probe(1), options));
        expect(failure).toMatchObject({ code: "model-unavailable", mayHaveRun: false, retryable: true });
      }
    });

    it("refuses inputs that do not fit the model, before anything ran", async () => {
      const wrongInputs: Tensor[][] = [
        [int64("count", 1)],
        [...probe(1), int64("other", 1)],
        [{ ...int64("count", 1), datatype: "FP64" }, int64("work", 1)],
        [{ ...int64("count", 1), shape: [1, 1] }, int64("work", 1)],
        [{ ...int64("count", 1), data: new Uint8Array(7) }, int64("work", 1)],
      ];
      for (const inputs of wrongInputs) {
        const failure = await failureOf(infer(inputs));
        expect(failure).toMatchObject({ code: "invalid-argument", mayHaveRun: false, retryable: false });
      }
    });

    it("reports a model's own failure as final, and answers the next request", async () => {
      // A negative count makes a range of no length, but a negative size is no shape: the model itself refuses it.
      const failure = await failureOf(infer(probe(1, -1)));
      expect(failure).toMatchObject({ code: "model-failed", mayHaveRun: true });
      expect(floats((await infer(probe(2))).outputs, "ramp")).toHaveLength(2);
    });

    it("ends a run whose deadline passes, and answers the next request", async () => {
      const failure = await failureOf(infer(probe(1, longWork), { timeoutMs: 300 }));
      expect(failure).toMatchObject({ code: "timeout", mayHaveRun: true, retryable: true });
      expect(floats((await infer(probe(2))).outputs, "ramp")).toHaveLength(2);
    });

    it("never runs a request whose deadline passes while it waits", async () => {
      const blocker = failureOf(infer(probe(1, longWork), { timeoutMs: 3_000 }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      const failure = await failureOf(infer(probe(1), { timeoutMs: 200 }));
      expect(failure).toMatchObject({ code: "timeout", mayHaveRun: false, retryable: true });
      expect((await blocker).code).toBe("timeout");
    });

    it("cancels by signal, waiting or running or not yet sent", async () => {
      const running = new AbortController();
      const runningEnd = failureOf(infer(probe(1, longWork), { timeoutMs: 3_000, signal: running.signal }));
      await new Promise((resolve) => setTimeout(resolve, 250));
      const waiting = new AbortController();
      const waitingEnd = failureOf(infer(probe(1), { signal: waiting.signal }));
      waiting.abort();
      expect((await waitingEnd).code).toBe("cancelled");
      running.abort();
      expect((await runningEnd).code).toBe("cancelled");
      expect((await failureOf(infer(probe(1), { signal: AbortSignal.abort() }))).code).toBe("cancelled");
      expect(floats((await infer(probe(2))).outputs, "ramp")).toHaveLength(2);
    });

    it("says that a request may have run when the model's process was killed, and comes back", async (context) => {
      const { killModelProcess } = subject;
      if (!killModelProcess) return context.skip("the server's processes cannot be reached");
      const end = failureOf(infer(probe(1, longWork), { timeoutMs: patientMs }));
      await new Promise((resolve) => setTimeout(resolve, 300));
      killModelProcess();
      expect(await end).toMatchObject({ code: "model-failed", mayHaveRun: true, retryable: true });
      expect(floats((await infer(probe(2))).outputs, "ramp")).toHaveLength(2);
    });

    it("fails as unavailable once the server is away", async () => {
      await subject.dispose();
      const failure = await failureOf(infer(probe(1)));
      expect(failure).toMatchObject({ code: "unavailable", retryable: true });
      expect(await subject.server.ready(subject.model, subject.version)).toBe(false);
    });
  });
}
