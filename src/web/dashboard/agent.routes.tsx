/**
 * /dashboard/agent: where a producer registers its agent's card with the secret, which no tool ever takes. A link may
 * fill the form in, but only a press of a button does anything. Every form names the organization it was shown for,
 * because a person with several may have selected another one in another window meanwhile.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { SessionActor } from '../../accounts/actor.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import { invalidInput } from '../../lib/validate.ts'
import type { OrgsContext } from '../../orgs/context.ts'
import { type CardRegistration, RegisterCardBody } from '../../orgs/integration.schema.ts'
import { changeIntegration, getIntegration, registerAgentCard } from '../../orgs/integration.service.ts'
import { viewOrg } from '../../orgs/org.service.ts'
import { boundTo, type Caller, type Deed } from '../../orgs/producer.ts'
import { answerForm } from '../forms/answer-form.ts'
import type { FormState } from '../forms/fields.tsx'
import { onward } from '../onward.ts'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import {
  AGENT_PATH,
  type AgentView,
  ANSWERING_PATH,
  DONE,
  type Done,
  LABELS,
  renderAgent,
  renderNoOrganization,
} from './agent.page.tsx'

type Deps = { config: Config; site: Site; orgs: OrgsContext }

/** What a link may fill in, and what is kept of a refused form: never the secret. */
const KEPT = ['agent_card_url', 'auth_type'] as const

export function mountDashboardAgent(app: Hono<HttpEnv>, { orgs, config, site }: Deps): void {
  app.get(AGENT_PATH, async (c) => {
    const values = keptOf(c.req.query())
    const browser = await findSignedIn(c, orgs)
    if (!browser) return c.redirect(toSignIn(values), 303)
    const view = await findView(orgs, browser.actor)
    if (!view) return sendPage(c, renderNoOrganization(site), { status: 403 })
    const done = DONE.find((name) => name === c.req.query('done')) ?? null
    const byLink = Object.keys(values).length > 0
    return sendPage(c, renderAgent({ ...view, site, state: { values, errors: {} }, byLink, done }))
  })

  app.post(AGENT_PATH, (c) =>
    answer(c, CardForm, async (deed, { card }) => {
      await registerAgentCard(orgs, deed, card)
      return 'card'
    }),
  )

  app.post(ANSWERING_PATH, (c) =>
    answer(c, AnsweringForm, async (deed, { isManaged, clearCard }) => {
      await changeIntegration(orgs, deed, { isManaged, clearCard })
      if (clearCard) return 'cleared'
      return isManaged ? 'managed' : 'own'
    }),
  )

  async function answer<Input extends { orgId: string }>(
    c: Context<HttpEnv>,
    schema: z.ZodType<Input>,
    act: (deed: Deed, input: Input) => Promise<Done>,
  ): Promise<Response> {
    requireSameOrigin(c, config.baseUrl)
    const form = await readForm(c)
    const values = keptOf(form)
    const browser = await findSignedIn(c, orgs)
    if (!browser) return c.redirect(toSignIn(values), 303)
    return answerForm(c, form, {
      schema,
      async render({ errors }) {
        const view = await findView(orgs, browser.actor)
        if (!view) return renderNoOrganization(site)
        return renderAgent({ ...view, site, state: { values, errors }, byLink: false, done: null })
      },
      async act(input) {
        const caller = await callerFor(orgs, browser.actor, input.orgId)
        const done = await act({ caller, visit: visitOf(c, config) }, input)
        return c.redirect(`${AGENT_PATH}?done=${done}`, 303)
      },
    })
  }
}

/**
 * The form's one secret goes where the API has two. One that would be dropped is refused: whoever typed it believes
 * that requests will carry it.
 */
const CardForm = z
  .record(z.string(), z.string())
  .transform((form, check): { orgId: string; card: CardRegistration } => {
    const { org_id: orgId = '', agent_card_url, auth_type = 'none', secret } = form
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
    if (parsed.success) return { orgId, card: parsed.data }
    for (const issue of parsed.error.issues) {
      const { field = '', message } = invalidInput(new z.ZodError([issue]))
      refuse(isLabelled(field) ? field : 'secret', message.slice(`${field}: `.length))
    }
    return z.NEVER
  })

/** Each button says the whole of what is to be afterwards, so that two at once cannot mix into a third thing. */
const AnsweringForm = z
  .object({
    org_id: z.string().default(''),
    is_managed: z.enum(['true', 'false']),
    agent_card: z.enum(['keep', 'clear']),
  })
  .transform(({ org_id, is_managed, agent_card }) => ({
    orgId: org_id,
    isManaged: is_managed === 'true',
    clearCard: agent_card === 'clear',
  }))

function isLabelled(field: string): field is keyof typeof LABELS {
  return Object.hasOwn(LABELS, field)
}

/** Null for somebody without an organization. */
async function findView(ctx: OrgsContext, actor: SessionActor): Promise<AgentView | null> {
  try {
    const { org, role, organizations } = await viewOrg(ctx, actor)
    const integration = await getIntegration(ctx, { caller: boundTo(actor, org.id) })
    return { org, role, integration, organizations: organizations.length }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_a_producer') return null
    throw error
  }
}

async function callerFor(ctx: OrgsContext, actor: SessionActor, orgId: string): Promise<Caller> {
  const { org } = await viewOrg(ctx, actor)
  if (org.id !== orgId)
    throw new AppError(
      'conflict',
      `this form was not opened for ${org.name}, which you act for now, so nothing was changed; look again before you send it`,
      { code: 'conflict' },
    )
  return boundTo(actor, org.id)
}

function keptOf(given: Record<string, string>): FormState['values'] {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = given[name]
      return value ? [[name, value]] : []
    }),
  )
}

function toSignIn(values: FormState['values']): string {
  const query = new URLSearchParams(values).toString()
  return onward('/auth/signin', query ? `${AGENT_PATH}?${query}` : AGENT_PATH)
}
