/**
 * People with access tokens, and calls of tools through the whole tool server. Every answer is held against the tool's own
 * output schema and the room for texts, so that each test of a tool checks its form besides what it is about.
 */
import { expect } from 'vitest'
import { TOOLS } from '../src/agents/mcp/registry.ts'
import { TEXT_ROOM } from '../src/lib/fit-text.ts'
import { newId } from '../src/lib/ids.ts'
import type { OrgRole, OrgType } from '../src/orgs/orgs.schema.ts'
import { giveAccessToken } from './access-token.ts'
import type { Souk } from './accounts.ts'
import { BASE_URL, createTestApp } from './harness.ts'
import { addMember, createOrg, type TestOrg } from './orgs.ts'

export type ToolPerson = { userId: string; token: string; org?: TestOrg }
export type ToolResult = {
  text: string
  data: Record<string, unknown>
  isError: boolean
  /** The envelope of a refusal. */
  error: { error: string; kind: string; code?: string; field?: string; max?: number; valid?: string[] }
}

export type OrgOptions = {
  name?: string
  orgType?: OrgType
  domain?: string | null
  verified?: boolean
  deactivated?: boolean
}

export const CLIENT_NAME = 'Test Agent'

export async function createToolsWorld(options: Parameters<typeof createTestApp>[0] = {}) {
  return withTools(await createTestApp(options))
}

let people = 0

/** Adds people with tokens and calls of tools to any world of tests. */
export function withTools<S extends Souk>(souk: S) {
  const rpc = (token: string | null, message: unknown, headers: Record<string, string> = {}) =>
    souk.app.request(`${BASE_URL}/mcp/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })

  async function call(
    { token }: Pick<ToolPerson, 'token'>,
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<ToolResult> {
    const response = await rpc(token, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const body = (await response.json()) as {
      result?: {
        content: Array<{ type: string; text: string }>
        structuredContent?: Record<string, unknown>
        isError?: boolean
        _meta?: Record<string, ToolResult['error']>
      }
      error?: { code: number; message: string }
    }
    if (!body.result) throw new Error(`${name}: ${response.status} ${JSON.stringify(body.error)}`)
    const { content, structuredContent = {}, isError = false, _meta } = body.result
    const text = content.map((part) => part.text).join('\n')
    expect(text.length, `the text of ${name}`).toBeLessThan(TEXT_ROOM)
    if (!isError) checkForm(name, structuredContent)
    const error = _meta?.['souk/error'] ?? { error: '', kind: '' }
    return { text, data: structuredContent, isError, error }
  }

  const tokenFor = (userId: string, { clientName = CLIENT_NAME } = {}): Promise<string> =>
    giveAccessToken(souk.database.db, {
      userId,
      at: souk.accounts.clock.now(),
      baseUrl: BASE_URL,
      clientName,
    })

  async function person(
    options: {
      email?: string
      name?: string
      verified?: boolean
      /** Owner of an organization of their own. */
      producer?: boolean | OrgOptions
      /** A member of somebody's organization, with this role. */
      in?: TestOrg
      role?: OrgRole
    } = {},
  ): Promise<ToolPerson> {
    const { producer, role = 'viewer' } = options
    if (options.in) {
      const member = await addMember(souk, options.in, role)
      return { userId: member.userId, token: await tokenFor(member.userId), org: options.in }
    }
    if (producer) {
      const org = await createOrg(souk, producer === true ? {} : producer)
      return { userId: org.ownerId, token: await tokenFor(org.ownerId), org }
    }
    const userId = newId()
    const email = options.email ?? `person-${++people}@people.example`
    const at = souk.accounts.clock.now()
    await souk.database.db
      .insertInto('users')
      .values({
        id: userId,
        email,
        email_key: email,
        name: options.name ?? 'Ada',
        password_hash: null,
        email_verified_at: options.verified === false ? null : at,
        created_at: at,
        updated_at: at,
      })
      .execute()
    return { userId, token: await tokenFor(userId) }
  }

  return { ...souk, rpc, call, person, tokenFor }
}

function checkForm(name: string, data: Record<string, unknown>): void {
  const output = TOOLS.find((tool) => tool.name === name)?.output
  if (!output) throw new Error(`${name} is not a tool`)
  const parsed = output.safeParse(data)
  expect(parsed.error?.issues ?? [], `the data of ${name} by its schema`).toEqual([])
  // Reading drops what the schema does not know, at any depth: such fields are mistakes too.
  expect(parsed.data, `the data of ${name} as its schema reads it`).toEqual(data)
}

export type ToolsWorld = Awaited<ReturnType<typeof createToolsWorld>>
