-- Clients that registered themselves (RFC 7591). Clients with a metadata document have a URL for an id and no row.
create table oauth_clients (
  -- UUIDv4: an opaque name, given out to the public.
  client_id uuid primary key,
  client_name text not null,
  client_uri text,
  redirect_uris text[] not null,
  -- What was asked for, as registered.
  metadata jsonb not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index oauth_clients_by_age on oauth_clients (created_at);

-- A person's consent to one client. A second request of the same client is approved without asking.
create table oauth_grants (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  client_id text not null,
  -- As shown when consent was given.
  client_name text not null,
  client_host text not null,
  scope text not null,
  -- Where the codes of this consent may be sent without asking again: the redirect addresses consented to.
  redirect_uris text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index oauth_grants_alive on oauth_grants (user_id, client_id) where revoked_at is null;

-- Everything issued from one authorization code. Revoking the family ends all of it at once.
create table oauth_families (
  id uuid primary key,
  grant_id uuid not null references oauth_grants on delete cascade,
  user_id uuid not null references users on delete cascade,
  client_id text not null,
  scope text not null,
  -- The tool server's address without its trailing slash (RFC 8707), or null when the client named none.
  resource text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  revoked_reason text
);
create index oauth_families_by_grant on oauth_families (grant_id);
create index oauth_families_by_user on oauth_families (user_id);

create table oauth_codes (
  code_hash text primary key,
  -- Known before the code is redeemed, so that a second use can revoke what the first one issued.
  family_id uuid not null references oauth_families on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index oauth_codes_by_expiry on oauth_codes (expires_at);

create table oauth_refresh_tokens (
  token_hash text primary key,
  family_id uuid not null references oauth_families on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  rotated_at timestamptz
);
create index oauth_refresh_tokens_by_family on oauth_refresh_tokens (family_id);
create index oauth_refresh_tokens_by_expiry on oauth_refresh_tokens (expires_at);

create table oauth_access_tokens (
  token_hash text primary key,
  family_id uuid not null references oauth_families on delete cascade,
  expires_at timestamptz not null
);
create index oauth_access_tokens_by_family on oauth_access_tokens (family_id);
create index oauth_access_tokens_by_expiry on oauth_access_tokens (expires_at);

-- The operator's answer to "my client does not connect": the last exchanges, step by step, without any secret.
create table oauth_trace (
  id uuid primary key,
  at timestamptz not null default now(),
  client_id text,
  step text not null,
  outcome text not null check (outcome in ('ok', 'refused', 'failed')),
  reason text,
  detail jsonb not null default '{}',
  ip text,
  user_agent text,
  request_id text
);
create index oauth_trace_by_time on oauth_trace (at desc);
