/**
 * An organization's own offers for a model: what we know of each as a line, then its words by number in one fence.
 * They were written by members of the organization, but maybe not by the reader.
 */
import { offerTypeWords, offerVariantWords } from '../catalog/promoted-offer.ts'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { formatUsd } from '../lib/money.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import { nextOffset } from '../tools/params.ts'
import type { Offer, OfferWithClicks } from './offers.service.ts'

const WRITERS = 'members of your organization'

export function offerPageText(
  offers: readonly OfferWithClicks[],
  { total, offset, now }: { total: number; offset: number; now: Date },
): string {
  if (offers.length === 0)
    return total === 0
      ? 'No offers match. Next: list_offers without filters for all of them, create_offer for a new one.'
      : `No offers from offset ${offset} on: there are ${total} in all. Next: list_offers with a smaller offset.`
  return fitItems(offers.length, TEXT_ROOM, (shown) => {
    const some = offers.slice(0, shown)
    const next = nextOffset(total, { offset, shown })
    const lines = some.map((offer, at) => {
      const { recent, ever } = offer.clicks
      return `${at + 1}. ${facts(offer, now)} · ${counted(ever, 'click')} (${recent} in 30 days)`
    })
    return [
      `# Offers ${offset + 1} to ${offset + shown} of ${total}, newest first`,
      lines.join('\n'),
      untrusted(
        WRITERS,
        some.flatMap((offer, at) => words(offer, `Offer ${at + 1} `, MAX_LISTED_URL)),
      ),
      ...(next === null ? [] : [`${counted(total - next, 'more offer')}: list_offers with offset ${next}.`]),
      'Next: update_offer with offer_id to change terms or status; create_offer for a new one.',
    ].join('\n\n')
  })
}

export function createdText(offer: Offer, now: Date): string {
  if (offer.status === 'active')
    return `Created and published.\n\n${offerText(offer, now)}\n\n${standing(offer, now)}`
  const next =
    offer.status === 'expired'
      ? `Its expires_at is past. Next: update_offer with offer_id ${offer.id}, a later expires_at and status active.`
      : `Buyers don't see it yet. Next: update_offer with offer_id ${offer.id} and status active.`
  return `Created a draft.\n\n${offerText(offer, now)}\n\n${next}`
}

export function updatedText(offer: Offer, changed: readonly string[], now: Date): string {
  const done =
    changed.length === 0
      ? 'Nothing was changed: the offer already has these values.'
      : `Changed: ${changed.join(', ')}.`
  return `${done}\n\n${offerText(offer, now)}\n\n${standing(offer, now)}`
}

function standing({ id, status, startsAt, expiresAt, productSlug }: Offer, now: Date): string {
  if (status === 'draft')
    return `Buyers don't see it yet. Next: update_offer with offer_id ${id} and status active.`
  if (status === 'paused')
    return "Buyers don't see it. Next: update_offer with status active to publish it again."
  if (status === 'expired')
    return expiresAt !== null && expiresAt <= now
      ? 'It has ended: its expires_at is past. Next: update_offer with a later expires_at and status active to reactivate it.'
      : 'It has ended. Next: update_offer with status active to reactivate it.'
  const since = startsAt !== null && startsAt > now ? ` from ${startsAt.toISOString()} on` : ''
  return `Buyers see it with ${productSlug}${since}. Next: list_offers to see its clicks.`
}

/** Where it stands in full, for one; in a list an address takes the room of other offers. */
const MAX_URL = 2_000
const MAX_LISTED_URL = 200

function offerText(offer: Offer, now: Date): string {
  return `${facts(offer, now)}\n\n${untrusted(WRITERS, words(offer, '', MAX_URL))}`
}

function facts(offer: Offer, now: Date): string {
  const { id, productSlug, status, priceCents, listPriceCents, offerTypes, startsAt, expiresAt } = offer
  const { ofVariant } = offer
  const said = [
    `offer_id ${id}`,
    productSlug,
    ...(ofVariant === null ? [] : [`for ${inlineText(offerVariantWords(ofVariant), 160)}`]),
    `**${status}**`,
    priceCents === null ? 'price not stated' : formatUsd(priceCents),
    ...(listPriceCents === null ? [] : [`list ${formatUsd(listPriceCents)}`]),
    ...offerTypes.map((type) => inlineText(offerTypeWords(type), 40)),
    ...(startsAt === null ? [] : [`${startsAt > now ? 'starts' : 'since'} ${startsAt.toISOString()}`]),
    expiresAt === null ? 'no end' : `${expiresAt > now ? 'ends' : 'ended'} ${expiresAt.toISOString()}`,
  ]
  return said.join(' · ')
}

/** Longer than any of them may be: none is cut but addresses. */
const MAX_WORDS = 1_000

function words(offer: Offer, prefix: string, maxUrl: number): UntrustedLine[] {
  const { headline, detail, promoCode, destinationUrl } = offer
  return [
    { label: `${prefix}headline`, text: headline, max: MAX_WORDS },
    ...(detail === null ? [] : [{ label: `${prefix}detail`, text: detail, max: MAX_WORDS }]),
    ...(promoCode === null ? [] : [{ label: `${prefix}promo code`, text: promoCode, max: MAX_WORDS }]),
    { label: `${prefix}link`, text: destinationUrl, max: maxUrl },
  ]
}
