/** Profiles by id in the order asked for, each with what sellers promote at this moment. Those removed are left out. */
import { getProfiles } from '../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { withOffers } from '../../catalog/promoted-offer.ts'
import type { UcpContext } from './context.ts'

export async function profilesOf(
  ctx: Pick<UcpContext, 'db' | 'offers'>,
  ids: string[],
): Promise<ProductProfile[]> {
  if (ids.length === 0) return []
  const byId = new Map((await getProfiles(ctx, ids)).map((profile) => [profile.id, profile]))
  return ids.flatMap((id) => {
    const profile = byId.get(id)
    return profile ? [withOffers(profile, ctx.offers)] : []
  })
}
