import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeProbeModel } from "@katari/testkit/models";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelServer, type ModelServerHandle } from "../../model-server.ts";

let folder: string;
let server: ModelServerHandle;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-kserve-"));
  await writeProbeModel(join(folder, "allowed", "probe.onnx"));
  await writeProbeModel(join(folder, "elsewhere", "probe.onnx"));
  await writeFile(join(folder, "allowed", "broken.onnx"), "this is no model");
  await mkdir(join(folder, "allowed", "sub"));
  await symlink(join(folder, "elsewhere", "probe.onnx"), join(folder, "allowed", "link.onnx"));
  server = await createModelServer({
    models: [
      { name: "probe", version: "1", path: join(folder, "allowed", "probe.onnx"), sourceDigest: "f".repeat(64) },
    ],
    instances: 1,
    allowedRoots: [join(folder, "allowed")],
    maxRequestBytes: 100_000,
    drainMs: 0,
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const get = (path: string): Promise<Response> => fetch(server.url + path);
const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { method: "POST", body, headers });
const load = (model: string, parameters: object): Promise<Response> =>
  post(`/v2/repository/models/${model}/load`, JSON.stringify({ parameters }));

const int64 = (value: number): number[] => [value, 0, 0, 0, 0, 0, 0, 0];

describe("the KServe v2 door", () => {
  it("tells of the server, its health and its models", async () => {
    expect(await (await get("/v2")).json()).toMatchObject({
      name: "katari",
      extensions: expect.arrayContaining(["binary_tensor_data", "model_repository"]) as unknown,
    });
    expect((await get("/v2/health/live")).status).toBe(200);
    expect((await get("/v2/health/ready")).status).toBe(200);
    expect((await get("/v2/models/probe/ready")).status).toBe(200);
    expect((await get("/v2/models/probe/versions/1/ready")).status).toBe(200);
    expect(await (await get("/v2/models/probe")).json()).toMatchObject({
      name: "probe",
      versions: ["1"],
      platform: "onnxruntime_onnx",
      inputs: [
        { name: "count", datatype: "INT64", shape: [1] },
        { name: "work", datatype: "INT64", shape: [1] },
      ],
      parameters: { source_digest: "f".repeat(64) },
    });
  });

  it("answers JSON with JSON", async () => {
    const answer = await post(
      "/v2/models/probe/infer",
      JSON.stringify({
        id: "r1",
        inputs: [
          { name: "count", shape: [1], datatype: "INT64", data: [3] },
          { name: "work", shape: [1], datatype: "INT64", data: [[2]] },
        ],
        outputs: [{ name: "ramp" }],
      }),
    );
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toEqual({
      id: "r1",
      model_name: "probe",
      model_version: "1",
      outputs: [{ name: "ramp", datatype: "FP32", shape: [3], data: [0, 1, 2] }],
    });
  });

  it("answers binary with binary: a JSON header of the announced length, then little-endian numbers", async () => {
    const header = JSON.stringify({
      inputs: [
        { name: "count", shape: [1], datatype: "INT64", parameters: { binary_data_size: 8 } },
        { name: "work", shape: [1], datatype: "INT64", parameters: { binary_data_size: 8 } },
      ],
      outputs: [{ name: "ramp", parameters: { binary_data: true } }],
    });
    const body = Uint8Array.from([...Buffer.from(header), ...int64(2), ...int64(1)]);
    const answer = await post("/v2/models/probe/versions/1/infer", body, {
      "content-type": "application/octet-stream",
      "inference-header-content-length": String(header.length),
    });
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    const length = Number(answer.headers.get("inference-header-content-length"));
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(JSON.parse(bytes.subarray(0, length).toString())).toEqual({
      model_name: "probe",
      model_version: "1",
      outputs: [{ name: "ramp", datatype: "FP32", shape: [2], parameters: { binary_data_size: 8 } }],
    });
    // 0.0 and 1.0 in IEEE 754 single precision: 00000000 and 3f800000, little-endian.
    expect([...bytes.subarray(length)]).toEqual([0, 0, 0, 0, 0, 0, 0x80, 0x3f]);
  });

  it("says what is wrong as {error} with Triton's status", async () => {
    const cases: [Promise<Response>, number, string][] = [
      [post("/v2/models/nobody/infer", "{}"), 404, "Request for unknown model: 'nobody' is not found"],
      [post("/v2/models/probe/infer", "{"), 400, "failed to parse"],
      [post("/v2/models/probe/infer", ""), 400, "does not fit"],
      [post("/v2/models/probe/infer", '{"inputs":[]}'), 400, "inputs"],
      [get("/v2/models/probe/versions/9/ready"), 404, "version 9"],
      [get("/nowhere"), 404, "Not Found"],
      [post("/v2/models/probe/infer", "x".repeat(100_001)), 413, "larger"],
    ];
    for (const [answer, status, message] of cases) {
      const { status: found, ...rest } = {
        status: (await answer).status,
        body: (await (await answer).json()) as object,
      };
      expect(found).toBe(status);
      expect(rest.body).toMatchObject({ error: expect.stringContaining(message) as unknown });
    }
  });

  it("loads and unloads models below the allowed folders, and lists them", async () => {
    const path = join(folder, "allowed", "probe.onnx");
    expect((await load("second", { path, version: "7" })).status).toBe(200);
    expect(await (await post("/v2/repository/index", "")).json()).toContainEqual({
      name: "second",
      version: "7",
      state: "READY",
      reason: "",
    });
    expect((await get("/v2/models/second/versions/7/ready")).status).toBe(200);
    expect((await post("/v2/repository/models/second/unload", "")).status).toBe(200);
    expect((await get("/v2/models/second/ready")).status).toBe(404);
  });

  it("refuses paths outside, by name, by .., by link", async () => {
    const outside = [
      join(folder, "elsewhere", "probe.onnx"),
      `${join(folder, "allowed")}/../elsewhere/probe.onnx`,
      join(folder, "allowed", "link.onnx"),
      "probe.onnx",
      "/etc/passwd",
    ];
    for (const path of outside) expect((await load("evil", { path })).status).toBe(403);
    expect((await get("/v2/models/evil/ready")).status).toBe(404);
  });

  it("refuses a file that is missing, no model, or not the one that was meant", async () => {
    expect((await load("bad", { path: join(folder, "allowed", "missing.onnx") })).status).toBe(404);
    expect((await load("bad", { path: join(folder, "allowed", "broken.onnx") })).status).toBe(500);
    const wrong = { path: join(folder, "allowed", "probe.onnx"), served_digest: "0".repeat(64) };
    expect((await load("bad", wrong)).status).toBe(500);
    expect((await get("/v2/models/bad/ready")).status).toBe(404);
  });

  it("counts inferences in its metrics", async () => {
    const text = await (await get("/metrics")).text();
    expect(text).toMatch(/katari_inference_total\{.*model="probe".*\} [1-9]/);
    expect(text).toMatch(/katari_child_rss_bytes\{.*instance="0".*\} \d+/);
  });
});
