create table users (
  id uuid primary key,
  email text not null,
  -- The address as it is compared: trimmed, lower case.
  email_key text not null unique,
  name text not null default '',
  -- argon2id in PHC form; null for an account that signs in by magic link only.
  password_hash text,
  email_verified_at timestamptz,
  account_type text not null default 'consumer' check (account_type in ('consumer', 'producer')),
  is_admin boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The cookie holds a random token; here is its hash only, so that a stolen table signs nobody in.
create table sessions (
  id uuid primary key,
  token_hash text not null unique,
  user_id uuid not null references users on delete cascade,
  -- Which of the user's organizations the producer routes act for; null: the newest.
  selected_org_id uuid,
  ip text,
  user_agent text,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
-- listSessions, signOutEverywhere
create index sessions_by_user on sessions (user_id, last_seen_at desc);
-- sweep
create index sessions_by_expiry on sessions (expires_at);

-- What a link in a mail proves. `user_id` is null for a magic link to an address that has no account yet.
create table mail_tokens (
  id uuid primary key,
  token_hash text not null unique,
  purpose text not null check (purpose in ('verify', 'magic', 'reset')),
  email text not null,
  user_id uuid references users on delete cascade,
  -- Where the person was going, a path of ours.
  return_to text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_tokens_by_user on mail_tokens (user_id, purpose);
create index mail_tokens_by_expiry on mail_tokens (expires_at);

-- Failed tries by account and by address, shared by all nodes. Keys are hashed: addresses are personal data.
create table throttles (
  key text primary key,
  failures int not null,
  last_failure_at timestamptz not null,
  blocked_until timestamptz not null
);
create index throttles_by_age on throttles (last_failure_at);

-- Who did what, written in the transaction of the deed. Never updated; a deleted user's rows keep no name.
create table audit_log (
  id uuid primary key,
  at timestamptz not null default now(),
  -- Who did it: a person, a link token, the operator's command line, or the service itself.
  actor_kind text not null check (actor_kind in ('user', 'link_token', 'operator', 'system')),
  actor_id uuid,
  -- Whose history it belongs to.
  user_id uuid,
  org_id uuid,
  action text not null,
  -- What it was done to, in the words of the interface, and what changed; never a secret.
  detail jsonb not null default '{}',
  ip text,
  request_id text
);
create index audit_by_user on audit_log (user_id, at desc) where user_id is not null;
create index audit_by_org on audit_log (org_id, at desc) where org_id is not null;
