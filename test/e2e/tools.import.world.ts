/** A catalog with a product that feeds may name, producers who import, and a site that serves their feeds. */
import { importForProducer } from '../../src/catalog/producer-import.service.ts'
import type { Outbound, OutboundRequest } from '../../src/lib/outbound.ts'
import { RELATIONSHIP_HOOKS } from '../../src/org-hooks.ts'
import { captureLog } from '../harness.ts'
import type { TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import type { ToolPerson } from '../tools.world.ts'
import { createToolsWorld } from '../tools.world.ts'
import { createSite } from './integration.world.ts'

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>

/** A row that names the product which the catalog has. */
export const KNOWN = { category: 'kettles', title: 'Spout Kettle One', brand: 'Spout', gtin: '4006381333931' }
export const NOTHING = { submissions: 0, claims: 0, enrichments: 0, audits: 0 }

export const jsonl = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')
/** A row of a product that the catalog does not have. */
export const fresh = (name: string) => ({ category: 'kettles', title: `${name} Kettle`, brand: 'Feedling' })
export const rowsOf = (data: Record<string, unknown>) => data.rows as Array<Record<string, unknown>>

export async function createImportWorld() {
  const site = await createSite(['feeds.example'])
  /** What imports ask for; the site is no public one, so the wish for public addresses ends here. */
  const asked: OutboundRequest[] = []
  const outbound: Outbound = {
    ...site.outbound,
    request(input) {
      asked.push(input)
      return site.outbound.request({ ...input, publicOnly: false })
    },
  }
  const world = await createToolsWorld({ outbound })
  const known = await addProduct(world, {
    ...KNOWN,
    slug: 'old-kettle',
    brand_domain: 'spout.example',
    mpn: 'SP-1',
    price: 50,
    specs: { Volume: '1 l', Power: '2000 W' },
    where_to_buy: [{ name: 'Corner', url: 'https://corner.example/k', price: 50 }],
  })
  await addProduct(world, { slug: 'dome', category: 'tents', title: 'Dome Tent', brand: 'Peak' })

  const newShop = async (options: { orgType?: 'manufacturer'; domain?: string } = {}) => {
    const { org, ...person } = await world.person({ producer: { name: 'Feed Shop', ...options } })
    if (!org) throw new Error('a producer has an organization')
    return { ...person, org }
  }

  const importAs = (by: ToolPerson, args: Record<string, unknown>) =>
    world.call(by, 'import_products', { source: 'jsonl', dry_run: false, ...args })

  /** How much of the organization is in the database. */
  async function left(by: ToolPerson) {
    const count = async (table: string) => {
      const { rows } = await world.database.pool.query<{ n: number }>(
        `select count(*)::int as n from ${table} where org_id = $1`,
        [by.org?.id],
      )
      return rows[0]?.n
    }
    return {
      submissions: await count('product_submissions'),
      claims: await count('product_relationships'),
      enrichments: await count('enrichments'),
      audits: await count('audit_log'),
    }
  }
  const keysOf = async (by: ToolPerson) => {
    const { rows } = await world.database.pool.query('select 1 from org_imports where org_id = $1', [
      by.org?.id,
    ])
    return rows.length
  }

  /** The service itself, for what no call of the tool can show: with another database or outbound, given up, watched. */
  const importBy = (
    { org }: { org: TestOrg },
    input: Partial<Parameters<typeof importForProducer>[2]>,
    {
      signal = AbortSignal.timeout(30_000),
      progress = () => {},
      ...context
    }: Partial<Parameters<typeof importForProducer>[0] & Parameters<typeof importForProducer>[3]> = {},
  ) =>
    importForProducer(
      {
        ...world.ctx,
        ...world.accounts,
        log: captureLog().log,
        outbound: site.outbound,
        relationshipHooks: RELATIONSHIP_HOOKS,
        ...context,
      },
      {
        caller: { kind: 'link_token', tokenId: org.tokenId, orgId: org.id },
        visit: { ip: null, userAgent: null, requestId: null },
      },
      { source: 'jsonl', dry_run: false, ...input },
      { signal, progress },
    )
  return { ...world, site, asked, known, newShop, importAs, importBy, left, keysOf }
}
