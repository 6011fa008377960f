create table categories (
  id uuid primary key,
  slug text not null unique,
  label text not null,
  description text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table brands (
  id uuid primary key,
  -- The name as it is compared: trimmed, lower case.
  key text not null unique,
  name text not null,
  -- Where the brand lives; an organization that proves this domain is its manufacturer.
  domain text,
  created_at timestamptz not null default now()
);
create index brands_by_domain on brands (domain) where domain is not null;

-- One row is one whole profile: lists that belong to the product alone (specs, themes, images, shops) are json, so
-- that a profile is read in one look-up and written in one statement.
create table products (
  id uuid primary key,
  slug text not null unique,
  category_id uuid not null references categories,
  brand_id uuid references brands,
  title text not null,
  model text,
  description text,
  verdict text,
  specs jsonb not null default '[]',
  themes jsonb not null default '[]',
  best_for text[] not null default '{}',
  not_for text[] not null default '{}',
  images jsonb not null default '[]',
  where_to_buy jsonb not null default '[]',
  price_low_cents bigint,
  price_high_cents bigint,
  list_price_cents bigint,
  rating double precision check (rating between 0 and 5),
  review_count int check (review_count >= 0),
  -- YYYY, YYYY-MM or YYYY-MM-DD: as precise as it is known.
  released text,
  discontinued boolean not null default false,
  gtin text,
  mpn text,
  sku text,
  verification_status text not null default 'base'
    check (verification_status in ('base', 'producer_enriched', 'manufacturer_enriched', 'manufacturer_verified')),
  -- Who said what, per field: { field: { source, verifiedAt } }.
  provenance jsonb not null default '{}',
  created_at timestamptz not null default now(),
  -- The last change of anything a form of the profile shows.
  updated_at timestamptz not null default now(),
  check ((price_low_cents is null) = (price_high_cents is null)),
  check (price_low_cents <= price_high_cents)
);
-- listProducts: a category's products, most reviewed first
create index products_by_category on products (category_id, review_count desc nulls last, id);
-- findExisting: upsert by identifier; an identifier names one product
create unique index products_by_gtin on products (gtin) where gtin is not null;
create unique index products_by_mpn on products (brand_id, lower(mpn)) where mpn is not null and brand_id is not null;

-- An import that was cut off goes on after its last committed batch.
create table imports (
  id uuid primary key,
  -- What is imported and how, so that the same file with other options is another import.
  fingerprint text not null,
  source text not null,
  state text not null default 'running' check (state in ('running', 'done')),
  last_row int not null default 0,
  counts jsonb not null default '{}',
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index imports_unfinished on imports (fingerprint) where state = 'running';

-- Facts about this installation that belong to the data and not to the configuration.
create table settings (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);
