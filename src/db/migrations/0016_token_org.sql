-- Tokens act for the organization that the person acted for when they allowed the client. Null: for the one joined last,
-- as of tokens from before, and of people who belonged to none.
alter table oauth_families add column org_id uuid references orgs on delete set null;
create index oauth_families_by_org on oauth_families (org_id) where org_id is not null;

-- An organization that is deleted takes its tokens along: with null they would act for another one.
create function end_tokens_of_org() returns trigger language plpgsql as $$
begin
  update oauth_families set revoked_at = now(), revoked_reason = 'org_deleted'
  where org_id = old.id and revoked_at is null;
  return old;
end $$;
create trigger orgs_end_tokens before delete on orgs for each row execute function end_tokens_of_org();
