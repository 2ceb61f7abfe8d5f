/** Branded ids: a string of one kind cannot be handed over as another. */
declare const brand: unique symbol;
type Id<Kind extends string> = string & { readonly [brand]: Kind };

export type ProjectId = Id<"project">;
export type SourceId = Id<"source">;
export type DocumentId = Id<"document">;
export type BlockId = Id<"block">;
export type SegmentId = Id<"segment">;
export type ConversionId = Id<"conversion">;
export type TaskId = Id<"task">;
export type ExportId = Id<"export">;

/** Takes a string for an id of the wanted kind; for values that come from the database or a validated message. */
export function asId<T extends Id<string>>(value: string): T {
  return value as T;
}
