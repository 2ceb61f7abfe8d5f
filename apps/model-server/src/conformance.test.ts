import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKserveHttpServer } from "@katari/inference";
import { describeModelServer } from "@katari/testkit";
import { writeProbeModel } from "@katari/testkit/models";
import { afterAll, beforeAll } from "vitest";
import { createModelServer } from "./model-server.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "katari-model-server-"));
  await writeProbeModel(join(folder, "probe.onnx"));
});
afterAll(() => rm(folder, { recursive: true }));

describeModelServer("Katari's own, over KServe v2 HTTP", async () => {
  const source = { name: "probe", version: "1", path: join(folder, "probe.onnx") };
  const handle = await createModelServer({ models: [source], instances: 1, drainMs: 0 });
  const counter = await countConnections(handle.port);
  let disposed: Promise<void> | undefined;
  return {
    server: createKserveHttpServer({ url: counter.url }),
    model: source.name,
    version: source.version,
    killModelProcess: () => {
      for (const pid of handle.childPids()) process.kill(pid, "SIGKILL");
    },
    connectionsTaken: counter.taken,
    dispose: () => (disposed ??= Promise.all([counter.close(), handle.close()]).then(() => undefined)),
  };
});

/** A relay before the server that counts the connections it takes. */
async function countConnections(
  port: number,
): Promise<{ url: string; taken: () => number; close: () => Promise<void> }> {
  let taken = 0;
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    taken++;
    const far = connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  const relayPort = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${relayPort}`,
    taken: () => taken,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        relay.close(() => resolve());
      }),
  };
}
