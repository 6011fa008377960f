-- What a file calls a product, so that the next file of the same source finds it again: its own id, article number or
-- handle, or, where it has none of these, what its name comes to.
create table product_keys (
  source text not null,
  -- "id:10023", "sku:TS-1", "group:G7", "name:<hash>"
  key text not null,
  product_id uuid not null references products on delete cascade,
  -- The import that brought it; null for one that is not kept any more.
  import_id uuid references imports on delete set null,
  primary key (source, key)
);
create index product_keys_by_product on product_keys (product_id);
create index product_keys_by_import on product_keys (import_id);

-- Sizes and colours of one product, each with its own id, article number and price.
alter table products add column variants jsonb not null default '[]';

-- Counts the writes of a row: an import can be taken back while its rows are as it left them.
alter table products add column version int not null default 1;
alter table categories add column version int not null default 1;
create function count_version() returns trigger language plpgsql as $$
begin
  -- One that is set, as when an import is taken back, stands.
  if new.version = old.version then new.version := old.version + 1; end if;
  return new;
end $$;
create trigger count_version before update on products for each row
  when (old.* is distinct from new.*) execute function count_version();
create trigger count_version before update on categories for each row
  when (old.* is distinct from new.*) execute function count_version();

-- The names above a category, outermost first.
alter table categories add column path text[] not null default '{}';

alter table imports drop constraint imports_state_check;
alter table imports add constraint imports_state_check check (state in ('running', 'done', 'undone'));
alter table imports
  add column file_name text,
  add column finished_at timestamptz,
  add column undone_at timestamptz,
  -- What it said at its end: categories, currency, notes, what may be the same.
  add column report jsonb not null default '{}';
update imports set finished_at = updated_at where state = 'done';
create index imports_by_start on imports (started_at);

-- What an import wrote, and how it was before.
create table import_writes (
  import_id uuid not null references imports on delete cascade,
  kind text not null check (kind in ('product', 'category', 'brand')),
  id uuid not null,
  -- The whole row; null for one that the import made.
  before jsonb,
  -- What the import left; null for brands, which have none.
  version int,
  primary key (import_id, kind, id)
);
create index import_writes_by_id on import_writes (id);
