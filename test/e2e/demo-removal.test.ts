/** What a running node makes of `souk demo remove`, which another process runs. */
import fs from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { agentHost } from '../../src/demo/sellers.ts'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { submitRfq } from '../../src/rfq/rfq.service.ts'
import { createDemoDatabase, createTestApp } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import { spawnSouk, startSouk, tempDataDir } from '../server-process.ts'
import { STRANGER } from './rfq.world.ts'

const DOMAIN = 'ninthstreet.example'

const database = await createDemoDatabase()
const world = await createTestApp({ database })
const dataDir = tempDataDir()
const env = {
  DATABASE_URL: database.url,
  SOUK_SECRET: 'a secret for the test of at least 32 characters',
  SOUK_DATA_DIR: dataDir,
  SOUK_CATALOG: 'demo',
  SOUK_LOG: 'warn',
}
const node = await startSouk(env)
afterAll(async () => {
  node.kill('SIGTERM')
  await node.ended
  fs.rmSync(dataDir, { recursive: true, force: true })
})

test('a running node ends the demo agents, and their names lead nowhere', async () => {
  const { rows } = await database.pool.query<{ slug: string }>(
    `select c.slug || '/' || p.slug as slug from products p join categories c on c.id = p.category_id
     where not p.discontinued and p.where_to_buy::text like $1 order by p.slug limit 1`,
    [`%${DOMAIN}%`],
  )
  const request = RfqRequest.parse({ product_slug: rows[0]?.slug })
  const { rfqId: id } = await submitRfq(world.rfq, STRANGER, { request })
  await waitForRfq(world.rfq, { id, userId: null, ms: 20_000 })
  const { rows: asked } = await database.pool.query<{ verdict: string }>(
    'select verdict from rfq_attempts where rfq_id = $1 and endpoint = $2',
    [id, `https://${agentHost({ domain: DOMAIN })}/message:send`],
  )
  expect(asked).toHaveLength(1)
  expect(['quoted', 'out_of_stock', 'declined']).toContain(asked[0]?.verdict)

  const removal = spawnSouk(['demo', 'remove'], env)
  expect([await removal.ended, removal.output()]).toEqual([0, expect.stringContaining('Removed: ')])
  // The name of a shop that is gone is free, and with the agent still there its card would be taken.
  const shop = await createOrg(world, { domain: DOMAIN })
  const register = async () => {
    const response = await fetch(`${node.address}/api/org/register-agent-card/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${shop.bearer.bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        agent_card_url: `https://${agentHost({ domain: DOMAIN })}/.well-known/agent-card.json`,
        auth_type: 'none',
      }),
    })
    return [response.status, await response.json()]
  }
  await expect
    .poll(register, { timeout: 20_000 })
    .toEqual([422, expect.objectContaining({ code: 'card_unreachable' })])
}, 60_000)
