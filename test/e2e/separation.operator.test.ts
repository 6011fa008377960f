/**
 * The operator's pages are there for the operator alone: anyone else who asks gets what an unknown address gets. Which pages
 * there are is taken from the app's own list of routes.
 */
import { beforeAll, expect, test } from 'vitest'
import { addImport } from '../imports.ts'
import { createPagesWorld, ELSEWHERE, expectStatus } from './separation.pages.world.ts'
import type { Settled } from './separation.world.ts'

const world = await createPagesWorld()
const { base, ask } = world
let bravo: Settled
let imported: { fileId: string; batchId: string }
beforeAll(async () => {
  imported = await addImport(world)
  bravo = await world.settle('Bravo-that-sells')
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
    users: bravo.org.ownerId,
    organizations: bravo.org.id,
    imports: path.includes('/new/') ? imported.fileId : imported.batchId,
  }
  return path.replace(':id', () => {
    const id = ids[path.split('/')[2] ?? '']
    if (id === undefined) throw new Error(`say here whose id ${path} takes`)
    return id
  })
}

const formOf = (method: string, headers: Record<string, string>) =>
  method === 'POST' ? { body: new URLSearchParams(), headers } : {}

world.nothingChanges(() => [bravo])

test.each(ROUTES)('nobody else has %s', async (name) => {
  const [method = '', path = ''] = name.split(' ')
  const { cookie } = await world.addPerson()
  const unknown = `/admin/no-such${/\.\w+$/.exec(path)?.[0] ?? ''}`
  for (const by of [null, { cookie }, bravo.org.session]) {
    const answer = await ask(by, method, filled(path), formOf(method, { origin: base }))
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
