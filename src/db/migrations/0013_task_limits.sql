-- Whether nobody was signed in when a request was made. `user_id` alone does not tell: it is emptied when an account goes,
-- and what an owner asked for must not become everybody's then.
alter table rfqs add column anonymous boolean not null default false;
update rfqs set anonymous = true where user_id is null;

-- Push notifications handed out for sending, against the most that one task may send.
alter table rfqs add column pushes_sent int not null default 0;

-- A context is named by the client, in whatever form it likes.
alter table rfqs alter column context_id type text;
alter table a2a_questions alter column context_id type text;

-- { id?, url, protocol, token?, scheme?, credentials? }, sealed: for the request that the question may become.
alter table a2a_questions add column push_box text;

-- Keys of messages had addresses of callers in them; they are hashed from now on, and old ones match nothing any more.
update rfqs set asker_key = null, message_id = null where asker_key is not null or message_id is not null;
update a2a_questions set asker_key = null, message_id = null where asker_key is not null or message_id is not null;

-- the sweep: requests that nobody owns whose message is still told apart
create index rfqs_by_old_message on rfqs (created_at) where user_id is null and asker_key is not null;
