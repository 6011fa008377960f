/**
 * What a proposal would change, beside what is there. Texts have the words marked that go and come, lists their lines;
 * the marks are elements that are read aloud and underlined or struck through, not only coloured.
 */
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import type { ReviewEntry } from '../../../catalog/enrichment-review.service.ts'
import { Address } from '../../components/address.tsx'
import { linesOf } from '../../kit/proposal-words.ts'
import { webUrl } from '../../safe.ts'
import { diffWords } from './word-diff.ts'

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
      {pieces.map(({ kind, text }, at) => {
        const shown = at === pieces.length - 1 ? text.trimEnd() : text
        return kind === 'same' ? shown : <Mark kind={side}>{shown}</Mark>
      })}
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

/** Producers' images, with the address that each comes from. One that is not https is never loaded. */
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
                alt={alt ?? 'No text was given for this image'}
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
