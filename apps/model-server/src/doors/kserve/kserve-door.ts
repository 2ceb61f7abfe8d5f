import type { FastifyInstance } from "fastify";
import type { ModelMetadata } from "@katari/inference/kserve";
import type { Registry } from "../../registry/registry.ts";
import type { ServedModel } from "../../registry/served-model.ts";
import { inferRoute, type InferParams } from "./infer-route.ts";
import { repositoryRoutes } from "./repository-routes.ts";

/** Versions of the product that this server reports; one number for the whole house. */
const serverVersion = "0.1.0";

/**
 * KServe v2 over HTTP, with Triton's binary tensor extension and repository API. Health answers carry a JSON body, and
 * a server or model that is not ready is 503.
 */
export function kserveDoor(
  app: FastifyInstance,
  options: {
    readonly registry: Registry;
    readonly allowedRoots: readonly string[];
    /** False while the first models load, and while the server ends. */
    readonly serving: () => boolean;
  },
): void {
  const { registry, serving } = options;

  app.get("/v2", async () => ({
    name: "katari",
    version: serverVersion,
    extensions: ["binary_tensor_data", "model_repository", "schedule_policy", "parameters"],
  }));
  app.get("/v2/health/live", async () => ({ live: true }));
  app.get("/v2/health/ready", async (_request, reply) => {
    const ready = serving() && registry.all().every((model) => model.ready);
    return reply.status(ready ? 200 : 503).send({ ready });
  });

  for (const prefix of ["/v2/models/:model", "/v2/models/:model/versions/:version"]) {
    app.get<{ Params: InferParams }>(prefix, async (request) => {
      const { model, version } = request.params;
      return metadata(registry.find(model, version), registry.versions(model));
    });
    app.get<{ Params: InferParams }>(`${prefix}/ready`, async (request, reply) => {
      const found = registry.find(request.params.model, request.params.version);
      const ready = serving() && found.ready;
      return reply.status(ready ? 200 : 503).send({ name: found.source.name, ready });
    });
    app.post<{ Params: InferParams }>(`${prefix}/infer`, inferRoute(registry));
  }

  repositoryRoutes(app, registry, options.allowedRoots);
}

function metadata(model: ServedModel, versions: readonly string[]): ModelMetadata {
  const { source, signature, servedDigest } = model;
  const copy = (tensors: typeof signature.inputs): ModelMetadata["inputs"] =>
    tensors.map(({ name, datatype, shape }) => ({ name, datatype, shape: [...shape] }));
  return {
    name: source.name,
    versions: [...versions],
    platform: "onnxruntime_onnx",
    inputs: copy(signature.inputs),
    outputs: copy(signature.outputs),
    parameters: { source_digest: source.sourceDigest ?? servedDigest, served_digest: servedDigest },
  };
}
