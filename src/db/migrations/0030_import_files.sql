-- A file that the operator uploaded for the catalog, what was found in it, and how far its check or its import came.
create table import_files (
  id uuid primary key,
  user_id uuid references users on delete set null,
  file_name text not null,
  size_bytes bigint not null default 0,
  state text not null default 'uploading'
    check (state in ('uploading', 'uploaded', 'checking', 'checked', 'importing', 'done', 'failed')),
  -- What somebody says of it: format, mapping, categories, currency, store address, encoding, source.
  rules jsonb not null default '{}',
  -- What its first rows look like by these rules.
  look jsonb,
  done_rows int not null default 0,
  -- What the last check or the import said.
  result jsonb,
  import_id uuid references imports on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index import_files_by_age on import_files (created_at);
create index import_files_by_user on import_files (user_id);
create index import_files_by_import on import_files (import_id);

-- In pieces, so that neither an upload nor a reading holds the whole.
create table import_file_parts (
  file_id uuid not null references import_files on delete cascade,
  part int not null,
  bytes bytea not null,
  primary key (file_id, part)
);
