/** A producer's browser at /dashboard/agent, without scripts: forms are filled in from what the page holds. */
import { beforeEach, expect } from 'vitest'
import { createBrowser } from '../accounts.ts'
import type { TestOrg } from '../orgs.ts'
import { CARD, createIntegrationWorld } from './integration.world.ts'

export const PAGE = '/dashboard/agent'
export const ANSWERING = '/dashboard/agent/answering'
export const UCP = '/dashboard/agent/ucp'
export const URL_OF_CARD = 'https://agent.acme.example/.well-known/agent-card.json'
export const SECRET = 'kettle-harbour-violet-731'

/** Each test starts with a good card being served and nothing registered. */
export async function createAgentPageWorld() {
  const world = await createIntegrationWorld()
  const { acme, site, database } = world
  beforeEach(async () => {
    site.serving(CARD)
    site.requests.length = 0
    await database.db.deleteFrom('agent_integrations').execute()
  })

  function browserOf({ cookie }: { cookie: string }) {
    const browser = createBrowser(world)
    browser.setCookie(cookie)
    return browser
  }

  const everything = async () => [
    await database.db.selectFrom('agent_integrations').selectAll().orderBy('org_id').execute(),
    await database.db
      .selectFrom('audit_log')
      .select('id')
      .where('org_id', 'is not', null)
      .orderBy('id')
      .execute(),
  ]

  return {
    ...world,
    browserOf,
    owner: browserOf(acme.session),
    cardForm: (fields: Record<string, string> = {}) => ({
      org_id: acme.id,
      agent_card_url: URL_OF_CARD,
      auth_type: 'none',
      secret: '',
      ...fields,
    }),
    answering: (isManaged: boolean, card: 'keep' | 'clear', org: TestOrg = acme) => ({
      org_id: org.id,
      is_managed: String(isManaged),
      agent_card: card,
    }),
    /** Runs it and holds that no integration and no record came of it. */
    async unchanged<Result>(work: () => Promise<Result>): Promise<Result> {
      const before = await everything()
      const result = await work()
      expect(await everything()).toEqual(before)
      return result
    },
  }
}

export async function read(answer: Response | Promise<Response>) {
  const response = await answer
  return { status: response.status, headers: response.headers, html: await response.text() }
}

/** The forms of a page, or of a piece of one: what each would send when nothing is typed. The header's own is no part of it. */
export function formsOf(html: string) {
  const main = html.slice(Math.max(0, html.indexOf('<main')))
  const forms = main.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)
  return [...forms].map(([, action, body = '']) => {
    const fields: Record<string, string> = {}
    for (const [tag] of body.matchAll(/<input[^>]*>/g))
      fields[attribute(tag, 'name') ?? ''] = attribute(tag, 'value') ?? ''
    const selects = body.matchAll(/<select[^>]* name="(\w+)"[^>]*>(.*?)<\/select>/gs)
    for (const [, name = '', options = ''] of selects)
      fields[name] = attribute(/<option[^>]* selected[^>]*>/.exec(options)?.[0] ?? '', 'value') ?? ''
    return { action, fields }
  })
}

/** Of the forms that do something: one that filters a list does nothing. */
export const actionsOf = (html: string) =>
  formsOf(html.replaceAll(/<form[^>]* method="get".*?<\/form>/gs, '')).map(({ action }) => action)

export function attribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
}

/** What a list of facts says of this. */
export function fact(html: string, name: string): string | undefined {
  return new RegExp(`>${name}</(?:th><td|dt><dd)>(.*?)</(?:td|dd)>`, 's')
    .exec(html)?.[1]
    ?.replaceAll(/<[^>]+>/g, '')
}
