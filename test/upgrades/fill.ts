/**
 * Puts rows into every table of a schema, whichever version it is of: values by the type of each column, references to
 * rows that are there, words that the checks allow. Where the meaning matters, such as for what pages show or for rules
 * over several columns, the value stands here by hand.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { hashPassword } from '../../src/accounts/passwords.ts'
import { parentsFirst } from '../../src/backup/backup.queries.ts'
import { createSecretBox } from '../../src/lib/crypto.ts'

export const PERSON = { email: 'kim@example.com', password: 'violet kettle 7 harbour' }
export const PRODUCT = { category: 'desk-lamps', slug: 'morgentau-lamp', title: 'Morgentau Lamp' }
export const SEALED = 'a token that a producer has given'

type Row = Record<string, unknown>
type Column = {
  table: string
  column: string
  type: string
  parent: string | null
  parentColumn: string | null
  words: string[]
}

const ROWS = 3
const AT = '2026-10-01T10:00:00.123Z'
/** Tables that may have one row. */
const ONE_ROW: ReadonlySet<string> = new Set(['search_words_state'])

const idsFor = () => Array.from({ length: ROWS }, () => randomUUID())
/** Made before the rows: the log of searches names both without a reference. */
const [PRODUCT_IDS, ANSWER_IDS] = [idsFor(), idsFor()]

/** By table and column, for the row of this number; what a version does not have is passed over. */
function byHand(secret: string, passwordHash: string): Record<string, (n: number) => Row> {
  const first = (n: number, text: string) => (n === 0 ? text : `${text}-${n}`)
  const email = (n: number) => (n === 0 ? PERSON.email : `person-${n}@example.com`)
  return {
    users: (n) => ({
      ...{ email: email(n), email_key: email(n), password_hash: passwordHash, account_type: 'consumer' },
      ...{ is_admin: false, deactivated_at: null, demo: false },
    }),
    categories: (n) => ({ slug: first(n, PRODUCT.category), label: 'Desk lamps', hidden_at: null }),
    products: (n) => ({
      id: PRODUCT_IDS[n],
      ...{ slug: first(n, PRODUCT.slug), title: PRODUCT.title, released: '2026-05', discontinued: false },
      ...{ specs: [], themes: [], images: [], where_to_buy: [], provenance: {}, verification_status: 'base' },
      ...{ variants: [], hidden_at: null },
    }),
    search_queries: (n) => ({ product_ids: PRODUCT_IDS, answer_id: ANSWER_IDS[n] }),
    search_answers: (n) => ({ id: ANSWER_IDS[n], product_ids: PRODUCT_IDS }),
    search_words_state: () => ({ one: true }),
    orgs: () => ({
      ...{ verification_status: 'verified', verified_via: 'dns', deactivated_at: null, demo: false },
    }),
    product_relationships: () => ({ status: 'verified' }),
    product_pictures: () => ({ state: 'waiting', hash: null }),
    org_renames: () => ({ status: 'pending', note: null, decided_at: null }),
    sources: (n) => ({
      ...{ kind: 'url', url: `https://feed.example/${n}`, auth: 'none', credentials_box: null },
      every_minutes: 60,
    }),
    mistake_reports: () => ({ closed_at: null, closed_by: null, outcome: null, note: null }),
    agent_integrations: () => ({
      auth_type: 'bearer',
      secret_box: createSecretBox(secret, 'integration').seal(SEALED),
    }),
    // The last one is a stranger's.
    rfqs: (n) => ({
      ...{ state: 'completed', user_id: n === ROWS - 1 ? null : undefined, delivery_region: 'US-CA' },
      ...{ deadline_iso: null, failure: null, anonymous: n === ROWS - 1, outcome: null },
    }),
    plans: () => ({
      wish: { query: 'a lamp and a desk', budget: null },
      asked: { filters: {}, wanted: [] },
      plan: { budgetCents: null, overview: 'One lamp.', lines: [], aside: [] },
    }),
    rfq_quotes: () => ({ rank: null, quote: null }),
    offers: () => ({ status: 'draft', price_cents: 100, list_price_cents: 200 }),
    settings: (n) => ({ value: { kept: n } }),
    search_rules: () => ({ kind: 'synonym', product_id: null, brand_id: null, category_id: null }),
    health_samples: (n) => ({ at: new Date(Date.UTC(2026, 0, 1, 0, n)) }),
  }
}

/** Made once: it takes its time. */
let passwordHash: Promise<string> | undefined

/** Returns the rows by table, as they were put in. */
export async function fillEveryTable(pool: pg.Pool, secret: string): Promise<Map<string, Row[]>> {
  passwordHash ??= hashPassword(PERSON.password, { memory: 64, passes: 1 })
  const hand = byHand(secret, await passwordHash)
  const columns = await readColumns(pool)
  const names = [...new Set(columns.map(({ table }) => table))]
  const references = columns.flatMap(({ table, parent }) => (parent ? [{ child: table, parent }] : []))
  const order = parentsFirst(
    names.map((name) => ({ name, columns: [] })),
    references,
  )
  const filled = new Map<string, Row[]>()
  for (const { name } of order) {
    const own = columns.filter(({ table }) => table === name)
    const rows: Row[] = []
    for (let n = 0; n < (ONE_ROW.has(name) ? 1 : ROWS); n++) {
      const given = hand[name]?.(n) ?? {}
      const row = Object.fromEntries(
        own.map((column) => [column.column, madeFor(column, n, given[column.column], filled)]),
      )
      const { rows: put } = await pool.query<Row>(
        `insert into ${name} (${Object.keys(row).join(', ')})
         values (${Object.keys(row).map((_, at) => `$${at + 1}`)}) returning *`,
        Object.values(row),
      )
      rows.push(...put)
    }
    filled.set(name, rows)
  }
  return filled
}

async function readColumns(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select c.relname::text as table, a.attname::text as column, a.atttypid::regtype::text as type,
       p.relname::text as parent, pa.attname::text as "parentColumn",
       array(select replace(m[1], '''''', '''') from pg_constraint k,
           regexp_matches(pg_get_constraintdef(k.oid), '''((?:[^'']|'''')*)''::text', 'g') as m
         where k.contype = 'c' and k.conrelid = c.oid and k.conkey = array[a.attnum]
           and pg_get_constraintdef(k.oid) ~ '= ANY \\(ARRAY\\[') as words
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     left join pg_constraint f on f.contype = 'f' and f.conrelid = c.oid and f.conkey = array[a.attnum]
     left join pg_class p on p.oid = f.confrelid
     left join pg_attribute pa on pa.attrelid = f.confrelid and pa.attnum = f.confkey[1]
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and c.relpersistence = 'p' and c.relname <> 'migrations'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
       and a.atttypid <> 'xid8'::regtype
     order by c.relname, a.attnum`,
  )
  return rows
}

function madeFor(column: Column, n: number, given: unknown, filled: Map<string, Row[]>): unknown {
  const { table, column: name, type, parent, parentColumn, words } = column
  const isJson = type === 'json' || type === 'jsonb'
  if (given !== undefined) return isJson && given !== null ? JSON.stringify(given) : given
  if (parent && parentColumn) return filled.get(parent)?.[n]?.[parentColumn]
  // Before there were organizations, nobody could choose one.
  if (name === 'selected_org_id') return null
  if (words.length > 0) return words[n % words.length]
  if (isJson) return JSON.stringify({ [name]: n, text: 'ü, "quoted", \\ and 日本' })
  const make = MAKE[type]
  if (!make) throw new Error(`no value for ${table}.${name} of type ${type}`)
  return make(n, `${table} ${name} ${n}`)
}

const MAKE: Record<string, (n: number, text: string) => unknown> = {
  'double precision[]': (n) => [n, n / 2],
  tsvector: (n) => `'word${n}':1`,
  uuid: () => randomUUID(),
  text: (_, text) => `${text}, line one\nline two\twith ü and \\N`,
  smallint: (n) => n + 1,
  integer: (n) => n + 1,
  'integer[]': (n) => [n + 1, n + 2],
  bigint: (n) => n + 9_000_000_000,
  boolean: (n) => n % 2 === 0,
  real: (n) => n + 0.25,
  'double precision': (n) => n + 0.1,
  'timestamp with time zone': () => AT,
  date: (n) => `2026-10-0${n + 1}`,
  bytea: (n) => Buffer.from([0, n, 255, 10, 92]),
  'text[]': (_, text) => [text, 'a "second", one', ''],
  'uuid[]': () => [randomUUID(), randomUUID()],
}
