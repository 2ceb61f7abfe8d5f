import type { AppError, ConversionState, TaskState, WorkState } from "@katari/core";
import type { ColumnType, Generated } from "kysely";

/** A jsonb column: read as a value, written as JSON text (drivers disagree on what an array parameter means). */
type Json<T> = ColumnType<T, string, string>;
type JsonDefault<T> = ColumnType<T, string | undefined, string>;
/** bigint columns are read as numbers; a value outside the safe range is refused by the parser. */
type Big = number;

type ErrorCode = AppError["code"];

export interface SourcesTable {
  id: string;
  digest: string;
  file_name: string;
  size_bytes: Big;
  object_key: string;
  created_at: Big;
}

export interface ProjectsTable {
  id: string;
  owner_id: string;
  source_id: string;
  title: string;
  authors: JsonDefault<string[]>;
  language: Generated<string>;
  metadata: JsonDefault<Record<string, unknown>>;
  settings: JsonDefault<Record<string, unknown>>;
  cover_key: string | null;
  cover_media_type: string | null;
  revision: Generated<Big>;
  last_event_id: Generated<Big>;
  import_revision: Generated<number>;
  import_state: Generated<WorkState>;
  import_index_key: string | null;
  import_code: ErrorCode | null;
  import_message: string | null;
  import_cure: string | null;
  created_at: Big;
  deleted_at: Big | null;
}

export interface SourceFilesTable {
  project_id: string;
  ordinal: number;
  path: string;
  characters: Big;
}

export interface DocumentsTable {
  id: string;
  project_id: string;
  ordinal: number;
  title: string;
  language: string;
  anchor: Json<Record<string, unknown>>;
  characters: Big;
  segments: number;
  voiced_segments: Generated<number>;
  ready_segments: Generated<number>;
  audio_ms: Generated<Big>;
  settings: JsonDefault<Record<string, unknown>>;
  loaded: Generated<boolean>;
}

export interface BlocksTable {
  id: string;
  document_id: string;
  ordinal: number;
  kind: string;
  level: number | null;
  language: string;
  text: string;
  spans: JsonDefault<unknown[]>;
  source_range: Json<Record<string, unknown>>;
  anchor: Json<Record<string, unknown>>;
  settings: JsonDefault<Record<string, unknown>>;
}

export interface SegmentsTable {
  id: string;
  project_id: string;
  document_id: string;
  block_id: string;
  ordinal: number;
  range_start: number;
  range_end: number;
  text: string;
  boundary: Json<Record<string, unknown>>;
  characters: number;
  settings: JsonDefault<Record<string, unknown>>;
  lineage: JsonDefault<string[]>;
}

export interface SpokenFormsTable {
  segment_id: string;
  revision: string;
  form: Json<Record<string, unknown>>;
  voiced: boolean;
}

export interface SkippedTextsTable {
  id: string;
  project_id: string;
  document_id: string | null;
  ordinal: number;
  rule: string;
  title: string | null;
  source_range: Json<Record<string, unknown>>;
  characters: Big;
}

export interface ConversionsTable {
  id: string;
  project_id: string;
  owner_id: string;
  state: ConversionState;
  rendering: Json<Record<string, unknown>>;
  lane: "cpu" | "gpu";
  document_ids: Json<string[]>;
  planned_documents: Generated<number>;
  planned_segments: Generated<number>;
  planned_utterances: Generated<number>;
  tasks: Generated<number>;
  remaining: Generated<number>;
  failed: Generated<number>;
  message: string | null;
  idempotency_key: string | null;
  created_at: Big;
  ended_at: Big | null;
}

export interface OwnerClocksTable {
  lane: string;
  owner_id: string;
  virtual_time: number;
}

export interface ExportsTable {
  id: string;
  project_id: string;
  format: string;
  settings: Json<Record<string, unknown>>;
  fingerprint: string;
  plan_key: string;
  state: WorkState;
  progress: Generated<number>;
  file: Json<Record<string, unknown>> | null;
  file_name: string | null;
  code: ErrorCode | null;
  message: string | null;
  cure: string | null;
  created_at: Big;
}

export type TaskKind = "speech" | "import" | "export";
/** A task's lane: the queue without its interactive or bulk half. */
export const taskLanes = ["cpu", "gpu", "import", "export"] as const;
export type TaskLane = (typeof taskLanes)[number];

export interface TasksTable {
  id: string;
  kind: TaskKind;
  project_id: string;
  conversion_id: string | null;
  export_id: string | null;
  document_id: string | null;
  lane: TaskLane;
  state: TaskState;
  attempt: Generated<number>;
  max_attempts: Generated<number>;
  crashes: Generated<number>;
  alone: Generated<boolean>;
  lease_until: Big | null;
  bus_epoch: string | null;
  not_before: Generated<Big>;
  priority: Generated<number>;
  ordinal: number;
  take_key: string | null;
  payload: Json<Record<string, unknown>>;
  reason_code: ErrorCode | null;
  reason: string | null;
  cure: string | null;
  created_at: Big;
  ended_at: Big | null;
}

export interface TakesTable {
  key: string;
  audio_key: string;
  sample_rate: number;
  length_samples: number;
  parts: Json<unknown[]>;
  checks: Json<Record<string, unknown>>;
  created_at: Big;
}

export interface WantedTakesTable {
  segment_id: string;
  ordinal: number;
  take_key: string;
  take_part: number;
  conversion_id: string;
}

export interface EventsTable {
  project_id: string;
  id: Big;
  at: Big;
  event: Json<Record<string, unknown>>;
}

export interface InstallationTable {
  key: string;
  value: Json<unknown>;
}

/** Every table by its name, as the migrations make them. */
export interface Tables {
  sources: SourcesTable;
  projects: ProjectsTable;
  source_files: SourceFilesTable;
  documents: DocumentsTable;
  blocks: BlocksTable;
  segments: SegmentsTable;
  spoken_forms: SpokenFormsTable;
  skipped_texts: SkippedTextsTable;
  conversions: ConversionsTable;
  owner_clocks: OwnerClocksTable;
  exports: ExportsTable;
  tasks: TasksTable;
  takes: TakesTable;
  wanted_takes: WantedTakesTable;
  events: EventsTable;
  installation: InstallationTable;
}
