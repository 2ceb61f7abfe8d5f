import type { ConversionState, WorkState } from "./states.ts";

/**
 * What people and programs are told. Ids are per project and rise in commit order; progress is coalesced per document.
 * A reader that does not know a type ignores it.
 */
export type ProjectEvent =
  | { readonly type: "import"; readonly state: WorkState; readonly message?: string }
  | {
      readonly type: "conversion";
      readonly conversionId: string;
      readonly state: ConversionState;
      readonly message?: string;
    }
  | {
      readonly type: "progress";
      readonly conversionId: string;
      readonly documentId: string;
      /** Segments of the document whose takes all exist, and all its segments that are voiced. */
      readonly readySegments: number;
      readonly totalSegments: number;
      readonly audioMs: number;
    }
  | {
      readonly type: "task-failed";
      readonly conversionId: string;
      readonly taskId: string;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly type: "export";
      readonly exportId: string;
      readonly state: WorkState;
      /** 0..1 while it is running. */
      readonly progress?: number;
      readonly message?: string;
    };

/** An event as it was stored: `id` is its place in the project's order. */
export interface StoredEvent {
  readonly projectId: string;
  readonly id: number;
  readonly atMs: number;
  readonly event: ProjectEvent;
}
