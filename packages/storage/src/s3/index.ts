export { createS3Store, type S3Store } from "./create-s3-store.ts";
export type { S3SettingNames, S3StoreOptions } from "./s3-settings.ts";
