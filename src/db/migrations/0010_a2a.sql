-- Who wants to be told when a request for quote has ended (A2A push notifications).
create table rfq_pushes (
  rfq_id uuid not null references rfqs on delete cascade,
  -- The client's own name for it; the task's id when it gave none.
  id text not null,
  url text not null,
  protocol text not null check (protocol in ('0.3', '1.0')),
  -- Of the Authorization header, such as Bearer; null without one.
  auth_scheme text,
  -- { token?, credentials? }, sealed; null without either.
  secrets_box text,
  created_at timestamptz not null default now(),
  primary key (rfq_id, id)
);

-- A task that waits for its asker: the message was not clear, so a question went back. When it turns out to be a request
-- for quote, the request takes over the same id, and this row goes.
create table a2a_questions (
  id uuid primary key,
  context_id uuid not null,
  -- Null for a stranger, whose task is read by its id alone.
  user_id uuid references users on delete cascade,
  client_id text,
  asker_key text,
  message_id text,
  state text not null default 'input-required' check (state in ('input-required', 'completed', 'canceled')),
  -- All that the asker has said so far, a line a message.
  said text not null,
  -- What was asked back, or what was answered: { text, data }.
  reply jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index a2a_questions_by_user on a2a_questions (user_id, updated_at desc, id desc) where user_id is not null;
create unique index a2a_questions_by_message on a2a_questions (asker_key, message_id) where message_id is not null;
-- the sweep: questions nobody came back to
create index a2a_questions_by_age on a2a_questions (updated_at);

-- ListTasks: by the last change, newest first
create index rfqs_by_user_change on rfqs (user_id, (coalesce(finished_at, created_at)) desc, id desc) where user_id is not null;

-- How many messages a network without a token has sent in an hour.
create table a2a_hours (
  network text not null,
  hour timestamptz not null,
  messages int not null default 0,
  primary key (network, hour)
);
create index a2a_hours_by_hour on a2a_hours (hour);
