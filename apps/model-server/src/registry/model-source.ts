/** A model that the server is to serve. */
export interface ModelSource {
  readonly name: string;
  readonly version: string;
  /** Path of the ONNX file. */
  readonly path: string;
  /** sha256 of the model as it was published; told in the model's metadata. */
  readonly sourceDigest?: string;
  /** sha256 that the file must have; it is refused otherwise. */
  readonly servedDigest?: string;
  /** Children for this model; the server's setting when absent. */
  readonly instances?: number;
  /** Threads of each child; the server's setting when absent. */
  readonly threads?: number;
}
