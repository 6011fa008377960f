/**
 * How an offer stands, in the words of whoever made it: not only what it was set to, but whether buyers see it, and if
 * not, why. An offer that is set to be shown and is not is the one thing here that needs somebody.
 */
import { type OfferStatus, statusNow } from '../../../offers/offer.model.ts'
import type { Offer } from '../../../offers/offers.service.ts'
import type { Tone } from '../../kit/parts.tsx'

export type Standing = {
  kind: 'draft' | 'paused' | 'ended' | 'unrelated' | 'reversed' | 'scheduled' | 'shown'
  word: string
  tone: Tone
  note: string | null
}

type Facts = Pick<Offer, 'status' | 'startsAt' | 'expiresAt'>

/** `related`: whether the organization's claim to the product is still proved. */
export function standingOf(offer: Facts, { now, related }: { now: Date; related: boolean }): Standing {
  const status = statusNow(offer, now)
  if (status === 'draft') return { kind: 'draft', word: 'Draft', tone: 'quiet', note: 'Nobody sees it yet.' }
  if (status === 'paused')
    return { kind: 'paused', word: 'Paused', tone: 'mixed', note: 'Buyers do not see it.' }
  if (status === 'expired') return { kind: 'ended', word: 'Ended', tone: 'quiet', note: null }
  if (!related)
    return {
      ...{ kind: 'unrelated', word: 'Not shown', tone: 'bad' },
      note: 'Your claim to the product is not proved any more.',
    }
  if (offer.startsAt !== null && offer.expiresAt !== null && offer.expiresAt <= offer.startsAt)
    return { kind: 'reversed', word: 'Not shown', tone: 'bad', note: 'It ends before it starts.' }
  if (offer.startsAt !== null && offer.startsAt > now)
    return { kind: 'scheduled', word: 'Scheduled', tone: 'good', note: null }
  return { kind: 'shown', word: 'Shown', tone: 'good', note: null }
}

export const STATUS_WORDS: Record<OfferStatus, string> = {
  draft: 'Drafts',
  active: 'Shown or scheduled',
  paused: 'Paused',
  expired: 'Ended',
}

/** What the address says was done, after something was set or saved. */
export const DONE: Record<string, string> = {
  draft: 'Saved as a draft. Nobody sees it until you show it.',
  saved: 'Saved.',
  same: 'Nothing was changed: it was so already.',
  shown: 'Buyers see it now.',
  scheduled: 'Saved. Buyers see it from its start on.',
  unrelated: 'Saved, but buyers do not see it: your claim to the product is not proved any more.',
  reversed: 'Saved, but buyers do not see it: it ends before it starts.',
  paused: 'Paused. Buyers do not see it any more.',
  ended: 'Ended. Buyers do not see it any more.',
}
