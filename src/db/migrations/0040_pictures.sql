-- A picture of ours: its files in the data folder are named by what is in them, and never change.
create table picture_files (
  hash text primary key,
  width int not null,
  height int not null,
  -- The widths of its smaller sizes.
  widths int[] not null,
  -- Of all its sizes together.
  size_bytes int not null,
  created_at timestamptz not null default now()
);

-- The bytes of a picture that cannot be fetched again, because a person uploaded it: backups have them, and any node can
-- write its files. Width 0 is the full size.
create table picture_uploads (
  hash text not null references picture_files on delete cascade,
  width int not null,
  bytes bytea not null,
  primary key (hash, width)
);

-- What became of each address of a picture that a product names.
create table product_pictures (
  product_id uuid not null references products on delete cascade,
  -- md5 of the address, which may be too long for an index.
  url_key text not null,
  url text not null,
  state text not null default 'waiting' check (state in ('waiting', 'copied', 'refused')),
  hash text references picture_files,
  -- Why it was refused, or what went wrong the last time.
  reason text,
  attempts int not null default 0,
  -- When it is fetched next.
  due_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (product_id, url_key),
  check ((state = 'copied') = (hash is not null))
);
-- What the job fetches next.
create index product_pictures_due on product_pictures (due_at) where state <> 'copied';
-- Every product that names an address.
create index product_pictures_by_url on product_pictures (url_key);
-- Whether anything still uses a file.
create index product_pictures_by_hash on product_pictures (hash) where hash is not null;
