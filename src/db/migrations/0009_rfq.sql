-- What an organization lets the service quote for a product in its name.
create table product_pricing (
  org_id uuid not null references orgs on delete cascade,
  product_id uuid not null references products on delete cascade,
  -- By the interface's names, floors left out.
  rules jsonb not null default '{}',
  -- reserve_price_usd and min_margin_pct, sealed: they are used and never shown.
  floors_box text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, product_id)
);
create index product_pricing_by_product on product_pricing (product_id);

-- A request for quote is also its A2A task: one id, one row, owned by whoever asked.
create table rfqs (
  id uuid primary key,
  context_id uuid not null,
  product_id uuid not null references products on delete cascade,
  quantity int not null check (quantity > 0),
  delivery_region text,
  -- Latest acceptable delivery, as it was given.
  deadline_iso text,
  face text not null check (face in ('tools', 'a2a', 'web')),
  -- Who asked; null for a stranger, whose task is read by its id alone.
  user_id uuid references users on delete set null,
  client_id text,
  -- The asker's own id of the message, so that the same message twice is one request.
  message_id text,
  asker_key text,
  state text not null default 'submitted' check (state in ('submitted', 'completed', 'canceled', 'failed')),
  failure text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((state = 'submitted') = (finished_at is null))
);
create index rfqs_by_user on rfqs (user_id, created_at desc, id desc) where user_id is not null;
create index rfqs_by_product on rfqs (product_id, created_at desc);
create unique index rfqs_by_message on rfqs (asker_key, message_id) where message_id is not null;

-- One row for each time a producer was asked, as it went over the wire, without secrets.
create table rfq_attempts (
  rfq_id uuid not null references rfqs on delete cascade,
  org_id uuid not null references orgs on delete cascade,
  try int not null,
  kind text not null check (kind in ('agent', 'managed')),
  endpoint text,
  auth_type text,
  request_headers jsonb,
  request_body text,
  started_at timestamptz not null,
  -- Null while it is under way, or for ever when the node died.
  finished_at timestamptz,
  response_status int,
  response_headers jsonb,
  response_body text,
  response_ms int,
  verdict text,
  reason text,
  primary key (rfq_id, org_id, try)
)
-- Every row is written again once, when its answer comes: with room beside it, no index has to follow.
with (fillfactor = 45);
-- listRfqs: what one producer was asked
create index rfq_attempts_by_org on rfq_attempts (org_id, started_at desc);

-- The answer of one producer, ranked and signed when the request is complete. Its id is that of its attributed link.
create table rfq_quotes (
  id uuid primary key,
  rfq_id uuid not null references rfqs on delete cascade,
  org_id uuid not null references orgs on delete cascade,
  -- The validated answer by the interface's names, with the producer's own claim_url.
  answer jsonb not null,
  -- How well the producer had answered before this request: { status, failuresInARow }.
  health jsonb not null,
  received_at timestamptz not null,
  response_ms int not null,
  rank int,
  -- Why it is not the first, for the producer.
  loss_reason text,
  -- As the buyer gets it, signed, letter for letter; null until the request is complete.
  quote json,
  unique (rfq_id, org_id)
)
with (fillfactor = 35);
create index rfq_quotes_by_org on rfq_quotes (org_id, received_at desc);

-- Keys that sign quotes. Retired ones stay published, so that old quotes can still be proved.
create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_box text not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
create unique index signing_keys_current on signing_keys ((true)) where retired_at is null;
