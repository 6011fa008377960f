/** A maker with products in every state, a rival, and their browsers at /dashboard/products. */
import { newId } from '../../src/lib/ids.ts'
import { createBrowser } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { unescapeHtml } from '../html.ts'
import { addMember, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'

export const PRODUCTS = '/dashboard/products'
export const WHOLE = `${PRODUCTS}/kettles/whole`
export const GTIN = '4006381333931'

export async function createProductsWorld() {
  const souk = await createTestApp()
  const ids = {
    whole: await addProduct(souk, {
      slug: 'whole',
      category: 'kettles',
      title: 'Whole Kettle',
      brand: 'Spout',
      brand_domain: 'spout.example',
      description: 'A slim spout.',
      specs: { Capacity: '1 l', Power: '1200 W', Weight: '1 kg', Colour: 'black', Cord: '1 m' },
      where_to_buy: [{ name: 'Spout', url: 'https://spout.example/whole', price: 55 }],
      gtin: GTIN,
      mpn: 'SK-100',
      price: { low: 50, high: 60 },
    }),
    bare: await addProduct(souk, { slug: 'bare', category: 'kettles', title: 'Bare Kettle & Co' }),
    free: await addProduct(souk, {
      slug: 'free',
      category: 'kettles',
      title: 'Unclaimed Kettle',
      brand: 'Spout',
      brand_domain: 'spout.example',
    }),
  }
  const maker = await createOrg(souk, { name: 'Spout Inc', orgType: 'manufacturer', domain: 'spout.example' })
  const rival = await createOrg(souk, { name: 'Rival', domain: 'rival.example' })
  const claims = {
    makes: await relate(souk, maker, ids.whole, { type: 'manufactured_by' }),
    waits: await relate(souk, maker, ids.bare, { status: 'pending' }),
    rivals: await relate(souk, rival, ids.bare),
  }

  function browserOf({ cookie }: { cookie: string }) {
    const browser = createBrowser(souk)
    browser.setCookie(cookie)
    return browser
  }
  const { db } = souk.database

  return {
    ...souk,
    ids,
    maker,
    rival,
    claims,
    browserOf,
    owner: browserOf(maker.session),
    theirs: browserOf(rival.session),
    viewer: browserOf(await addMember(souk, maker, 'viewer')),
    editor: browserOf(await addMember(souk, maker, 'editor')),
    /** A form of the maker's. */
    form: (fields: Record<string, string>) => ({ org_id: maker.id, ...fields }),
    proposals: () => db.selectFrom('enrichments').selectAll().orderBy('created_at').orderBy('id').execute(),
    submissions: () =>
      db.selectFrom('product_submissions').selectAll().orderBy('created_at').orderBy('id').execute(),
    relationships: () => db.selectFrom('product_relationships').selectAll().orderBy('id').execute(),
    async activeOffer(productId: string): Promise<string> {
      const [id, at] = [newId(), souk.clock.now()]
      await db
        .insertInto('offers')
        .values({
          id,
          org_id: maker.id,
          product_id: productId,
          headline: 'A deal',
          detail: null,
          destination_url: 'https://spout.example/deal',
          price_cents: 5_500,
          list_price_cents: null,
          starts_at: null,
          expires_at: null,
          promo_code: null,
          status: 'active',
          created_at: at,
          updated_at: at,
        })
        .execute()
      return id
    },
  }
}

export async function read(answer: Response | Promise<Response>) {
  const response = await answer
  const html = await response.text()
  return { status: response.status, location: response.headers.get('location'), html }
}

/** What the form of that address holds, as a browser would send it back. */
export function filledIn(html: string, action: string): Record<string, string> {
  const form = [...html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].find(
    ([, to]) => to === action,
  )
  if (!form) throw new Error(`the page has no form for ${action}`)
  const body = form[2] ?? ''
  const fields: Record<string, string> = {}
  for (const [tag] of body.matchAll(/<input[^>]*>/g)) {
    if (/ type="checkbox"/.test(tag)) continue
    fields[attribute(tag, 'name')] = attribute(tag, 'value')
  }
  for (const [, tag = '', text = ''] of body.matchAll(/(<textarea[^>]*>)(.*?)<\/textarea>/gs))
    fields[attribute(tag, 'name')] = unescapeHtml(text).replace(/\r?\n/g, '\r\n')
  for (const [, tag = '', options = ''] of body.matchAll(/(<select[^>]*>)(.*?)<\/select>/gs))
    fields[attribute(tag, 'name')] = attribute(
      /<option[^>]* selected[^>]*>/.exec(options)?.[0] ?? '',
      'value',
    )
  return fields
}

function attribute(tag: string, name: string): string {
  return unescapeHtml(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}
