/**
 * Tries an agent on the developer's own machine, before there is a domain, a certificate or an organization: one request as
 * a real one is worded and signed, to a port of loopback and nowhere else, and its answer ranked among what the demo sellers
 * would quote. Nothing is stored, so no buyer, seller or statistic sees it. The routes that offer this make sure that only this
 * machine can ask for it.
 */
import { z } from 'zod'
import { getProfile } from '../catalog/catalog.service.ts'
import { findNamedProduct } from '../catalog/relationships.service.ts'
import { notFound } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { isLoopback } from '../lib/loopback.ts'
import { isBadPort } from '../lib/outbound.allow.ts'
import { createOutbound } from '../lib/outbound.ts'
import { skillProblem } from '../orgs/agent-card.ts'
import { fetchJson } from '../orgs/integration-fetch.ts'
import { askAgent, type FinishedTry, type StartedTry } from './ask-agent.ts'
import type { RfqContext } from './context.ts'
import { demoQuotes } from './preview.service.ts'
import { type Ranked, type ReceivedQuote, type WireAnswer, writeAnswer } from './quote.schema.ts'
import { rankQuotes } from './rank.ts'
import { encodeRfqMessage } from './request.ts'
import { RfqRequest } from './rfq.schema.ts'
import type { TestedAgent } from './test-rfq.service.ts'

const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json']
/** What the trial's own seller is called in the ranking. */
export const LOCAL_SELLER = 'local'
/** An answer that takes longer loses buyers who wait. */
export const SLOW_MS = 5_000

/** "8787", "127.0.0.1:8787" or "http://localhost:8787/": a port of this machine. */
const LocalAddress = z
  .string()
  .trim()
  .min(1, 'Enter a port of your computer, such as 127.0.0.1:8787.')
  .max(100)
  .transform((text, context) => {
    const url = URL.parse(
      /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : text.includes('//') ? text : `http://${text}`,
    )
    const port = Number(url?.port)
    const problem =
      url?.protocol !== 'http:' || url.username !== '' || !isLoopback(url.hostname)
        ? 'must be a port of this computer over http, such as 127.0.0.1:8787'
        : port === 0
          ? 'must name the port, such as 127.0.0.1:8787'
          : isBadPort(port)
            ? `port ${port} is not for web servers`
            : null
    if (problem === null && url) return { host: url.hostname === '[::1]' ? '[::1]' : '127.0.0.1', port }
    context.addIssue({ code: 'custom', message: problem ?? 'must be an address', input: text })
    return z.NEVER
  })

const Secret = z.string().min(16, 'must have at least 16 characters').max(500)

export const Trial = RfqRequest.pick({ product_slug: true, quantity: true, delivery_region: true })
  .extend({
    address: LocalAddress,
    auth_type: z.enum(['none', 'bearer', 'hmac']).default('none'),
    secret: Secret.nullish(),
  })
  .superRefine(({ auth_type, secret }, { addIssue }) => {
    if (auth_type !== 'none' && !secret)
      addIssue({ code: 'custom', path: ['secret'], message: 'is needed for this authentication' })
  })
export type Trial = z.output<typeof Trial>

export type Tried = {
  tested: TestedAgent
  /** What is wrong with the card; null when it is right. The request is sent all the same. */
  cardProblem: string | null
  isSlow: boolean
  /** The answer among those of demo sellers; empty without a quote. */
  ranked: Ranked[]
}

export async function tryAgent(ctx: RfqContext, trial: Trial, signal: AbortSignal): Promise<Tried> {
  const ref = await findNamedProduct(ctx, trial.product_slug)
  const profile = ref && (await getProfile(ctx, ref))
  if (!profile) throw notFound('there is no such product in this catalog', { field: 'product_slug' })
  const { host, port } = trial.address
  const origin = `http://${host}:${port}`
  const productSlug = `${profile.category.slug}/${profile.slug}`
  const rfqId = newId()
  const body = encodeRfqMessage({
    ...{ rfqId, messageId: rfqId, productSlug, quantity: trial.quantity },
    ...{ deliveryRegion: trial.delivery_region, deadlineIso: null },
    requestor: `${ctx.config.baseUrl}/.well-known/agent-card.json`,
  })
  // A guard of its own, open to this one port: the service's own stays as it is.
  const outbound = createOutbound({
    allow: [{ kind: 'reach', host: host.replace(/^\[|\]$/g, ''), port }],
    resolve: async () => [],
  })
  try {
    const cardProblem = await findCardProblem(outbound, origin)
    let started: StartedTry | null = null
    const finished = await new Promise<FinishedTry>((resolve, reject) => {
      askAgent(
        { outbound, clock: ctx.clock },
        {
          integration: {
            agentCardUrl: `${origin}${CARD_PATHS[0]}`,
            authType: trial.auth_type,
            secret: trial.auth_type === 'none' ? null : (trial.secret ?? null),
            secretLost: false,
          },
          body,
          deadlineAt: performance.now() + ctx.rfqDeadlineMs,
          ...{ signal, tries: 1, ended: resolve },
          began: (one) => {
            started = one
          },
        },
      ).catch(reject)
    })
    const { endpoint, requestHeaders } = started ?? { endpoint: null, requestHeaders: null }
    const { verdict, reason, ms, response, answer } = finished
    const now = ctx.clock.now()
    const own: ReceivedQuote[] = answer
      ? [
          {
            id: LOCAL_SELLER,
            org: { id: LOCAL_SELLER, name: 'Your agent', orgType: 'retailer', verified: false, domain: null },
            ...{ answer, responseMs: Math.round(ms), health: { status: 'active', failuresInARow: 0 } },
          },
        ]
      : []
    const others = answer ? await demoQuotes(ctx, profile, trial) : []
    return {
      cardProblem,
      isSlow: ms > SLOW_MS,
      ranked: rankQuotes([...own, ...others], { quantity: trial.quantity, deadline: null, now }),
      tested: {
        ...{ kind: 'agent', missing: null, productSlug, rfqId, endpoint, requestHeaders, verdict, reason },
        requestBody: body.toString('utf8'),
        ms: Math.round(ms),
        response: response && { status: response.status, body: response.body },
        answer: answer && writeAnswer(answer),
      },
    }
  } finally {
    await outbound.close()
  }
}

async function findCardProblem(
  outbound: ReturnType<typeof createOutbound>,
  origin: string,
): Promise<string | null> {
  let problem = ''
  for (const path of CARD_PATHS) {
    const fetched = await fetchJson(outbound, `${origin}${path}`)
    if ('value' in fetched) return skillProblem(fetched.value)
    problem ||= `${path} could not be read: ${fetched.problem}`
    if (fetched.reason !== 'status') break
  }
  return problem
}

/** The ranking by the wire's names, for programs; your own agent's quote is marked. */
export function writeTried({ tested, cardProblem, isSlow, ranked }: Tried) {
  return {
    verdict: tested.verdict,
    reason: tested.reason,
    ms: tested.ms,
    slow: isSlow,
    card_problem: cardProblem,
    endpoint: tested.endpoint,
    answer: tested.answer,
    quotes: ranked.map(({ rank, org, answer, totalCents, rankReasons }) => ({
      rank,
      yours: org.id === LOCAL_SELLER,
      seller: org.name,
      ...priced(writeAnswer(answer)),
      total_usd: totalCents / 100,
      rank_reasons: rankReasons,
    })),
    note: RANKED_AMONG,
  }
}

export const RANKED_AMONG =
  'A test: nobody was asked but your agent, and nothing was stored. The other quotes are what demo sellers with pricing rules would answer now; sellers with agents of their own are not among them.'

function priced({ price_usd, in_stock, shipping_cost_usd, estimated_shipping_days }: WireAnswer) {
  return { price_usd, in_stock, shipping_cost_usd, estimated_shipping_days }
}
