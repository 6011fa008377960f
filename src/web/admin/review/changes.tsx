/**
 * What a proposal would change, beside what is there. Texts have the words marked that go and come, lists their lines;
 * the marks are elements that are read aloud and underlined or struck through, not only coloured.
 */
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import type { ProposableField } from '../../../catalog/enrichment.schema.ts'
import type { ReviewEntry } from '../../../catalog/enrichment-review.service.ts'
import { dollarsToCents, formatPriceRange, formatUsd } from '../../../lib/money.ts'
import { webUrl } from '../../safe.ts'
import { diffWords } from './word-diff.ts'

export const FIELD_LABELS: Record<ProposableField | 'images' | 'confirms_profile', string> = {
  title: 'Title',
  model: 'Model',
  description: 'Description',
  specs: 'Specifications',
  best_for: 'Best for',
  not_for: 'Not for',
  where_to_buy: 'Where to buy',
  price: 'Price',
  list_price: 'List price',
  released: 'Released',
  discontinued: 'Discontinued',
  gtin: 'GTIN',
  mpn: 'Part number',
  sku: 'SKU',
  images: 'Images',
  confirms_profile: 'Whole profile',
}

export function fieldLabel(name: string): string {
  return (FIELD_LABELS as Record<string, string>)[name] ?? name
}

type Change = ReviewEntry['changes'][number]

/** A text is compared word by word, everything else line by line. */
export function Before({ field, current, proposed }: Change) {
  const [was, is] = [linesOf(field, current), linesOf(field, proposed)]
  if (was.length === 0) return <span class="soft">Nothing</span>
  if (was.length === 1 && is.length === 1)
    return <Marked before={was[0] ?? ''} after={is[0] ?? ''} side="gone" />
  return <Lines lines={was} other={is} mark="gone" />
}

export function After({ field, current, proposed }: Change) {
  const [was, is] = [linesOf(field, current), linesOf(field, proposed)]
  if (is.length === 0) return <em>Taken away</em>
  if (was.length === 1 && is.length === 1)
    return <Marked before={was[0] ?? ''} after={is[0] ?? ''} side="new" />
  return <Lines lines={is} other={was} mark="new" />
}

function Marked({ before, after, side }: { before: string; after: string; side: 'gone' | 'new' }) {
  const pieces = diffWords(before, after).filter(({ kind }) => kind === 'same' || kind === side)
  return (
    <span class="long">
      {pieces.map(({ kind, text }) => (kind === 'same' ? text : <Mark kind={side}>{text}</Mark>))}
    </span>
  )
}

function Mark({ kind, children }: { kind: 'gone' | 'new'; children: string }) {
  return kind === 'gone' ? <del>{children}</del> : <ins>{children}</ins>
}

function Lines({ lines, other, mark }: { lines: string[]; other: string[]; mark: 'gone' | 'new' }) {
  return (
    <ul>
      {lines.map((line) => (
        <li>{other.includes(line) ? line : <Mark kind={mark}>{line}</Mark>}</li>
      ))}
    </ul>
  )
}

/** Any value of the contract as lines that people read. */
export function linesOf(field: string, value: unknown): string[] {
  if (value === null || value === undefined || value === '') return []
  if (field === 'price') return [priceWords(value as { low: number; high: number })]
  if (field === 'list_price') return [formatUsd(dollarsToCents(value as number) ?? 0)]
  if (field === 'specs') return (value as Spec[]).map((spec) => `${spec.name}: ${spec.value}`)
  if (field === 'where_to_buy') return (value as Shop[]).map(shopWords)
  if (field === 'images') return (value as ProductImage[]).map(({ url }) => url)
  if (typeof value === 'boolean') return [value ? 'Yes' : 'No']
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

type Shop = { name: string; url: string; price: number | null }

function shopWords({ name, url, price }: Shop): string {
  return `${name}, ${url}${price === null ? '' : `, ${formatUsd(dollarsToCents(price) ?? 0)}`}`
}

function priceWords(value: number | { low: number; high: number }): string {
  const { low, high } = typeof value === 'number' ? { low: value, high: value } : value
  return formatPriceRange(dollarsToCents(low), dollarsToCents(high)) ?? ''
}

/** Producers' pictures, with the address that each comes from. One that is not https is never loaded. */
export function Images({ images, otherwise }: { images: ProductImage[]; otherwise: string }) {
  if (images.length === 0) return <span class="soft">{otherwise}</span>
  return (
    <ul class="review-images">
      {images.map(({ url, alt }) => {
        const address = webUrl(url)
        return (
          <li>
            {address?.startsWith('https:') && (
              <img
                class="photo"
                src={address}
                alt={alt ?? 'No text was given for this picture'}
                width={160}
                height={120}
                loading="lazy"
                referrerpolicy="no-referrer"
              />
            )}
            <Address url={url} />
            {alt !== null && <span class="row-note">{alt}</span>}
          </li>
        )
      })}
    </ul>
  )
}

/** A stranger's address as a link that says where it leads; as text when it is none of the web. */
export function Address({ url }: { url: string }) {
  const href = webUrl(url)
  return href === null ? (
    <span>{url}</span>
  ) : (
    <a href={href} rel="nofollow noopener noreferrer">
      {url}
    </a>
  )
}
