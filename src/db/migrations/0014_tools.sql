-- Calls of the tool server by a person on a UTC day. Nodes take units in blocks and give unused ones back, so that this
-- row is not written at every call.
create table tool_days (
  user_id uuid not null references users on delete cascade,
  day date not null,
  taken int not null default 0 check (taken >= 0),
  primary key (user_id, day)
);
create index tool_days_by_day on tool_days (day);

-- Access tokens are remembered on each node for a moment. Whatever ends or changes one tells all nodes to forget.
create function notify_tokens() returns trigger language plpgsql as $$
begin
  perform pg_notify('tokens', '');
  return null;
end $$;
create trigger tokens_family_ends after update of revoked_at on oauth_families
  for each statement execute function notify_tokens();
create trigger tokens_deleted after delete on oauth_access_tokens
  for each statement execute function notify_tokens();
create trigger tokens_person_changes after update of email, name, email_verified_at, account_type, is_admin on users
  for each statement execute function notify_tokens();

-- What somebody keeps an eye on. A product may be on several lists of one person.
create table saved_products (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  product_id uuid not null references products on delete cascade,
  list text not null,
  note text,
  target_price_cents bigint check (target_price_cents >= 0),
  -- What its price was when it was saved, to compare with.
  price_low_cents bigint,
  price_high_cents bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (user_id, list, product_id)
);
-- listSaved: newest first
create index saved_products_by_user on saved_products (user_id, created_at desc, id desc);

-- A profile that a producer proposes for a product the catalog does not have. Nobody sees it until an operator approves.
create table product_submissions (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  relationship_type text not null check (relationship_type in ('sells', 'manufactured_by')),
  -- As an import file has it.
  product jsonb not null,
  product_url text,
  -- The identity of what is proposed, so that the same proposal twice is one.
  identity_key text not null,
  -- One more at each change of what it says, so that an operator approves what was looked at.
  version int not null default 1,
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn')),
  product_id uuid references products on delete set null,
  reviewed_by uuid,
  reviewed_at timestamptz,
  review_note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index product_submissions_open on product_submissions (org_id, identity_key) where status = 'pending';
create index product_submissions_by_org on product_submissions (org_id, created_at desc, id desc);
create index product_submissions_waiting on product_submissions (created_at) where status = 'pending';
-- CONTRIBUTIONS: whose proposal made a product
create index product_submissions_by_product on product_submissions (product_id) where status = 'approved';

-- An import by a producer that named a key: the same key again gets the same answer.
create table org_imports (
  org_id uuid not null references orgs on delete cascade,
  idempotency_key text not null,
  -- Of everything the call said, so that a key used for something else is refused.
  fingerprint text not null,
  result jsonb not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  primary key (org_id, idempotency_key)
);
create index org_imports_by_age on org_imports (started_at);

-- Which import of an organization is running. One that renews nothing any more has died with its node.
create table org_import_leases (
  org_id uuid primary key references orgs on delete cascade,
  run_id uuid not null,
  renewed_at timestamptz not null
);

-- A name or a part number without what people write differently: letters and digits in small letters, whatever the
-- script. The database only narrows down with it; product-identity.ts decides.
create function folded_name(name text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(lower(normalize(name, NFKC)),
    '[^a-z0-9\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u3005-\u3007\u3021-\u3029\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\ufdff\ufe70-\ufefe\U00020000-\U0003ffff]',
    '', 'g')
$$;
-- findLookalikes: whether a brand has such a product already
create index products_by_folded_title on products (brand_id, folded_name(title));
create index products_by_folded_mpn on products (brand_id, folded_name(mpn))
  where mpn is not null and brand_id is not null;

-- Came from an import: the next import replaces it while it waits.
alter table enrichments add column from_import boolean not null default false;

-- How often agents read a product, by the day and by who they are.
create table product_reads (
  product_id uuid not null references products on delete cascade,
  day date not null,
  face text not null check (face in ('tools', 'a2a', 'ucp', 'web')),
  -- The client's own name, cleaned and cut.
  agent text not null,
  reads int not null,
  primary key (product_id, day, face, agent)
);
create index product_reads_by_day on product_reads (day);

-- getPerformance: the answers that showed a product
create index search_answers_by_product on search_answers using gin (product_ids);
