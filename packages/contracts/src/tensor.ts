/** Data types of tensors, by their KServe v2 names. */
export const tensorDatatypes = [
  "BOOL",
  "UINT8",
  "UINT16",
  "UINT32",
  "UINT64",
  "INT8",
  "INT16",
  "INT32",
  "INT64",
  "FP16",
  "FP32",
  "FP64",
  "BYTES",
] as const;
export type TensorDatatype = (typeof tensorDatatypes)[number];

/**
 * A named tensor as it stands on the wire of the KServe v2 binary extension: `data` holds the elements row by row,
 * little-endian. `shape` has every dimension as a number ≥ 0.
 */
export interface Tensor {
  readonly name: string;
  readonly datatype: TensorDatatype;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}
