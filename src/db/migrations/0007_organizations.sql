create table orgs (
  id uuid primary key,
  name text not null,
  org_type text not null check (org_type in ('manufacturer', 'retailer', 'distributor')),
  -- Bare and lower case, as it is compared.
  domain text,
  website_url text,
  shopify_shop text,
  verification_status text not null default 'pending' check (verification_status in ('pending', 'verified')),
  verified_via text check (verified_via in ('email_domain', 'dns', 'file', 'operator')),
  verified_at timestamptz,
  -- What the domain must show to be proved; not a secret once shown, but worthless for any other organization.
  verification_token text not null,
  deactivated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((verification_status = 'verified') = (verified_at is not null))
);
-- A verified domain belongs to one organization, whoever proves it first.
create unique index orgs_verified_domain on orgs (domain) where verification_status = 'verified' and domain is not null;

create table org_members (
  org_id uuid not null references orgs on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
-- membershipsOf: the organizations a person acts for, newest first
create index org_members_by_user on org_members (user_id, created_at desc);
alter table sessions add foreign key (selected_org_id) references orgs on delete set null;

create table org_invitations (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  token_hash text not null unique,
  invited_by uuid references users on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create unique index org_invitations_open on org_invitations (org_id, email_key) where accepted_at is null and revoked_at is null;

create table link_tokens (
  id uuid primary key,
  org_id uuid not null references orgs on delete cascade,
  name text not null,
  token_hash text not null unique,
  -- The last characters, so that people can tell their tokens apart.
  hint text not null,
  created_by uuid references users on delete set null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index link_tokens_by_org on link_tokens (org_id, created_at desc);

create table agent_integrations (
  org_id uuid primary key references orgs on delete cascade,
  is_managed boolean not null default false,
  -- As given, without reserve_price_usd and min_margin_pct, which are never stored here.
  managed_rules jsonb,
  agent_card_url text,
  auth_type text not null default 'none' check (auth_type in ('none', 'bearer', 'hmac')),
  -- Sealed; see createSecretBox.
  secret_box text,
  status text not null default 'pending' check (status in ('pending', 'active', 'unreachable')),
  last_response_ms int,
  last_checked_at timestamptz,
  failures_in_a_row int not null default 0,
  -- Skipped until then after many failures.
  skip_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((auth_type = 'none') = (secret_box is null))
);

create table ucp_checks (
  org_id uuid primary key references orgs on delete cascade,
  ucp_supported boolean not null,
  profile_url text,
  checkout_endpoint text,
  details jsonb not null default '{}',
  checked_at timestamptz not null
);
