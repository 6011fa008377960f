/**
 * A saved product in a list: its price now and then, whether the target price is reached, what changed and when, the
 * person's own note, and the forms that change or remove it. The box to select belongs to the form at the end of the page,
 * because a form cannot stand within another.
 */
import { variantChoices } from '../../catalog/chosen-variant.ts'
import { canonicalSlug, type ProductProfile, productPath } from '../../catalog/profile.ts'
import { centsToDollars, formatPriceRange, formatUsd } from '../../lib/money.ts'
import { DEFAULT_LIST, MAX_LIST_NAME, MAX_NOTE, priceNow, type SavedEntry } from '../../saved/saved.schema.ts'
import type { SavedView } from '../../saved/saved.service.ts'
import { savedChangeWords } from '../../saved/saved.words.ts'
import { Day } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { Was } from '../components/price.tsx'
import { capital } from '../format.ts'
import { Form, Hidden } from '../kit/fields.tsx'
import { Fields, type FormSpec, typedOf } from '../kit/form.tsx'
import { Action } from '../kit/parts.tsx'

export const SAVED_PATH = '/saved'
export const COMPARE_FORM = 'compare'
export const LISTS_ID = 'lists'

export const FORM: FormSpec = {
  list: {
    ...{ kind: 'text', label: 'List', max: MAX_LIST_NAME, list: LISTS_ID },
    hint: 'Type a new name to create a list.',
  },
  variant: { kind: 'choice', label: 'Variant' },
  target_price: {
    ...{ kind: 'money', label: 'Target price (optional)' },
    hint: "In US dollars. We email you when it's reached, and your saved list shows it.",
  },
  note: { kind: 'long', label: 'Note (optional)', max: MAX_NOTE, hint: 'Only you can see it.' },
}

/** With the variants of the product to choose from, and the one that is watched though it is no longer listed. */
export function fieldsOf(profile: ProductProfile | null, entry: SavedEntry | null): FormSpec {
  const variants = profile?.variants ?? []
  const watched = entry?.variant
  if (variants.length === 0 && !watched) {
    const { variant: _, ...fields } = FORM
    return fields
  }
  const options = variantChoices(variants)
  if (watched && !variants.some(({ id }) => id === watched.id))
    options.push([watched.id, `${watched.name}, no longer listed`])
  return { ...FORM, variant: { kind: 'choice', label: 'Variant', options } }
}

export function typedEntry(entry: SavedEntry | null): Record<string, string> {
  const target = entry?.targetPriceCents ?? null
  return typedOf(FORM, {
    list: entry?.list ?? DEFAULT_LIST,
    note: entry?.note,
    variant: entry?.variant?.id,
    target_price: target === null ? null : centsToDollars(target),
  })
}

export const SINCE = {
  '': 'since you saved it',
  '7': 'in the last 7 days',
  '30': 'in the last 30 days',
} as const
export type Since = keyof typeof SINCE

export function entryId({ id }: { id: string }): string {
  return `entry-${id}`
}

const MARKS = { up: '▲', down: '▼' } as const

type EntryProps = {
  entry: SavedView
  profile: ProductProfile | null
  since: Since
  /** The address to come back to, without its path. */
  back: string
  lazy: boolean
}

export function Entry({ entry, profile, since, back, lazy }: EntryProps) {
  const { product, variant, list, note, savedAt, onSale, bestPriceCents: best, changes } = entry
  const { title, slug } = product
  const { priceLowCents: low, priceHighCents: high } = priceNow(entry)
  const then = priceWhenSaved(entry)
  const move = priceMove(entry)
  const named = { p: canonicalSlug(product), from: list, back }
  return (
    <li class="saved" id={entryId(entry)}>
      <div class="saved-picture">{profile && <Picture profile={profile} lazy={lazy} decorative />}</div>
      <div class="saved-body">
        <h2 class="saved-title">
          <a href={productPath({ slug, category: { slug: product.category } })}>{title}</a>
        </h2>
        {variant && (
          <p class="soft">
            {variant.name}
            {stockNote(variant)}
          </p>
        )}
        {(onSale || product.discontinued) && (
          <p class="line">
            {onSale && <span class="badge sale">On sale</span>}
            {product.discontinued && <span class="badge">Discontinued</span>}
          </p>
        )}
        <p class="line saved-price">
          {best !== null && isOffered(entry) ? (
            <>
              <span class="price">
                {formatUsd(best)}
                {low !== null && <Was>{formatUsd(low)}</Was>}
              </span>
              <span>with an offer</span>
            </>
          ) : (
            <span class="price">{formatPriceRange(low, high) ?? 'Price unknown'}</span>
          )}
          {move && (
            <span class={`move ${move.way}`}>
              <span aria-hidden="true">{MARKS[move.way]} </span>
              {move.words}
            </span>
          )}
        </p>
        <Target entry={entry} />
        {note !== null && (
          <p class="saved-note">
            <span class="hidden">Your note: </span>
            {note}
          </p>
        )}
        {changes.length === 0 ? (
          <p class="soft">No changes {SINCE[since]}.</p>
        ) : (
          <div class="saved-changes">
            <h3>Changed {SINCE[since]}</h3>
            <ul>
              {changes.map((change) => (
                <li>
                  {change.ofVariant
                    ? savedChangeWords(entry, change)
                    : capital(savedChangeWords(entry, change))}
                  <span class="soft">
                    , <Day at={change.at} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
        <p class="soft saved-when">
          Saved <Day at={savedAt} />
          {then !== null && ` at ${then}`}, on the list “{list}”
        </p>
        <div class="saved-actions">
          <label class="compare-box">
            <input type="checkbox" name="p" value={named.p} form={COMPARE_FORM} />
            Compare<span class="hidden"> {title}</span>
          </label>
          <Action to={`${SAVED_PATH}/remove`} label="Remove" about={title} fields={named} />
          <details class="saved-edit">
            <summary>
              Edit<span class="hidden"> {title}</span>
            </summary>
            <Form action={SAVED_PATH} label="Save changes">
              {Object.entries(named).map(([name, value]) => (
                <Hidden name={name} value={value} />
              ))}
              <Fields
                of={fieldsOf(profile, entry)}
                state={{ values: typedEntry(entry), errors: {} }}
                suffix={`-${entry.id}`}
              />
            </Form>
          </details>
        </div>
      </div>
    </li>
  )
}

const STOCK_NOTES = {
  in_stock: ', in stock',
  out_of_stock: ', out of stock',
  preorder: ', open for preorder',
  backorder: ', on backorder',
}

function stockNote({ isListed, availability }: NonNullable<SavedEntry['variant']>): string {
  if (!isListed) return ', no longer listed'
  return availability === null ? '' : STOCK_NOTES[availability]
}

function Target({ entry }: { entry: SavedView }) {
  const { targetPriceCents: target, bestPriceCents: best, targetReached } = entry
  if (target === null) return null
  if (best === null) return <p>Your target is {formatUsd(target)}. No price is known right now.</p>
  if (!targetReached)
    return (
      <p>
        Your target is {formatUsd(target)}: {formatUsd(best - target)} to go.
      </p>
    )
  return (
    <p class="reached">
      <span aria-hidden="true">✓ </span>
      Your target of {formatUsd(target)} is reached: now {formatUsd(best)}.
    </p>
  )
}

export function priceWhenSaved({ was }: Pick<SavedEntry, 'was'>): string | null {
  return formatPriceRange(was.priceLowCents, was.priceHighCents)
}

/** Whether an offer is below what shops list. */
function isOffered(entry: SavedView): boolean {
  const { priceLowCents: low } = priceNow(entry)
  return entry.bestPriceCents !== null && (low === null || entry.bestPriceCents < low)
}

/** Null where the price has not moved, or is not known then or now. */
function priceMove(entry: SavedView): { way: 'up' | 'down'; words: string } | null {
  const { was } = entry
  const now = priceNow(entry)
  const low = difference(now.priceLowCents, was.priceLowCents)
  const by = low === 0 ? difference(now.priceHighCents, was.priceHighCents) : low
  if (by === 0) return null
  // An offer's price stands in front of it.
  const [down, up] = isOffered(entry) ? ['Listed price down', 'Listed price up'] : ['Down', 'Up']
  const words = `${formatUsd(Math.abs(by))} from ${priceWhenSaved({ was })} when you saved it`
  return by < 0 ? { way: 'down', words: `${down} ${words}` } : { way: 'up', words: `${up} ${words}` }
}

function difference(now: number | null, was: number | null): number {
  return now === null || was === null ? 0 : now - was
}
