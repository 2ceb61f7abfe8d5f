import { describe, expect, it } from "vitest";
import { readDeployment, settingName } from "./deployment.ts";

const file = JSON.stringify({
  bus: { url: "amqp://file" },
  objects: { kind: "files", folder: "/srv/objects" },
  worker: { slots: { import: 1, "speech.cpu.bulk": 2 } },
});
const secret = "do-not-tell-anybody";

const refusal = (text: string | undefined, environment: Record<string, string> = {}): unknown => {
  try {
    return readDeployment(text, environment);
  } catch (error) {
    return error;
  }
};

describe("the deployment's configuration", () => {
  it("takes the file, and lets variables go over it", () => {
    const deployment = readDeployment(file, {
      KATARI_BUS_URL: "amqps://variable",
      KATARI_HTTP_PORT: "8080",
      KATARI_HTTP_TOKEN: "0123456789abcdef",
    });
    expect(deployment.bus.url).toBe("amqps://variable");
    expect(deployment.objects).toEqual({ kind: "files", folder: "/srv/objects" });
    expect(deployment.http).toMatchObject({ port: 8080, host: "127.0.0.1", hostNames: [] });
    expect(deployment.worker?.slots).toEqual({ import: 1, "speech.cpu.bulk": 2 });
  });

  it("needs no file", () => {
    const deployment = readDeployment(undefined, {
      KATARI_BUS_URL: "amqp://b",
      KATARI_OBJECTS: "s3",
      KATARI_S3_ENDPOINT: "https://objects.example",
      KATARI_S3_REGION: "eu",
      KATARI_S3_BUCKET: "katari",
      KATARI_S3_ACCESS_KEY_ID: "id",
      KATARI_S3_SECRET_ACCESS_KEY: secret,
    });
    expect(deployment.objects).toMatchObject({ kind: "s3", bucket: "katari" });
  });

  it.each<[string, string | undefined, Record<string, string>, string]>([
    ["a missing setting", undefined, { KATARI_OBJECTS: "files", KATARI_OBJECTS_FOLDER: "/o" }, "bus"],
    ["a wrong kind", file, { KATARI_OBJECTS: "tape" }, "KATARI_OBJECTS (objects.kind)"],
    ["a port that is no number", file, { KATARI_HTTP_PORT: "eighty", KATARI_HTTP_TOKEN: secret }, "KATARI_HTTP_PORT"],
    ["a short token", file, { KATARI_HTTP_TOKEN: "short" }, "KATARI_HTTP_TOKEN (http.token)"],
    ["an address without a protocol", file, { KATARI_MODEL_SERVER_CPU: "models:8080" }, "KATARI_MODEL_SERVER_CPU"],
    ["a file that is no JSON", "bus: amqp", {}, "--config"],
  ])("names %s", (_, text, environment, named) => {
    const error = refusal(text, environment);
    expect(error).toMatchObject({ code: "invalid-argument" });
    const { message, cure } = error as { message: string; cure: string };
    expect(`${message} ${cure}`).toContain(named);
  });

  it("repeats no value of a setting, which may be a secret", () => {
    const error = refusal(file, {
      KATARI_OBJECTS: "s3",
      KATARI_S3_SECRET_ACCESS_KEY: secret,
      KATARI_S3_ENDPOINT: secret,
    });
    expect((error as Error).message).not.toContain(secret);
  });

  it("calls a setting by its variable where it has one", () => {
    expect(settingName(["bus", "url"])).toBe("KATARI_BUS_URL (bus.url)");
    expect(settingName(["worker", "slots", "import"])).toBe("worker.slots.import");
  });
});
