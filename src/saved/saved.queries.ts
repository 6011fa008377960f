/** SQL of saved products; every statement is scoped by the person they belong to. */
import { type RawBuilder, sql } from 'kysely'
import type { Variant } from '../catalog/catalog.schema.ts'
import { variantLabel } from '../catalog/chosen-variant.ts'
import type { Db } from '../db/database.ts'
import { all, exists, run, set, value } from '../db/rows.ts'
import { idsOf } from '../lib/ids.ts'
import { dollarsToCents } from '../lib/money.ts'
import {
  type ListCount,
  type SavedEntry,
  type SavedVariant,
  WATCHED,
  type WatchedChange,
} from './saved.schema.ts'

/** Holds the person's row until the transaction ends, so that two saves at once count one after the other. */
export function lockOwner(db: Db, userId: string) {
  return exists(db)`select 1 from users where id = ${userId} for no key update`
}

type StoredVariant = { id: string; name: string; listed: Variant | null }
/** As it is read; `entryOf` makes an entry of it. */
type Found<T extends SavedEntry> = Omit<T, 'variant'> & { variant: StoredVariant | null }

function entryOf<T extends SavedEntry>({ variant, ...entry }: Found<T>): T {
  return { ...entry, variant: variant && savedVariant(variant) } as T
}

function savedVariant({ id, name, listed }: StoredVariant): SavedVariant {
  return {
    ...{ id, name: listed ? variantLabel(listed) : name, isListed: listed !== null },
    ...{ priceCents: listed?.priceCents ?? null, availability: listed?.availability ?? null },
  }
}

/** The variant of this id among some. */
const variantIn = (variants: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql`(select v from jsonb_array_elements(${variants}) v where v ->> 'id' = ${id} limit 1)`

const FIELDS = sql`
  s.id, s.list, s.note, s.target_price_cents as "targetPriceCents", s.created_at as "savedAt",
    case when s.variant is not null then json_build_object('id', s.variant, 'name', s.variant_name,
      'listed', ${variantIn(sql`p.variants`, sql`s.variant`)}) end as variant,
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
  const rows = await all<Found<SavedEntry>>(db)`
    ${ENTRY} where s.user_id = ${userId} and s.list = ${list} and s.product_id = ${productId}`
  return rows.map((row) => entryOf<SavedEntry>(row))[0] ?? null
}

/** All of them, newest first: a person has a few hundred at most. */
export async function findEntries(
  db: Db,
  { userId, list, productId = null }: { userId: string; list: string | null; productId?: string | null },
): Promise<SavedEntry[]> {
  const rows = await all<Found<SavedEntry>>(db)`
    ${ENTRY}
    where s.user_id = ${userId} and (${list}::text is null or lower(s.list) = lower(${list}))
      and (${productId}::uuid is null or s.product_id = ${productId})
    order by s.created_at desc, s.id desc`
  return rows.map((row) => entryOf<SavedEntry>(row))
}

/**
 * What changed of each entry since the moment asked for, or else since it was saved, newest first: one statement for all of
 * them (changes_by_product). Every watched change holds the whole state of its aspect, so the first "before" and the
 * last "after" are the net of all between; where these are equal, nothing has changed.
 */
export function findNetChanges(
  db: Db,
  { userId, entryIds, since }: { userId: string; entryIds: string[]; since: Date | null },
) {
  return all<WatchedChange & { entryId: string }>(db)`
    with written as (
      select s.id, s.variant, ch.aspect,
        (array_agg(ch.seq order by ch.at, ch.seq))[1] as first,
        (array_agg(ch.seq order by ch.at desc, ch.seq desc))[1] as last
      from saved_products s join changes ch on ch.product_id = s.product_id
      where s.user_id = ${userId} and s.id = any(${entryIds}::uuid[]) and ch.aspect = any(${WATCHED})
        and ch.at > coalesce(${since}::timestamptz, s.created_at)
      group by s.id, ch.aspect),
    net as (
      select written.id as "entryId", written.aspect, l.at, f.at as first_at, f.seq as first_seq,
        ${ofProduct(sql`f.before`)} as before, ${ofProduct(sql`l.after`)} as after
      from written join changes f on f.seq = written.first join changes l on l.seq = written.last)
    select "entryId", aspect, at, before, after from net where before is distinct from after
    order by at desc, first_at, first_seq`
}

/** Who watches one variant is told of that one (findVariantChanges), and of the product without the others. */
const ofProduct = (state: RawBuilder<unknown>) =>
  sql`case when written.variant is not null and jsonb_typeof(${state}) = 'object' then ${state} - 'variants' else ${state} end`

export type VariantChange = {
  entryId: string
  /** When it last changed. */
  at: Date
  before: SavedVariant | null
  after: SavedVariant | null
}

/**
 * What changed of the variants that are watched, likewise. The log tells a variant's price with the prices and the rest with
 * the availability (product-diff.ts); what it does not tell of is as it is now.
 */
export async function findVariantChanges(
  db: Db,
  { userId, entryIds, since }: { userId: string; entryIds: string[]; since: Date | null },
): Promise<VariantChange[]> {
  type Told = { price?: number | null; availability?: SavedVariant['availability'] }
  type Row = Pick<VariantChange, 'entryId' | 'at'> & {
    aspect: 'price' | 'availability'
    now: StoredVariant
    before: Told | null
    after: Told | null
  }
  const rows = await all<Row>(db)`
    with written as (
      select s.id, s.product_id, s.variant, s.variant_name, ch.aspect,
        (array_agg(ch.seq order by ch.at, ch.seq))[1] as first,
        (array_agg(ch.seq order by ch.at desc, ch.seq desc))[1] as last
      from saved_products s join changes ch on ch.product_id = s.product_id
      where s.user_id = ${userId} and s.id = any(${entryIds}::uuid[]) and s.variant is not null
        and ch.aspect in ('price', 'availability')
        and (jsonb_typeof(ch.before -> 'variants') = 'array' or jsonb_typeof(ch.after -> 'variants') = 'array')
        and ch.at > coalesce(${since}::timestamptz, s.created_at)
      group by s.id, ch.aspect)
    select written.id as "entryId", l.at, written.aspect,
      json_build_object('id', written.variant, 'name', written.variant_name,
        'listed', ${variantIn(sql`p.variants`, sql`written.variant`)}) as now,
      ${variantIn(listOf(sql`f.before`), sql`written.variant`)} as before,
      ${variantIn(listOf(sql`l.after`), sql`written.variant`)} as after
    from written join changes f on f.seq = written.first join changes l on l.seq = written.last
      join products p on p.id = written.product_id`
  return [...Map.groupBy(rows, ({ entryId }) => entryId)].flatMap(([entryId, told]) => {
    const [first] = told
    if (!first) return []
    const price = told.find(({ aspect }) => aspect === 'price')
    const stock = told.find(({ aspect }) => aspect === 'availability')
    const side = (which: 'before' | 'after'): SavedVariant | null => {
      if (stock && stock[which] === null) return null
      const { priceCents, availability, ...named } = savedVariant(first.now)
      const stated = price?.[which]?.price
      return {
        ...named,
        isListed: true,
        priceCents: stated === undefined ? priceCents : stated === null ? null : dollarsToCents(stated),
        availability: stock?.[which] ? (stock[which].availability ?? null) : availability,
      }
    }
    const [before, after] = [side('before'), side('after')]
    const at = new Date(Math.max(...told.map((one) => one.at.getTime())))
    return before === null && after === null ? [] : [{ entryId, at, before, after }]
  })
}

const listOf = (view: RawBuilder<unknown>) =>
  sql`case when jsonb_typeof(${view} -> 'variants') = 'array' then ${view} -> 'variants' else '[]'::jsonb end`

export function countByList(db: Db, userId: string) {
  return all<ListCount>(db)`
    select s.list as name, count(*)::int as count
    from saved_products s join shown_products p on p.id = s.product_id where s.user_id = ${userId}
    group by s.list order by s.list`
}

/** How the person already spells a list of this name. */
export function findListName(db: Db, userId: string, name: string) {
  return value<string>(db)`
    select list from saved_products where user_id = ${userId} and lower(list) = lower(${name}) limit 1`
}

/** What is stored of a variant. */
export type KeptVariant = Pick<SavedVariant, 'id' | 'name'>

/** With the price the product has at this moment, or had at first; false when it has gone from the catalog. */
export function insertEntry(
  db: Db,
  entry: Pick<SavedEntry, 'id' | 'list' | 'note' | 'targetPriceCents'> & {
    variant: KeptVariant | null
    userId: string
    productId: string
    at: Date
    /** When it is put back: as it was saved at first. */
    first?: Pick<SavedEntry, 'was' | 'savedAt'>
  },
) {
  const { first, at } = entry
  const { priceLowCents = null, priceHighCents = null } = first?.was ?? {}
  return exists(db)`
    insert into saved_products
      (id, user_id, product_id, list, note, target_price_cents, variant, variant_name, price_low_cents, price_high_cents,
        created_at, updated_at)
    select ${entry.id}, ${entry.userId}, p.id, ${entry.list}, ${entry.note}, ${entry.targetPriceCents},
      ${entry.variant?.id ?? null}::text, ${entry.variant?.name ?? null}::text,
      case when ${first !== undefined}::boolean then ${priceLowCents}::bigint else p.price_low_cents end,
      case when ${first !== undefined}::boolean then ${priceHighCents}::bigint else p.price_high_cents end,
      ${first?.savedAt ?? at}, ${at}
    from shown_products p where p.id = ${entry.productId}
    returning 1`
}

export async function updateEntry(
  db: Db,
  { id, userId }: { id: string; userId: string },
  entry: Pick<SavedEntry, 'list' | 'note' | 'targetPriceCents'> & { variant: KeptVariant | null; at: Date },
): Promise<void> {
  const { list, note, targetPriceCents, variant, at } = entry
  await run(db)`
    update saved_products
    set list = ${list}, note = ${note}, target_price_cents = ${targetPriceCents},
      variant = ${variant?.id ?? null}, variant_name = ${variant?.name ?? null}, updated_at = ${at}
    where id = ${id} and user_id = ${userId}`
}

/** From every list without one; answers with the lists it was on. */
export async function deleteEntries(
  db: Db,
  { userId, productId, list }: { userId: string; productId: string; list: string | null },
): Promise<string[]> {
  const rows = await all<{ list: string }>(db)`
    delete from saved_products
    where user_id = ${userId} and product_id = ${productId}
      and (${list}::text is null or lower(list) = lower(${list}))
    returning list`
  return rows.map((row) => row.list).sort()
}

/** From then on it is compared with this price, as of a variant that was not watched before. */
export function saveWas(
  db: Db,
  { id, userId }: { id: string; userId: string },
  { priceLowCents, priceHighCents }: SavedEntry['was'],
) {
  return run(db)`
    update saved_products set price_low_cents = ${priceLowCents}, price_high_cents = ${priceHighCents}
    where id = ${id} and user_id = ${userId}`
}

export type Watched = SavedEntry & { userId: string; reachedAt: Date | null; outOfStock: boolean }

/** With a target or a variant, of everybody, by id: those after the one given (saved_products_watched). */
export async function findWatched(db: Db, after: string | null, limit: number): Promise<Watched[]> {
  const rows = await all<Found<Watched>>(db)`
    select ${FIELDS}, s.user_id as "userId", s.reached_at as "reachedAt", s.out_of_stock as "outOfStock" ${FROM}
    where (s.target_price_cents is not null or s.variant is not null) and (${after}::uuid is null or s.id > ${after})
    order by s.id limit ${limit}`
  return rows.map((row) => entryOf<Watched>(row))
}

/** Whether the target is reached, as far as its owner knows; ids of those that had it otherwise, with the same target. */
export function saveReached(
  db: Db,
  targets: ReadonlyArray<Pick<SavedEntry, 'id' | 'targetPriceCents'>>,
  reachedAt: Date | null,
) {
  return set<string>(db)`
    update saved_products s set reached_at = ${reachedAt}
    from unnest(${idsOf(targets)}::uuid[],
      ${targets.map(({ targetPriceCents }) => targetPriceCents)}::bigint[]) as t (id, cents)
    where s.id = t.id and s.target_price_cents is not distinct from t.cents
      and (s.reached_at is null) <> (${reachedAt}::timestamptz is null)
    returning s.id`
}

/** Whether the variant is out of stock, as far as its owner knows; ids of those that had it otherwise. */
export function saveStock(
  db: Db,
  entries: ReadonlyArray<Pick<SavedEntry, 'id' | 'variant'>>,
  outOfStock: boolean,
) {
  return set<string>(db)`
    update saved_products s set out_of_stock = ${outOfStock}
    from unnest(${idsOf(entries)}::uuid[],
      ${entries.map(({ variant }) => variant?.id ?? null)}::text[]) as t (id, variant)
    where s.id = t.id and s.variant is not distinct from t.variant and s.out_of_stock <> ${outOfStock}
    returning s.id`
}
