/** A shop with a whole, a bare and a discontinued product, a rival, and the tools that show a producer how it stands. */
import { newId } from '../../src/lib/ids.ts'
import { relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type OrgOptions, type ToolPerson } from '../tools.world.ts'

export type Owner = ToolPerson & { org: TestOrg }
export type Row = Record<string, unknown>
export type IssuesWorld = Awaited<ReturnType<typeof createIssuesWorld>>

/** Nothing is missing in its profile. */
const WHOLE = {
  category: 'kettles',
  brand: 'Spout',
  brand_domain: 'spout.example',
  description: 'A slim spout.',
  specs: { Capacity: '1 l', Power: '1200 W', Weight: '1 kg', Colour: 'black', Cord: '1 m' },
  images: [{ url: 'https://spout.example/1.jpg' }],
  gtin: '4006381333931',
  price: { low: 50, high: 60 },
}

const TENT = { slug: 'dome', category: 'tents', title: 'Dome Tent 100% dry', discontinued: true }

export async function createIssuesWorld() {
  const souk = await createToolsWorld()
  const { db, pool } = souk.database

  async function owner(options: true | OrgOptions = true): Promise<Owner> {
    const person = await souk.person({ producer: options })
    if (!person.org) throw new Error('no organization was made')
    return { ...person, org: person.org }
  }

  /** How it answers requests: by managed pricing, or by an agent that works. */
  async function integrate({ org }: Owner, how: 'managed' | 'agent'): Promise<void> {
    await db
      .insertInto('agent_integrations')
      .values({
        org_id: org.id,
        is_managed: how === 'managed',
        status: 'active',
        managed_rules: null,
        agent_card_url: how === 'agent' ? 'https://shop.example/card.json' : null,
        secret_box: null,
        last_response_ms: null,
        last_checked_at: null,
        skip_until: null,
      })
      .execute()
  }

  async function offer(
    { org }: Owner,
    productId: string,
    terms: { status: 'draft' | 'active' | 'paused' | 'expired'; price_cents?: number; expires_at?: Date },
  ): Promise<string> {
    const [id, at] = [newId(), souk.clock.now()]
    await db
      .insertInto('offers')
      .values({
        id,
        org_id: org.id,
        product_id: productId,
        headline: 'A deal',
        detail: null,
        destination_url: 'https://shop.example/deal',
        price_cents: null,
        list_price_cents: null,
        starts_at: null,
        expires_at: null,
        promo_code: null,
        created_at: at,
        updated_at: at,
        ...terms,
      })
      .execute()
    return id
  }

  const ids = {
    whole: await addProduct(souk, { ...WHOLE, slug: 'whole', title: 'Whole Kettle' }),
    bare: await addProduct(souk, { slug: 'bare', category: 'kettles', title: 'Bare Kettle' }),
    tent: await addProduct(souk, TENT),
  }
  const shop = await owner({ name: 'Shop' })
  const rival = await owner({ name: 'Rival' })
  await integrate(shop, 'managed')
  await relate(souk, shop.org, ids.whole)
  souk.clock.set('2026-11-01T12:00:01Z')
  await relate(souk, shop.org, ids.whole, { type: 'manufactured_by', status: 'pending' })
  souk.clock.set('2026-11-01T12:00:02Z')
  await relate(souk, shop.org, ids.bare)
  souk.clock.set('2026-11-01T12:00:03Z')
  await relate(souk, shop.org, ids.tent, { status: 'pending' })
  await offer(shop, ids.whole, { status: 'active', price_cents: 5_500 })
  await offer(shop, ids.whole, { status: 'active', expires_at: new Date('2026-10-30T00:00:00Z') })
  await offer(shop, ids.whole, { status: 'draft' })
  await offer(shop, ids.whole, { status: 'expired' })
  await offer(rival, ids.whole, { status: 'active', price_cents: 1 })
  await pool.query(
    `insert into product_submissions (id, org_id, relationship_type, product, identity_key, status)
     values ($1, $4, 'sells', '{}', 'a', 'pending'), ($2, $4, 'sells', '{}', 'b', 'rejected'),
       ($3, $5, 'sells', '{}', 'a', 'pending')`,
    [newId(), newId(), newId(), shop.org.id, rival.org.id],
  )

  return {
    ...souk,
    ids,
    shop,
    rival,
    owner,
    integrate,
    offer,
    async mine(args: Row = {}, person: ToolPerson = shop) {
      const answer = await souk.call(person, 'list_my_products', args)
      return { ...answer, products: (answer.data.products ?? []) as Row[] }
    },
    async found(args: Row = {}, person: ToolPerson = shop) {
      const answer = await souk.call(person, 'get_catalog_issues', args)
      return { ...answer, issues: (answer.data.issues ?? []) as Row[] }
    },
  }
}

export const rulesOf = (issues: Row[]) => issues.map(({ rule, product_slug }) => [product_slug, rule])
