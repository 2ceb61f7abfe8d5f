/** The KServe v2 HTTP protocol as both ends speak it: Katari's model server imports this door too. */
export {
  decodeInferRequest,
  decodeInferResponse,
  encodeInferRequest,
  encodeInferResponse,
  headerLengthName,
  type InferAnswer,
  type InferBody,
  type InferRequest,
} from "./infer-codec.ts";
export { errorBodySchema, modelMetadataSchema, type ErrorBody, type ModelMetadata } from "./shapes.ts";
export { bytesElements, checkTensor, elementBytes, elementCount, joinBytesElements } from "./tensor-data.ts";
