-- An account that the operator closed: nobody gets in by it, what it made stays, and it can be opened again.
alter table users add column deactivated_at timestamptz;

-- listPeople: newest first
create index users_by_age on users (created_at desc, id desc);
-- lockOperators
create index users_operators on users (id) where is_admin;
-- listFailedJobs
create index jobs_failed on jobs (finished_at desc, id desc) where state = 'failed';
-- summarizeJobs: which kinds there are, and when each was last done
create index jobs_by_kind on jobs (kind, finished_at);

-- Tokens that nodes remember for a moment are forgotten at once.
drop trigger tokens_person_changes on users;
create trigger tokens_person_changes
  after update of email, name, email_verified_at, account_type, is_admin, deactivated_at on users
  for each statement execute function notify_tokens();
-- findRfqFacts: what is being asked for now
create index rfqs_in_flight on rfqs (created_at) where state = 'submitted';
