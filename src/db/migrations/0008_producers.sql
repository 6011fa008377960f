-- Who sells or makes what. Claimed, then verified by the domain of the brand or of a shop that lists it, or by an operator.
create table product_relationships (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  product_id uuid not null references products on delete cascade,
  relationship_type text not null check (relationship_type in ('sells', 'manufactured_by')),
  status text not null check (status in ('pending', 'verified')),
  verified_via text check (verified_via in ('brand_domain', 'shop_link', 'operator')),
  -- Where an operator can see that it is so.
  evidence_url text,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  unique (org_id, product_id, relationship_type),
  check ((status = 'verified') = (verified_at is not null))
);
-- producersOf: everyone who is asked for a quote
create index product_relationships_by_product on product_relationships (product_id) where status = 'verified';

-- What a producer proposes for a profile, and what became of it.
create table enrichments (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  product_id uuid not null references products on delete cascade,
  -- Field by the contract's name: proposed value.
  fields jsonb not null default '{}',
  images jsonb not null default '[]',
  evidence text[] not null default '{}',
  note text,
  -- The manufacturer says that with this the whole profile is right.
  confirms_profile boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  reviewed_by uuid,
  reviewed_at timestamptz,
  review_note text,
  created_at timestamptz not null default now()
);
create index enrichments_by_product on enrichments (product_id, created_at desc);
create index enrichments_by_org on enrichments (org_id, created_at desc);
create index enrichments_waiting on enrichments (created_at) where status = 'pending';

create table offers (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  product_id uuid not null references products on delete cascade,
  headline text not null,
  detail text,
  destination_url text not null,
  price_cents bigint check (price_cents >= 0),
  list_price_cents bigint check (list_price_cents >= 0),
  -- As last set; past expires_at it reads as expired, whatever is here.
  status text not null default 'draft' check (status in ('draft', 'active', 'paused', 'expired')),
  starts_at timestamptz,
  expires_at timestamptz,
  promo_code text,
  offer_types text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- listOffers: an organization's newest
create index offers_by_org on offers (org_id, created_at desc, id desc);
-- findShelved: what a product's page and the search index show
create index offers_by_product on offers (product_id);

-- A click on an attributed link, of an offer or of a quote.
create table link_clicks (
  id uuid primary key,
  at timestamptz not null default now(),
  kind text not null check (kind in ('offer', 'quote')),
  link_id uuid not null,
  org_id uuid not null,
  product_id uuid,
  user_agent text,
  -- The search or task it came from, where known.
  query_id uuid
);
create index link_clicks_by_link on link_clicks (link_id, at);
create index link_clicks_by_org on link_clicks (org_id, at);
