import { AppError } from "@katari/core";
import type { Logger } from "@katari/telemetry";
import type { LoadedVoice, VoiceCatalogue } from "@katari/voices/catalogue";
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { measuredInstances } from "./instances.ts";
import { supervise, type Supervised } from "./supervise.ts";

export interface ModelServerProcess extends Supervised {
  readonly url: string;
  /** Loads the voice's model unless it is served already. Throws AppError `model-unavailable`. */
  ensureModel(voice: LoadedVoice): Promise<void>;
}

/** The model server of this process tree: a child that serves the models of all installed voices on a loopback port. */
export async function startModelServer(options: {
  catalogue: VoiceCatalogue;
  cacheFolder: string;
  environment: Readonly<Record<string, string | undefined>>;
  logger: Logger;
}): Promise<ModelServerProcess> {
  const { catalogue, cacheFolder, logger } = options;
  // The port stays the same when the process is started again: workers know it.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const entry = fileURLToPath(import.meta.resolve("@katari/model-server/main"));

  const start = async (): Promise<ChildProcess> => {
    const voices = await oneVoiceForEachModel(catalogue);
    const [first] = voices;
    const measured = first === undefined ? undefined : await measuredInstances(first, cacheFolder);
    const roots = ["voices", "models"].map((folder) => join(cacheFolder, folder));
    const args = [
      "--exit-with-parent",
      "--drain-ms=2000",
      `--port=${port}`,
      `--log-level=${logger.level}`,
      ...(measured ? ["--instances", String(measured.instances), "--threads", String(measured.threads)] : []),
      ...voices.flatMap(({ folder }) => ["--voice", folder]),
      ...roots.flatMap((root) => ["--allow-root", root]),
    ];
    return spawn(process.execPath, [entry, ...args], { stdio: ["pipe", "pipe", "inherit"], env: options.environment });
  };
  const supervised = await supervise({ name: "model server", start, ready: firstLine, logger });

  return {
    url,
    stop: () => supervised.stop(),
    get pid() {
      return supervised.pid;
    },
    async ensureModel(voice) {
      const { manifest, modelPath } = voice;
      const { name, version, sourceDigest, servedDigest } = manifest.model;
      const model = `${url}/v2/models/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
      const answers = await fetch(`${model}/ready`).catch(() => undefined);
      if (answers?.ok === true) return;
      const measured = await measuredInstances(voice, cacheFolder);
      const parameters = {
        path: modelPath,
        version,
        source_digest: sourceDigest,
        served_digest: servedDigest,
        ...(measured ? { instances: measured.instances, threads: measured.threads } : {}),
      };
      const loaded = await fetch(`${url}/v2/repository/models/${encodeURIComponent(name)}/load`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ parameters }),
      }).catch((error: unknown) => {
        throw unavailable(name, error);
      });
      if (!loaded.ok) throw unavailable(name, await loaded.text());
    },
  };
}

function unavailable(model: string, cause: unknown): AppError {
  return new AppError("model-unavailable", `The model server cannot load the model ${model}.`, {
    cure: "Run katari doctor; if the voice is damaged, katari voices add repairs it.",
    retryable: true,
    cause,
  });
}

/** Voices share models: one voice for each model is enough. */
async function oneVoiceForEachModel(catalogue: VoiceCatalogue): Promise<LoadedVoice[]> {
  const voices = new Map<string, LoadedVoice>();
  for (const { id, state } of await catalogue.list()) {
    if (state !== "ready") continue;
    const voice = await catalogue.load(id);
    const { name, version } = voice.manifest.model;
    voices.set(`${name}@${version}`, voice);
  }
  return [...voices.values()];
}

async function firstLine(child: ChildProcess): Promise<void> {
  if (child.stdout === null) return;
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { ready: boolean; error?: { message: string; cure?: string } };
    if (said.ready) return;
    throw new AppError("model-unavailable", said.error?.message ?? "The model server did not start.", {
      cure: said.error?.cure ?? "Run katari doctor.",
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
