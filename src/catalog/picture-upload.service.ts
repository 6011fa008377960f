/**
 * A picture that a producer uploads for a product. It is decoded with the limits of every other one, kept as ours, and
 * proposed by its address here: nothing shows it until an operator approves it, and one that nobody proposed or approved
 * is swept. Who may not propose is refused before anything is decoded, and an organization has one decoded at a time.
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { unavailable } from '../lib/errors.ts'
import type { Act } from '../orgs/producer.ts'
import { copyPath } from '../pictures/picture.address.ts'
import { keepUpload, type PicturesContext, refusalError } from '../pictures/pictures.service.ts'
import { requireProposer, submitEnrichment } from './enrichment.service.ts'
import type { ProductSlug } from './relationships.schema.ts'
import { tooManyWait, WAITING_PROPOSALS } from './waiting-limits.ts'

export type PictureUpload = { productSlug: ProductSlug; bytes: Uint8Array; alt: string | null; field: string }

const decoding = new Set<string>()

export async function uploadPicture(
  ctx: { db: Db; clock: Clock; pictures: PicturesContext },
  act: Act,
  { productSlug, bytes, alt, field }: PictureUpload,
): Promise<{ id: string; created: boolean }> {
  const { orgId, productId } = await ctx.db.transaction().execute(async (tx) => {
    const { producer, productId, open } = await requireProposer(tx, act, productSlug)
    if (open.length >= WAITING_PROPOSALS.max) throw tooManyWait(WAITING_PROPOSALS)
    return { orgId: producer.org.id, productId }
  })
  if (decoding.has(orgId))
    throw unavailable('another picture of yours is being read; try again in a moment', 5)
  decoding.add(orgId)
  try {
    const decoded = await ctx.pictures.decoder.decode(bytes)
    if ('refused' in decoded) throw refusalError(decoded.refused, field)
    const urlOf = (hash: string) => `${ctx.pictures.baseUrl}${copyPath(hash)}`
    const hash = await keepUpload(ctx.pictures, decoded.picture, { productId, urlOf })
    return await submitEnrichment(ctx, act, {
      product_slug: productSlug,
      images: [{ url: urlOf(hash), alt }],
      note: null,
    })
  } finally {
    decoding.delete(orgId)
  }
}
