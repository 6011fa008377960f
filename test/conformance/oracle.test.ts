/**
 * The protocol library's server is our oracle: both get the same bytes, in worlds that are alike, and must answer the
 * same but for what the table of differences explains. Requests run in order, because writes change both worlds.
 */
import { describe, expect, test } from 'vitest'
import { TOOLS } from '../../src/agents/mcp/registry.ts'
import { countsWritten, createSampleWorld, type SampleWorld, serveTools } from '../e2e/tools.live.ts'
import { argumentsOf, SAMPLES, WRONG } from '../e2e/tools.samples.ts'
import { BROKEN, FORGIVEN, OTHERS, REFUSED } from './oracle.calls.ts'
import { DIFFERENCES, type Difference, differencesOf, reasonFor } from './oracle.differences.ts'
import { type Answer, exchange } from './oracle.exchange.ts'
import { type Asked, ask, HANDSHAKES, HEADERS, MALFORMED, MISDIRECTED, TRANSPORT } from './oracle.requests.ts'
import { serveOracle } from './oracle.server.ts'

const ours = await createSampleWorld()
const theirs = await createSampleWorld()
const ourUrl = await serveTools(ours)
const theirUrl = await serveOracle(theirs)
const needed = new Set<Difference>()

type Request = (world: SampleWorld) => Asked

function send(world: SampleWorld, url: string, request: Request): Promise<Answer> {
  const { as, method, headers, body } = request(world)
  const authorization = `Bearer ${world.people[as].token}`
  return exchange(url, { method, body, headers: { ...headers, authorization } })
}

/** The answers of both, when nothing sets them apart but what is explained. */
async function compare(request: Request): Promise<{ ours: Answer; theirs: Answer }> {
  const [answer, theirAnswer] = await Promise.all([
    send(ours, ourUrl, request),
    send(theirs, theirUrl, request),
  ])
  const answers = { ours: answer, theirs: theirAnswer }
  const found = differencesOf(request(ours).name, answers).map((one) => ({ one, reason: reasonFor(one) }))
  for (const { reason } of found) if (reason) needed.add(reason)
  expect(found.filter(({ reason }) => !reason).map(({ one }) => one)).toEqual([])
  return answers
}

const resultOf = ({ body }: Answer) => (body as { result?: Record<string, unknown> }).result ?? {}
const named = (requests: Asked[]) => requests.map((asked) => [asked.name, asked] as const)

describe.each(['legacy', 'modern'] as const)('%s', (family) => {
  test.each(['consumer', 'producer'] as const)('the list of a %s is the same', async (as) => {
    const { ours } = await compare(() => ask(family, 'tools/list', {}, { as }))
    expect(resultOf(ours).tools).toHaveLength(as === 'consumer' ? 10 : 29)
  })

  test.each(SAMPLES.map((sample, at) => [sample.tool, at, sample] as const))(
    '%s answers the same (call %i)',
    async (tool, _at, sample) => {
      if (tool === 'get_performance') await Promise.all([ours, theirs].map(countsWritten))
      const { ours: answer } = await compare((world) =>
        ask(
          family,
          'tools/call',
          { name: tool, arguments: argumentsOf(sample, world) },
          { name: tool, as: sample.as },
        ),
      )
      expect(resultOf(answer)).not.toHaveProperty('isError')
      expect(resultOf(answer)).toHaveProperty('structuredContent')
    },
  )

  test.each(Object.entries(WRONG))('%s refuses the same arguments', async (tool, args) => {
    const { ours } = await compare(() =>
      ask(
        family,
        'tools/call',
        { name: tool, arguments: args },
        { name: `wrong arguments: ${tool}`, as: 'producer' },
      ),
    )
    expect(resultOf(ours).isError).toBe(true)
  })
})

test('every tool is compared with good arguments, and with bad ones where it takes any', () => {
  const names = TOOLS.map(({ name }) => name).toSorted()
  expect([...new Set(SAMPLES.map(({ tool }) => tool))].toSorted()).toEqual(names)
  const takeNone = ['list_categories', 'list_team_members']
  expect([...Object.keys(WRONG), ...takeNone].toSorted()).toEqual(names)
})

describe('the same is said', () => {
  test.each(named(HANDSHAKES))(
    'to a handshake: %s',
    async (_name, asked) => void (await compare(() => asked)),
  )
  test.each(named(MALFORMED))('to what is malformed: %s', async (_name, asked) => {
    await compare(() => asked)
  })
  test.each(named(MISDIRECTED))('to what is not there: %s', async (_name, asked) => {
    await compare(() => asked)
  })
  test.each(named(HEADERS))('to headers and versions: %s', async (_name, asked) => {
    await compare(() => asked)
  })
  test.each(named(OTHERS))('to %s', async (_name, asked) => void (await compare(() => asked)))
})

test.each(named(TRANSPORT))('over the wire the same is said to %s', async (_name, asked) => {
  const answers = await compare(() => asked)
  if (answers.ours.status !== 200) return
  const family = asked.name.startsWith('legacy') ? 'legacy' : 'modern'
  const plain = await send(theirs, theirUrl, () =>
    ask(family, 'tools/call', { name: 'list_categories', arguments: {} }),
  )
  expect(answers.ours.body, 'as to a request that both take').toEqual(plain.body)
})

test.each(FORGIVEN.map((pair) => [pair.given.name, pair] as const))(
  '%s: answered as what was meant',
  async (_name, { given, meant }) => {
    const answers = await compare(() => given)
    const right = await send(theirs, theirUrl, () => meant)
    expect(answers.ours.body).toEqual(right.body)
  },
)

test.each(named(REFUSED))('the same is refused: %s', async (_name, asked) => {
  const { ours } = await compare(() => asked)
  expect(resultOf(ours).isError).toBe(true)
})

describe('when the database is broken, what is wrong with it is not told', () => {
  test.each(named(BROKEN))('%s', async (_name, asked) => {
    for (const { database } of [ours, theirs])
      await database.pool.query('alter table if exists saved_products rename to gone')
    const answers = await compare(() => asked)
    expect(resultOf(answers.ours).isError).toBe(true)
  })
})

test('every difference in the table is still there', () => {
  const idle = DIFFERENCES.filter((difference) => !needed.has(difference)).map(({ why }) => why)
  expect(idle).toEqual([])
})
