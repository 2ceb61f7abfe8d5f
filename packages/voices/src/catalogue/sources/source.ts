import type { AssetGroup } from "../asset-group.ts";
import type { Environment } from "../cache-folder.ts";
import type { DownloadStore } from "../download-store.ts";

/** A place that assets come from. */
export interface AssetSource {
  /** For people: "PyPI through pip". */
  readonly name: string;
  /** Whether the place can have the group at all. */
  serves(group: AssetGroup): boolean;
  /**
   * Puts what it has of the group into the store, which checks the hashes. Throws an `AppError` that says why when the
   * group is not complete afterwards.
   */
  fetch(group: AssetGroup, context: SourceContext): Promise<void>;
}

export interface SourceContext {
  readonly store: DownloadStore;
  readonly environment: Environment;
  /** Folder for what the source writes on the way, on the store's file system; removed by the caller. */
  readonly workFolder: string;
  readonly fetch: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Says how many bytes of the group have come so far; may be called often. */
  readonly onBytes: (doneBytes: number) => void;
}
