import { InferenceError } from "@katari/inference";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { ModelSource } from "./model-source.ts";
import { serveModel, type ServedModel, type ServingSettings } from "./served-model.ts";

/** A line of the repository index. */
export interface IndexEntry {
  readonly name: string;
  readonly version: string;
  readonly state: "LOADING" | "READY" | "UNLOADING" | "UNAVAILABLE";
  readonly reason: string;
}

/**
 * Models and their versions. A version is loaded beside those that serve, and takes over only when it can answer; what
 * it replaces takes no new requests then, ends its accepted ones, and goes. Loads and unloads of one model follow one
 * another; those of different models do not wait for each other.
 */
export interface Registry {
  load(source: ModelSource): Promise<ServedModel>;
  /** Unloads one version, or all of a model. Unknown ones are no error: they are gone, as wanted. */
  unload(name: string, version?: string): Promise<void>;
  /** The named version, or the one that was loaded last. Throws `model-unavailable`. */
  find(name: string, version?: string): ServedModel;
  versions(name: string): readonly string[];
  all(): readonly ServedModel[];
  index(): readonly IndexEntry[];
  stop(drainMs: number): Promise<void>;
}

export function createRegistry(settings: ServingSettings, drainMs: number, metrics: () => ServerMetrics): Registry {
  const serving = new Map<string, Map<string, ServedModel>>();
  const changing = new Map<string, IndexEntry>();
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    turns.set(name, turn);
    return turn;
  }

  async function marked<T>(entry: IndexEntry, work: () => Promise<T>): Promise<T> {
    const key = `${entry.name}/${entry.version}`;
    changing.set(key, entry);
    try {
      const result = await work();
      changing.delete(key);
      return result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      changing.set(key, { ...entry, state: "UNAVAILABLE", reason });
      throw error;
    }
  }

  const registry: Registry = {
    load: (source) =>
      inTurn(source.name, () =>
        marked({ name: source.name, version: source.version, state: "LOADING", reason: "" }, async () => {
          const model = await serveModel(source, settings, metrics().forModel(source.name, source.version));
          const versions = serving.get(source.name) ?? new Map<string, ServedModel>();
          const replaced = versions.get(source.version);
          // Out and in again, so that the newest version is the last and thereby the default.
          versions.delete(source.version);
          versions.set(source.version, model);
          serving.set(source.name, versions);
          await replaced?.stop(drainMs);
          return model;
        }),
      ),
    unload: (name, version) =>
      inTurn(name, async () => {
        const versions = serving.get(name);
        const going = [...(versions?.values() ?? [])].filter(
          (model) => version === undefined || model.source.version === version,
        );
        for (const model of going) versions?.delete(model.source.version);
        if (versions?.size === 0) serving.delete(name);
        await Promise.all(
          going.map((model) =>
            marked({ name, version: model.source.version, state: "UNLOADING", reason: "" }, () => model.stop(drainMs)),
          ),
        );
      }),
    find(name, version) {
      const versions = serving.get(name);
      const model = version === undefined ? [...(versions?.values() ?? [])].at(-1) : versions?.get(version);
      if (model) return model;
      const message = versions
        ? `Request for unknown model: '${name}' version ${version ?? ""} is not found`
        : `Request for unknown model: '${name}' is not found`;
      throw new InferenceError("model-unavailable", message, { retryable: true, mayHaveRun: false });
    },
    versions: (name) => [...(serving.get(name)?.keys() ?? [])],
    all: () => [...serving.values()].flatMap((versions) => [...versions.values()]),
    index() {
      const ready = registry.all().map((model): IndexEntry => {
        const { name, version } = model.source;
        return { name, version, state: model.ready ? "READY" : "UNAVAILABLE", reason: model.ready ? "" : "restarting" };
      });
      return [...ready, ...changing.values()];
    },
    async stop(limitMs) {
      // A load that is under way ends first, so that its children are known.
      await Promise.allSettled(turns.values());
      await Promise.all(registry.all().map((model) => model.stop(limitMs)));
      serving.clear();
    },
  };
  return registry;
}
