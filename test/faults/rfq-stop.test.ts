/**
 * A node is told to stop while sellers are thinking, as each new version does to it: what they answer meanwhile counts,
 * and nobody is asked again. The other test is in rfq-takeover.test.ts, where a node dies.
 */
import { expect, test } from 'vitest'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { getRfqTask, submitRfq } from '../../src/rfq/rfq.service.ts'
import { createTakeoverWorld, NODES, PRODUCT } from './rfq-takeover.world.ts'

const { rfq, asks, nodes } = await createTakeoverWorld({
  quick: { delayMs: 0, priceUsd: 100 },
  slow: { delayMs: 2_000, priceUsd: 80 },
})

test('a node that stops hears the sellers whom it has asked, before it ends', {
  timeout: 60_000,
}, async () => {
  const asker = { userId: null, clientId: null, face: 'a2a' } as const
  const visit = { ip: null, userAgent: null, requestId: null }
  const request = RfqRequest.parse({ product_slug: PRODUCT })
  const { rfqId: id } = await submitRfq(rfq, { ...asker, visit }, { request })
  const underWay = () => asks.find(({ producer }) => producer === 'slow')
  await expect.poll(underWay, { timeout: 20_000, interval: 5 }).toBeDefined()
  const node = NODES.find((one) => one === underWay()?.node) ?? 'first'
  expect(underWay()?.answeredAt).toBeNull()
  nodes[node].kill('SIGTERM')
  expect(await nodes[node].ended).toBe(0)

  const state = async () => (await getRfqTask(rfq, { id, userId: null })).state
  await expect.poll(state, { timeout: 20_000, interval: 20 }).toBe('completed')
  const { quotes } = await getRfqTask(rfq, { id, userId: null })
  expect(quotes.map(({ org }) => org.name)).toEqual(['slow', 'quick'])
  expect(asks.map(({ producer }) => producer).sort()).toEqual(['quick', 'slow'])
})
