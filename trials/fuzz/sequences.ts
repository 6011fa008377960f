/** Things are made, used, ended and used again, and several hands pull at one thing at once: rules between requests. */
import type { Answer, Maker, Turn } from './attempt.ts'
import { jsonOf } from './attempt.ts'
import { type Caller, createCaller } from './callers.ts'
import { asItIs, fuzzed, type Good } from './making.ts'

const GOOD = 0.8

type Step = (method: string, path: string, json?: unknown, caller?: Caller) => Promise<Answer>

function steps(
  turn: Turn,
  caller: Caller,
): { exact: Step; loose: Step; good: (...of: Parameters<Step>) => Good } {
  const good = (method: string, path: string, json?: unknown, by = caller): Good => ({
    face: 'rest',
    operation: `${method} ${path}`,
    method,
    path,
    caller: by,
    ...(json !== undefined && { json }),
  })
  return {
    good,
    exact: (...of) => turn.send(asItIs(good(...of))),
    loose: (...of) => turn.send(fuzzed(turn, good(...of), GOOD)),
  }
}

async function lifeOfOffer(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, turn.pick(['producer', 'link token']))
  const { exact, loose, good } = steps(turn, caller)
  const create = {
    product_slug: turn.pick(caller.sells),
    headline: `An offer ${turn.word()}`,
    destination_url: 'https://shop-1.trial.example/buy',
    price_usd: 10 + turn.below(500),
    offer_types: ['free_shipping'],
  }
  const offer_id = jsonOf(await loose('POST', '/api/offers/create/', create)).offer_id
  if (typeof offer_id !== 'string') return
  await loose('PATCH', '/api/offers/edit/', { offer_id, price_usd: 5.5, detail: 'now cheaper' })
  await exact('PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  await Promise.all(
    ['active', 'paused', 'expired', 'active'].map((status) =>
      loose('PATCH', '/api/offers/update/', { offer_id, status }),
    ),
  )
  await exact('GET', `/go/${offer_id}`)
  const other = createCaller(turn, turn.people, 'link token')
  if (other.own[0] === caller.own[0] || other.sells === caller.sells) return
  const foreign = good('PATCH', '/api/offers/edit/', { offer_id, headline: 'taken over' }, other)
  const { status } = await turn.send(asItIs(foreign))
  if (status < 400) turn.breach(asItIs(foreign), `somebody else's offer answers ${status}`)
  await exact('PATCH', '/api/offers/update/', { offer_id, status: 'expired' })
}

async function lifeOfLinkToken(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, 'producer')
  const { exact, loose, good } = steps(turn, caller)
  const made = jsonOf(await loose('POST', '/api/org/link-tokens/', { name: `of ${turn.word()}` }))
  const id = String(made.id ?? made.token_id ?? '')
  if (typeof made.token !== 'string') return
  const bearer: Caller = {
    kind: 'link token',
    headers: { authorization: `Bearer ${made.token}` },
    sells: [],
    own: [made.token],
  }
  const use = good('GET', '/api/offers/list/', undefined, bearer)
  if ((await turn.send(asItIs(use))).status === 401) turn.breach(asItIs(use), 'a fresh link token is refused')
  const removed = await exact('DELETE', '/api/org/link-tokens/', { id })
  await loose('DELETE', '/api/org/link-tokens/', { id })
  if (removed.status < 300 && (await turn.send(asItIs(use))).status !== 401)
    turn.breach(asItIs(use), 'a link token works after it was revoked')
}

const tool = (caller: Caller, name: string, args: Record<string, unknown>): Good => ({
  face: 'tools',
  operation: `tools ${name}`,
  method: 'POST',
  path: '/mcp/',
  caller,
  json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

async function lifeOfSaved(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, 'agent')
  const { category, slug } = turn.pick(turn.people.products)
  const args = { category, slug, list: turn.pick(['saved', 'gifts', 'office']) }
  const call = (name: string, given: Record<string, unknown>) =>
    turn.send(fuzzed(turn, tool(caller, name, given), GOOD))
  await Promise.all([1, 2, 3].map((n) => call('save_product', { ...args, note: `note ${n}` })))
  await call('list_saved_products', {})
  await Promise.all([call('remove_saved_product', args), call('remove_saved_product', args)])
  await call('remove_saved_product', args)
}

async function lifeOfProposal(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, 'link token')
  const { loose } = steps(turn, caller)
  const { enrichment_id: id } = jsonOf(
    await loose('POST', '/api/org/enrichment/', {
      product_slug: turn.pick(caller.sells),
      fields: { description: `Words of ${turn.word()}` },
      evidence_url: 'https://shop-1.trial.example/facts',
    }),
  )
  if (typeof id !== 'string') return
  const operator = createCaller(turn, turn.people, 'operator')
  // Both at once: one of them is too late.
  await Promise.all([
    loose('DELETE', '/api/org/enrichment/', { enrichment_id: id }),
    loose('POST', '/api/admin/enrichments/approve/', { enrichment_id: id }, operator),
  ])
  await loose('DELETE', '/api/org/enrichment/', { enrichment_id: id })
}

async function lifeOfTask(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, turn.pick(['agent', 'nobody']))
  const { category, slug } = turn.pick(turn.people.products)
  const rpc = (method: string, params: Record<string, unknown>): Good => ({
    face: 'a2a',
    operation: `a2a ${method}`,
    method: 'POST',
    path: '/a2a/',
    caller,
    headers: { 'a2a-version': '1.0' },
    json: { jsonrpc: '2.0', id: 1, method, params },
  })
  const ask = rpc('SendMessage', {
    message: {
      messageId: turn.word(),
      role: 'ROLE_USER',
      parts: [{ data: { skill: 'request-for-quote', product_slug: `${category}/${slug}`, quantity: 2 } }],
    },
    configuration: { returnImmediately: true },
  })
  const taskOf = (answer: Answer) =>
    (jsonOf(answer).result as { task?: { id?: string } } | undefined)?.task?.id
  // The same message, as if its sender had not heard the answer.
  const ids = new Set((await Promise.all([ask, ask].map((good) => turn.send(asItIs(good))))).map(taskOf))
  ids.delete(undefined)
  if (ids.size > 1) turn.breach(asItIs(ask), 'one message became several tasks')
  const [id] = ids
  if (id === undefined) return
  await Promise.all(
    ['GetTask', 'CancelTask', 'CancelTask'].map((method) =>
      turn.send(fuzzed(turn, rpc(method, { id }), GOOD)),
    ),
  )
  await turn.send(asItIs(rpc('GetTask', { id })))
}

async function repeatedImport(turn: Turn): Promise<void> {
  const caller = createCaller(turn, turn.people, "producer's agent")
  const args = {
    content: `title,category,price\nKettle ${turn.word()},kettles,75\n`,
    format: 'csv',
    idempotency_key: turn.word(),
    dry_run: turn.chance(0.5),
  }
  const call = () => turn.send(fuzzed(turn, tool(caller, 'import_products', args), GOOD))
  await Promise.all([call(), call()])
  await call()
}

const LIVES = [
  lifeOfOffer,
  lifeOfOffer,
  lifeOfLinkToken,
  lifeOfSaved,
  lifeOfProposal,
  lifeOfTask,
  repeatedImport,
]

export const SEQUENCES: Maker = { face: 'rest', weight: 3, run: (turn) => turn.pick(LIVES)(turn) }
