/**
 * One run of the fuzzer against the first node of a world: learns what the node offers, sends so many requests by several
 * hands at once, holds every answer to the checks, and looks at the node and the rows when all is done.
 */
import { OPERATIONS } from '../../src/agents/discovery/openapi/document.ts'
import { describedBy } from '../../test/described.coverage.ts'
import { createChecker, type Description } from '../../test/described.ts'
import { SECRET } from '../cluster.ts'
import { createJournal } from '../journal.ts'
import { createLottery } from '../random.ts'
import { waitForCalm } from '../storm/calm.ts'
import type { World } from '../world.ts'
import { createA2aMaker } from './a2a.ts'
import { type Answer, type Attempt, jsonOf, type Maker, type Turn } from './attempt.ts'
import { createCaller, splitPeople } from './callers.ts'
import { createDescriptionCheck } from './checks.described.ts'
import { finding } from './checks.forms.ts'
import { checkAnswer, type Secrets } from './checks.ts'
import { createDice } from './dice.ts'
import { createFindings, type Found } from './findings.ts'
import { collectForms } from './forms.ts'
import { createKnown } from './known.ts'
import { asItIs } from './making.ts'
import { createOauthMaker } from './oauth.ts'
import { createPagesMaker } from './pages.ts'
import { createRestMaker, type OpenApi } from './rest.ts'
import { listRoutes } from './routes.ts'
import { checkRecords, checkRows } from './rows.ts'
import { createFuzzSender } from './sending.ts'
import { SEQUENCES } from './sequences.ts'
import { createTally, type Tally } from './tally.ts'
import { createToolsMaker, type ToolOffer } from './tools.ts'
import { createLogReader, watchNode } from './watch.ts'
import { createWireMaker, wellOnTheWire } from './wire.ts'

export type FuzzOptions = {
  requests: number
  seed: number
  hands?: number
  /** Called now and then. */
  onProgress?: (tally: Tally, findings: number) => void
}
export type FuzzResult = { findings: Found[]; tally: Tally; seconds: number; heapMb: number[]; rssMb: number }

/** Few enough that the node never turns anybody away. */
const HANDS = 24
const LOOK_EVERY_MS = 1_000
const WEIGHINGS = 12

export async function runFuzz(world: World, options: FuzzOptions): Promise<FuzzResult> {
  const { requests, seed, hands = HANDS } = options
  const [node] = world.cluster.nodes
  if (!node) throw new Error('there is no node')
  const prefix = `fuzz-${seed}-${Date.now().toString(36)}-`
  const began = performance.now()
  const { people, spare } = splitPeople(world.people)
  const sender = createFuzzSender(node.address, hands)
  const [findings, tally, known] = [createFindings(), createTally(), createKnown()]
  const [watch, readLog] = [watchNode(node), createLogReader(node.logFile)]
  const secrets = secretsOf(world)
  let described: ReturnType<typeof createDescriptionCheck> | null = null
  let numbers = 0

  async function send(attempt: Attempt): Promise<Answer> {
    const number = numbers++
    const sentAt = performance.now()
    const answer = await sender.send(attempt, `${prefix}${number}`)
    tally.note(number, attempt, answer, performance.now() - sentAt)
    if (answer.status >= 200 && answer.status < 300) known.learn(jsonOf(answer))
    for (const found of checkAnswer(attempt, answer, secrets)) findings.add(found, attempt, answer)
    const breach = await described?.(attempt, answer)
    if (breach) findings.add(breach, attempt, answer)
    return answer
  }

  function turnOf(number: number): Turn {
    let words = 0
    return {
      ...createDice(seed, number),
      people,
      spare,
      known,
      word: () => `w${seed}x${number}x${words++}`,
      send,
      breach: (attempt, what) => findings.add(finding('rule broken', what), attempt),
    }
  }

  function lookAtLog(): void {
    for (const { finding: found, requestId, line } of readLog()) {
      const attempt = requestId?.startsWith(prefix)
        ? tally.attempt(Number(requestId.slice(prefix.length)))
        : undefined
      const answer = {
        status: 0,
        body: Buffer.from(line),
        headers: {},
        cut: false,
        requestId: '',
      }
      findings.add(found, attempt ?? null, answer)
    }
  }

  for (const { orgId } of [...people.producers, ...spare.producers]) known.keep('org_id', orgId)
  const { makers, document } = await learn(world, turnOf(-1))
  described = createDescriptionCheck(
    createChecker({ document, operations: describedBy(OPERATIONS) } as Description),
  )
  const draw = createLottery(makers.map((what) => ({ weight: what.weight, what })))
  const timer = setInterval(() => {
    lookAtLog()
    options.onProgress?.(tally, findings.list().length)
  }, LOOK_EVERY_MS)
  let turns = 0
  let weighed = 0
  const hand = async () => {
    while (numbers < requests && node.up()) {
      const turn = turnOf(turns++)
      await draw(turn.random).run(turn)
      if (numbers >= (weighed / WEIGHINGS) * requests) {
        weighed++
        await watch.weigh()
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: hands }, hand))
    await watch.weigh()
  } finally {
    clearInterval(timer)
    await sender.close()
  }
  const seconds = (performance.now() - began) / 1000
  for (const found of watch.judge()) findings.add(found, null)
  for (const what of await lookAtRows(world, tally, prefix)) findings.add(finding('rows', what), null)
  lookAtLog()
  const samples = watch.samples()
  return {
    findings: findings.list(),
    tally,
    seconds,
    heapMb: samples.map(({ heapMb }) => heapMb),
    rssMb: Math.max(0, ...samples.map(({ rssMb }) => rssMb)),
  }
}

/** What the node itself says that it offers. */
async function learn(world: World, turn: Turn): Promise<{ makers: Maker[]; document: OpenApi }> {
  const get = async (path: string) => {
    const caller = createCaller(turn, turn.people, 'nobody')
    const good = { face: 'rest' as const, operation: `GET ${path}`, method: 'GET', path, caller }
    return jsonOf(await turn.send(asItIs(good)))
  }
  const document = (await get('/openapi.json')) as OpenApi
  const card = (await get('/.well-known/agent-card.json')) as { skills?: Array<{ id: string }> }
  const listed = await turn.send(
    asItIs({
      face: 'tools',
      operation: 'tools tools/list',
      method: 'POST',
      path: '/mcp/',
      caller: createCaller(turn, turn.people, "producer's agent"),
      json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    }),
  )
  const { tools = [] } = (jsonOf(listed).result ?? {}) as { tools?: ToolOffer[] }
  await turn.send(wellOnTheWire(turn, world.cluster.nodes[0]?.address ?? ''))
  const routes = await listRoutes(world.cluster.database)
  const forms = await collectForms(turn, routes)
  if (tools.length === 0 || forms.length === 0 || !card.skills)
    throw new Error('the node does not say what it offers')
  return {
    document,
    makers: [
      createRestMaker(document),
      createToolsMaker(tools),
      createA2aMaker(card.skills.map(({ id }) => id)),
      createOauthMaker(routes),
      createPagesMaker(routes, forms),
      createWireMaker(world.cluster.nodes[0]?.address ?? ''),
      SEQUENCES,
    ],
  }
}

function secretsOf({ cluster, people }: World): Secrets {
  const tokens = [...people.shoppers, ...people.producers, people.operator].flatMap((person) => [
    person.token,
    person.cookie.split('=')[1] ?? '',
    ...('bearer' in person ? [String(person.bearer)] : []),
  ])
  return { tokens: new Set(tokens), inside: [SECRET, cluster.dir, cluster.postgres.url, process.cwd()] }
}

async function lookAtRows(world: World, tally: Tally, prefix: string): Promise<string[]> {
  const { breaches } = await waitForCalm(world)
  const { pool } = world.cluster.database
  const context = {
    ...world,
    pool,
    journal: createJournal(),
    addresses: world.cluster.addresses(),
    disturbances: 0,
    lagMs: 2_000,
  }
  const numberOf = (requestId: string) => Number(requestId.slice(prefix.length))
  const records = await checkRecords(pool, {
    prefix,
    outcomeOf: (requestId) => tally.outcome(numberOf(requestId)),
    *all() {
      for (const [number, operation, status] of tally.outcomes())
        yield [`${prefix}${number}`, operation, status]
    },
  })
  return [...breaches, ...(await checkRows(context)), ...records]
}
