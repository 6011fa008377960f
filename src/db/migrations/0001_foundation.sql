-- Work that outlives a request. A runner leases a row; when the lease runs out (its node died), another takes it.
create table jobs (
  id uuid primary key,
  kind text not null,
  payload jsonb not null,
  -- Two requests for the same work are one job while it waits. Asked for again while it runs, it runs once more
  -- afterwards, because the run under way may have passed what is asked for; it never runs twice at once.
  dedupe_key text,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  attempts int not null default 0,
  max_attempts int not null,
  run_at timestamptz not null default now(),
  lease_id uuid,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
-- claimJobs: the next due rows
create index jobs_due on jobs (run_at) where state in ('waiting', 'running');
create unique index jobs_dedupe on jobs (kind, dedupe_key) where dedupe_key is not null and state = 'waiting';
-- claimJobs: is the same work running already?
create index jobs_running on jobs (kind, dedupe_key) where dedupe_key is not null and state = 'running';
-- sweepJobs: finished rows by age
create index jobs_finished on jobs (finished_at) where finished_at is not null;

create function notify_jobs() returns trigger language plpgsql as $$
begin
  perform pg_notify('jobs', '');
  return null;
end $$;
create trigger jobs_wake after insert on jobs for each statement execute function notify_jobs();

-- What happened to anything the public can see, appended in the transaction of the write itself. Every node
-- follows it to keep its index and caches fresh, and it answers "what changed".
-- Readers go by xid and not by seq: sequence order is not commit order (see changes.queries.ts).
create table changes (
  seq bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now(),
  product_id uuid,
  category_id uuid,
  aspect text not null check (aspect in ('created', 'price', 'offers', 'availability', 'discontinued', 'text', 'removed')),
  before jsonb,
  after jsonb
);
-- followChanges: everything since the last position
create index changes_by_xid on changes (xid);
-- whatChanged: for one product, for one category
create index changes_by_product on changes (product_id, at);
create index changes_by_category on changes (category_id, at);

create function notify_changes() returns trigger language plpgsql as $$
begin
  perform pg_notify('changes', '');
  return null;
end $$;
create trigger changes_wake after insert on changes for each statement execute function notify_changes();
