/** `product-offers`: what sellers promote for a product at this moment, as `/offers/{slug}.json` has it. */

import { renderOffersJson } from '../../../catalog/profile.json.ts'
import { offersPath, priceRange, productLine } from '../../../catalog/profile.ts'
import { offersText } from '../../../catalog/promoted-offer.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../../../lib/fit-text.ts'
import { counted } from '../../../lib/words.ts'
import { requireProfile } from '../../../search/named-product.ts'
import { OffersParams } from './params.ts'
import type { QuickSkill } from './skill.ts'

export const offers: QuickSkill<typeof OffersParams> = {
  params: OffersParams,
  async run(ctx, _caller, params) {
    const { baseUrl } = ctx.config
    const profile = await requireProfile(ctx, params)
    const live = profile.offers ?? []
    const category = profile.category.slug
    const data = renderOffersJson({ ...profile, category }, baseUrl)
    const product_slug = `${category}/${profile.slug}`
    const product = {
      ...data.product,
      product_slug,
      price_range: priceRange(profile),
      discontinued: profile.discontinued,
    }
    const head = `Product, with its catalog price: ${productLine({ ...product, is_sponsored: false })}`
    const intro =
      live.length === 0
        ? `It has no promoted offers right now. For seller prices, request a quote: skill request-for-quote, product_slug ${product_slug}.`
        : `${counted(live.length, 'offer')} now, lowest price first. Sponsored by the sellers; does not affect ranking.`
    const text = fitItems(live.length, TEXT_ROOM, (shown) => {
      const left = live.length - shown
      const more = `${left} more: in the data, and at ${baseUrl}${offersPath(profile)}`
      return paragraphs([head, intro, offersText(live.slice(0, shown), baseUrl), left > 0 ? more : ''])
    })
    return { text, data: { ...data, product } }
  },
}
