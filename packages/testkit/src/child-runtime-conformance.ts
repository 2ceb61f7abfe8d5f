import type { Tensor } from "@katari/contracts";
import { InferenceError, type ChildRuntime, type ModelFile } from "@katari/inference";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A runtime that can start children, and the probe model (`writeProbeModel`) in the form that it loads. */
export interface ChildRuntimeUnderTest {
  readonly start: () => ChildRuntime;
  readonly model: ModelFile;
  /** A file that is no model. */
  readonly noModel: ModelFile;
}

/** A run of many seconds on one thread. */
const longWork = 4_000;
const untilItRunsMs = 300;

const int64 = (name: string, value: number): Tensor => ({
  name,
  datatype: "INT64",
  shape: [1],
  data: new Uint8Array(BigInt64Array.of(BigInt(value)).buffer),
});
const probe = (count: number, work = 1): Tensor[] => [int64("count", count), int64("work", work)];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What every ChildRuntime must do, with a real process. */
export function describeChildRuntime(name: string, setup: () => Promise<ChildRuntimeUnderTest>): void {
  describe(`child runtime: ${name}`, () => {
    let subject: ChildRuntimeUnderTest;
    const children: ChildRuntime[] = [];
    beforeEach(async () => {
      subject = await setup();
    });
    afterEach(async () => {
      for (const child of children) child.kill();
      await Promise.all(children.splice(0).map((child) => child.exited));
    });

    const start = (): ChildRuntime => {
      const child = subject.start();
      children.push(child);
      return child;
    };
    const loaded = async (): Promise<ChildRuntime> => {
      const child = start();
      await child.load(subject.model);
      return child;
    };
    const infer = async (child: ChildRuntime, inputs: readonly Tensor[], outputs: string[] = []): Promise<Tensor[]> => {
      const tensors: Tensor[] = [];
      for await (const group of child.infer(inputs, outputs)) tensors.push(...group);
      return tensors;
    };
    const failureOf = async (work: Promise<unknown>): Promise<InferenceError> => {
      const end = await work.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(end instanceof InferenceError)) throw new Error(`expected an InferenceError, got ${String(end)}`);
      return end;
    };
    const ramp = (tensors: readonly Tensor[]): number[] => {
      const { data } = tensors.find((tensor) => tensor.name === "ramp") ?? { data: new Uint8Array() };
      return [...new Float32Array(new Uint8Array(data).buffer)];
    };

    it("says what the model takes and gives", async () => {
      const signature = await start().load(subject.model);
      expect(signature.inputs).toContainEqual({ name: "count", datatype: "INT64", shape: [1] });
      expect(signature.outputs.map((output) => output.name).sort()).toEqual(["effort", "ramp"]);
    });

    it("refuses a file that is no model", async () => {
      const failure = await failureOf(start().load(subject.noModel));
      expect(failure.code).toBe("model-failed");
    });

    it("gives all outputs, or those that were asked for", async () => {
      const child = await loaded();
      const all = await infer(child, probe(3));
      expect(all.map((tensor) => tensor.name).sort()).toEqual(["effort", "ramp"]);
      expect(ramp(all)).toEqual([0, 1, 2]);
      expect((await infer(child, probe(3), ["effort"])).map((tensor) => tensor.name)).toEqual(["effort"]);
    });

    it("carries many megabytes in one answer", async () => {
      const samples = 3_000_000;
      const values = ramp(await infer(await loaded(), probe(samples)));
      expect(values).toHaveLength(samples);
      expect(values.every((value, at) => value === at)).toBe(true);
    });

    it("goes on after inputs that the model refuses", async () => {
      const child = await loaded();
      await failureOf(infer(child, [int64("count", 1)]));
      expect(ramp(await infer(child, probe(2)))).toEqual([0, 1]);
    });

    it("refuses a second run while one is going on, and leaves that one alone", async () => {
      const child = await loaded();
      const first = infer(child, probe(2, 1_000));
      await expect(infer(child, probe(1))).rejects.toMatchObject({ code: "internal" });
      expect(ramp(await first)).toEqual([0, 1]);
    });

    it("counts its runs and knows its memory and time", async () => {
      const child = await loaded();
      for (let run = 0; run < 3; run++) await infer(child, probe(1));
      const { runs, rssBytes, cpuMs } = child.stats();
      expect(runs).toBe(3);
      expect(rssBytes).toBeGreaterThan(1_000_000);
      expect(cpuMs).toBeGreaterThan(0);
    });

    it("fails the run of a process that dies in it, and may have run", async () => {
      const child = await loaded();
      const running = failureOf(infer(child, probe(1, longWork)));
      await pause(untilItRunsMs);
      process.kill(child.pid, "SIGKILL");
      expect(await running).toMatchObject({ code: "model-failed", retryable: true, mayHaveRun: true });
      expect(await child.exited).toMatchObject({ signal: "SIGKILL", wanted: false });
      expect((await failureOf(infer(child, probe(1)))).code).toBe("model-failed");
    });

    it("ends at once when it is killed", async () => {
      const child = await loaded();
      const running = failureOf(infer(child, probe(1, longWork)));
      await pause(untilItRunsMs);
      child.kill();
      expect((await running).code).toBe("model-failed");
      expect(await child.exited).toMatchObject({ wanted: true });
    });

    it("lets a run end before it drains", async () => {
      const child = await loaded();
      const running = infer(child, probe(2, 1_000));
      await child.drain();
      expect(ramp(await running)).toEqual([0, 1]);
      expect(await child.exited).toMatchObject({ code: 0, wanted: true });
    });

    it("is of use after a cancel, whether that came in time or not", async () => {
      const child = await loaded();
      const running = infer(child, probe(1, 1_000)).catch((error: unknown) => error);
      child.cancel();
      const end = await running;
      if (end instanceof Error) expect(end).toMatchObject({ code: "cancelled", mayHaveRun: false });
      expect(ramp(await infer(child, probe(2)))).toEqual([0, 1]);
    });
  });
}
