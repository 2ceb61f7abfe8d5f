import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  encodeModel,
  floatTensor,
  int64Tensor,
  intAttribute,
  onnxGraph,
  onnxModel,
  onnxNode,
  onnxType,
  tensorAttribute,
  valueInfo,
} from "@katari/voices/onnx";

/**
 * Writes an ONNX model for tests of model servers. Inputs: `count` int64 [1], `work` int64 [1]. Outputs: `ramp` float32
 * [count], the numbers 0, 1, 2 …; `effort` float32 [], the number `work` as 16 products of matrices of that
 * size find it, so that a run takes as long as one likes: its 32 × work³ operations at, say, 50 GFLOP/s are 0.6 s for
 * 1,000 and 80 s for 5,000.
 */
export async function writeProbeModel(file: string): Promise<void> {
  const products = 16;
  const names = ["ones", ...Array.from({ length: products }, (_, at) => `product_${at}`)];
  const nodes = [
    onnxNode("Squeeze", ["count"], ["count_scalar"]),
    onnxNode("Range", ["zero", "count_scalar", "step"], ["numbers"]),
    onnxNode("Cast", ["numbers"], ["ramp"], [intAttribute("to", onnxType.float)]),
    onnxNode("Concat", ["work", "work"], ["square"], [intAttribute("axis", 0)]),
    onnxNode("ConstantOfShape", ["square"], ["ones"], [tensorAttribute("value", floatTensor("", [1], [1]))]),
    onnxNode("Cast", ["work"], ["size"], [intAttribute("to", onnxType.float)]),
    // ones × ones has `work` in every place; divided by it the next product starts from ones again.
    ...names
      .slice(1)
      .flatMap((name, at) => [
        onnxNode("MatMul", [at === 0 ? "ones" : `mean_${at - 1}`, "ones"], [name]),
        ...(at < products - 1 ? [onnxNode("Div", [name, "size"], [`mean_${at}`])] : []),
      ]),
    onnxNode("ReduceMax", [`product_${products - 1}`], ["effort"], [intAttribute("keepdims", 0)]),
  ];
  const model = onnxModel(
    onnxGraph({
      name: "katari-probe",
      nodes,
      initializers: [int64Tensor("zero", [], [0]), int64Tensor("step", [], [1])],
      inputs: [valueInfo("count", onnxType.int64, [1]), valueInfo("work", onnxType.int64, [1])],
      outputs: [valueInfo("ramp", onnxType.float, ["count"]), valueInfo("effort", onnxType.float, [])],
    }),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, encodeModel(model));
}
