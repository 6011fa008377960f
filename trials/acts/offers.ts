/** Sellers make offers, change them, show them, pause and end them. */
import { type Act, asJson, type Turn } from '../act.ts'
import type { State, Subject } from '../journal.ts'
import type { Producer } from '../people.ts'

const TYPES = ['percentage_off', 'free_shipping', 'free_gift']

function anOffer(turn: Turn): { offer: Subject; producer: Producer; state: NonNullable<State> } | null {
  const offers = turn.journal.free('offer').filter(({ id }) => id !== null)
  if (offers.length === 0) return null
  const offer = turn.pick(offers)
  const producer = turn.people.producers.find(({ orgId }) => orgId === offer.owner)
  const [state] = offer.possible
  return producer && state ? { offer, producer, state } : null
}

/** By the session or by the link token, as it comes. */
const asSeller = (turn: Turn, { cookie, bearer }: Producer) =>
  asJson(turn.random() < 0.5 ? { cookie } : { bearer })

export const OFFER_ACTS: readonly Act[] = [
  {
    name: 'offer.create',
    weight: 3,
    async run(turn) {
      const producer = turn.pick(turn.people.producers)
      const word = turn.word()
      const product = turn.pick(producer.sells)
      const subject = turn.journal.invent('offer', word, producer.orgId, { product })
      const price = 20 + Math.floor(turn.random() * 200)
      const answer = await turn.write(
        {
          subject,
          next: { headline: `New ${word}`, priceCents: price * 100, status: 'draft' },
          audited: 'offer.created',
          by: producer.orgId,
          said: ({ json }) => ({ id: json().offer_id }),
        },
        {
          path: '/api/offers/create/',
          ip: producer.ip,
          headers: asSeller(turn, producer),
          body: {
            product_slug: product,
            headline: `New ${word}`,
            destination_url: `https://${producer.domain}/offers/${word}`,
            price_usd: price,
            list_price_usd: price + 30,
            promo_code: word,
            offer_types: [turn.pick(TYPES)],
          },
        },
      )
      if (answer.status === 201) subject.id = String(answer.json().offer_id)
    },
  },
  {
    name: 'offer.edit',
    weight: 3,
    async run(turn) {
      const found = anOffer(turn)
      if (!found) return
      const { offer, producer, state } = found
      const headline = `Now ${turn.word()}`
      const price = 20 + Math.floor(turn.random() * 200)
      await turn.write(
        {
          subject: offer,
          next: { ...state, headline, priceCents: price * 100 },
          audited: 'offer.edited',
          by: producer.orgId,
        },
        {
          method: 'PATCH',
          path: '/api/offers/edit/',
          ip: producer.ip,
          headers: asSeller(turn, producer),
          body: { offer_id: offer.id, headline, price_usd: price },
        },
      )
    },
  },
  {
    name: 'offer.status',
    weight: 4,
    async run(turn) {
      const found = anOffer(turn)
      if (!found) return
      const { offer, producer, state } = found
      // Mostly shown, so that pages have something to show.
      const status = turn.pick(
        ['active', 'active', 'active', 'paused', 'expired'].filter((to) => to !== state.status),
      )
      await turn.write(
        { subject: offer, next: { ...state, status }, audited: 'offer.status_set', by: producer.orgId },
        {
          method: 'PATCH',
          path: '/api/offers/update/',
          ip: producer.ip,
          headers: asSeller(turn, producer),
          body: { offer_id: offer.id, status },
        },
      )
    },
  },
]
