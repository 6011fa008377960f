/**
 * SQL of a month of invented history: requests of strangers, who was asked, what they quoted, what was chosen and clicked.
 * Everything follows from a row's number by a hash, and is written in a few statements. Quotes are ranked as in rank.ts, by
 * the measures that differ here: stock, total, delivery days.
 */
import { type RawBuilder, sql } from 'kysely'
import { LOCKS } from '../db/advisory-lock.ts'
import type { Db } from '../db/database.ts'
import { run } from '../db/rows.ts'
import { hashOf, idAt } from './sellers.queries.ts'

/** Tells these requests from those of real strangers. */
const MADE = 'demo history'
const REQUESTS = 450
const DAYS = 30

/** From 0 to 1, the same for the same words. */
const shareOf = (words: RawBuilder<unknown>) => sql`(${hashOf(words)} / 2147483648.0)`

/** More lately than a month ago, by day rather than by night, for well-known products rather than others. */
export async function insertRequests(db: Db, at: Date): Promise<void> {
  const now = sql`${at}::timestamptz`
  await run(db)`
    with known as materialized (
      select p.id, row_number() over (order by p.review_count desc nulls last, p.id) - 1 as place
      from products p join demo_products d on d.id = p.id where not p.discontinued
    ), drawn as materialized (
      select n, case when at < ${now} - interval '10 minutes' then at else at - interval '1 day' end as at, place, hash
      from (select n, date_trunc('day', ${now}, 'UTC')
            - floor(${DAYS - 1} * power(${shareOf(sql`'day' || n`)}, 1.2)) * interval '1 day'
            + (7 + ${hashOf(sql`'hour' || n`)} % 16) * interval '1 hour'
            + ${hashOf(sql`'second' || n`)} % 3600 * interval '1 second' as at,
        floor(power(${shareOf(sql`'product' || n`)}, 1.6) * (select count(*) from known)) as place, ${hashOf(sql`'rest' || n`)} as hash
      from generate_series(1, ${REQUESTS}) n) free)
    insert into rfqs (id, session_id, context_id, product_id, quantity, delivery_region, face, client_id, state, created_at,
      finished_at, anonymous)
    select ${idAt(sql`r.at`)}, md5('demo session ' || r.n)::uuid, gen_random_uuid(), k.id, (array[1, 1, 1, 1, 1, 2, 2, 4, 10, 25])[1 + r.hash % 10],
      (array[null, null, null, 'CA-US', 'NY-US', 'TX-US', 'WA-US', 'ON-CA', 'BE-DE'])[1 + r.hash / 10 % 9],
      (array['web', 'web', 'tools', 'a2a', 'tools'])[1 + r.hash / 100 % 5], ${MADE}, 'completed', r.at,
      r.at + (400 + r.hash % 2600) * interval '1 millisecond', false
    from drawn r join known k on k.place = r.place`
}

/** Prices as they are today: an offer that runs now did not run then. */
const PRICED = sql`
  select r.id as rfq_id, r.created_at, r.quantity, o.id as org_id, o.domain, i.is_managed, h.hash,
    case when i.is_managed and r.delivery_region is not null and jsonb_typeof(i.pricing -> 'delivery_regions') = 'array'
        and not jsonb_exists(i.pricing -> 'delivery_regions', replace(replace(
          split_part(r.delivery_region, '-', 2), 'CA', 'Canada'), 'DE', 'Germany')) then 'not_delivered'
      when not i.is_managed and h.hash % 40 = 7 then 'timeout'
      when not i.is_managed and h.hash % 6 = 0 then 'declined'
      when coalesce((y.rules ->> 'in_stock')::boolean, i.is_managed or h.hash % 23 <> 0) then 'quoted' else 'out_of_stock' end as verdict,
    case when i.is_managed then 0 else 40 + h.hash % 1900 end as ms,
    round(base.usd * (case when i.is_managed then 100 else 97 + h.hash % 5 end
      - least(coalesce(tier.pct, 0), coalesce((i.pricing ->> 'max_discount_pct')::numeric, 100))) / 100, 2) as price,
    case when base.usd * r.quantity >= coalesce((i.pricing ->> 'free_shipping_above_usd')::numeric,
      case when not i.is_managed then 150 end) then 0
      else coalesce((i.pricing ->> 'shipping_cost_usd')::numeric, 9.99) end as shipping,
    coalesce((y.rules ->> 'lead_time_days')::int, (i.pricing ->> 'lead_time_days')::int, 2 + h.hash % 3) as days,
    coalesce(listed.url, 'https://' || o.domain || '/') as url
  from rfqs r join products p on p.id = r.product_id
    join (select distinct org_id, product_id from product_relationships where status = 'verified') c
      on c.product_id = r.product_id
    join orgs o on o.id = c.org_id and o.demo and o.deactivated_at is null
    join agent_integrations i on i.org_id = o.id
    left join product_pricing y on y.org_id = o.id and y.product_id = r.product_id
    cross join lateral (select ${hashOf(sql`r.session_id::text || o.domain`)} as hash) h
    left join lateral (
      select w ->> 'url' as url, (w ->> 'priceCents')::numeric / 100 as usd from jsonb_array_elements(p.where_to_buy) w
      where split_part(w ->> 'url', '/', 3) = o.domain and w ->> 'priceCents' is not null limit 1) listed on true
    cross join lateral (select coalesce((y.rules ->> 'price_usd')::numeric, listed.usd, p.price_high_cents / 100.0) as usd) base
    left join lateral (
      select max((t ->> 'discount_pct')::numeric) as pct
      from jsonb_array_elements(coalesce(i.managed_rules -> 'volume_discounts', '[]')) t
      where (t ->> 'min_qty')::int <= r.quantity) tier on true
  where r.client_id = ${MADE} and base.usd is not null`

/** Who was asked and what came of it, in the words that real attempts have. */
export function insertAnswers(db: Db, texts: Record<string, string>) {
  return run(db)`
    with priced as materialized (${PRICED}), asked as (
      insert into rfq_attempts (rfq_id, org_id, try, kind, endpoint, auth_type, started_at, finished_at, response_status,
        response_ms, verdict, reason)
      select rfq_id, org_id, 1, case when is_managed then 'managed' else 'agent' end,
        case when not is_managed then 'https://agent.' || domain || '/message:send' end,
        case when not is_managed then 'hmac' end, created_at, created_at + ms * interval '1 millisecond',
        case when not is_managed and verdict <> 'timeout' then 200 end, ms, verdict,
        ${JSON.stringify(texts)}::jsonb ->> verdict
      from priced
    ), ranked as (
      select *, verdict = 'quoted' as has_stock, price * quantity + shipping as total, row_number() over w as rank,
        first_value(price * quantity + shipping) over w as best, first_value(verdict = 'quoted') over w as best_has_stock
      from priced where verdict in ('quoted', 'out_of_stock')
      window w as (partition by rfq_id order by verdict desc, price * quantity + shipping, days, org_id)
    ), compared as (
      select *, case when total > best then floor((total - best) * 20 / greatest(best, 0.01)) * 5 end as band,
        case when rank = 1 and has_stock then null when not has_stock then 'stock' when total > best then 'total'
          else 'days' end as measure
      from ranked)
    insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms, rank, loss_reason, loss)
    select ${idAt(sql`created_at`)}, rfq_id, org_id, jsonb_build_object('price_usd', price, 'in_stock', has_stock,
        'claim_url', url, 'offer_expires_at', to_char((created_at + interval '12 hours') at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'shipping_cost_usd', shipping, 'estimated_shipping_days', days),
      '{"status": "active", "failuresInARow": 0}', created_at + ms * interval '1 millisecond', ms, rank,
      case measure when 'stock' then case when best_has_stock then 'you were out of stock; the winner was not'
          else 'you were out of stock, and so was everyone' end
        when 'days' then 'price was not what decided: the winner delivers faster'
        when 'total' then 'your total was ' || case when band >= 50 then 'over 50' else band || '–' || band + 5 end
          || '% above the winner’s' end,
      case when measure is not null then jsonb_build_object('measure', measure,
        'gapBand', case when band >= 50 then '50+' when band is not null then band || '-' || band + 5 end,
        'help', case measure when 'stock' then 'stock' when 'days' then 'delivery'
          else case when shipping >= total - best then 'shipping' else 'price' end end) end
    from compared`
}

/** A third of the buyers choose, mostly the first; two in five look at the first quote's shop, some at others'. */
export async function insertChoices(db: Db, at: Date): Promise<void> {
  const chosen = sql`${hashOf(sql`'choice' || r.session_id::text`)}`
  await run(db)`
    update rfqs r set chosen_quote_id = q.id,
      chosen_at = least(${at}::timestamptz, r.finished_at + (30 + ${chosen} % 900) * interval '1 second')
    from rfq_quotes q where r.client_id = ${MADE} and q.rfq_id = r.id and (q.answer ->> 'in_stock')::boolean
      and ${chosen} % 3 = 0 and q.rank = case when ${chosen} % 5 = 0 then 2 else 1 end`
  await run(db)`
    insert into link_clicks (id, at, kind, link_id, org_id, product_id)
    select ${idAt(sql`c.at`)}, c.at, 'quote', q.id, q.org_id, r.product_id
    from rfqs r join rfq_quotes q on q.rfq_id = r.id
      cross join lateral (select ${hashOf(sql`'click' || r.session_id::text || q.org_id::text`)} as hash) h
      cross join lateral (
        select least(${at}::timestamptz, q.received_at + (20 + h.hash % 600) * interval '1 second') as at) c
    where r.client_id = ${MADE}
      and (q.id = r.chosen_quote_id or h.hash % 100 < case when q.rank = 1 then 40 else 12 end)`
  await run(db)`
    insert into link_clicks (id, at, kind, link_id, org_id, product_id)
    select ${idAt(sql`c.at`)}, c.at, 'offer', f.id, f.org_id, f.product_id
    from offers f join orgs o on o.id = f.org_id and o.demo
      cross join lateral generate_series(1, ${hashOf(sql`'clicks' || f.headline`)} % 14) n
      cross join lateral (select ${at}::timestamptz
        - ${shareOf(sql`f.headline || n`)} * (${at}::timestamptz - f.created_at) as at) c`
}

/** How often searches showed and agents read what one seller sells best. */
export async function insertSights(db: Db, { orgId, at }: { orgId: string; at: Date }): Promise<void> {
  const sights = (most: number) => sql`
    from (select p.id, p.slug, row_number() over (order by p.review_count desc nulls last, p.id) as place
        from product_relationships r join products p on p.id = r.product_id
        where r.org_id = ${orgId} and not p.discontinued order by place limit 40) s
      cross join generate_series(1, ${DAYS}) day
      cross join lateral (select ${hashOf(sql`s.slug || day || ${most}::text`)} % greatest(2, ${most} - s.place) as count) c
    where c.count > 0`
  const day = sql`(${at}::timestamptz at time zone 'UTC')::date - day`
  await run(db)`
    insert into product_impressions (product_id, day, impressions) select s.id, ${day}, c.count ${sights(60)}
    on conflict do nothing`
  await run(db)`
    insert into product_reads (product_id, day, face, agent, reads)
    select s.id, ${day}, (array['tools', 'a2a', 'ucp', 'web'])[1 + c.count % 4],
      (array['Claude', 'ChatGPT', 'Gemini', 'Browser'])[1 + c.count % 4], c.count ${sights(24)}
    on conflict do nothing`
}

/** Nodes take turns, until the end of the transaction. */
export function lockHistory(db: Db) {
  return run(db)`select pg_advisory_xact_lock(${LOCKS.demoHistory})`
}

/** Without it, what was made before stays as it is. */
export async function hasHistory(db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from rfqs where client_id = ${MADE} limit 1`.execute(db)
  return rows.length > 0
}
