import { startTestPostgres, whyNoPostgres, type TestPostgres } from "@katari/database/testing";
import { startS3Stub, type S3Stub } from "@katari/storage/testing";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finished, katari, makePlace, startKatari, type Finished, type Place } from "./support/katari.ts";
import { noRabbitMq, startBroker, type Broker } from "./support/rabbitmq.ts";
import { installTestVoice } from "./support/test-voice.ts";

const token = "a-token-for-the-story-of-processes-apart";
/** 60 different sentences in 3 chapters. */
const book = ["Morning", "Noon", "Night"]
  .map((title, chapter) => {
    const sentences = Array.from(
      { length: 20 },
      (_, at) => `Bell ${at + 1} of part ${chapter + 1} rang over the town.`,
    );
    return `# ${title}\n\n${sentences.join(" ")}\n`;
  })
  .join("\n");
const sentences = 60;

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Finished>;
  readonly said: Readonly<Record<string, string>>;
}

describe("servers, workers and a model server apart, on PostgreSQL, RabbitMQ and an S3 service", () => {
  const why = whyNoPostgres() ?? noRabbitMq;
  let place: Place;
  let postgres: TestPostgres;
  let broker: Broker;
  let bucket: S3Stub;
  let environment: Record<string, string>;
  let modelServer: Running;
  const running: Running[] = [];

  beforeAll(async () => {
    if (why !== undefined) return;
    place = await makePlace({ ownCache: true });
    await installTestVoice(place);
    await writeFile(join(place.folder, "bells.md"), book);
    [postgres, broker, bucket] = await Promise.all([startTestPostgres(), startBroker(), startS3Stub()]);
    modelServer = await start(["model-server", "--voice", join(place.folder, "cache/voices/test"), "--instances", "2"]);
    environment = {
      KATARI_DATABASE_URL: postgres.url(),
      KATARI_BUS_URL: broker.url(),
      KATARI_OBJECTS: "s3",
      KATARI_S3_ENDPOINT: bucket.endpoint,
      KATARI_S3_REGION: bucket.region,
      KATARI_S3_BUCKET: bucket.bucket,
      KATARI_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      KATARI_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
      KATARI_HTTP_PORT: "0",
      KATARI_HTTP_TOKEN: token,
      KATARI_MODEL_SERVER_CPU: modelServer.said["url"] ?? "",
      KATARI_LOG_LEVEL: "error",
    };
  });
  afterAll(async () => {
    for (const { child } of running) child.kill("SIGTERM");
    await Promise.all(running.map(({ ended }) => ended));
    await postgres?.close();
    await broker?.remove();
    await bucket?.close();
    await place?.remove();
  });

  /** Starts a process and waits for the line in which it says that it is ready. */
  async function start(args: readonly string[]): Promise<Running> {
    const child = startKatari(args, place, environment ?? {});
    const ended = finished(child);
    if (child.stdout === null) throw new Error("no output");
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([
      once(lines, "line").then(([first]) => String(first)),
      ended.then(({ stdout, stderr }) => `${stdout}${stderr}`),
    ]);
    if (!line.startsWith('{"ready":true')) throw new Error(`katari ${args.join(" ")}: ${line}`);
    const started = { child, ended, said: JSON.parse(line) as Record<string, string> };
    running.push(started);
    return started;
  }
  const startWorker = (): Promise<Running> =>
    start(["worker", "--lanes", "speech.cpu.bulk=2,speech.cpu.interactive=1,import=1,export=1"]);
  const inferences = async (): Promise<number> => {
    const text = await (await fetch(`${modelServer.said["url"]}/metrics`)).text();
    return Number(/^katari_inference_total\{[^}]*\} (\d+)/mu.exec(text)?.[1] ?? "0");
  };
  const narrate = async (server: Running, output: string) => {
    const args = [
      "narrate",
      "bells.md",
      "--voice",
      "test",
      "--server",
      server.said["url"] ?? "",
      "-o",
      output,
      "--json",
    ];
    const { code, stdout, stderr } = await katari(args, place, environment);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    return JSON.parse(stdout) as { sha256: string; voicedSegments: number };
  };

  it("makes the very file that the embedded product makes, with a server and a worker killed on the way", async ({
    skip,
  }) => {
    skip(why !== undefined, why);
    const [first, second] = [await start(["server"]), await start(["server"])];
    const [doomed] = [await startWorker(), await startWorker()];
    const making = narrate(first, "apart.m4b");
    // Some sentences are spoken, others under way.
    while ((await inferences()) < sentences / 4) await new Promise((resolve) => setTimeout(resolve, 20));
    doomed?.child.kill("SIGKILL");
    second.child.kill("SIGKILL");
    const made = await making;
    expect(made.voicedSegments).toBe(sentences + 3);
    // At most one inference for each sentence and title, and one more for each slot of the worker that was killed.
    expect(await inferences()).toBeLessThanOrEqual(sentences + 3 + 3);

    const embedded = await katari(["narrate", "bells.md", "--voice", "test", "-o", "alone.m4b", "--json"], place);
    expect(embedded.code).toBe(0);
    expect((JSON.parse(embedded.stdout) as { sha256: string }).sha256).toBe(made.sha256);
    const read = (name: string): Promise<Buffer> => readFile(join(place.folder, name));
    expect((await read("apart.m4b")).equals(await read("alone.m4b"))).toBe(true);

    // A second run through another server renders nothing again.
    const third = await start(["server"]);
    const before = await inferences();
    expect((await narrate(third, "again.m4b")).sha256).toBe(made.sha256);
    expect(await inferences()).toBe(before);
  });

  it("ends in order on SIGTERM", async ({ skip }) => {
    skip(why !== undefined, why);
    for (const { child, ended } of [await start(["server"]), await startWorker()]) {
      child.kill("SIGTERM");
      expect(await ended).toMatchObject({ code: 0, signal: null });
    }
  });

  it.each<[string, readonly string[], Record<string, string>, string]>([
    ["a missing setting", ["server"], { KATARI_DATABASE_URL: "" }, "KATARI_DATABASE_URL"],
    [
      "a database that is not there",
      ["server"],
      { KATARI_DATABASE_URL: "postgresql://a:b@127.0.0.1:9/c" },
      "KATARI_DATABASE_URL",
    ],
    [
      "a broker that is not there",
      ["worker", "--lanes", "import"],
      { KATARI_BUS_URL: "amqp://a:b@127.0.0.1:9" },
      "KATARI_BUS_URL",
    ],
    ["a bucket that does not exist", ["server"], { KATARI_S3_BUCKET: "nobodys" }, "KATARI_S3_BUCKET"],
    [
      "a wrong key",
      ["worker", "--lanes", "import"],
      { KATARI_S3_SECRET_ACCESS_KEY: "wrong" },
      "KATARI_S3_SECRET_ACCESS_KEY",
    ],
    ["a worker without slots", ["worker"], {}, "--lanes"],
    ["a lane without a model server", ["worker", "--lanes", "speech.gpu.bulk"], {}, "KATARI_MODEL_SERVER_GPU"],
    ["a queue that there is not", ["worker", "--lanes", "speech"], {}, "speech.cpu.bulk"],
  ])("says what to change for %s", async (_, args, wrong, named) => {
    if (why !== undefined) return;
    const { code, stdout } = await katari([...args, "--json"], place, { ...environment, ...wrong });
    expect(code).toBeGreaterThan(0);
    const { error } = JSON.parse(stdout) as { error: { message: string; cure: string } };
    expect(`${error.message} ${error.cure}`).toContain(named);
  });
});
