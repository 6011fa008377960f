-- A link token ends with its maker's right to make tokens. Those whose maker lost it before this migration end here. A
-- token without a maker is that of a deleted account.
with ended as (
  update link_tokens t set revoked_at = now()
  where t.revoked_at is null and not exists (
    select 1 from org_members m join users u on u.id = m.user_id
    where m.org_id = t.org_id and m.user_id = t.created_by and m.role in ('owner', 'admin') and u.deactivated_at is null)
  returning t.id, t.org_id, t.name)
insert into audit_log (id, at, actor_kind, actor_id, user_id, org_id, action, detail)
select gen_random_uuid(), now(), 'system', null, null, org_id, 'token.revoked',
  jsonb_build_object('token_id', id, 'name', name, 'reason', 'maker_lost_right')
from ended;
-- revokeLinkTokensBy, countLinkTokensByMaker, countLinkTokensOf
create index link_tokens_by_maker on link_tokens (created_by) where revoked_at is null;

-- A verified organization's new name, until the operator decides. One row an organization; a refusal stays to be read
-- until the next request.
create table org_renames (
  org_id uuid primary key references orgs on delete cascade,
  -- New with every request, so that the operator decides on the name that was seen.
  id uuid not null unique,
  name text not null,
  requested_by uuid references users on delete set null,
  status text not null default 'pending' check (status in ('pending', 'declined')),
  note text,
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  check ((status = 'declined') = (decided_at is not null))
);
-- listWaitingRenames, findQueues
create index org_renames_waiting on org_renames (created_at) where status = 'pending';
