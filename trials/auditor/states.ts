/**
 * Every acknowledged write is there with its last acknowledged state, every refused one is not, and an unknown one happened
 * whole or not at all: what the database holds of each subject must be one of its possible states. And nothing is there
 * that nobody asked for.
 */
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Journal, State, Subject, SubjectKind } from '../journal.ts'
import type { Check } from './check.ts'

type Found = { id: string | null; state: State }

/** Each gives `key`, `id` and the facts that the journal keeps of such a subject, by the same names. */
const READERS: Record<SubjectKind, string> = {
  account: `select email_key as key, email_key as id, email_verified_at is not null as verified
    from users where email_key like '%@new.trial.example'`,
  session: 'select token_hash as key, token_hash as id, true as alive from sessions',
  saved: `select user_id || ' ' || list || ' ' || product_id as key, null as id, note from saved_products`,
  offer: `select promo_code as key, id::text, headline, price_cents as "priceCents", status from offers`,
  enrichment: 'select note as key, id::text, status from enrichments',
  claim: `select org_id || ' ' || product_id as key, id::text, status
    from product_relationships where relationship_type = 'manufactured_by'`,
  pricing: `select pp.org_id || ' ' || c.slug || '/' || p.slug as key, null as id,
      (pp.rules->>'lead_time_days')::int as "leadTimeDays"
    from product_pricing pp join products p on p.id = pp.product_id join categories c on c.id = p.category_id`,
  token: `select name as key, id::text, revoked_at is not null as revoked from link_tokens where name <> 'plugin'`,
  invitation: `select org_id || ' ' || email_key as key, email_key as id, role
    from org_invitations where accepted_at is null and revoked_at is null`,
  import: `select product->>'brand' as key, null as id, count(*)::int as rows
    from product_submissions group by product->>'brand'`,
}
const KINDS = Object.keys(READERS) as SubjectKind[]

export async function readStates(pool: pg.Pool): Promise<Map<SubjectKind, Map<string, Found>>> {
  const kinds = new Map<SubjectKind, Map<string, Found>>()
  for (const kind of KINDS) {
    const { rows } = await pool.query<Record<string, string | number | boolean | null>>(READERS[kind])
    kinds.set(
      kind,
      new Map(
        rows.map(({ key, id, ...state }) => [String(key), { id: id === null ? null : String(id), state }]),
      ),
    )
  }
  return kinds
}

export const STATES: Check = {
  name: 'states',
  async run({ pool, journal }) {
    const kinds = await readStates(pool)
    const breaches: string[] = []
    for (const subject of journal.subjects.values()) {
      const actual = kinds.get(subject.kind)?.get(subject.key)?.state ?? null
      if (!isPossible(subject, actual))
        breaches.push(
          `${subject.kind} ${subject.key} is ${show(actual)}, and could only be ${subject.possible.map(show).join(' or ')}`,
        )
    }
    for (const [kind, found] of kinds) {
      // The people of a trial are seeded with sessions that no act has made.
      if (kind === 'session') continue
      for (const [key, { state }] of found)
        if (!journal.find(kind, key))
          breaches.push(`${kind} ${key} is there (${show(state)}), and nobody made it`)
    }
    return breaches
  },
}

function isPossible({ kind, possible, unsure }: Subject, actual: State): boolean {
  if (possible.some((state) => isDeepStrictEqual(state, actual))) return true
  // Each row of an import is whole by itself: one that was cut off is simply sent again.
  return (
    kind === 'import' &&
    unsure &&
    Number(actual?.rows) < Math.max(...possible.map((state) => Number(state?.rows ?? 0)))
  )
}

/** What was unknown is known now, and may be changed again. Only after an audit, and once nothing is under way. */
export async function settle(pool: pg.Pool, journal: Journal): Promise<void> {
  const kinds = await readStates(pool)
  for (const subject of journal.subjects.values()) {
    const found = kinds.get(subject.kind)?.get(subject.key)
    subject.possible = [found?.state ?? null]
    subject.id = found?.id ?? subject.id
    subject.unsure = false
  }
  // It was judged with the others; from now on its subject tells of later writes.
  for (const write of journal.writes) if (write.outcome === 'unknown') write.before = undefined
}

function show(state: State): string {
  return state === null ? 'not there' : JSON.stringify(state)
}
