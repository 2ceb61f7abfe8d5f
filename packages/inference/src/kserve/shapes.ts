import { tensorDatatypes } from "@katari/contracts";
import { z } from "zod";

/** JSON shapes of the KServe v2 / Open Inference Protocol over HTTP, with Triton's binary tensor extension. */
const datatype = z.enum(tensorDatatypes);
const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const dimension = z.int().nonnegative();

const wireTensor = z.object({
  name: z.string(),
  shape: z.array(dimension),
  datatype,
  parameters: parameters.optional(),
  data: z.array(z.unknown()).optional(),
});
export type WireTensor = z.infer<typeof wireTensor>;

export const inferRequestSchema = z.object({
  id: z.string().optional(),
  parameters: parameters.optional(),
  inputs: z.array(wireTensor).min(1).max(256),
  outputs: z.array(z.object({ name: z.string(), parameters: parameters.optional() })).optional(),
});

export const inferResponseSchema = z.object({
  id: z.string().optional(),
  model_name: z.string(),
  model_version: z.string().optional(),
  outputs: z.array(wireTensor),
});

const tensorMetadata = z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.number()) });

export const modelMetadataSchema = z.object({
  name: z.string(),
  versions: z.array(z.string()).optional(),
  platform: z.string(),
  inputs: z.array(tensorMetadata),
  outputs: z.array(tensorMetadata),
  /** Own addition: facts of the model, such as `source_digest`. */
  parameters: z.record(z.string(), z.string()).optional(),
});
export type ModelMetadata = z.infer<typeof modelMetadataSchema>;

/** `error` is the protocol's; the rest is our own addition, which other servers do not send. */
export const errorBodySchema = z.object({
  error: z.string(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  may_have_run: z.boolean().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
