/** SQL of saved products; every statement is scoped by the person they belong to. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { type ListCount, type SavedEntry, WATCHED, type WatchedChange } from './saved.schema.ts'

/** Holds the person's row until the transaction ends, so that two saves at once count one after the other. */
export async function lockOwner(db: Db, userId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from users where id = ${userId} for no key update`.execute(db)
  return rows.length > 0
}

const FIELDS = sql`
  s.id, s.list, s.note, s.target_price_cents as "targetPriceCents", s.created_at as "savedAt",
    json_build_object('priceLowCents', s.price_low_cents, 'priceHighCents', s.price_high_cents) as was,
    json_build_object('id', p.id, 'slug', p.slug, 'category', c.slug, 'title', p.title, 'priceLowCents', p.price_low_cents,
      'priceHighCents', p.price_high_cents, 'discontinued', p.discontinued) as product`
const FROM = sql`
  from saved_products s join shown_products p on p.id = s.product_id join categories c on c.id = p.category_id`
const ENTRY = sql`select ${FIELDS} ${FROM}`

export async function findEntry(
  db: Db,
  { userId, list, productId }: { userId: string; list: string; productId: string },
): Promise<SavedEntry | null> {
  const { rows } = await sql<SavedEntry>`
    ${ENTRY} where s.user_id = ${userId} and s.list = ${list} and s.product_id = ${productId}`.execute(db)
  return rows[0] ?? null
}

/** All of them, newest first: a person has a few hundred at most. */
export async function findEntries(
  db: Db,
  { userId, list, productId = null }: { userId: string; list: string | null; productId?: string | null },
): Promise<SavedEntry[]> {
  const { rows } = await sql<SavedEntry>`
    ${ENTRY}
    where s.user_id = ${userId} and (${list}::text is null or lower(s.list) = lower(${list}))
      and (${productId}::uuid is null or s.product_id = ${productId})
    order by s.created_at desc, s.id desc`.execute(db)
  return rows
}

/**
 * What changed of each entry since the moment asked for, or else since it was saved, newest first: one statement for all of
 * them (changes_by_product). Every watched change holds the whole state of its aspect, so the first "before" and the
 * last "after" are the net of all between; where these are equal, nothing has changed.
 */
export async function findNetChanges(
  db: Db,
  { userId, entryIds, since }: { userId: string; entryIds: string[]; since: Date | null },
): Promise<Array<WatchedChange & { entryId: string }>> {
  const { rows } = await sql<WatchedChange & { entryId: string }>`
    with written as (
      select s.id, ch.aspect,
        (array_agg(ch.seq order by ch.at, ch.seq))[1] as first,
        (array_agg(ch.seq order by ch.at desc, ch.seq desc))[1] as last
      from saved_products s join changes ch on ch.product_id = s.product_id
      where s.user_id = ${userId} and s.id = any(${entryIds}::uuid[]) and ch.aspect = any(${WATCHED})
        and ch.at > coalesce(${since}::timestamptz, s.created_at)
      group by s.id, ch.aspect)
    select written.id as "entryId", written.aspect, l.at, f.before, l.after
    from written join changes f on f.seq = written.first join changes l on l.seq = written.last
    where f.before is distinct from l.after
    order by l.at desc, f.at, f.seq`.execute(db)
  return rows
}

export async function countByList(db: Db, userId: string): Promise<ListCount[]> {
  const { rows } = await sql<ListCount>`
    select s.list as name, count(*)::int as count
    from saved_products s join shown_products p on p.id = s.product_id where s.user_id = ${userId}
    group by s.list order by s.list`.execute(db)
  return rows
}

/** How the person already spells a list of this name. */
export async function findListName(db: Db, userId: string, name: string): Promise<string | null> {
  const { rows } = await sql<{ list: string }>`
    select list from saved_products where user_id = ${userId} and lower(list) = lower(${name}) limit 1`.execute(
    db,
  )
  return rows[0]?.list ?? null
}

/** With the price the product has at this moment, or had at first; false when it has gone from the catalog. */
export async function insertEntry(
  db: Db,
  entry: Pick<SavedEntry, 'id' | 'list' | 'note' | 'targetPriceCents'> & {
    userId: string
    productId: string
    at: Date
    /** When it is put back: as it was saved at first. */
    first?: Pick<SavedEntry, 'was' | 'savedAt'>
  },
): Promise<boolean> {
  const { first, at } = entry
  const { priceLowCents = null, priceHighCents = null } = first?.was ?? {}
  const { rows } = await sql`
    insert into saved_products
      (id, user_id, product_id, list, note, target_price_cents, price_low_cents, price_high_cents, created_at, updated_at)
    select ${entry.id}, ${entry.userId}, p.id, ${entry.list}, ${entry.note}, ${entry.targetPriceCents},
      case when ${first !== undefined}::boolean then ${priceLowCents}::bigint else p.price_low_cents end,
      case when ${first !== undefined}::boolean then ${priceHighCents}::bigint else p.price_high_cents end,
      ${first?.savedAt ?? at}, ${at}
    from shown_products p where p.id = ${entry.productId}
    returning 1`.execute(db)
  return rows.length > 0
}

export async function updateEntry(
  db: Db,
  { id, userId }: { id: string; userId: string },
  entry: Pick<SavedEntry, 'list' | 'note' | 'targetPriceCents'> & { at: Date },
): Promise<void> {
  const { list, note, targetPriceCents, at } = entry
  await sql`
    update saved_products
    set list = ${list}, note = ${note}, target_price_cents = ${targetPriceCents}, updated_at = ${at}
    where id = ${id} and user_id = ${userId}`.execute(db)
}

/** From every list without one; answers with the lists it was on. */
export async function deleteEntries(
  db: Db,
  { userId, productId, list }: { userId: string; productId: string; list: string | null },
): Promise<string[]> {
  const { rows } = await sql<{ list: string }>`
    delete from saved_products
    where user_id = ${userId} and product_id = ${productId}
      and (${list}::text is null or lower(list) = lower(${list}))
    returning list`.execute(db)
  return rows.map((row) => row.list).sort()
}

export type Target = SavedEntry & { userId: string; targetPriceCents: number; reachedAt: Date | null }

/** Of everybody, by id: those after the one given (saved_products_targets). */
export async function findTargets(db: Db, after: string | null, limit: number): Promise<Target[]> {
  const { rows } = await sql<Target>`
    select ${FIELDS}, s.user_id as "userId", s.reached_at as "reachedAt" ${FROM}
    where s.target_price_cents is not null and (${after}::uuid is null or s.id > ${after})
    order by s.id limit ${limit}`.execute(db)
  return rows
}

/** Whether the target is reached, as far as its owner knows; ids of those that had it otherwise, with the same target. */
export async function saveReached(
  db: Db,
  targets: ReadonlyArray<Pick<SavedEntry, 'id' | 'targetPriceCents'>>,
  reachedAt: Date | null,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update saved_products s set reached_at = ${reachedAt}
    from unnest(${targets.map(({ id }) => id)}::uuid[],
      ${targets.map(({ targetPriceCents }) => targetPriceCents)}::bigint[]) as t (id, cents)
    where s.id = t.id and s.target_price_cents is not distinct from t.cents
      and (s.reached_at is null) <> (${reachedAt}::timestamptz is null)
    returning s.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
