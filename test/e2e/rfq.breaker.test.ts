/** The circuit breaker: after ten failures in a row a producer is left alone for a minute, then asked again. */
import { expect, test } from 'vitest'
import { answerWith, createRfqWorld } from './rfq.world.ts'

let broken = true
const world = await createRfqWorld({
  steady: { respond: (...args) => answerWith(() => world.clock.now())(...args) },
  shaky: {
    respond: (received, response, count) =>
      broken
        ? void response.writeHead(500).end()
        : answerWith(() => world.clock.now())(received, response, count),
  },
})
const shaky = world.producers.shaky

async function health() {
  const row = await world.database.db
    .selectFrom('agent_integrations')
    .select(['status', 'failures_in_a_row', 'skip_until'])
    .where('org_id', '=', shaky?.org.id ?? '')
    .executeTakeFirstOrThrow()
  return { status: row.status, failures: row.failures_in_a_row, resting: row.skip_until !== null }
}

test('ten failures in a row: skipped for a minute, the others are not held up, and the next good answer heals it', async () => {
  for (let n = 1; n <= 10; n++) {
    await world.ask()
    await expect.poll(health, { timeout: 5_000 }).toMatchObject({ failures: n })
  }
  expect(await health()).toEqual({ status: 'unreachable', failures: 10, resting: true })
  expect(shaky?.received).toHaveLength(10)

  const skipped = await world.ask()
  expect(skipped.quotes.map(({ org }) => org.name)).toEqual(['steady'])
  expect((await world.verdicts(skipped.rfqId)).shaky).toMatchObject({ verdict: 'skipped' })
  expect(shaky?.received).toHaveLength(10)

  broken = false
  world.clock.advance(61_000)
  const asked = await world.ask()
  expect(asked.quotes.map(({ org }) => org.name).sort()).toEqual(['shaky', 'steady'])
  await expect.poll(health, { timeout: 5_000 }).toEqual({ status: 'active', failures: 0, resting: false })
})
