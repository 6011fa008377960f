-- Bundles served to a person on a UTC day, against the daily limit.
create table bundle_days (
  user_id uuid not null references users on delete cascade,
  day date not null,
  served int not null default 0,
  primary key (user_id, day)
);
create index bundle_days_by_day on bundle_days (day);
