import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tensor } from "@katari/contracts";
import { writeProbeModel } from "@katari/testkit/models";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
    expect(choice.measurements.map(({ instances, threads }) => [instances, threads])).toEqual([
      [1, 2],
      [2, 1],
    ]);
    for (const { runsPerSecond, rssBytes } of choice.measurements) {
      expect(runsPerSecond).toBeGreaterThan(0);
      expect(rssBytes).toBeGreaterThan(10_000_000);
    }
    // A model that is gone would fail if it were measured again.
    const gone = { ...options, model: { ...model, path: join(folder, "gone.onnx") } };
    expect(await measureInstances(gone)).toEqual(choice);
    await expect(measureInstances({ ...gone, model: { ...gone.model, digest: "d2" } })).rejects.toThrow("gone.onnx");
  });

  it("measures again when the kept file is damaged", async () => {
    const cacheFile = join(folder, "damaged.json");
    await writeFile(cacheFile, "{");
    const model = { name: "probe", version: "1", path: join(folder, "probe.onnx"), digest: "d1" };
    await measureInstances({ model, inputs, cores: 2, roundMs: 10, cacheFile });
    expect(JSON.parse(await readFile(cacheFile, "utf8"))).toBeTypeOf("object");
  });
});
