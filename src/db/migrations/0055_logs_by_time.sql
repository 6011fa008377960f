-- Logs that only grow are partitioned by time, so that what is old goes with its table and not row by row. What is there
-- stays where it is, as the first partition: an upgrade reads it once, moves nothing, and no row is ever out of sight.
-- Partitions have keys of their own and the whole has none: the key of a partitioned table must hold its time, and ids
-- are random enough without. The job logs.sweep makes partitions ahead and drops old ones (src/jobs/logs.job.ts).

-- A click is dropped by its own time. It names a search that insertClick has looked up.
alter table search_clicks drop constraint search_clicks_query_id_fkey;

do $$
declare
  log text;
  step text;
  before text;
  other text;
  cut timestamptz;
  parent_indexes text[];
  index_name text;
  definition text;
begin
  for log, step in values
    ('search_queries', 'week'), ('search_answers', 'week'), ('search_clicks', 'week'), ('audit_log', 'month')
  loop
    before := log || '_before';
    other := log || '_other';
    -- Weeks begin on Monday, months with the first, in UTC.
    cut := (date_trunc(step, now() at time zone 'UTC') + ('1 ' || step)::interval) at time zone 'UTC';
    execute format('lock table %I in access exclusive mode', log);
    select array_agg(pg_get_indexdef(indexrelid)) into parent_indexes
      from pg_index where indrelid = log::regclass and not indisunique;
    for index_name in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = log::regclass and not i.indisunique
    loop
      execute format('alter index %I rename to %I', index_name, index_name || '_before');
    end loop;
    execute format('alter table %I rename to %I', log, before);
    execute format(
      'create table %I (like %I including defaults including constraints) partition by range (at)', log, before);
    foreach definition in array coalesce(parent_indexes, '{}') loop
      execute definition;
    end loop;
    -- For rows that no other partition takes, such as those of a node whose clock is ahead: no write ever fails.
    execute format('create table %I (like %I including all)', other, before);
    execute format(
      'with ahead as (delete from %I where at >= $1 returning *) insert into %I select * from ahead', before, other)
      using cut;
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', log, before, cut);
    execute format('alter table %I attach partition %I default', log, other);
  end loop;
end $$;

-- Nodes of before delete rows by their place in the table, which is now one of several places.
create function refuse_to_delete_rows() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % go with their partition', tg_table_name;
end $$;
create trigger rows_go_with_partitions before delete on search_queries
  for each statement execute function refuse_to_delete_rows();
create trigger rows_go_with_partitions before delete on search_answers
  for each statement execute function refuse_to_delete_rows();

-- logs.sweep has taken its place.
delete from jobs where kind = 'audit.sweep' and state = 'waiting';
