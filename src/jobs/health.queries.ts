/** SQL of how the service was doing over time: one row a minute, kept for 30 days. By the database's clock. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, run } from '../db/rows.ts'

/** Nothing is written twice for one minute, whichever node is first. */
export function insertSample(db: Db, figures: Readonly<Record<string, number>>) {
  return run(db)`
    insert into health_samples (at, figures) values (date_trunc('minute', now()), ${JSON.stringify(figures)}::jsonb)
    on conflict (at) do nothing`
}

export function deleteOldSamples(db: Db, days: number) {
  return run(db)`delete from health_samples where at < now() - make_interval(days => ${days})`
}

export type Slot = { at: Date; samples: number; mean: Record<string, number>; most: Record<string, number> }

const STEPS = { hour: 'hour', day: 'day' } as const
export type Step = keyof typeof STEPS

/** Every hour or day of the time asked for, in order; one without samples has no figures. */
export function findSlots(db: Db, { step, slots }: { step: Step; slots: number }) {
  const unit = sql.lit(STEPS[step])
  return all<Slot>(db)`
    with slots as (
      select generate_series(date_trunc(${unit}, now(), 'UTC') - (${slots - 1}::int * ('1 ' || ${unit})::interval),
        date_trunc(${unit}, now(), 'UTC'), ('1 ' || ${unit})::interval) as at),
    read as (
      select date_trunc(${unit}, s.at, 'UTC') as at, f.key, avg(f.value::float8) as mean, max(f.value::float8) as most
      from health_samples s cross join lateral jsonb_each_text(s.figures) f
      where s.at >= (select min(at) from slots) group by 1, 2),
    counted as (
      select date_trunc(${unit}, at, 'UTC') as at, count(*)::int as samples from health_samples
      where at >= (select min(at) from slots) group by 1)
    select slots.at, coalesce(c.samples, 0) as samples,
      coalesce((select jsonb_object_agg(key, mean) from read r where r.at = slots.at), '{}') as mean,
      coalesce((select jsonb_object_agg(key, most) from read r where r.at = slots.at), '{}') as most
    from slots left join counted c on c.at = slots.at order by slots.at`
}
