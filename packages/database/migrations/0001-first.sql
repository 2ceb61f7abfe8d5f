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
  created_at bigint not null
);
create index projects_by_owner on projects (owner_id, created_at);

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

-- What a voice is to say for a segment; null words mean that nobody planned it yet, no words that it is only a pause.
create table spoken_forms (
  segment_id text primary key references segments (id) on delete cascade,
  revision text not null,
  form jsonb not null,
  voiced boolean not null
);

create table skipped_texts (
  project_id text not null references projects (id) on delete cascade,
  ordinal integer not null,
  rule text not null,
  title text,
  source_range jsonb,
  characters bigint not null,
  primary key (project_id, ordinal)
);

create table conversions (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  owner_id text not null,
  state text not null,
  -- Rendering without its variant: pins family, model version and digest, voice, speed
  rendering jsonb not null,
  lane text not null check (lane in ('cpu', 'gpu')),
  -- ids of the chosen documents, in order
  document_ids jsonb not null,
  -- planning is resumed from here: documents before it are planned
  planned_documents integer not null default 0,
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

-- Fairness: owners are served by the smallest virtual time.
create table owner_clocks (
  owner_id text primary key,
  virtual_time double precision not null default 0
);

create table exports (
  id text primary key,
  project_id text not null references projects (id) on delete cascade,
  format text not null,
  -- document ids, loudness, project revision: what makes two exports the same
  settings jsonb not null,
  plan_key text,
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
