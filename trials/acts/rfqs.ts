/** Requests for quote by agents, with tools and by A2A, followed to their end as their askers would. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Act, Answer, Turn } from '../act.ts'
import { BUYER_HOST } from '../agents.ts'
import { addressOf, type Person } from '../people.ts'

const LOOK_EVERY_MS = 300
const LOOKS = 12
const STRANGERS = 60

type Asker = { headers: Record<string, string>; ip: string; whose: string; person: Person | null }

function anAsker(turn: Turn): Asker {
  if (turn.random() < 0.6) {
    const person = turn.pick(turn.people.shoppers)
    const headers = { authorization: `Bearer ${person.token}` }
    return { headers, ip: person.ip, whose: person.userId, person }
  }
  const ip = addressOf(4, Math.floor(turn.random() * STRANGERS))
  return { headers: {}, ip, whose: ip, person: null }
}

type RpcAnswer = { result?: { task?: Task } & Task; error?: { code: number } }
type Task = { id?: string; status?: { state?: string } }

const taskOf = (answer: Answer): Task | undefined => {
  const { result } = answer.json() as RpcAnswer
  return result?.task ?? result
}

function rpc(asker: Asker, method: string, params: Record<string, unknown>) {
  return {
    path: '/a2a/',
    ip: asker.ip,
    headers: { 'A2A-Version': '1.0', ...asker.headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  }
}

async function ask(turn: Turn, asker: Asker, push: boolean): Promise<void> {
  const { category, slug } = turn.pick(turn.people.products)
  const messageId = turn.word()
  const request = rpc(asker, 'SendMessage', {
    message: {
      messageId,
      role: 'ROLE_USER',
      parts: [{ text: 'Please quote' }],
      metadata: {
        skill: 'request-for-quote',
        product_slug: `${category}/${slug}`,
        quantity: 1 + Math.floor(turn.random() * 20),
        delivery_region: 'CA-US',
      },
    },
    ...(push && {
      configuration: {
        returnImmediately: true,
        taskPushNotificationConfig: { url: `https://${BUYER_HOST}/told`, token: 'of-the-buyer' },
      },
    }),
  })
  const intent = {
    subject: null,
    next: null,
    audited: asker.person ? 'rfq.submitted' : null,
    by: asker.whose,
    said: (answer: Answer) => ({ task: taskOf(answer)?.id, messageId, push }),
  }
  const answer = await turn.write(intent, request)
  countMessage(turn, asker, answer)
  const lostHope = answer.status === 0 || answer.status >= 500
  // Anyone who does not know sends the same again, and it must stay one request.
  const known = lostHope || turn.random() < 0.1 ? await turn.send(request) : answer
  if (known !== answer) countMessage(turn, asker, known)
  const id = taskOf(known)?.id
  if (id !== undefined) await follow(turn, asker, id)
}

function countMessage(turn: Turn, asker: Asker, { status }: Answer): void {
  const how = status === 0 || status >= 500 ? 'unknown' : status === 429 ? 'refused' : 'served'
  turn.journal.count(`a2a ${asker.whose}`, how)
}

async function follow(turn: Turn, asker: Asker, id: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    await sleep(LOOK_EVERY_MS)
    const state = taskOf(await turn.send(rpc(asker, 'GetTask', { id })))?.status?.state
    if (state !== undefined && state !== 'TASK_STATE_SUBMITTED') return
  }
}

export const RFQ_ACTS: readonly Act[] = [
  { name: 'rfq.a2a', weight: 3, run: (turn) => ask(turn, anAsker(turn), false) },
  { name: 'rfq.push', weight: 1, run: (turn) => ask(turn, anAsker(turn), true) },
  {
    name: 'rfq.cancel',
    weight: 1,
    async run(turn) {
      const asker = anAsker(turn)
      const { category, slug } = turn.pick(turn.people.products)
      const sent = await turn.write(
        {
          subject: null,
          next: null,
          audited: asker.person ? 'rfq.submitted' : null,
          by: asker.whose,
          said: (answer) => ({ task: taskOf(answer)?.id }),
        },
        rpc(asker, 'SendMessage', {
          message: {
            messageId: turn.word(),
            role: 'ROLE_USER',
            parts: [{ data: { skill: 'request-for-quote', product_slug: `${category}/${slug}` } }],
          },
        }),
      )
      countMessage(turn, asker, sent)
      const id = taskOf(sent)?.id
      if (id !== undefined) await turn.send(rpc(asker, 'CancelTask', { id }))
    },
  },
  {
    name: 'rfq.tool',
    weight: 1,
    async run(turn) {
      const person = turn.pick(turn.people.shoppers)
      const { category, slug, title } = turn.pick(turn.people.products)
      await turn.tool(
        person,
        'find_retailers',
        { query: title, product_slug: `${category}/${slug}`, quantity: 2 },
        {
          subject: null,
          next: null,
          audited: 'rfq.submitted',
          by: person.userId,
          said: (answer) => ({ text: answer.text.slice(0, 2_000) }),
        },
      )
    },
  },
]
