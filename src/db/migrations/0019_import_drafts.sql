-- A file that somebody uploaded for their organization and has not imported yet, or has within the last day.
create table import_drafts (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  user_id uuid references users on delete set null,
  file_name text not null,
  -- Where it was read, for one that was not uploaded.
  url text,
  source text not null check (source in ('csv', 'google_feed', 'shopify', 'jsonl')),
  content bytea not null,
  row_count int not null,
  mapping jsonb not null default '{}',
  -- What a dry run of it with this source and mapping said.
  checked jsonb,
  -- How far the import came, while it has not finished.
  done_rows int,
  result jsonb,
  created_at timestamptz not null default now(),
  checked_at timestamptz,
  run_at timestamptz,
  finished_at timestamptz
);
create index import_drafts_by_org on import_drafts (org_id, created_at);
create index import_drafts_by_age on import_drafts (created_at);
create index import_drafts_by_user on import_drafts (user_id);
