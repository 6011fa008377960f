/**
 * How an offer stands: not only what it was set to, but whether buyers see it, and why not. An offer that is active and
 * not seen is what needs attention.
 */
import { type OfferStatus, statusNow } from '../../../offers/offer.model.ts'
import type { Offer } from '../../../offers/offers.service.ts'
import type { Tone } from '../../kit/parts.tsx'

export type Standing = {
  kind: 'draft' | 'paused' | 'ended' | 'unrelated' | 'reversed' | 'scheduled' | 'shown'
  word: string
  tone: Tone
  note?: string
}

type Facts = Pick<Offer, 'status' | 'startsAt' | 'expiresAt'>

/** `related`: whether the organization's claim to the product is still verified. */
export function standingOf(offer: Facts, { now, related }: { now: Date; related: boolean }): Standing {
  const { startsAt, expiresAt } = offer
  const status = statusNow(offer, now)
  if (status === 'draft')
    return { kind: 'draft', word: 'Draft', tone: 'quiet', note: 'Only your team sees it.' }
  if (status === 'paused')
    return { kind: 'paused', word: 'Paused', tone: 'mixed', note: 'Buyers do not see it.' }
  if (status === 'expired') return { kind: 'ended', word: 'Ended', tone: 'quiet' }
  const notLive = { word: 'Not live', tone: 'bad' } as const
  if (!related)
    return { kind: 'unrelated', ...notLive, note: 'Your claim to the product is no longer verified.' }
  if (startsAt !== null && expiresAt !== null && expiresAt <= startsAt)
    return { kind: 'reversed', ...notLive, note: 'It ends before it starts.' }
  if (startsAt !== null && startsAt > now) return { kind: 'scheduled', word: 'Scheduled', tone: 'good' }
  return { kind: 'shown', word: 'Live', tone: 'good' }
}

export const STATUS_WORDS: Record<OfferStatus, string> = {
  draft: 'Draft',
  active: 'Live or scheduled',
  paused: 'Paused',
  expired: 'Ended',
}

/** After something was set or saved, by the word in the address. */
export const SAID: Record<string, string> = {
  many: 'Done for the selected offers.',
  draft: 'Saved as a draft. Publish it when you are ready.',
  saved: 'Saved.',
  same: 'No changes to save.',
  shown: 'Published. Buyers see it now.',
  scheduled: 'Saved. Buyers will see it from its start date.',
  unrelated: 'Saved, but buyers do not see it: your claim to the product is no longer verified.',
  reversed: 'Saved, but buyers do not see it: it ends before it starts.',
  paused: 'Paused. Buyers no longer see it.',
  ended: 'Ended. Buyers no longer see it.',
}
