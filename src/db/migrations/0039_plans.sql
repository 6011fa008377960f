-- A plan that is kept for the person it was made for, who edits it, shares it and asks its sellers.
create table plans (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- Grows with every edit: an edit of an older one is refused, so that none is lost.
  revision integer not null default 1,
  -- The wish as it was read. Text, not jsonb: people type what jsonb cannot hold.
  wish json not null,
  -- What holds for every product of it: filters, and words looked for beside the wish.
  asked json not null,
  -- The lines with their products, what was taken out, and the words.
  plan json not null,
  budget_cents bigint,
  total_cents bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- findPlans, deletePlansBeyond
create index plans_by_user on plans (user_id, updated_at desc, id desc);
-- deleteOldPlans
create index plans_by_age on plans (updated_at);

-- A plan as its owner showed it to others. The id opens what `shared` holds and nothing else.
create table plan_shares (
  id uuid primary key,
  plan_id uuid not null references plans on delete cascade,
  shared json not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
-- findPlanShares
create index plan_shares_by_plan on plan_shares (plan_id);
-- deleteRevokedShares
create index plan_shares_revoked on plan_shares (revoked_at) where revoked_at is not null;

-- The requests for quote that were made for a plan, by the line they are for.
create table plan_requests (
  plan_id uuid not null references plans on delete cascade,
  rfq_id uuid not null references rfqs on delete cascade,
  -- Slug of the category.
  line text not null,
  product_id uuid not null,
  quantity integer not null,
  created_at timestamptz not null,
  primary key (plan_id, rfq_id)
);
-- The end of a request
create index plan_requests_by_rfq on plan_requests (rfq_id);

-- Edits of plans on a UTC day, against their own daily limit.
alter table bundle_days add column edited integer not null default 0;
