/** A small shop world for tests of enrichments: products of one brand, a seller, their maker and an operator. */
import { getProfiles } from '../../src/catalog/catalog.service.ts'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import { newId } from '../../src/lib/ids.ts'
import { signIn } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { type Credential, call, createOrg, type JsonAnswer, relate, type TestOrg } from '../orgs.ts'

export const PATH = '/api/org/enrichment/'
export const ADMIN = '/api/admin/enrichments'

export type EnrichmentWorld = Awaited<ReturnType<typeof createEnrichmentWorld>>

let products = 0

export async function createEnrichmentWorld() {
  const souk = await createTestApp()
  await importCategories(souk.ctx, [
    { slug: 'kettles', label: 'Kettles' },
    { slug: 'tents', label: 'Tents' },
  ])
  const signedIn = await signIn(souk, { email: 'operator@example.com', verified: true })
  await souk.database.pool.query(`update users set is_admin = true where email = 'operator@example.com'`)
  const operator = { cookie: signedIn.cookie }

  async function importRow(row: Record<string, unknown>): Promise<void> {
    const bytes = (async function* () {
      yield Buffer.from(JSON.stringify(row))
    })()
    await importProducts(souk.ctx, bytes, { format: 'jsonl', source: 'feed', fingerprint: newId() })
  }

  /** A product nobody has enriched yet. */
  async function addProduct(facts: Record<string, unknown> = {}): Promise<{ id: string; slug: string }> {
    const slug = `kettle-${++products}`
    const row = {
      slug,
      category: 'kettles',
      title: `Acme Kettle ${products}`,
      brand: 'Acme',
      description: 'Boils water.',
      specs: { Volume: '1.7 l', Watts: '2200' },
      price: { low: 49, high: 59 },
      ...facts,
    }
    await importRow(row)
    const { rows } = await souk.database.pool.query<{ id: string }>(
      'select id from products where slug = $1',
      [slug],
    )
    return { id: rows[0]?.id ?? '', slug }
  }

  /** An organization with a verified relationship to the product. */
  async function addProducer(
    productId: string,
    options: Parameters<typeof createOrg>[1] & { type?: 'sells' | 'manufactured_by' } = {},
  ): Promise<TestOrg> {
    const { type = 'sells', ...rest } = options
    const org = await createOrg(souk, rest)
    await relate(souk, org, productId, { type })
    return org
  }

  const submit = (by: Credential, body: Record<string, unknown>) => call(souk, by, 'POST', PATH, body)
  const approve = (enrichmentId: unknown, more: Record<string, unknown> = {}) =>
    call(souk, operator, 'POST', `${ADMIN}/approve/`, { enrichment_id: enrichmentId, ...more })

  /** Proposed and approved; throws when either is refused. */
  async function enrich(org: TestOrg, body: Record<string, unknown>): Promise<JsonAnswer['body']> {
    const submitted = await submit(org.bearer, body)
    const approved = await approve(submitted.body.enrichment_id)
    if (approved.status !== 200) throw new Error(JSON.stringify([submitted.body, approved.body]))
    return approved.body
  }

  async function read(slug: string) {
    await souk.catchUp()
    const text = async (path: string) => (await souk.app.request(path)).text()
    const path = `/p/kettles/${slug}`
    return {
      html: await text(path),
      md: await text(`${path}.md`),
      json: JSON.parse(await text(`${path}.json`)) as Record<string, unknown>,
    }
  }

  return { ...souk, operator, importRow, addProduct, addProducer, submit, approve, enrich, read }
}

/** What tests of reviews look at; `world` is asked for when it is needed, because tests make it later. */
export function createReviewTools(world: () => EnrichmentWorld) {
  const db = () => world().database.db
  return {
    async profileOf(id: string): Promise<ProductProfile> {
      const [profile] = await getProfiles(world().ctx, [id])
      if (!profile) throw new Error(`no product ${id}`)
      return profile
    },
    /** A proposal that waits; throws when it is refused. */
    async pending(org: TestOrg, slug: string, body: Record<string, unknown>): Promise<string> {
      const answer = await world().submit(org.bearer, { product_slug: slug, ...body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return String(answer.body.enrichment_id)
    },
    audits: (org: TestOrg) =>
      db()
        .selectFrom('audit_log')
        .selectAll()
        .where('org_id', '=', org.id)
        .where('action', 'in', ['enrichment.approved', 'enrichment.rejected'])
        .execute(),
    reject: (id: string, note?: string) =>
      call(world(), world().operator, 'POST', `${ADMIN}/reject/`, { enrichment_id: id, note }),
    stored: (id: string) =>
      db().selectFrom('enrichments').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  }
}
