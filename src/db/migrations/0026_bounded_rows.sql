-- What anybody can make without an account is taken out again by its age, by an index each.

-- deleteUnconfirmed
create index users_unconfirmed on users (created_at) where email_verified_at is null;

-- deleteUnquoted
create index rfqs_of_strangers on rfqs (finished_at) where anonymous;
