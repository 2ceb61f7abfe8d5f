import type { ModelServer } from "@katari/inference";
import { createBoundedCache } from "./bounded-cache.ts";

export interface ModelFacts {
  /** Digest of the model's source as its server tells it; `undefined` from a server that tells none. */
  sourceDigest(model: string, version: string): Promise<string | undefined>;
  /** Asks again next time: the server failed, so another model may answer after it. */
  forget(model: string, version: string): void;
}

const keptModels = 64;
const keyOf = (model: string, version: string): string => JSON.stringify([model, version]);

/** What a model server says of its models, asked once until something fails. */
export function createModelFacts(server: ModelServer): ModelFacts {
  const digests = createBoundedCache<string | undefined>(keptModels);
  return {
    sourceDigest: (model, version) =>
      // Without anybody's signal: the answer is for everybody who waits.
      digests.get(keyOf(model, version), async () => {
        const description = await server.describe(model, version);
        return description.parameters["source_digest"];
      }),
    forget: (model, version) => digests.forget(keyOf(model, version)),
  };
}
