-- What sources call products that the operator deleted: their next files leave these out.
create table deleted_keys (
  source text not null,
  -- As in product_keys; "slug:acme-k1" for a product that a file names by its slug alone.
  key text not null,
  title text not null,
  deleted_at timestamptz not null default now(),
  primary key (source, key)
);

-- What a category was called, with the names above it, before the operator renamed it or merged it into another: files go on
-- calling it so.
create table category_names (
  names text[] primary key,
  category_id uuid not null references categories on delete cascade
);
create index category_names_by_category on category_names (category_id);
