/** Owners of organizations with products of their own, for tests of tools. */
import { relate, type TestOrg } from '../orgs.ts'
import type { ToolPerson, ToolsWorld } from '../tools.world.ts'

export type Seller = ToolPerson & { org: TestOrg }

/** Owner of a new organization that is known to sell these. */
export async function sellerOf(world: ToolsWorld, productIds: readonly string[]): Promise<Seller> {
  const { org, ...person } = await world.person({ producer: true })
  if (!org) throw new Error('acts for nobody')
  for (const id of productIds) await relate(world, org, id)
  return { ...person, org }
}
