/**
 * The operator's pages are there for the operator alone: anyone else who asks gets what an unknown address gets. Which pages
 * there are is taken from the app's own list of routes.
 */
import { beforeAll, expect, test } from 'vitest'
import { archiveProducts } from '../../src/catalog/manage-products.service.ts'
import { addImport } from '../imports.ts'
import { addProduct } from '../products.ts'
import { addFileSource, runLamps } from '../sources.ts'
import { createPagesWorld, ELSEWHERE, expectStatus } from './separation.pages.world.ts'
import type { Settled } from './separation.world.ts'

const world = await createPagesWorld()
const { base, ask } = world
let bravo: Settled
let operatedId: string
let imported: { fileId: string; batchId: string }
let tidied: { slug: string; category: string; brandId: string; batch: string }
beforeAll(async () => {
  imported = await addImport(world)
  operatedId = await addFileSource(world)
  await runLamps(world, operatedId, { lamps: 3, dryRun: true })
  bravo = await world.settle('Bravo-that-sells')
  const [slug, category] = ['tidied', 'tidied-things']
  await addProduct(world, { slug, category, title: 'Tidied', brand: 'Tidied' })
  const by = { kind: 'operator', id: null } as const
  const ctx = { db: world.database.db, clock: world.clock }
  const { batch } = await archiveProducts(ctx, { by, selection: { slugs: [slug] } })
  const { rows } = await world.database.pool.query('select brand_id from products where slug = $1', [slug])
  tidied = { slug, category, brandId: rows[0].brand_id, batch: batch ?? '' }
})

const ROUTES = [
  ...new Set(
    world.app.routes
      .filter(({ path, method }) => method !== 'ALL' && /^\/admin(?=$|[/.])/.test(path))
      .map(({ method, path }) => `${method} ${path}`),
  ),
]

/** With ids that are there, so that it is not the id that is not found. */
function filled(path: string): string {
  const ids: Record<string, string> = {
    enrichments: bravo.enrichmentId,
    submissions: bravo.submissionId,
    claims: bravo.waitingId,
    renames: bravo.waitingId,
    reports: bravo.waitingId,
    users: bravo.org.ownerId,
    organizations: bravo.org.id,
    sources: operatedId,
    imports: path.includes('/new/') ? imported.fileId : imported.batchId,
    products: tidied.slug,
    categories: tidied.category,
    brands: tidied.brandId,
    undo: tidied.batch,
  }
  const [category = '', slug = ''] = bravo.slug.split('/')
  const viewed: Record<string, string> = { offers: bravo.offerId, rfqs: bravo.rfqId }
  // A stream would not end.
  if (path.endsWith('.events')) return `${path}?poll=1`
  if (path.includes('/view/'))
    return path
      .replace(':org_id', bravo.org.id)
      .replace(':category/:slug', `${category}/${slug}`)
      .replace(':id', viewed[path.split('/')[5] ?? ''] ?? '')
  return path.replace(':id', () => {
    const id = ids[path.split('/')[2] ?? '']
    if (id === undefined) throw new Error(`say here whose id ${path} takes`)
    return id
  })
}

const formOf = (method: string, headers: Record<string, string>) =>
  method === 'POST' ? { body: new URLSearchParams(), headers } : {}

// Of what the operator looks at, all that is written is that the operator looked.
world.nothingChanges(() => [bravo], /^\+ audit_log \(.*,org\.support_viewed,/)

test.each(ROUTES)('nobody else has %s', async (name) => {
  const [method = '', path = ''] = name.split(' ')
  const { cookie } = await world.addPerson()
  const unknown = `/admin/no-such${/\.\w+$/.exec(path)?.[0] ?? ''}`
  for (const by of [null, { cookie }, bravo.org.session]) {
    const answer = await ask(by, method, filled(path), formOf(method, { origin: base }))
    // A form that nobody signed in sends may be that of an operator whose session ended: it is done by nobody.
    if (by === null && method === 'POST') {
      expectStatus(answer, 303)
      continue
    }
    expectStatus(answer, 404)
    const absent = await ask(by, method, unknown, formOf(method, { origin: base }))
    expect(answer.html).toBe(absent.html)
  }
})

test('the operator has every one, and no other site has the operator send a form', async () => {
  expect(ROUTES.length).toBeGreaterThan(20)
  const operator = await world.addPerson({ admin: true })
  for (const name of ROUTES) {
    const [method = '', path = ''] = name.split(' ')
    for (const headers of method === 'POST' ? ELSEWHERE : [{}]) {
      const { status } = await ask(operator, method, filled(path), formOf(method, headers))
      expect({ name, status }).toEqual({ name, status: method === 'POST' ? 403 : 200 })
    }
  }
})
