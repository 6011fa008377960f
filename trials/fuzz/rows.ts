/**
 * What must hold of the rows when everything has been thrown at them. The tables' own constraints are not repeated here; these
 * are rules of the interface that only the program keeps. Each query gives one sentence for each breach.
 */
import type pg from 'pg'
import type { AuditContext, Check } from '../auditor/check.ts'
import { findTexts } from '../auditor/check.ts'
import { QUOTAS } from '../auditor/quotas.ts'
import { RECORDS_POINT } from '../auditor/records.ts'
import { RFQS } from '../auditor/rfqs.ts'
import { STATUSES } from '../auditor/statuses.ts'
import { WHOLE } from '../auditor/whole.ts'

export type RowRule = { rule: string; sql: string }

const OFFER_TYPES = `'{percentage_off,fixed_amount_off,free_shipping,bogo,bundle,free_gift}'::text[]`
const HAS_IDS = [
  'offers',
  'orgs',
  'org_renames',
  'users',
  'rfqs',
  'link_tokens',
  'enrichments',
  'products',
  'product_submissions',
  'audit_log',
]
const ONE_LINE: ReadonlyArray<[string, string]> = [
  ['offers', 'headline'],
  ['orgs', 'name'],
  ['org_renames', 'name'],
  ['users', 'name'],
  ['link_tokens', 'name'],
  ['products', 'title'],
  ['categories', 'label'],
  ['oauth_clients', 'client_name'],
]

export const ROW_RULES: readonly RowRule[] = [
  {
    rule: 'a headline has 1 to 60 characters and a detail at most 200',
    sql: `select id::text as text from offers where btrim(headline) = '' or char_length(headline) > 60 or char_length(detail) > 200`,
  },
  {
    rule: 'prices are whole cents that a program can count',
    sql: `select id::text as text from offers where greatest(price_cents, list_price_cents) > 9007199254740991
      union all select id::text from products where least(price_low_cents, list_price_cents) < 0
      union all select id::text from saved_products where target_price_cents > 9007199254740991`,
  },
  {
    rule: 'types of an offer are known, and each is there once',
    sql: `select id::text as text from offers where not offer_types <@ ${OFFER_TYPES}
      or cardinality(offer_types) <> (select count(distinct type) from unnest(offer_types) type)`,
  },
  {
    rule: 'an offer leads to the web',
    sql: `select id || ' leads to ' || left(destination_url, 60) as text from offers where destination_url !~ '^https?://[^\\s/]+'`,
  },
  {
    rule: 'windows of offers are times that can be written',
    sql: `select id::text as text from offers where not (isfinite(coalesce(starts_at, now())) and isfinite(coalesce(expires_at, now())))
      or starts_at not between '0001-01-01' and '10000-01-01' or expires_at not between '0001-01-01' and '10000-01-01'`,
  },
  {
    rule: 'slugs are small letters, digits and single hyphens',
    sql: `select slug as text from products where slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$'
      union all select slug from categories where slug !~ '^[a-z0-9]+(-[a-z0-9]+)*$'`,
  },
  {
    rule: 'names and headlines are one line without control characters',
    sql: ONE_LINE.map(
      ([table, column]) =>
        `select '${table} ' || left(${column}, 40) as text from ${table} where ${column} ~ '[\\u0001-\\u001f\\u007f\\u2028\\u2029]'`,
    ).join(' union all '),
  },
  {
    rule: 'an organization has a name of at most 255 characters and a domain in its plain form',
    sql: `select id::text as text from orgs where btrim(name) = '' or char_length(name) > 255
      or domain !~ '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z0-9-]{2,}$'
      union all select id::text from org_renames where btrim(name) = '' or char_length(name) > 255`,
  },
  {
    rule: 'anyone who belongs to an organization is a producer',
    sql: `select u.id::text as text from users u join org_members m on m.user_id = u.id where u.account_type <> 'producer'`,
  },
  {
    rule: 'what bounds a quote is never kept in the open',
    sql: `select org_id::text as text from agent_integrations where managed_rules::text ~ '"(reserve_price_usd|min_margin_pct)"'
      union all select org_id::text from product_pricing where rules::text ~ '"(reserve_price_usd|min_margin_pct|reservePrice|minMargin)'
      union all select id::text from audit_log where detail::text ~ '"(hmac_secret|bearer_token)"'`,
  },
  {
    // The organization's own tiers are kept as they came and read with care, as the interface wants it.
    rule: 'bounds of a product are percentages and whole days',
    sql: `select org_id::text as text from product_pricing
      where rules @? '$.max_discount_pct ? (@ < 0 || @ > 100 || @.type() == "string")'
        or rules @? '$.maxDiscountPct ? (@ < 0 || @ > 100)'`,
  },
  {
    rule: "a card is at the organization's own proved domain, over https",
    sql: `select o.id || ' has ' || left(i.agent_card_url, 80) as text from agent_integrations i join orgs o on o.id = i.org_id
      where i.agent_card_url is not null
        and not (substring(i.agent_card_url from '^https://([^/:?#]+)') = o.domain
          or substring(i.agent_card_url from '^https://([^/:?#]+)') like '%.' || o.domain)`,
  },
  {
    rule: 'a person saves at most 500 products on 20 lists',
    sql: `select user_id::text as text from saved_products group by user_id having count(*) > 500 or count(distinct list) > 20`,
  },
  {
    rule: 'at most 500 offers of an organization are not expired, and 20 proposals for a product wait',
    sql: `select org_id::text as text from offers where status <> 'expired' group by org_id having count(*) > 500
      union all select org_id::text from enrichments where status = 'pending' and not from_import group by org_id, product_id having count(*) > 20`,
  },
  {
    rule: 'an offer has exactly one record of its making',
    sql: `select o.id::text as text from offers o
      where (select count(*) from audit_log a where a.action = 'offer.created' and a.detail->>'offer_id' = o.id::text) <> 1`,
  },
  {
    // With the last relationship to a product its offers are paused, and the record is the relationship's.
    rule: 'an offer is written together with a record of some action',
    sql: `select o.id::text as text from offers o where not exists (select 1 from audit_log a where a.xmin = o.xmin)`,
  },
  {
    rule: 'ids are UUIDv7, those of registered clients UUIDv4',
    sql: [
      ...HAS_IDS.map(
        (table) => `select '${table} ' || id as text from ${table} where substr(id::text, 15, 1) <> '7'`,
      ),
      `select client_id::text from oauth_clients where substr(client_id::text, 15, 1) <> '4'`,
    ].join(' union all '),
  },
  {
    rule: 'clients are led back by https, to this machine, or to an app',
    sql: `select client_id || ' ' || left(uri, 60) as text from oauth_clients, unnest(redirect_uris) uri
      where uri !~ '^https://' and uri !~ '^http://(127\\.\\d+\\.\\d+\\.\\d+|localhost|\\[::1\\])[:/?]' and uri !~ '^[a-z][a-z0-9+-]*\\.[a-z0-9+.-]*:'`,
  },
]

/** Of the auditor's, those that need no journal; without one they compare nothing with it. */
const CHECKS: readonly Check[] = [STATUSES, RFQS, QUOTAS, WHOLE, RECORDS_POINT]
/**
 * Interface 4.3: an edit does not compare the two times; an offer whose time is over is on no shelf, so that setting it active
 * changes nothing that could be told. An account that was deleted takes its records' people along. Mail to
 * an address that was made up may be refused for good.
 */
const EXPECTED =
  /ends before it starts|without a change being told|was last written without a record|is of somebody who is not there|\(mail\.send\) failed for good/

export async function checkRows(ctx: AuditContext): Promise<string[]> {
  const found = await Promise.all(ROW_RULES.map((rule) => breachesOf(ctx.pool, rule)))
  for (const check of CHECKS) {
    const breaches = await check.run(ctx).catch((error: Error) => [`could not be made: ${error.stack}`])
    found.push(breaches.filter((what) => !EXPECTED.test(what)).map((what) => `${check.name}: ${what}`))
  }
  return found.flat()
}

export async function breachesOf(pool: pg.Pool, { rule, sql }: RowRule): Promise<string[]> {
  // A check that cannot be made is no proof of anything.
  const texts = await findTexts(pool, sql).catch((error: Error) => [
    `could not be looked at: ${error.message}`,
  ])
  return texts.slice(0, 5).map((text) => `not so: ${rule} (${text})`)
}

/** What is on record although its request was refused: tries that failed are themselves the action. */
const REFUSED_AND_TOLD = /^(?:password\.wrong|signin|grant\.|token\.|team\.)/
/** A good answer of these leaves exactly one record of this name. */
const RECORDED: Record<string, string> = {
  'POST /api/offers/create/ 201': 'offer.created',
  'POST /api/org/register/ 201': 'org.registered',
  'POST /api/org/link-tokens/ 201': 'token.created',
  'POST /api/org/enrichment/ 201': 'enrichment.submitted',
}

/** Every action by the id of its request: a record for what was done, none for what was refused. */
export async function checkRecords(
  pool: pg.Pool,
  sent: {
    prefix: string
    outcomeOf(requestId: string): { operation: string; status: number } | null
    all(): Iterable<[string, string, number]>
  },
): Promise<string[]> {
  const { rows } = await pool.query<{ request_id: string; action: string; count: number }>(
    `select request_id, action, count(*)::int as count from audit_log where request_id like $1 || '%' group by 1, 2`,
    [sent.prefix],
  )
  const breaches: string[] = []
  const counts = new Map(rows.map(({ request_id, action, count }) => [`${request_id} ${action}`, count]))
  for (const { request_id, action } of rows) {
    const outcome = sent.outcomeOf(request_id)
    if (outcome && outcome.status >= 400 && outcome.status < 500 && !REFUSED_AND_TOLD.test(action))
      breaches.push(
        `${outcome.operation} answered ${outcome.status} and is on record as ${action} (${request_id})`,
      )
  }
  for (const [requestId, operation, status] of sent.all()) {
    const action = RECORDED[`${operation} ${status}`]
    const found = action === undefined ? 1 : (counts.get(`${requestId} ${action}`) ?? 0)
    if (found !== 1)
      breaches.push(`${operation} answered ${status} and has ${found} records ${action} (${requestId})`)
  }
  return breaches
}
