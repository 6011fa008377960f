/**
 * The conversations of docs/agents.md, held with a running service: what an agent sends, and what comes back, shortened
 * where it is long. What differs between two runs (ids, times, links that carry an id) is replaced by a name of the same
 * kind, so that the record changes only when the service answers otherwise.
 */
import type { SampleWorld } from './e2e/tools.live.ts'

/** Of an answer, before it is cut. What to do next is kept in any case. */
const LINES = 9
const WIDTH = 160

const CALLED = { agent: 'Agent', service: 'Souk' }

type Answer = { text: string; data: Record<string, unknown> }
export type Conversations = Record<string, string>

export async function holdConversations(world: SampleWorld): Promise<Conversations> {
  const talks: Record<string, Array<(talk: Talk) => Promise<void>>> = {
    shopping: [shoppingByTools, shoppingByA2a],
    comparing: [comparingByTools, comparingByA2a],
    plan: [planByTools, planByA2a],
    quotes: [quotesByTools, quotesByA2a],
    selling: [sellingByTools],
  }
  const held: Conversations = {}
  for (const [task, ways] of Object.entries(talks))
    for (const way of ways) {
      const talk = createTalk(world)
      await way(talk)
      held[`${task} ${way.name.endsWith('Tools') ? 'mcp' : 'a2a'}`] = talk.written()
    }
  return held
}

type Talk = ReturnType<typeof createTalk>

function createTalk(world: SampleWorld) {
  const lines: string[] = []
  const names = new Map<string, string>()
  const named = (text: string) =>
    text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, (id) => {
      const name = names.get(id) ?? `<id ${names.size + 1}>`
      names.set(id, name)
      return name
    })
  const write = (who: keyof typeof CALLED, said: string) => lines.push(`${CALLED[who]}: ${named(said)}`)

  async function tool(
    name: string,
    args: Record<string, unknown>,
    as: 'consumer' | 'producer' = 'consumer',
  ): Promise<Answer> {
    write('agent', `tools/call ${name} ${JSON.stringify(args)}`)
    const answer = await world.call(world.people[as], name, args)
    write('service', shorten(answer.text))
    return answer
  }

  let sent = 0
  /** A message by HTTP+JSON; waits for what it asks for. */
  async function message(
    parts: Array<Record<string, unknown>>,
    more: Record<string, unknown> = {},
    {
      configuration,
      stream = false,
      signedIn = false,
    }: { configuration?: Record<string, unknown>; stream?: boolean; signedIn?: boolean } = {},
  ): Promise<Answer & { taskId: string }> {
    const body = {
      message: { messageId: `m-${++sent}`, role: 'ROLE_USER', parts, ...more },
      ...(configuration && { configuration }),
    }
    const verb = stream ? 'stream' : 'send'
    const token = signedIn ? 'Authorization: Bearer <TOKEN> ' : ''
    write('agent', `POST /a2a/message:${verb} ${token}${JSON.stringify(body)}`)
    const response = await world.app.request(`/a2a/message:${verb}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/a2a+json',
        'A2A-Version': '1.0',
        ...(signedIn && { Authorization: `Bearer ${world.people.consumer.token}` }),
      },
      body: JSON.stringify(body).replace('"m-', `"${crypto.randomUUID()}-m-`),
    })
    if (stream) {
      const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
        ([, data = '']) => JSON.parse(data) as Event,
      )
      for (const event of events) write('service', eventLine(event))
      return { text: '', data: {}, taskId: '' }
    }
    const answer = (await response.json()) as { message?: Message; task?: Task }
    const said = answer.message ??
      answer.task?.status.message ?? { parts: answer.task?.artifacts?.[0]?.parts }
    const text = said.parts?.find((part) => part.text !== undefined)?.text ?? ''
    const data = said.parts?.find((part) => part.data !== undefined)?.data ?? {}
    const options = Array.isArray(data.options) ? `\nOptions: ${data.options.join(' | ')}` : ''
    const head = answer.task ? `task <${answer.task.id}>, ${answer.task.status.state}` : 'message'
    write('service', `${head.replace(/[<>]/g, '')}\n${shorten(text)}${options}`)
    return { text, data, taskId: answer.task?.id ?? '' }
  }

  return { tool, message, world, written: () => lines.join('\n') }
}

type Part = { text?: string; data?: Record<string, unknown> }
type Message = { parts?: Part[] }
type Task = {
  id: string
  status: { state: string; message?: Message }
  artifacts?: Array<{ artifactId: string; name?: string; parts: Part[] }>
}
type Event = {
  message?: Message
  task?: Task
  statusUpdate?: { status: { state: string } }
  artifactUpdate?: { artifact: { name?: string; parts: Part[] } }
}

function eventLine({ task, statusUpdate, artifactUpdate, message }: Event): string {
  if (task) return `task ${task.id}, ${task.status.state}`
  if (statusUpdate) return statusUpdate.status.state
  if (message) return shorten(message.parts?.[0]?.text ?? '')
  const { name = '', parts = [] } = artifactUpdate?.artifact ?? {}
  const text = parts.find((part) => part.text !== undefined)?.text
  return text === undefined ? name : `${name}\n${shorten(text)}`
}

function shorten(text: string): string {
  const lines = text
    .replace(/eyJ[\w.-]{40,}/g, '<signature>')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH).replace(/\s\S*$/, '')} …` : line))
  if (lines.length <= LINES) return lines.join('\n')
  const next = lines.slice(LINES).filter((line) => line.startsWith('Next:'))
  return [...lines.slice(0, LINES), '…', ...next].join('\n')
}

const KETTLE = 'kettles/gooseneck'

async function shoppingByTools({ tool }: Talk) {
  await tool('search_products', { query: 'kettle for pour-over coffee', max_price: 100, limit: 2 })
  await tool('get_product', { category: 'kettles', slug: 'gooseneck', sections: ['specs', 'offers'] })
}

async function shoppingByA2a({ message }: Talk) {
  await message([{ text: 'a kettle for pour-over coffee under $100' }])
  await message([{ text: 'tell me about the Spout G-1' }])
}

async function comparingByTools({ tool }: Talk) {
  await tool('product_curator', {
    query: 'which of these for slow pouring',
    compare: [KETTLE, 'kettles/whistler'],
    must_have: ['slim spout'],
  })
}

async function comparingByA2a({ message }: Talk) {
  for (const product_slug of [KETTLE, 'kettles/whistler'])
    await message([{ data: { skill: 'product-lookup', product_slug } }])
}

async function planByTools({ tool }: Talk) {
  const made = await tool('product_curator', {
    query: 'camping kit with a tent and a sleeping bag',
    budget_usd: 400,
    bundle: true,
  })
  const plan_id = (made.data.bundle as { plan_id?: string } | undefined)?.plan_id ?? made.data.plan_id
  if (typeof plan_id === 'string') await tool('product_curator', { query: 'the same plan', plan_id })
}

async function planByA2a({ message }: Talk) {
  const query = 'camping kit with a tent and a sleeping bag under $400'
  await message([{ data: { skill: 'product-recommendation', query, bundle: true } }], {}, { signedIn: true })
}

async function quotesByTools({ tool }: Talk) {
  const asked = await tool('find_retailers', {
    query: 'gooseneck kettle',
    product_slug: KETTLE,
    quantity: 12,
  })
  const { request_id } = asked.data
  if (typeof request_id === 'string') await tool('find_retailers', { query: 'the same request', request_id })
}

async function quotesByA2a({ message }: Talk) {
  const { taskId } = await message([{ text: 'quote me 12' }])
  await message([{ text: KETTLE }], { taskId }, { configuration: { returnImmediately: false } })
  await message(
    [{ data: { skill: 'request-for-quote', product_slug: KETTLE, quantity: 2 } }],
    {},
    { stream: true },
  )
}

async function sellingByTools({ tool }: Talk) {
  const as = 'producer'
  await tool('list_my_products', { query: 'kettle', limit: 2 }, as)
  const { data } = await tool(
    'create_offer',
    {
      product_slug: KETTLE,
      headline: 'Ten dollars off this week',
      destination_url: 'https://kettle-shop.example/week',
      price_usd: 50,
      list_price_usd: 60,
    },
    as,
  )
  if (typeof data.offer_id === 'string')
    await tool('update_offer', { offer_id: data.offer_id, status: 'active' }, as)
  await tool('simulate_quote', { product_slug: KETTLE, quantity: 12 }, as)
}
