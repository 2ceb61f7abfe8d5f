-- The truth of the system. Ids are text; times are milliseconds since the epoch in bigint (the clock is injected).

create table sources (
  id text primary key,
  digest text not null,
  file_name text not null,
  size_bytes bigint not null,
  object_key text not null,
  created_at bigint not null
);

create table projects (
  id text primary key,
  owner_id text not null,
  source_id text not null references sources (id),
  title text not null,
  authors jsonb not null default '[]',
  language text not null default 'und',
  -- SourceMetadata as imported
  metadata jsonb not null default '{}',
  -- pauses, loudness, voice: resolved project -> document -> block -> segment
  settings jsonb not null default '{}',
  cover_key text,
  cover_media_type text,
  -- raised by every change of what an export would contain
  revision bigint not null default 0,
  -- event ids are drawn from here, as the last write of a transaction
  last_event_id bigint not null default 0,
  import_revision integer not null default 1,
  import_state text not null default 'waiting' check (import_state in ('waiting', 'running', 'ready', 'failed')),
  -- set when the import task succeeded: what the loader has to bring in
  import_index_key text,
  import_code text,
  import_message text,
  import_cure text,
  created_at bigint not null,
  -- hidden from everybody at once; its rows go in small batches afterwards
  deleted_at bigint
);
create index projects_by_owner on projects (owner_id, created_at);
create index projects_by_source on projects (source_id);
create index projects_to_load on projects (id) where import_index_key is not null and import_state in ('waiting', 'running');
create index projects_deleted on projects (id) where deleted_at is not null;

-- One row for each file of the source that carries text.
create table source_files (
  project_id text not null references projects (id) on delete cascade,
  ordinal integer not null,
  path text not null,
  characters bigint not null,
  primary key (project_id, ordinal)
);

create table documents (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  ordinal integer not null,
  title text not null,
  language text not null,
  anchor jsonb not null,
  characters bigint not null,
  segments integer not null,
  -- counted again, under a lock of this row, by whatever writes wanted takes or takes
  voiced_segments integer not null default 0,
  ready_segments integer not null default 0,
  audio_ms bigint not null default 0,
  settings jsonb not null default '{}',
  -- the loader has brought in all of its blocks
  loaded boolean not null default false,
  unique (project_id, ordinal)
);

create table blocks (
  id text primary key,
  document_id text not null references documents (id) on delete cascade,
  ordinal integer not null,
  kind text not null,
  level integer,
  language text not null,
  text text not null,
  spans jsonb not null default '[]',
  source_range jsonb not null,
  anchor jsonb not null,
  settings jsonb not null default '{}',
  unique (document_id, ordinal)
);

-- "start" and "end" are UTF-16 units into the block's text.
create table segments (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  document_id text not null references documents (id) on delete cascade,
  block_id text not null references blocks (id) on delete cascade,
  -- place in the document
  ordinal integer not null,
  range_start integer not null,
  range_end integer not null,
  text text not null,
  boundary jsonb not null,
  characters integer not null,
  settings jsonb not null default '{}',
  -- ids that this one was split or merged from
  lineage jsonb not null default '[]',
  unique (document_id, ordinal)
);
create index segments_by_project on segments (project_id);
create index segments_by_block on segments (block_id);

-- What a voice is to say for a segment. No row: nobody planned it yet. Not voiced: it is only a pause.
create table spoken_forms (
  segment_id text primary key references segments (id) on delete cascade,
  revision text not null,
  form jsonb not null,
  voiced boolean not null
);

-- Text that is not voiced. With a document: a part of one of its blocks; without: left out before blocks were made.
create table skipped_texts (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  document_id text references documents (id) on delete cascade,
  ordinal integer not null,
  rule text not null,
  title text,
  source_range jsonb not null,
  characters bigint not null
);
create index skipped_texts_by_project on skipped_texts (project_id, ordinal);
create index skipped_texts_by_document on skipped_texts (document_id) where document_id is not null;

create table conversions (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  owner_id text not null,
  state text not null check (
    state in ('planning', 'running', 'pausing', 'paused', 'cancelling', 'succeeded', 'failed', 'cancelled')
  ),
  -- Rendering without its variant: pins family, model version and digest, voice, speed
  rendering jsonb not null,
  lane text not null check (lane in ('cpu', 'gpu')),
  -- ids of the chosen documents, in order
  document_ids jsonb not null,
  -- planning goes on from here: whole documents, then segments of the next one, then the next task's ordinal.
  -- Moved in the transaction that writes a page, so that no page is written twice.
  planned_documents integer not null default 0,
  planned_segments integer not null default 0,
  planned_utterances integer not null default 0,
  tasks integer not null default 0,
  -- live tasks; whoever brings it to 0 ends the conversion
  remaining integer not null default 0,
  failed integer not null default 0,
  message text,
  idempotency_key text,
  created_at bigint not null,
  ended_at bigint,
  unique (project_id, idempotency_key)
);
create index conversions_by_project on conversions (project_id, created_at);
create index conversions_live on conversions (state) where state in ('planning', 'running', 'pausing', 'cancelling');

-- Fairness: owners are served by the smallest virtual time. The row with an empty owner is the lane's own time: an owner
-- who was away starts from it instead of spending what was saved up.
create table owner_clocks (
  lane text not null,
  owner_id text not null,
  virtual_time double precision not null default 0,
  primary key (lane, owner_id)
);

create table exports (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  format text not null,
  -- document ids, loudness and the project revision that it was made from
  settings jsonb not null,
  -- digest of plan, format and loudness: what makes two exports the same file
  fingerprint text not null,
  plan_key text not null,
  state text not null check (state in ('waiting', 'running', 'ready', 'failed')),
  progress double precision not null default 0,
  -- ExportedFile
  file jsonb,
  file_name text,
  code text,
  message text,
  cure text,
  created_at bigint not null
);
create index exports_by_project on exports (project_id, created_at);
create unique index exports_once on exports (project_id, fingerprint) where state <> 'failed';

create table tasks (
  id text primary key,
  kind text not null check (kind in ('speech', 'import', 'export')),
  project_id text not null references projects (id) on delete cascade,
  conversion_id text references conversions (id) on delete cascade,
  export_id text references exports (id) on delete cascade,
  document_id text references documents (id) on delete cascade,
  -- queue without the interactive or bulk half: cpu, gpu, import, export
  lane text not null,
  state text not null check (state in ('pending', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
  attempt integer not null default 0,
  max_attempts integer not null default 5,
  -- deliveries that ended with a dead worker
  crashes integer not null default 0,
  -- to be published only while nothing else of the lane is queued
  alone boolean not null default false,
  lease_until bigint,
  bus_epoch text,
  not_before bigint not null default 0,
  -- the smaller, the sooner; 50 and below are interactive
  priority integer not null default 100,
  ordinal integer not null,
  take_key text,
  -- speech: phonemes and parts; import and export: the fields of their message
  payload jsonb not null,
  reason_code text,
  reason text,
  cure text,
  created_at bigint not null,
  ended_at bigint,
  -- planning is idempotent: one task per conversion and utterance
  unique (conversion_id, ordinal)
);
create index tasks_due on tasks (conversion_id, priority, ordinal) where state = 'pending';
create index tasks_pending_by_lane on tasks (lane) where state = 'pending';
create index tasks_held on tasks (lane, lease_until) where state in ('queued', 'running');
create index tasks_by_take on tasks (take_key) where state in ('pending', 'queued', 'running', 'failed');
create index tasks_failed on tasks (conversion_id) where state = 'failed';
create index tasks_held_by_conversion on tasks (conversion_id) where state in ('queued', 'running');
-- the same words twice in one conversion are one task
create unique index tasks_once on tasks (conversion_id, take_key) where take_key is not null;
create index tasks_by_project on tasks (project_id);
create index tasks_by_document on tasks (document_id) where document_id is not null;
create index tasks_by_export on tasks (export_id) where export_id is not null;

-- One immutable rendering of an utterance; the first registered row of a key wins.
create table takes (
  key text primary key,
  audio_key text not null,
  sample_rate integer not null,
  length_samples integer not null,
  parts jsonb not null,
  checks jsonb not null,
  created_at bigint not null
);

-- What a segment wants to be heard as: it is ready when all of these takes exist, in whatever order they come.
create table wanted_takes (
  segment_id text not null references segments (id) on delete cascade,
  -- pieces of one long sentence, in order
  ordinal integer not null,
  take_key text not null,
  -- which part of the take is this segment's
  take_part integer not null,
  conversion_id text not null references conversions (id) on delete cascade,
  primary key (segment_id, ordinal)
);
create index wanted_takes_by_key on wanted_takes (take_key);
create index wanted_takes_by_conversion on wanted_takes (conversion_id);

create table events (
  project_id text not null references projects (id) on delete cascade,
  id bigint not null,
  at bigint not null,
  event jsonb not null,
  primary key (project_id, id)
);

-- Small facts of this installation, such as the first-run token's hash.
create table installation (
  key text primary key,
  value jsonb not null
);
