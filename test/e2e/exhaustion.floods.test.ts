/**
 * Whatever a caller can make without end ends somewhere: a number that one caller may have or make in a time, and a sweep
 * or a bound for what is kept. Each way to make something has its line here, with the test that holds it; a route that
 * takes a POST and has none fails.
 */

import fs from 'node:fs'
import { expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { MOST_CLICKS } from '../../src/search/query-log.queries.ts'
import { FAST_ROUTES } from '../fast-paths.ts'
import { createTestApp } from '../harness.ts'
import { addProduct } from '../products.ts'

type Held = { limit: string; file: string; title: string }
const held = (limit: string, file: string, title: string): Held => ({ limit, file, title })

const CLIENTS = held(
  '360 an hour by network; unused ones are swept',
  'test/e2e/oauth.registration.test.ts',
  'more in a moment from one network than it may, until some time has passed',
)
const CLAIMS = held(
  '1,000 that wait, 50 before the domain is proved',
  'test/e2e/relationships.many.test.ts',
  'a thousand claims may wait',
)
const TEAM = held(
  '200 members and invitations',
  'test/e2e/orgs.team.test.ts',
  'a team has at most 200 members',
)
const ORGS = held(
  '20 owned by a person',
  'test/e2e/orgs.register.test.ts',
  'a person owns at most 20 organizations',
)
const SEARCHES = held(
  'by network, kept for 90 days',
  'test/e2e/limits.test.ts',
  'searches that must be worked out are counted',
)
const TOOLS = held(
  '500 a day by account; no session is kept',
  'test/e2e/tools.guard.test.ts',
  'both headers stand on every answer',
)
const TASKS = held(
  '60 an hour by network, 600 by account',
  'test/e2e/a2a.callers.test.ts',
  'a network may send 60 messages an hour',
)
const GRANTS = held(
  'swept when they have run out',
  'test/e2e/oauth.trace.test.ts',
  'the sweep takes what has run out and leaves what counts',
)
const READS = held(
  'a row a product, day and family of agents; 3,600 an hour by network are counted',
  'test/regressions/06-anonymous-rows.test.ts',
  'are counted 3,600 times an hour for one network',
)
const NOTHING = 'makes nothing, or changes the one thing there is'

/** Routes for programs; the pages of people lead to the same services. */
const MAKES: Record<string, Held | typeof NOTHING> = {
  '/api/search': SEARCHES,
  '/api/search/click': held(
    '100 for one search',
    'test/e2e/exhaustion.floods.test.ts',
    'one search keeps a hundred clicks',
  ),
  '/catalog/search': SEARCHES,
  '/catalog/lookup': READS,
  '/catalog/product': READS,
  '/api/oauth/token': GRANTS,
  '/api/oauth/revoke': NOTHING,
  '/api/oauth/register': CLIENTS,
  '/register': CLIENTS,
  '/oauth/authorize': GRANTS,
  '/a2a': TASKS,
  '/a2a/:call{message:send}': TASKS,
  '/a2a/:call{message:stream}': TASKS,
  '/a2a/tasks/:id': NOTHING,
  '/a2a/tasks/:taskId/pushNotificationConfigs': TASKS,
  '/a2a/:rest{.+}': NOTHING,
  '/mcp': TOOLS,
  '/sse': TOOLS,
  '/mcp/connector': TOOLS,
  '/mcp/shopping': TOOLS,
  '/mcp/selling': TOOLS,
  '/mcp/readonly': TOOLS,
  '/api/org/register': ORGS,
  '/api/org/select': NOTHING,
  '/api/org/verify-domain': NOTHING,
  '/api/org/link-tokens': held(
    '20 live ones',
    'test/e2e/orgs.tokens.test.ts',
    'an organization has at most 20 live tokens',
  ),
  '/api/org/leave': NOTHING,
  '/api/org/invitations/accept': TEAM,
  '/api/org/products/claim': CLAIMS,
  '/api/org/enrichment': held(
    '20 that wait for one product',
    'src/catalog/enrichment.test.ts',
    'no more than twenty wait for one product',
  ),
  '/api/rfq/:id/choose': held(
    'one for a request',
    'test/e2e/rfq.choose.test.ts',
    'of many choices at the same time one stands',
  ),
  '/api/rfq/:id/shares': held(
    'ten for a request',
    'test/e2e/rfq.choose.test.ts',
    'a request has at most ten links that work',
  ),
  '/api/plans/:id/share': held(
    'ten for a plan',
    'test/e2e/plans.shared.test.ts',
    'a plan has at most ten links that work',
  ),
  '/api/plans/:id/ask': held(
    '120 an hour by account, and once for a line',
    'test/e2e/plans.shared.test.ts',
    'stops at the limit of requests',
  ),
  '/api/org/pricing/import': NOTHING,
  '/api/org/pricing/simulate': NOTHING,
  '/api/org/register-agent-card': NOTHING,
  '/api/org/ucp-check': NOTHING,
  '/api/offers/create': held(
    '500 that are not expired',
    'test/e2e/offers.routes.test.ts',
    'more than 500 that are not expired is 409',
  ),
  '/api/admin/enrichments/approve': NOTHING,
  '/api/admin/enrichments/reject': NOTHING,
}
/** Made by tools, pages and protocols. */
const MORE: Held[] = [
  held('120 an hour by network', 'test/e2e/limits.test.ts', 'sign-ups are counted by network'),
  held('120 an hour by account', 'test/e2e/limits.test.ts', 'requests for quote are counted by account'),
  held(
    '60 an hour by organization',
    'test/e2e/limits.test.ts',
    'files that an organization brings are counted',
  ),
  held('200 for a person', 'test/e2e/plans.kept.test.ts', 'a person keeps the latest 200'),
  held('500 on 20 lists', 'test/e2e/saved.page.test.ts', 'the limits are told in the words of the page'),
  held(
    '10 an hour by network, 20 open of a product, 5,000 in all; swept',
    'src/web/mistakes/mistakes.test.ts',
    'no more are kept than a network may send, a product may have open and there may be in all',
  ),
  held('10 for a task', 'test/e2e/rfq.pushes.rules.test.ts', 'a task has at most ten'),
  held(
    '10 sent for a task, whatever is set',
    'test/e2e/a2a.pushes.test.ts',
    'a task that has ended sends ten notifications in all',
  ),
  held('a few at once to one receiver', 'test/e2e/rfq.pushes.slow.test.ts', 'more notifications than places'),
  held(
    'so many tries for a dead receiver',
    'test/e2e/rfq.pushes.test.ts',
    'a receiver that fails, is busy or down is tried again',
  ),
  held('a week', 'test/e2e/a2a.callers.test.ts', 'questions of last week are swept away'),
  held(
    'so many client documents an hour',
    'test/e2e/oauth.documents.limit.test.ts',
    'a network makes us knock at a host so many times an hour',
  ),
]

const souk = await createTestApp()

test('every route that takes a POST says what bounds it', () => {
  const forPrograms = /^\/(?:api|catalog|mcp|sse|a2a|register|oauth)\b(?!.*(?:well-known|server-card))/
  const routes = [...souk.app.routes, ...FAST_ROUTES].flatMap(({ method, path }) =>
    (method === 'POST' || method === 'ALL') && forPrograms.test(path) && !path.endsWith('/*') ? [path] : [],
  )
  expect([...new Set(routes)].sort()).toEqual(Object.keys(MAKES).sort())
})

test('and each bound has its test', () => {
  const rows = [...Object.values(MAKES).filter((row) => row !== NOTHING), ...MORE]
  for (const { file, title } of rows)
    expect(fs.readFileSync(projectFile(file), 'utf8'), file).toContain(title)
})

test('one search keeps a hundred clicks, no matter how many are reported', async () => {
  await addProduct(souk, { slug: 'lamp', category: 'desk-lamps', title: 'Lamp', brand: 'Glow' })
  await souk.searchRuntime.fill()
  const post = (path: string, body: unknown) =>
    souk.app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const search = async () =>
    ((await (await post('/api/search/', { query: 'lamp' })).json()) as { query_id: string }).query_id
  const click = async (query_id: string) =>
    (await post('/api/search/click/', { query_id, slug: 'lamp' })).status
  const first = await search()
  for (let count = 0; count < MOST_CLICKS + 5; count++) expect(await click(first)).toBe(204)
  expect(await click(await search())).toBe(204)
  const { rows } = await souk.database.pool.query(
    'select count(*)::int as count from search_clicks group by query_id order by 1',
  )
  expect(rows).toEqual([{ count: 1 }, { count: MOST_CLICKS }])
})
