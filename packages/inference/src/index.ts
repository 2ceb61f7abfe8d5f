export { InferenceError, type InferenceErrorCode, type InferenceErrorOptions } from "./inference-error.ts";
export { createKserveHttpServer, type KserveHttpOptions } from "./kserve-http.ts";
export type { Inference, InferOptions, ModelDescription, ModelServer } from "./model-server.ts";
export type {
  ChildExit,
  ChildRuntime,
  ChildStats,
  ModelFile,
  ModelSignature,
  StartChild,
  TensorSignature,
} from "./child-runtime.ts";
