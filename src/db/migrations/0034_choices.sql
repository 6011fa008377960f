-- What a buyer is told beside the quotes, as it was when the request was completed: everyone who was asked with what became
-- of it, and listed prices. Null for requests from before.
alter table rfqs add column outcome json;
-- The quote that the buyer chose. It is one of this request, and goes with it.
alter table rfqs add column chosen_quote_id uuid;
alter table rfqs add column chosen_at timestamptz;
alter table rfqs add constraint rfqs_chosen check (
  (chosen_quote_id is null) = (chosen_at is null) and (chosen_at is null or state = 'completed'));

-- Why it is not the first, as data: { measure, gapBand, help }.
alter table rfq_quotes add column loss jsonb;

-- A request that its buyer shows to others. The id opens what `shared` holds and nothing else.
create table rfq_shares (
  id uuid primary key,
  rfq_id uuid not null references rfqs on delete cascade,
  -- Signed anew, without links, terms and what the buyer asked for.
  shared json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index rfq_shares_by_rfq on rfq_shares (rfq_id);
create index rfq_shares_by_end on rfq_shares (expires_at);
