export type { GetOptions, ObjectInfo, ObjectStore } from "./object-store.ts";
export { createFileStore, type FileStoreOptions } from "./file-store.ts";
export { openStore } from "./open-store.ts";
