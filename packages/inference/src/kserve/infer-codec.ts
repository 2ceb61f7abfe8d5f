import type { Tensor } from "@katari/contracts";
import type { z } from "zod";
import { inferRequestSchema, inferResponseSchema, type WireTensor } from "./shapes.ts";
import { alignedData, checkTensor, dataFromJson, dataToJson, invalidTensor } from "./tensor-data.ts";

/**
 * Bodies of `POST /v2/models/{m}/infer`, with the binary tensor extension: a JSON header, then the raw data of every
 * tensor that has `binary_data_size`, in order. The header Inference-Header-Content-Length says where the JSON ends.
 */
export const headerLengthName = "inference-header-content-length";

/** A body in pieces, to be written without joining; `headerLength` is undefined for plain JSON. */
export interface InferBody {
  readonly chunks: readonly Uint8Array[];
  readonly headerLength: number | undefined;
  readonly sizeBytes: number;
}

export interface InferRequest {
  readonly id: string | undefined;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly inputs: readonly Tensor[];
  /** Names of the wanted outputs; all when empty. */
  readonly outputs: readonly string[];
  /** Whether an output goes back as binary. */
  readonly binaryOutput: (name: string) => boolean;
}

export interface InferAnswer {
  readonly id: string | undefined;
  readonly model: string;
  readonly version: string;
  readonly outputs: readonly Tensor[];
}

const text = new TextEncoder();

/**
 * Joins header and data. The JSON is padded with spaces to a multiple of 8, so that the data of the first tensor
 * stands aligned in the body and can be looked at as numbers without a copy.
 */
function body(json: unknown, data: readonly Uint8Array[]): InferBody {
  const bytes = JSON.stringify(json);
  if (data.length === 0) {
    const chunk = text.encode(bytes);
    return { chunks: [chunk], headerLength: undefined, sizeBytes: chunk.byteLength };
  }
  const unpadded = Buffer.byteLength(bytes);
  const head = text.encode(bytes + " ".repeat((8 - (unpadded % 8)) % 8));
  const sizeBytes = data.reduce((sum, chunk) => sum + chunk.byteLength, head.byteLength);
  return { chunks: [head, ...data], headerLength: head.byteLength, sizeBytes };
}

const binaryTensor = ({ name, datatype, shape, data }: Tensor): object => ({
  name,
  datatype,
  shape,
  parameters: { binary_data_size: data.byteLength },
});

/** Writes a request with all inputs as binary that asks for all outputs as binary. */
export function encodeInferRequest(request: {
  readonly id?: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly inputs: readonly Tensor[];
}): InferBody {
  for (const input of request.inputs) checkTensor(input);
  const json = {
    ...(request.id === undefined ? {} : { id: request.id }),
    parameters: { ...request.parameters, binary_data_output: true },
    inputs: request.inputs.map(binaryTensor),
  };
  return body(
    json,
    request.inputs.map((input) => input.data),
  );
}

/** Reads a request; `headerLength` is the value of the header where it was sent. Throws `invalid-argument`. */
export function decodeInferRequest(bytes: Uint8Array, headerLength: number | undefined): InferRequest {
  const { json, tensors } = decodeBody(inferRequestSchema, bytes, headerLength, (value) => value.inputs);
  // An output that is listed without `binary_data` is JSON, whatever the default: Triton reads it per listed output.
  const byDefault = json.parameters?.["binary_data_output"] === true;
  const listed = new Map(json.outputs?.map((output) => [output.name, output.parameters?.["binary_data"] === true]));
  return {
    id: json.id,
    parameters: json.parameters ?? {},
    inputs: tensors,
    outputs: [...listed.keys()],
    binaryOutput: (name) => listed.get(name) ?? byDefault,
  };
}

/** Writes an answer. */
export function encodeInferResponse(answer: InferAnswer, binaryOutput: (name: string) => boolean): InferBody {
  const binary = answer.outputs.filter((output) => binaryOutput(output.name));
  const json = {
    ...(answer.id === undefined ? {} : { id: answer.id }),
    model_name: answer.model,
    model_version: answer.version,
    outputs: answer.outputs.map((output) =>
      binary.includes(output)
        ? binaryTensor(output)
        : { name: output.name, datatype: output.datatype, shape: output.shape, data: dataToJson(output) },
    ),
  };
  return body(
    json,
    binary.map((output) => output.data),
  );
}

/** Reads an answer. Data of outputs is aligned to its element size. Throws `invalid-argument`. */
export function decodeInferResponse(bytes: Uint8Array, headerLength: number | undefined): InferAnswer {
  const { json, tensors } = decodeBody(inferResponseSchema, bytes, headerLength, (value) => value.outputs);
  return { id: json.id, model: json.model_name, version: json.model_version ?? "", outputs: tensors };
}

function decodeBody<T>(
  schema: z.ZodType<T>,
  bytes: Uint8Array,
  headerLength: number | undefined,
  tensorsOf: (value: T) => readonly WireTensor[],
): { json: T; tensors: Tensor[] } {
  const jsonEnd = headerLength ?? bytes.byteLength;
  if (!Number.isSafeInteger(jsonEnd) || jsonEnd <= 0 || jsonEnd > bytes.byteLength)
    throw invalidTensor(`Inference-Header-Content-Length ${jsonEnd} does not fit a body of ${bytes.byteLength} bytes`);
  const parsed = schema.safeParse(parseJson(bytes.subarray(0, jsonEnd)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidTensor(`failed to parse the JSON: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`);
  }
  let at = jsonEnd;
  const tensors = tensorsOf(parsed.data).map((wire): Tensor => {
    const { name, datatype, shape } = wire;
    const size = wire.parameters?.["binary_data_size"];
    if (size === undefined) {
      if (!wire.data) throw invalidTensor(`'${name}' has neither data nor binary_data_size`);
      const tensor = { name, datatype, shape, data: dataFromJson(name, datatype, wire.data) };
      checkTensor(tensor);
      return tensor;
    }
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0)
      throw invalidTensor(`binary_data_size of '${name}' is no size`);
    if (at + size > bytes.byteLength)
      throw invalidTensor(
        `unexpected size for input '${name}', expecting ${at + size - bytes.byteLength} additional bytes`,
      );
    const tensor = { name, datatype, shape, data: alignedData(datatype, bytes.subarray(at, at + size)) };
    at += size;
    checkTensor(tensor);
    return tensor;
  });
  if (at !== bytes.byteLength) throw invalidTensor(`unexpected additional input data: ${bytes.byteLength - at} bytes`);
  return { json: parsed.data, tensors };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalidTensor(`failed to parse the JSON: ${error instanceof Error ? error.message : "not UTF-8"}`);
  }
}
