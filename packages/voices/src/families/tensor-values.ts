import type { Tensor } from "@katari/contracts";
import { AppError } from "@katari/core";

/** A float32 tensor; the numbers are not copied. */
export function floatTensorOf(name: string, shape: readonly number[], values: Float32Array): Tensor {
  return { name, datatype: "FP32", shape, data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
}

/** An int64 tensor of whole numbers. */
export function int64TensorOf(name: string, shape: readonly number[], values: readonly number[]): Tensor {
  const numbers = BigInt64Array.from(values, BigInt);
  return { name, datatype: "INT64", shape, data: new Uint8Array(numbers.buffer) };
}

/** Numbers of a float32 tensor: a view where the bytes are aligned, else a copy. Throws `model-failed` for others. */
export function floatsOf(tensor: Tensor): Float32Array {
  const { data } = tensor;
  const count = tensor.shape.reduce((product, dim) => product * dim, 1);
  if (tensor.datatype !== "FP32" || data.byteLength !== count * 4)
    throw new AppError("model-failed", `The model's output ${tensor.name} is not made of ${count} float32 numbers.`, {
      cure: "Check the voice with `katari voices verify`.",
    });
  if (data.byteOffset % 4 === 0) return new Float32Array(data.buffer, data.byteOffset, count);
  // Not slice(): that of a Buffer is a view.
  return new Float32Array(new Uint8Array(data).buffer);
}
