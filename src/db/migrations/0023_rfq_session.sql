-- The id that sellers know a request by: its RFQ session. `id` is the buyer's A2A task, and whoever knows the id of a
-- stranger's task reads and cancels it, so sellers must not learn it. Random, so that neither leads to the other.
-- The default serves rows of before and those that an older node still writes. Sellers know the task ids of requests that
-- were sent before this; from now on those requests are listed by their new ids as well.
alter table rfqs add column session_id uuid not null default gen_random_uuid();
-- findReceivedRfqs
create unique index rfqs_by_session on rfqs (session_id);
