import { npmSource } from "./sources/npm.ts";
import { pipSource } from "./sources/pip.ts";
import type { AssetSource } from "./sources/source.ts";

/** Where the product looks for voices, in this order. */
export const defaultSources: readonly AssetSource[] = [pipSource, npmSource];
