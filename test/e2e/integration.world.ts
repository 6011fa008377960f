/**
 * A producer's side of the world, for tests: a server over TLS on loopback that is reached by name through the allow
 * list and counts what reaches it, and an app with an organization whose domain it is.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, expect } from 'vitest'
import { all } from '../../src/db/rows.ts'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound, type Outbound, type OutboundRequest } from '../../src/lib/outbound.ts'
import { createTestApp } from '../harness.ts'
import { serve } from '../loopback.ts'
import { call, createOrg, type JsonAnswer, type TestOrg } from '../orgs.ts'
import { createTestCa } from '../tls.ts'

export const REGISTER = '/api/org/register-agent-card/'
export const INTEGRATION = '/api/org/agent-integration/'
export const UCP_CHECK = '/api/org/ucp-check/'

export const CARD = {
  protocolVersion: '0.3.0',
  name: 'Acme quotes',
  url: 'https://agent.acme.example/a2a',
  skills: [
    { id: 'small-talk', name: 'Talk', description: 'Talks', tags: [] },
    { id: 'respond-to-rfq', name: 'Quotes', description: 'Answers requests for quotes', tags: ['rfq'] },
  ],
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void

/** `names` are pinned to the server and in its certificate; `strangers` are pinned only. */
export async function createSite(names: readonly string[], strangers: readonly string[] = []) {
  let respond: Respond = (_request, response) => response.writeHead(404).end()
  const requests: IncomingMessage[] = []
  const authority = createTestCa()
  const server = await serve((request, response) => {
    requests.push(request)
    respond(request, response)
  }, authority.certFor(names))
  afterAll(() => server.close())
  const pins = [...names, ...strangers].map((name) => `${name}=127.0.0.1:${server.port}`)
  const real = createOutbound({
    allow: parseOutboundAllow(pins.join(',')),
    ca: authority.ca,
    resolve: async (name) => {
      throw new Error(`no test asks the world for ${name}`)
    },
  })
  /** What was asked of the outbound, so that tests need not wait for its limits. */
  const asked: OutboundRequest[] = []
  const limits: Partial<Pick<OutboundRequest, 'timeoutMs'>> = {}
  const outbound: Outbound = {
    ...real,
    request(input) {
      asked.push(input)
      return real.request({ ...input, ...limits })
    },
  }
  return {
    outbound,
    server,
    requests,
    asked,
    limits,
    respondWith: (next: Respond) => {
      respond = next
    },
    serving(body: unknown, status = 200, headers: Record<string, string> = {}) {
      respond = (_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      }
    },
  }
}

export async function createIntegrationWorld() {
  const site = await createSite(['acme.example', 'agent.acme.example'], ['wrong.acme.example'])
  const souk = await createTestApp({ outbound: site.outbound })
  const acme = await createOrg(souk, { name: 'Acme', domain: 'acme.example' })
  const { db } = souk.database

  const auditOf = async (org: TestOrg) =>
    (
      await db
        .selectFrom('audit_log')
        .select(['action', 'detail', 'actor_kind'])
        .where('org_id', '=', org.id)
        .orderBy('id')
        .execute()
    ).map(({ action, detail, actor_kind }) => ({ action, detail, by: actor_kind }))

  return {
    ...souk,
    site,
    acme,
    auditOf,
    send: (...args: Parameters<typeof call> extends [unknown, ...infer Rest] ? Rest : never) =>
      call(souk, ...args),
    rowOf: (org: TestOrg) =>
      db.selectFrom('agent_integrations').selectAll().where('org_id', '=', org.id).executeTakeFirst(),
    /** Runs it and holds that it has changed nothing: no integration, no record, no result of a check. */
    async nothingChanged(work: () => Promise<JsonAnswer>): Promise<JsonAnswer> {
      const before = await everything()
      const answer = await work()
      expect(await everything()).toEqual(before)
      return answer
    },
  }

  async function everything() {
    return {
      integrations: await db.selectFrom('agent_integrations').selectAll().orderBy('org_id').execute(),
      checks: await all(db)`select * from ucp_checks order by org_id`,
      audit: await db
        .selectFrom('audit_log')
        .select('id')
        .where('org_id', 'is not', null)
        .orderBy('id')
        .execute(),
    }
  }
}
