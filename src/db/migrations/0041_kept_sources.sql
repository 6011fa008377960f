-- A source is where products come from again and again: a file that somebody brings anew, or an address that is fetched
-- on a schedule, with all that is known of how to read it.
create table sources (
  id uuid primary key,
  -- Null: the operator's, whose rows go into the catalog. A seller's rows are proposals.
  org_id uuid references orgs on delete cascade,
  name text not null,
  -- What keys and the provenance of fields call it. It stays when the source is renamed.
  key text not null,
  kind text not null check (kind in ('url', 'file')),
  url text,
  -- Where the command reads a file.
  path text,
  -- How it signs in there; the secret itself is sealed.
  auth text not null default 'none' check (auth in ('none', 'basic', 'bearer', 'header')),
  credentials_box text,
  -- Format, mapping, category map, currency, store address, encoding: what somebody says of its files.
  rules jsonb not null default '{}',
  -- What becomes of products that are no longer in it.
  gone text not null default 'keep' check (gone in ('keep', 'discontinue', 'remove')),
  -- Null: it runs only when somebody asks.
  every_minutes int check (every_minutes between 15 and 43200),
  paused boolean not null default false,
  -- Why it does not run although nobody paused it.
  stopped text,
  -- Of the last file that was taken: for conditional requests, and to know the same bytes again.
  etag text,
  last_modified text,
  content_hash text,
  -- The usable rows of that file.
  good_rows int,
  -- The bytes that a person refused: they need no second decision.
  rejected_hash text,
  failures int not null default 0,
  next_run_at timestamptz,
  -- For whom a seller's source acts: the person who set it up or changed it last.
  run_by uuid references users on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((kind = 'url') = (url is not null)),
  check ((auth = 'none') = (credentials_box is null))
);
-- findSourceByName; nobody has two of one name
create unique index sources_by_name on sources (coalesce(org_id, '00000000-0000-0000-0000-000000000000'), lower(name));
create unique index sources_by_key on sources (key) where org_id is null;
create index sources_by_run_by on sources (run_by);

-- What each run came to. `waiting` is a run that a person decides on.
create table source_runs (
  id uuid primary key,
  source_id uuid not null references sources on delete cascade,
  state text not null check (state in ('running', 'waiting', 'ended')),
  -- Null while it runs.
  outcome text check (outcome in ('changed', 'unchanged', 'checked', 'shrunk', 'rejected', 'replaced', 'failed')),
  -- A check reads everything and writes nothing.
  dry_run boolean not null default false,
  -- A person has seen how much is missing, and said that it is right.
  approved boolean not null default false,
  -- Who asked for it; the system, for one on schedule.
  actor_kind text not null check (actor_kind in ('user', 'operator', 'system')),
  actor_id uuid,
  file_id uuid references import_files on delete set null,
  import_id uuid references imports on delete set null,
  etag text,
  last_modified text,
  content_hash text,
  bytes bigint,
  rows int,
  counts jsonb not null default '{}',
  -- What happened, and what to do, in words.
  message text,
  fix text,
  -- What is wrong with rows, the same things together.
  report jsonb not null default '[]',
  started_at timestamptz not null,
  ended_at timestamptz
);
-- findRuns, deleteRunsBeyond
create index source_runs_by_source on source_runs (source_id, started_at desc, id desc);
-- One at a time, and one decision at a time.
create unique index source_runs_running on source_runs (source_id) where state = 'running';
create unique index source_runs_waiting on source_runs (source_id) where state = 'waiting';
create index source_runs_by_file on source_runs (file_id);
create index source_runs_by_import on source_runs (import_id);

-- The products that a source's last file had, and those that are gone from it.
create sequence feed_passes;
create table feed_products (
  source text not null,
  product_id uuid not null references products on delete cascade,
  -- The last reading of a file that saw it. Readings are numbered, so that one that was overtaken undoes nothing.
  pass bigint not null default 0,
  gone_at timestamptz,
  -- What the source did to it then.
  gone_as text check (gone_as in ('keep', 'discontinue', 'remove')),
  primary key (source, product_id)
);
create index feed_products_by_product on feed_products (product_id);

alter table import_files
  -- The file of a source's run is not one of those that the operator brought.
  add column source_id uuid references sources on delete cascade,
  -- It waits for a decision, and is kept until then.
  add column held boolean not null default false;
create index import_files_by_source on import_files (source_id) where source_id is not null;
