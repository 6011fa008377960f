/** An offer as buyers will see it, by the component that they see it by; and what to know besides. */
import { isSale } from '../../../catalog/promoted-offer.ts'
import { momentWords } from '../../components/moment.tsx'
import { OfferList } from '../../components/offer-list.tsx'
import { countOf } from '../../format.ts'
import { webUrl } from '../../safe.ts'
import type { Draft } from './offer.form.ts'

/** What the script puts a newer preview into. */
export const PREVIEW_ID = 'offer-preview'

/** `typing`: whether the one who looks can still change it. */
export function Preview({ draft, now, typing }: { draft: Draft; now: Date; typing: boolean }) {
  const { offer, destination } = draft
  const href = destination === null ? null : webUrl(destination)
  return (
    <div id={PREVIEW_ID} class="preview">
      <OfferList profile={{ slug: '', offers: [offer] }} href={() => href} />
      <ul class="plain-list row-note">
        {typing && <li>Headline: {leftWords(draft.headlineLeft)}.</li>}
        <li>In lists, the product is marked “{isSale(offer) ? 'On sale' : 'Offer'}”.</li>
        <li>{windowWords(draft, now)}</li>
        {href === null && <li>The headline becomes a link when there is a destination.</li>}
      </ul>
    </div>
  )
}

export function leftWords(left: number): string {
  return `${countOf(Math.abs(left), 'character')} ${left < 0 ? 'too many' : 'left'}`
}

function windowWords({ offer: { startsAt, expiresAt } }: Draft, now: Date): string {
  if (expiresAt !== null && expiresAt <= now) return 'Its end is past, so buyers do not see it.'
  if (startsAt !== null && startsAt > now) return `Buyers see it from ${momentWords(startsAt)} on.`
  return expiresAt === null ? 'Buyers see it as long as it is shown.' : `Ends ${momentWords(expiresAt)}.`
}
