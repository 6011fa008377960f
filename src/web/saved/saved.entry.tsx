/**
 * One saved product in a list: what it costs now against then, whether the price one waits for is reached, what changed
 * and when, the person's own note, and the forms that change or remove it. The box to tick belongs to the form at the end
 * of the page, because a form cannot stand within another.
 */
import { changeWords } from '../../catalog/change-words.ts'
import { canonicalSlug, type ProductProfile, priceRange, productPath } from '../../catalog/profile.ts'
import { formatUsd, typedDollars } from '../../lib/money.ts'
import type { SavedView } from '../../saved/saved.service.ts'
import { Day } from '../components/moment.tsx'
import { Picture } from '../components/picture.tsx'
import { Hidden } from '../kit/fields.tsx'
import { SavedFields } from './saved.fields.tsx'
import { filterQuery, SAVED_PATH, type SavedFilter } from './saved.filter.ts'
import { capitalized, priceMove, priceWhenSaved, SINCE_WORDS, targetWords } from './saved.words.ts'

export const COMPARE_FORM = 'compare'

export function entryId({ id }: { id: string }): string {
  return `entry-${id}`
}

type EntryProps = { entry: SavedView; profile: ProductProfile | null; filter: SavedFilter; lazy: boolean }

export function Entry({ entry, profile, filter, lazy }: EntryProps) {
  const { product, list, note, savedAt, onSale } = entry
  const named = canonicalSlug(product)
  const then = priceWhenSaved(entry)
  const path = productPath({ slug: product.slug, category: { slug: product.category } })
  return (
    <li class="saved" id={entryId(entry)}>
      <div class="saved-picture">{profile && <Picture profile={profile} lazy={lazy} decorative />}</div>
      <div class="saved-body">
        <h2 class="saved-title">
          <a href={path}>{product.title}</a>
        </h2>
        {(onSale || product.discontinued) && (
          <p class="line">
            {onSale && <span class="badge sale">On sale</span>}
            {product.discontinued && <span class="badge">Discontinued</span>}
          </p>
        )}
        <Price entry={entry} />
        <Target entry={entry} />
        {note !== null && (
          <p class="saved-note">
            <span class="hidden">Your note: </span>
            {note}
          </p>
        )}
        <Changes entry={entry} filter={filter} />
        <p class="soft saved-when">
          Saved <Day at={savedAt} />
          {then !== null && ` at ${then}`}, on the list “{list}”
        </p>
        <div class="saved-actions">
          <label class="compare-box">
            <input type="checkbox" name="p" value={named} form={COMPARE_FORM} />
            Compare<span class="hidden"> {product.title}</span>
          </label>
          <form method="post" action={`${SAVED_PATH}/remove`}>
            <Named entry={entry} filter={filter} />
            <button class="button plain" type="submit">
              Remove<span class="hidden"> {product.title}</span>
            </button>
          </form>
          <Edit entry={entry} filter={filter} />
        </div>
      </div>
    </li>
  )
}

type Shown = { entry: SavedView; filter: SavedFilter }

function Named({ entry: { product, list }, filter }: Shown) {
  return (
    <>
      <Hidden name="p" value={canonicalSlug(product)} />
      <Hidden name="from" value={list} />
      <Hidden name="back" value={filterQuery(filter)} />
    </>
  )
}

function Edit({ entry, filter }: Shown) {
  const { id, list, note, targetPriceCents, product } = entry
  const values = {
    list,
    note: note ?? '',
    target_price: targetPriceCents === null ? '' : typedDollars(targetPriceCents),
  }
  return (
    <details class="saved-edit">
      <summary>
        Edit<span class="hidden"> {product.title}</span>
      </summary>
      <form class="fields" method="post" action={SAVED_PATH}>
        <Named entry={entry} filter={filter} />
        <SavedFields state={{ values, errors: {} }} suffix={`-${id}`} />
        <p>
          <button class="button" type="submit">
            Save changes
          </button>
        </p>
      </form>
    </details>
  )
}

const MARKS = { up: '▲', down: '▼' } as const

function Price({ entry }: { entry: SavedView }) {
  const { product, bestPriceCents } = entry
  const move = priceMove(entry)
  const below =
    bestPriceCents !== null && bestPriceCents < (product.priceLowCents ?? Number.POSITIVE_INFINITY)
  return (
    <p class="line saved-price">
      <span class="price">{priceRange(product) ?? 'Price unknown'}</span>
      {below && product.priceLowCents !== null && <span>{formatUsd(bestPriceCents)} with an offer</span>}
      {move && (
        <span class={`move ${move.way}`}>
          <span aria-hidden="true">{MARKS[move.way]} </span>
          {move.words}
        </span>
      )}
    </p>
  )
}

function Target({ entry }: { entry: SavedView }) {
  const words = targetWords(entry)
  if (words === null) return null
  return entry.targetReached ? (
    <p class="reached">
      <span aria-hidden="true">✓ </span>
      {words}
    </p>
  ) : (
    <p>{words}</p>
  )
}

function Changes({ entry: { changes }, filter: { since } }: Shown) {
  if (changes.length === 0) return <p class="soft">No change {SINCE_WORDS[since]}.</p>
  return (
    <div class="saved-changes">
      <h3>Changed {SINCE_WORDS[since]}</h3>
      <ul>
        {changes.map((change) => (
          <li>
            {capitalized(changeWords(change))}
            <span class="soft">
              , <Day at={change.at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
