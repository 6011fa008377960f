/**
 * /dashboard/agent: where a producer registers its agent's card with the secret, which no tool ever takes, sees how it
 * has answered and tries it. A link may fill the form in, but only a press of a button does anything.
 */

import type { Context } from 'hono'
import { z } from 'zod'
import type { HttpEnv } from '../../../http/env.ts'
import { awaitLater } from '../../../lib/background.ts'
import { invalidInput } from '../../../lib/validate.ts'
import { type CardRegistration, RegisterCardBody } from '../../../orgs/integration.schema.ts'
import { changeIntegration, getIntegration, registerAgentCard } from '../../../orgs/integration.service.ts'
import type { Act } from '../../../orgs/producer.ts'
import { checkUcp, getUcpCheck } from '../../../orgs/ucp.service.ts'
import { listMyProducts } from '../../../producers/my-products.service.ts'
import { getIntegrationReport, MOST_ATTEMPTS } from '../../../rfq/integration-report.service.ts'
import { type AskedTest, testOwnAgent } from '../../../rfq/test-rfq.service.ts'
import type { FormState } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import { streamPage } from '../../stream-page.tsx'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { AGENT_PATH, PRICING_PATH } from '../paths.ts'
import { ANSWERING_PATH, LABELS } from './agent.forms.tsx'
import { DONE_WORDS, renderAgent } from './agent.page.tsx'
import { TEST_PATH, TestForm } from './agent.test-form.tsx'
import { UCP_PATH } from './agent.ucp.tsx'
import { renderTested, Tested } from './tested.page.tsx'

/** What a link may fill in, and what is kept of a form after signing in: never the secret. */
const KEPT = ['agent_card_url', 'auth_type'] as const
const MOST_NAMED = 50

export function mountAgent(dashboard: Dashboard, { site, ctx }: DashboardDeps): void {
  dashboard.get(AGENT_PATH, 'read', async (c, visitor) => {
    const values = keptOf(c.req.query())
    const byLink = Object.keys(values).length > 0
    const done = doneWords(DONE_WORDS, c.req.query('done'))
    return sendPage(c, await show(visitor, { state: { values, errors: {} }, byLink, done }))
  })

  dashboard.post(AGENT_PATH, {
    schema: CardForm,
    page: (_c, form) => withQuery(keptOf(form)),
    render: again,
    async act({ act, input }) {
      await registerAgentCard(ctx, act, input)
      return `${AGENT_PATH}?done=card`
    },
  })

  dashboard.post(ANSWERING_PATH, {
    schema: AnsweringForm,
    page: AGENT_PATH,
    render: again,
    async act({ act, input: { isManaged, clearCard, page } }) {
      await changeIntegration(ctx, act, { isManaged, clearCard })
      const done = clearCard ? 'cleared' : isManaged ? 'managed' : 'own'
      return `${page}?done=${done}`
    },
  })

  dashboard.post(UCP_PATH, {
    schema: z.object({}),
    page: AGENT_PATH,
    render: again,
    async act({ act }) {
      await checkUcp(ctx, act)
      return `${AGENT_PATH}?done=ucp#ucp`
    },
  })

  dashboard.post(TEST_PATH, {
    schema: TestForm,
    page: `${AGENT_PATH}#test`,
    render: again,
    act: ({ c, act, visitor, input }) => test(c, { act, visitor, asked: input }),
  })

  /** What is refused is refused with the form; what is sent is waited for with the page already there. */
  async function test(
    c: Context<HttpEnv>,
    { act, visitor, asked }: { act: Act; visitor: Visitor; asked: AskedTest },
  ): Promise<Response> {
    const [{ isManaged }, products] = await Promise.all([getIntegration(ctx, act), testable(visitor)])
    const { productSlug = '', quantity, deliveryRegion } = asked
    const values = {
      product_slug: productSlug,
      quantity: String(quantity ?? 1),
      delivery_region: deliveryRegion ?? '',
    }
    const deadlineMs = ctx.rfqDeadlineMs
    const page = { site, visitor, state: { values, errors: {} }, products, isManaged, deadlineMs }
    const gone = new AbortController()
    const sending = Promise.withResolvers<null>()
    // A fault is told by whoever waits for it below, also when that begins after it.
    const testing = awaitLater(testOwnAgent(ctx, act, gone.signal, asked, () => sending.resolve(null)))
    const early = await Promise.race([testing, sending.promise])
    if (early) return sendPage(c, renderTested({ ...page, tested: early }))
    return streamPage(c, renderTested(page), async (write, signal) => {
      signal.addEventListener('abort', () => gone.abort())
      await write(String(<Tested tested={await testing} deadlineMs={deadlineMs} />))
    })
  }

  function again({ visitor, state }: { visitor: Visitor; state: FormState }): Promise<string> {
    return show(visitor, { state, byLink: false, done: null })
  }

  async function show(
    visitor: Visitor,
    shown: { state: FormState; byLink: boolean; done: string | null },
  ): Promise<string> {
    const [report, ucp, products] = await Promise.all([
      getIntegrationReport(ctx, visitor, { attempts: MOST_ATTEMPTS }),
      getUcpCheck(ctx, visitor),
      testable(visitor),
    ])
    return renderAgent({ site, visitor, report, ucp, products, ...shown })
  }

  async function testable(visitor: Visitor) {
    if (!visitor.may('manage')) return []
    const { products } = await listMyProducts(ctx, visitor, {
      relationshipType: null,
      verificationStatus: 'verified',
      query: null,
      hasIssues: null,
      limit: MOST_NAMED,
      offset: 0,
    })
    return products.map(({ facts: { slug, title } }) => ({ slug, title }))
  }
}

/**
 * The form's one secret goes where the API has two. One that would be dropped is refused: whoever typed it believes
 * that requests will carry it.
 */
const CardForm = z.record(z.string(), z.string()).transform((form, check): CardRegistration => {
  const { agent_card_url, auth_type = 'none', secret } = form
  const refuse = (field: keyof typeof LABELS, problem: string) => {
    const message = `${LABELS[field]}: ${problem}`
    check.issues.push({ code: 'custom', path: [field], message, input: undefined })
  }
  if (auth_type === 'none' && secret)
    refuse('auth_type', 'you gave a secret, so choose what it is for, or leave the secret empty')
  const parsed = RegisterCardBody.safeParse({
    agent_card_url: agent_card_url || undefined,
    auth_type,
    bearer_token: secret || undefined,
    hmac_secret: secret || undefined,
  })
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const { field = '', message } = invalidInput(new z.ZodError([issue]))
    refuse(isLabelled(field) ? field : 'secret', message.slice(`${field}: `.length))
  }
  return z.NEVER
})

/** Each button says the whole of what is to be afterwards, so that two at once cannot mix into a third thing. */
const AnsweringForm = z
  .object({
    is_managed: z.enum(['true', 'false']),
    agent_card: z.enum(['keep', 'clear']),
    from: z.enum(['agent', 'pricing']).default('agent'),
  })
  .transform(({ is_managed, agent_card, from }) => ({
    isManaged: is_managed === 'true',
    clearCard: agent_card === 'clear',
    page: from === 'pricing' ? PRICING_PATH : AGENT_PATH,
  }))

function isLabelled(field: string): field is keyof typeof LABELS {
  return Object.hasOwn(LABELS, field)
}

function keptOf(given: Record<string, string>): FormState['values'] {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = given[name]
      return value ? [[name, value]] : []
    }),
  )
}

function withQuery(values: FormState['values']): string {
  const query = new URLSearchParams(values).toString()
  return query ? `${AGENT_PATH}?${query}` : AGENT_PATH
}
