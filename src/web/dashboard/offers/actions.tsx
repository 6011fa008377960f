/** What can be done to an offer at once: shown, paused, ended. Each says which offer to who hears the buttons only. */
import type { SettableStatus } from '../../../offers/offer.model.ts'
import type { Offer } from '../../../offers/offers.service.ts'
import { Hidden } from '../../kit/fields.tsx'
import { Confirm } from '../../kit/parts.tsx'
import { ActionForm, type Visitor } from '../page.tsx'
import { offerPath } from '../paths.ts'
import { statusPath } from './offers.filter.ts'
import type { Standing } from './standing.ts'

type ActionsProps = {
  visitor: Visitor
  offer: Pick<Offer, 'id' | 'headline' | 'expiresAt'>
  standing: Standing
  now: Date
  /** What of the list is shown, to come back to; none on the offer's own page. */
  back?: string
}

const NEXT: Partial<Record<Standing['kind'], { status: SettableStatus; label: string }>> = {
  draft: { status: 'active', label: 'Show' },
  paused: { status: 'active', label: 'Resume' },
  ended: { status: 'active', label: 'Show again' },
}

export function OfferActions({ visitor, offer, standing, now, back }: ActionsProps) {
  if (!visitor.may('edit')) return null
  const set = (status: SettableStatus, label: string, kind: 'plain' | 'danger' = 'plain') => (
    <ActionForm visitor={visitor} action={statusPath(offer.id)} label={named(label, offer)} kind={kind}>
      <Hidden name="status" value={status} />
      <Hidden name="from" value={back === undefined ? 'offer' : 'list'} />
      <Hidden name="back" value={back} />
    </ActionForm>
  )
  const { status, label } = NEXT[standing.kind] ?? { status: 'paused' as const, label: 'Pause' }
  if (standing.kind === 'ended')
    return offer.expiresAt !== null && offer.expiresAt <= now ? (
      <BringBack offer={offer} here={back === undefined} />
    ) : (
      set(status, label)
    )
  return (
    <div class="offer-actions">
      {set(status, label)}
      <Confirm ask={named('End', offer)}>
        <p>
          Buyers stop seeing it at once, and it no longer counts toward your limit. You can bring it back
          later.
        </p>
        {set('expired', 'End it now', 'danger')}
      </Confirm>
    </div>
  )
}

function BringBack({ offer, here }: { offer: Pick<Offer, 'id' | 'headline'>; here: boolean }) {
  if (here) return <p class="soft">To bring it back, give it a later end.</p>
  return <a href={offerPath(offer.id)}>{named('Bring back', offer)}</a>
}

function named(label: string, { headline }: Pick<Offer, 'headline'>) {
  return (
    <>
      {label}
      <span class="hidden"> “{headline}”</span>
    </>
  )
}
