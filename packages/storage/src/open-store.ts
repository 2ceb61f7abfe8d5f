import type { ObjectsConfiguration } from "@katari/contracts";
import { createFileStore } from "./file-store.ts";
import type { ObjectStore } from "./object-store.ts";

export interface OpenedStore {
  readonly store: ObjectStore;
  close(): void;
}

/** The store that a deployment names, tried once: what it cannot be used for is said now, with the setting's name. */
export async function openStore(objects: ObjectsConfiguration, signal?: AbortSignal): Promise<OpenedStore> {
  if (objects.kind === "files") {
    const store = await createFileStore({ root: objects.folder });
    return { store, close: () => undefined };
  }
  const { kind: _kind, keyPrefix, serverSideEncryption, ...rest } = objects;
  // The driver is loaded by those who use it.
  const { createS3Store } = await import("./s3/index.ts");
  const store = createS3Store({
    ...rest,
    ...(keyPrefix === undefined ? {} : { keyPrefix }),
    ...(serverSideEncryption === undefined ? {} : { serverSideEncryption }),
    settingNames,
  });
  try {
    await store.check(signal === undefined ? {} : { signal });
  } catch (error) {
    store.close();
    throw error;
  }
  return { store, close: () => store.close() };
}

const settingNames = {
  endpoint: "KATARI_S3_ENDPOINT",
  region: "KATARI_S3_REGION",
  bucket: "KATARI_S3_BUCKET",
  accessKeyId: "KATARI_S3_ACCESS_KEY_ID",
  secretAccessKey: "KATARI_S3_SECRET_ACCESS_KEY",
};
