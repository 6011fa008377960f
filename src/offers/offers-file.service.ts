/**
 * Offers from a file: a row with the id of an offer changes it, one without makes a new one. Another organization's id is
 * as unknown as one that never was.
 */
import type { ByteStream } from '../catalog/import/bytes.ts'
import { dollarsIn, isCleared, listIn, momentIn, readSheet, type SheetRow } from '../catalog/import/sheet.ts'
import { takeTurn } from '../catalog/relationships.service.ts'
import { type RowDone, type SheetOutcome, type SheetWish, takeSheet } from '../catalog/sheet-batch.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, invalid } from '../lib/errors.ts'
import { parseInput } from '../lib/validate.ts'
import { type Act, boundTo, recordAction, requireProducer } from '../orgs/producer.ts'
import { OFFER, OfferCreateRequest, OfferEditRequest, SETTABLE_STATUSES, statusNow } from './offer.model.ts'
import { changeIn, createIn, requireOffer } from './offers.service.ts'

const WIRE_NAMES = OFFER.keys.map((key) => OFFER.names[key])
export const OFFER_COLUMNS = ['offer_id', 'product_slug', ...WIRE_NAMES, 'status'] as const
/** What the file of the list says beside them. */
export const OFFER_FACTS = ['Product', 'State', 'Clicks']

type Doing = Parameters<typeof createIn>[1]

export async function importOffers(
  ctx: { db: Db; clock: Clock },
  act: Act,
  { content, ...wish }: { content: ByteStream } & SheetWish,
): Promise<SheetOutcome> {
  // Nobody's file is read before they may send one.
  const asked = await requireProducer(ctx, act.caller, 'edit')
  const sheet = await readSheet(content, {
    names: Object.fromEntries(OFFER_COLUMNS.map((name) => [name, name])),
    shown: OFFER_FACTS,
    check: (fields) =>
      fields.has('offer_id') || fields.has('product_slug')
        ? null
        : 'no column says which offer a row is, or which product a new one is for; call them offer_id and product_slug',
  })
  return takeSheet(ctx, sheet, wish, async (tx) => {
    const producer = await requireProducer({ db: tx }, boundTo(act.caller, asked.org.id), 'edit')
    await takeTurn(tx, producer.org.id)
    const doing = { producer, act, at: ctx.clock.now() }
    return {
      nameOf: ({ cells }) =>
        cells.get('headline') || cells.get('offer_id') || cells.get('product_slug') || null,
      row: (part, row) => takeRow(part, doing, row),
      async end(whole, changed) {
        const created = changed.filter(({ what }) => what.includes('new')).length
        const detail = { created, changed: changed.length - created }
        await recordAction(whole, doing, 'offer.imported', detail)
      },
    }
  })
}

async function takeRow(tx: Db, doing: Doing, { cells }: SheetRow): Promise<RowDone> {
  const offerId = cells.get('offer_id') ?? ''
  const productSlug = cells.get('product_slug') ?? ''
  const status = (cells.get('status') ?? '').toLowerCase()
  const fields = fieldsIn(cells)
  if (offerId === '') {
    if (status !== '' && status !== 'draft' && status !== 'active')
      throw refused('status', 'must be draft or active for a new offer')
    const offer = parseInput(OfferCreateRequest, { product_slug: productSlug, ...fields })
    const { headline } = await createIn(tx, doing, {
      ...offer,
      status: status === 'active' ? 'active' : 'draft',
    })
    return { name: headline, what: ['new'] }
  }
  const before = await requireOffer(tx, { offerId, orgId: doing.producer.org.id })
  if (productSlug !== '' && ![before.productSlug, before.productSlug.split('/')[1]].includes(productSlug))
    throw refused('product_slug', 'is not the product of this offer; an offer stays with its product')
  const isSame = status === '' || status === statusNow(before, doing.at)
  const next = SETTABLE_STATUSES.find((one) => one === status)
  if (!isSame && next === undefined) throw refused('status', `must be one of ${SETTABLE_STATUSES.join(', ')}`)
  const { edit } = parseInput(OfferEditRequest, { offer_id: offerId, ...fields })
  const change = { offerId, edit, ...(!isSame && next && { status: next }) }
  const { offer, changed } = await changeIn(tx, doing, change)
  return changed.length === 0 ? null : { name: offer.headline, what: changed }
}

/** An empty cell says nothing. */
function fieldsIn(cells: SheetRow['cells']): Record<string, unknown> {
  return Object.fromEntries(
    OFFER.keys.flatMap((key) => {
      const name = OFFER.names[key]
      const text = cells.get(name) ?? ''
      return text === '' ? [] : [[name, valueIn(OFFER.fields[key].as, text)]]
    }),
  )
}

function valueIn(as: (typeof OFFER)['fields'][keyof (typeof OFFER)['fields']]['as'], text: string): unknown {
  if (isCleared(text)) return as === 'texts' ? [] : null
  if (as === 'cents') return dollarsIn(text)
  if (as === 'moment') return momentIn(text)
  return as === 'texts' ? listIn(text) : text
}

function refused(field: string, problem: string): AppError {
  return invalid(field, `${field}: ${problem}`)
}
