-- What people are to be told by email: one row a person and thing, written with what it tells of.
create table notices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users on delete cascade,
  -- Whose affair it is; null for a person's own. Only its owners and admins are told.
  org_id uuid references orgs on delete cascade,
  kind text not null,
  -- Tells one thing from another of its kind, so that nobody is told of the same thing twice.
  key text not null,
  payload jsonb not null,
  -- Waits for the day's email, whatever its kind.
  daily boolean not null default false,
  created_at timestamptz not null,
  -- When it is next looked at for sending.
  due_at timestamptz not null,
  -- When its email was put in line.
  sent_at timestamptz,
  unique (user_id, kind, key)
);
-- findPeopleDue
create index notices_due on notices (due_at) where sent_at is null;
-- deleteSentNotices
create index notices_sent on notices (sent_at) where sent_at is not null;
-- findLosing, and the end of an organization
create index notices_by_org on notices (org_id, kind, created_at desc) where org_id is not null;

-- What a person chose; without a row, everything is as the kinds say.
create table notice_settings (
  user_id uuid primary key references users on delete cascade,
  -- By kind: on or off.
  kinds jsonb not null default '{}',
  digest text not null default 'instant' check (digest in ('instant', 'daily')),
  -- Minutes of the day in the person's time zone; from may be after to, over midnight.
  quiet_from integer check (quiet_from between 0 and 1439),
  quiet_to integer check (quiet_to between 0 and 1439),
  -- IANA.
  time_zone text not null default 'UTC',
  updated_at timestamptz not null default now(),
  check ((quiet_from is null) = (quiet_to is null))
);

-- Since when its price is at or below the target, as far as its owner was told or saw it themselves.
alter table saved_products add column reached_at timestamptz;
-- findTargets
create index saved_products_targets on saved_products (id) where target_price_cents is not null;
-- What was reached before anybody was told of it is no news.
update saved_products s set reached_at = now()
from products p where p.id = s.product_id and least(p.price_low_cents, p.price_high_cents) <= s.target_price_cents;
