-- How the service was doing, once a minute, by whichever node was first; swept after 30 days.
create table health_samples (
  -- The minute it is of.
  at timestamptz primary key,
  -- By their names; one that could not be read is left out.
  figures jsonb not null
);
