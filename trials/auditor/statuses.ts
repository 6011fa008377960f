/** Statuses are legal beyond what the tables hold by themselves, jobs are run or waiting as they should, and nothing dangles. */
import { type Check, findTexts } from './check.ts'

/** Where a row points to another without a foreign key: table, column, the table pointed to, and its column. */
const POINTERS: ReadonlyArray<[string, string, string, string]> = [
  ['search_queries', 'answer_id', 'search_answers', 'id'],
  ['search_clicks', 'product_id', 'products', 'id'],
  ['link_clicks', 'org_id', 'orgs', 'id'],
  ['link_clicks', 'product_id', 'products', 'id'],
  ['changes', 'product_id', 'products', 'id'],
  ['changes', 'category_id', 'categories', 'id'],
  ['enrichments', 'reviewed_by', 'users', 'id'],
  ['product_submissions', 'reviewed_by', 'users', 'id'],
]

const QUERIES = [
  `select 'job ' || id || ' (' || kind || ') is running without a live lease' as text from jobs
   where state = 'running' and (lease_id is null or lease_until < now() - interval '10 s')`,
  `select 'job ' || id || ' (' || kind || ') is ' || state || ' and still leased' as text from jobs
   where state <> 'running' and lease_id is not null`,
  `select 'job ' || id || ' (' || kind || ') failed for good: ' || coalesce(last_error, '') as text from jobs
   where state = 'failed'`,
  `select 'job ' || id || ' (' || kind || ') is ' || state || ' and its end says otherwise' as text from jobs
   where (state in ('done', 'failed')) <> (finished_at is not null)`,
  `select 'job ' || id || ' (' || kind || ') was tried ' || attempts || ' times of ' || max_attempts as text from jobs
   where attempts > max_attempts + 1`,
  `select kind || ' ' || dedupe_key || ' is running ' || count(*) || ' times at once' as text from jobs
   where state = 'running' and lease_until > now() and dedupe_key is not null
   group by kind, dedupe_key having count(*) > 1`,
  `select kind || ' ' || dedupe_key || ' is waiting ' || count(*) || ' times' as text from jobs
   where state = 'waiting' and dedupe_key is not null group by kind, dedupe_key having count(*) > 1`,
  `select 'request for quote ' || (payload->>'rfqId') || ' has ' || count(*) || ' jobs' as text from jobs
   where kind = 'rfq.run' group by payload->>'rfqId' having count(*) > 1`,
  `select 'offer ' || id || ' ends before it starts' as text from offers where starts_at >= expires_at`,
  `select 'offer ' || o.id || ' is active without a verified relationship' as text from offers o
   where o.status = 'active' and not exists (select 1 from product_relationships r
     where r.org_id = o.org_id and r.product_id = o.product_id and r.status = 'verified')`,
  `select 'proposal ' || id || ' is ' || status || ' and its review says otherwise' as text from enrichments
   where (status in ('approved', 'rejected')) <> (reviewed_at is not null)`,
  `select 'an import of the catalog (' || id || ') has not ended' as text from imports where state = 'running'`,
  `select 'organization ' || id || ' has no owner' as text from orgs o
   where deactivated_at is null
     and not exists (select 1 from org_members m where m.org_id = o.id and m.role = 'owner')`,
  `select 'somebody has ' || count(*) || ' open invitations to one organization' as text from org_invitations
   where accepted_at is null and revoked_at is null group by org_id, email_key having count(*) > 1`,
  `select 'click ' || l.id || ' leads to an offer or quote that is not there' as text from link_clicks l
   where not exists (select 1 from offers o where o.id = l.link_id)
     and not exists (select 1 from rfq_quotes q where q.id = l.link_id)`,
  `select 'product ' || product_id || ' was shown ' || coalesce(l.times, 0) || ' times on ' || day || ' and counted '
     || coalesce(c.impressions, 0) || ' times' as text
   from product_impressions c full join (
     select p.id as product_id, (q.at at time zone 'UTC')::date as day, count(distinct q.id) as times
     from search_queries q join search_answers a on a.id = q.answer_id
       cross join lateral unnest(a.product_ids) as s (product_id) join products p on p.id = s.product_id
     group by 1, 2) l using (product_id, day)
   where c.impressions is distinct from l.times`,
]

export const STATUSES: Check = {
  name: 'statuses',
  async run({ pool }) {
    const dangling = POINTERS.map(
      ([
        table,
        column,
        to,
        id,
      ]) => `select '${table} points to ${column} ' || t.${column} || ', which is not there' as text
        from ${table} t where t.${column} is not null and not exists (select 1 from ${to} x where x.${id} = t.${column})`,
    )
    return (await Promise.all([...QUERIES, ...dangling].map((sql) => findTexts(pool, sql)))).flat()
  },
}
