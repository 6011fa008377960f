/** Two kettles, a tent and a seller, for people who save products. */
import { createOrg, relate } from './orgs.ts'
import { addProduct } from './products.ts'
import { GOOSENECK } from './skills.world.ts'
import { createToolsWorld, type ToolPerson, type ToolResult } from './tools.world.ts'

export const WHISTLER = {
  slug: 'whistler',
  category: 'kettles',
  title: 'Whistling Stove Kettle',
  price: 30,
}
export const DOME_ARGS = { category: 'tents', slug: 'dome' }
const KETTLE = { category: 'kettles', slug: 'gooseneck' }

export type SavedWorld = Awaited<ReturnType<typeof createSavedWorld>>

/** `save` and `remove` are about the gooseneck kettle unless told otherwise. */
export async function createSavedWorld() {
  const souk = await createToolsWorld()
  const gooseneck = await addProduct(souk, GOOSENECK)
  await addProduct(souk, WHISTLER)
  await addProduct(souk, { ...DOME_ARGS, title: 'Dome Tent for Two', price: 210 })
  await souk.catchUp()
  await souk.searchRuntime.fill()
  const shop = await createOrg(souk, { name: 'Kettle Shop' })
  await relate(souk, shop, gooseneck)
  type Args = Record<string, unknown>
  return {
    ...souk,
    shop,
    save: (person: ToolPerson, args: Args = {}) => souk.call(person, 'save_product', { ...KETTLE, ...args }),
    list: (person: ToolPerson, args: Args = {}) => souk.call(person, 'list_saved_products', args),
    remove: (person: ToolPerson, args: Args = {}) =>
      souk.call(person, 'remove_saved_product', { ...KETTLE, ...args }),
  }
}

type Saved = { product_slug: string; changes: Array<Record<string, unknown>> }

export function savedOf({ data }: Pick<ToolResult, 'data'>): Saved[] {
  return data.products as Saved[]
}
