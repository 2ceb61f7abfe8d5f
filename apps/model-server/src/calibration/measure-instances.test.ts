import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Tensor } from "@katari/contracts";
import { writeProbeModel } from "@katari/testkit/models";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeCalibration } from "./calibration-file.ts";
import type { InstanceChoice } from "./instance-choice.ts";
import { candidateShapes, chooseShape, measureInstances } from "./measure-instances.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-calibration-"));
  await writeProbeModel(join(folder, "probe.onnx"));
});
afterAll(() => rm(folder, { recursive: true }));

const int64 = (name: string, value: number): Tensor => ({
  name,
  datatype: "INT64",
  shape: [1],
  data: new Uint8Array(BigInt64Array.of(BigInt(value)).buffer),
});
const inputs = [int64("count", 1), int64("work", 50)];

describe("the choice of instances", () => {
  it("measures one process, one a core, and what lies between", () => {
    expect(candidateShapes(1)).toEqual([{ instances: 1, threads: 1 }]);
    expect(candidateShapes(2)).toEqual([
      { instances: 1, threads: 2 },
      { instances: 2, threads: 1 },
    ]);
    expect(candidateShapes(8)).toEqual([
      { instances: 1, threads: 8 },
      { instances: 4, threads: 1 },
      { instances: 4, threads: 2 },
      { instances: 8, threads: 1 },
    ]);
  });

  it("takes the fastest, but fewer processes when they are nearly as fast", () => {
    const measured = (instances: number, runsPerSecond: number) => ({
      instances,
      threads: 1,
      runsPerSecond,
      rssBytes: 0,
      cpuShare: 1,
    });
    expect(chooseShape([measured(1, 50), measured(4, 98), measured(8, 100)])).toMatchObject({ instances: 4 });
    expect(chooseShape([measured(1, 50), measured(4, 90), measured(8, 100)])).toMatchObject({ instances: 8 });
    expect(chooseShape([])).toMatchObject({ instances: 1, threads: 1 });
  });

  it("measures with the model, keeps the choice, and does not measure again", async () => {
    const cacheFile = join(folder, "cache", "instances.json");
    const model = { name: "probe", version: "1", path: join(folder, "probe.onnx"), digest: "d1" };
    const options = { model, inputs, cores: 2, roundMs: 50, cacheFile };
    const choice = await measureInstances(options);
    const [first] = choice.measurements;
    expect(first).toMatchObject({ instances: 1, threads: 2 });
    expect(first?.runsPerSecond).toBeGreaterThan(0);
    expect(first?.rssBytes).toBeGreaterThan(10_000_000);
    // A model that is gone fails when it is measured again.
    const gone = { ...options, model: { ...model, path: join(folder, "gone.onnx") } };
    const again = await measureInstances(gone).catch(() => "measured");
    // What was measured while the machine was busy with something else is not kept.
    expect(again).toEqual(choice.disturbed ? "measured" : choice);
    await expect(measureInstances({ ...gone, model: { ...gone.model, digest: "d2" } })).rejects.toThrow("gone.onnx");
  });

  it("uses a choice that was kept, and measures again when the file is damaged or of another shape", async () => {
    const cacheFile = join(folder, "kept.json");
    const choice: InstanceChoice = { instances: 2, threads: 1, disturbed: false, measurements: [] };
    const model = { name: "probe", version: "1", path: join(folder, "gone.onnx"), digest: "d1" };
    const key = `d1 / ${cpus()[0]?.model ?? "unknown processor"} / 2 cores`;
    await writeCalibration(cacheFile, "another", { ...choice, instances: 7 });
    await writeCalibration(cacheFile, key, choice);
    expect(await measureInstances({ model, inputs, cores: 2, cacheFile })).toEqual(choice);
    for (const damaged of ["{", JSON.stringify({ [key]: { instances: "two" } })]) {
      await writeFile(cacheFile, damaged);
      await expect(measureInstances({ model, inputs, cores: 2, cacheFile })).rejects.toThrow("gone.onnx");
    }
  });
});
