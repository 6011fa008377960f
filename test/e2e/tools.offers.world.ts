/** Three kettles and those who make offers for two of them with tools. */
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolPerson } from '../tools.world.ts'
import { audits } from './offers.world.ts'
import { type Seller, sellerOf } from './tools.sellers.ts'

export const DEAL = {
  product_slug: 'kettles/gooseneck',
  headline: 'A fifth off',
  destination_url: 'https://shop.example/d',
}

export type OfferRow = Record<string, unknown> & { offer_id: string }

export async function createOfferToolsWorld() {
  const world = await createToolsWorld()
  const ids: string[] = []
  for (const slug of ['gooseneck', 'whistler', 'samovar'])
    ids.push(await addProduct(world, { slug, category: 'kettles', title: `The ${slug}`, price: 60 }))
  await world.searchRuntime.fill()

  /** Of the gooseneck and the whistler; nobody sells the samovar. */
  const seller = () => sellerOf(world, ids.slice(0, 2))

  async function make(by: ToolPerson, terms: Record<string, unknown> = {}): Promise<string> {
    const { data, text, isError } = await world.call(by, 'create_offer', { ...DEAL, ...terms })
    if (isError) throw new Error(text)
    return String(data.offer_id)
  }

  return {
    ...world,
    seller,
    make,
    shop: await seller(),
    rival: await seller(),
    rows: (data: Record<string, unknown>) => data.offers as OfferRow[],
    actions: (by: Seller) => audits(world, by.org),
    clickOn: (id: string) => world.app.request(`http://souk.test/go/${id}`),
  }
}
