/** `product-lookup`: one profile, whole as data and compact as text. */
import { profileData, profileText } from '../../../catalog/profile.text.ts'
import { requireProfile } from '../../../search/named-product.ts'
import { LookupParams } from './params.ts'
import type { QuickSkill } from './skill.ts'

export const lookup: QuickSkill<typeof LookupParams> = {
  params: LookupParams,
  async run(ctx, { agent }, params) {
    const profile = await requireProfile(ctx, params)
    ctx.reads.count({ productId: profile.id, face: 'a2a', agent })
    const { baseUrl } = ctx.config
    return { text: profileText(profile, baseUrl), data: profileData(profile, baseUrl) }
  },
}
