import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeChildRuntime } from "@katari/testkit";
import { writeProbeModel } from "@katari/testkit/models";
import { afterAll, beforeAll } from "vitest";
import { startOnnxProcess } from "./onnx-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-onnx-process-"));
  await writeProbeModel(join(folder, "probe.onnx"));
  await writeFile(join(folder, "text.onnx"), "This is no model.");
});
afterAll(() => rm(folder, { recursive: true }));

const fileOf = (name: string) => ({ name: "probe", version: "1", path: join(folder, name), threads: 1 });

describeChildRuntime("ONNX Runtime in a process of its own", async () => ({
  start: () => startOnnxProcess({ niceness: 0, onErrorLine: () => undefined }),
  model: fileOf("probe.onnx"),
  noModel: fileOf("text.onnx"),
}));
