/**
 * Claims from a file: a product a row, with what the organization is to it. They are claimed together, so the page of such
 * claims can withdraw them as a whole.
 */
import { newId } from '../lib/ids.ts'
import { parseInput } from '../lib/validate.ts'
import { type Act, boundTo, recordAction, requireProducer } from '../orgs/producer.ts'
import { type Claiming, claimOne } from './claim.service.ts'
import { markBatch } from './found-claims.queries.ts'
import type { ByteStream } from './import/bytes.ts'
import { listIn, readSheet, type SheetRow } from './import/sheet.ts'
import { plainName } from './import/values.ts'
import { canonicalSlug } from './profile.ts'
import { ClaimRequest, RELATIONSHIP_TYPES } from './relationships.schema.ts'
import { type RelationshipsContext, takeTurn } from './relationships.service.ts'
import { type RowDone, type SheetOutcome, type SheetWish, takeSheet } from './sheet-batch.ts'

const NAMES = {
  product_slug: 'product_slug slug product_id',
  relationship_type: 'relationship_type relationship type',
  evidence_url: 'evidence_url evidence',
  gtin: 'gtin ean upc',
  mpn: 'mpn part_number',
}
export const CLAIM_COLUMNS = Object.keys(NAMES) as Array<keyof typeof NAMES>
/** What the file of the products says beside them. */
export const CLAIM_FACTS = ['Product', 'Claim', 'Profile', 'Offers', 'Issues', 'Quotes']

/** What people write for each. */
const WORDS: Record<string, (typeof RELATIONSHIP_TYPES)[number]> = {
  ...Object.fromEntries(RELATIONSHIP_TYPES.map((type) => [plainName(type), type])),
  ...{ sell: 'sells', seller: 'sells', wesellit: 'sells', sellsit: 'sells' },
  ...{ make: 'manufactured_by', makes: 'manufactured_by', maker: 'manufactured_by' },
  ...{ manufacturer: 'manufactured_by', wemakeit: 'manufactured_by', makesit: 'manufactured_by' },
}

export async function importClaims(
  ctx: RelationshipsContext,
  act: Act,
  { content, ...wish }: { content: ByteStream } & SheetWish,
): Promise<SheetOutcome> {
  const asked = await requireProducer(ctx, act.caller, 'edit')
  const sheet = await readSheet(content, {
    names: NAMES,
    shown: CLAIM_FACTS,
    check: (fields) =>
      fields.has('product_slug') && fields.has('relationship_type')
        ? null
        : 'two columns are needed: product_slug, and relationship_type with sells or manufactured_by',
  })
  return takeSheet(ctx, sheet, wish, async (tx) => {
    const producer = await requireProducer({ db: tx }, boundTo(act.caller, asked.org.id), 'edit')
    await takeTurn(tx, producer.org.id)
    const { relationshipHooks, clock } = ctx
    const claiming: Claiming = { producer, act, at: clock.now(), relationshipHooks }
    const made: string[] = []
    return {
      nameOf: ({ cells }) => cells.get('product_slug') || null,
      row: (part, row) => takeRow(part, claiming, row, made),
      async end(whole, changed) {
        const batch = newId()
        await markBatch(whole, made, batch)
        const detail = { products: changed.length, claims: made.length, batch }
        await recordAction(whole, claiming, 'relationship.imported', detail)
      },
    }
  })
}

async function takeRow(
  tx: Parameters<typeof claimOne>[0],
  claiming: Claiming,
  { cells }: SheetRow,
  made: string[],
): Promise<RowDone> {
  const said = Object.fromEntries([...cells].map(([field, text]) => [field, text === '' ? null : text]))
  const types = listIn(cells.get('relationship_type') ?? '').map((word) => WORDS[plainName(word)] ?? word)
  const [what, own]: [string[], string[]] = [[], []]
  let name = ''
  for (const type of types.length === 0 ? [''] : types) {
    const claim = await claimOne(
      tx,
      claiming,
      parseInput(ClaimRequest, { ...said, product_slug: said.product_slug ?? '', relationship_type: type }),
    )
    name = canonicalSlug(claim.product)
    if (claim.created) own.push(claim.relationshipId)
    if (claim.news) what.push(`${type}: ${claim.status}`)
  }
  // Only of a row that stays whole.
  made.push(...own)
  return what.length === 0 ? null : { name, what }
}
