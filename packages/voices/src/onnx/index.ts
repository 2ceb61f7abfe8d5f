/** Reading, building and writing ONNX files. */
export {
  decodeModel,
  encodeModel,
  namesRead,
  type OnnxGraph,
  type OnnxModel,
  type OnnxNode,
  type OnnxOpset,
  type OnnxValueInfo,
} from "./model.ts";
export { onnxType, tensorIntegers, type OnnxTensor } from "./tensor.ts";
export type { OnnxAttribute } from "./attribute.ts";
export {
  floatAttribute,
  floatTensor,
  int64Tensor,
  intAttribute,
  intsAttribute,
  onnxGraph,
  onnxModel,
  onnxNode,
  rawTensor,
  tensorAttribute,
  textAttribute,
  valueInfo,
} from "./build.ts";
export { unfoldConvolutions, type UnfoldReport } from "./unfold.ts";
