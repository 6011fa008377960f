/** What the queues share: who asks, a decision against it, and what a proposal would change. */
import type { Child } from 'hono/jsx'
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import type { ReviewEntry } from '../../../catalog/enrichment-review.service.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import { Address } from '../../components/address.tsx'
import { photoOf } from '../../components/picture.tsx'
import { Form, type FormState, Hidden, TextArea } from '../../kit/fields.tsx'
import { Confirm, noted, State } from '../../kit/parts.tsx'
import { linesOf } from '../../kit/proposal-words.ts'
import { ORGANIZATIONS } from '../nav.ts'
import { diffWords } from './word-diff.ts'

export const CAUGHT_UP = <p>All caught up. Nothing is waiting for review.</p>

type Asker = { id: string; name: string; domain: string | null; verified: boolean }
type OfOrg = { orgId: string; orgName: string; orgDomain: string | null; orgVerified: boolean }

export function askerOf({ orgId, orgName, orgDomain, orgVerified }: OfOrg): Asker {
  return { id: orgId, name: orgName, domain: orgDomain, verified: orgVerified }
}

/** A domain never stands without whether it is verified. */
export function Whose({ id, name, domain, verified }: Asker) {
  return noted(
    <a href={`${ORGANIZATIONS}/${id}`}>{name}</a>,
    domain === null ? (
      'No domain'
    ) : (
      <>
        {domain} <State tone={verified ? 'good' : 'mixed'}>{verified ? 'Verified' : 'Not verified'}</State>
      </>
    ),
  )
}

type TurndownProps = {
  to: string
  ask: Child
  label?: string
  hint: string
  state: FormState
  suffix?: string
  /** The form was refused. */
  open?: boolean
  fields?: Readonly<Record<string, string | null>>
}

/** Says no, with a reason. */
export function Turndown(props: TurndownProps) {
  const { to, ask, label = 'Reject', hint, state, suffix, open, fields = {} } = props
  return (
    <Confirm ask={ask} open={open}>
      <Form action={to} label={label} kind="danger">
        {Object.entries(fields).map(([name, value]) => (
          <Hidden name={name} value={value} />
        ))}
        <TextArea
          state={state}
          name="note"
          label="Reason"
          hint={hint}
          rows={3}
          maxlength={1000}
          suffix={suffix}
        />
      </Form>
    </Confirm>
  )
}

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
  if (was.length !== 1 || is.length !== 1)
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

export function Lines({ lines }: { lines: string[] }) {
  if (lines.length <= 1) return <span class="long">{lines[0] ?? ''}</span>
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  )
}

type ImagesProps = {
  product?: Pick<ProductProfile, 'copies' | 'title'>
  images: ProductImage[]
  otherwise: string
}

/** Producers' images, each with its address: our copy of it, or the original if that is https. */
export function Images({ product = { title: '' }, images, otherwise }: ImagesProps) {
  if (images.length === 0) return <span class="soft">{otherwise}</span>
  return (
    <ul class="review-images">
      {images.map(({ url, alt }) => {
        const photo = photoOf(product, { url, alt })
        const size = { width: 160, height: 120, loading: 'lazy', referrerpolicy: 'no-referrer' } as const
        return (
          <li>
            {photo && (
              <img class="photo" src={photo.src} alt={alt ?? 'Image without a description'} {...size} />
            )}
            {noted(<Address url={url} />, alt)}
          </li>
        )
      })}
    </ul>
  )
}
