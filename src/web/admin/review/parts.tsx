/** What the queues share: who asks, the note of a decision, and what a proposal would change. */
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import type { ReviewEntry } from '../../../catalog/enrichment-review.service.ts'
import { Address } from '../../components/address.tsx'
import type { FormSpec } from '../../kit/form.tsx'
import { State } from '../../kit/parts.tsx'
import { linesOf } from '../../kit/proposal-words.ts'
import { webUrl } from '../../safe.ts'
import { ORGANIZATIONS } from '../nav.ts'
import { diffWords } from './word-diff.ts'

/** A domain never stands without whether it is verified. */
export function Whose({ id, name, domain, verified }: Asker) {
  return (
    <span>
      <a href={`${ORGANIZATIONS}/${id}`}>{name}</a>
      <span class="row-note">
        {domain ?? 'No domain'}{' '}
        {domain !== null && (
          <State tone={verified ? 'good' : 'mixed'}>{verified ? 'Verified' : 'Not verified'}</State>
        )}
      </span>
    </span>
  )
}

type Asker = { id: string; name: string; domain: string | null; verified: boolean }

export const askerOf = (row: {
  orgId: string
  orgName: string
  orgDomain: string | null
  orgVerified: boolean
}): Asker => ({ id: row.orgId, name: row.orgName, domain: row.orgDomain, verified: row.orgVerified })

export const CAUGHT_UP = <p>All caught up. Nothing is waiting for review.</p>

export const noteForm = (hint: string): FormSpec => ({
  note: { kind: 'long', label: 'Reason', max: 1000, hint },
})

type Side = 'gone' | 'new'

/** One side of a change: texts are compared word by word, everything else line by line. The marks are read aloud too. */
export function Compared({
  field,
  current,
  proposed,
  side,
}: ReviewEntry['changes'][number] & { side: Side }) {
  const [was, is] = [linesOf(field, current), linesOf(field, proposed)]
  const [lines, other] = side === 'gone' ? [was, is] : [is, was]
  const Mark = side === 'gone' ? 'del' : 'ins'
  if (lines.length === 0) return side === 'gone' ? <span class="soft">Empty</span> : <em>Removed</em>
  if (was.length > 1 || is.length !== 1 || was.length === 0)
    return (
      <ul>
        {lines.map((line) => (
          <li>{other.includes(line) ? line : <Mark>{line}</Mark>}</li>
        ))}
      </ul>
    )
  const pieces = diffWords(was[0] ?? '', is[0] ?? '').filter(({ kind }) => kind === 'same' || kind === side)
  return (
    <span class="long">
      {pieces.map(({ kind, text }, at) => {
        const shown = at === pieces.length - 1 ? text.trimEnd() : text
        return kind === 'same' ? shown : <Mark>{shown}</Mark>
      })}
    </span>
  )
}

/** Producers' images, each with its address. An image that is not https is never loaded. */
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
                alt={alt ?? 'Image without a description'}
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
