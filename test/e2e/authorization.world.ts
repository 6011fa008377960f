/** One world for the whole matrix: a caller of each kind, an organization they ask about, and how they ask. */

import { expect, vi } from 'vitest'
import { unsubscribeToken } from '../../src/notices/notices.service.ts'
import { signIn } from '../accounts.ts'
import { unescapeHtml } from '../html.ts'
import { type Caller, createCallers } from './authorization.callers.ts'
import { type Call, callOf, toolArguments, withoutNote } from './authorization.calls.ts'
import { FRESH } from './authorization.fresh.ts'
import { type Cell, KINDS, type Kind } from './authorization.policies.ts'
import { createMakers, type Subject } from './authorization.subjects.ts'
import { createPagesWorld } from './separation.pages.world.ts'

export type Asked = { kind: Kind; cell: Cell; said: string; told: string }

/** As a route would answer what a tool refuses. */
const STATUS: Record<string, number> = { forbidden: 403, not_found: 404, conflict: 409, unprocessable: 422 }

/** A2A tells it in an answer of 200. */
const NO_SUCH_TASK = '"code":-32001'

/**
 * What changes by itself: work that waits or runs, what is only counted, the trace of every OAuth exchange, and what
 * anyone typed who is asked to sign in, which waits for them.
 */
const UNWATCHED = [
  'a2a_hours',
  'jobs',
  'oauth_trace',
  'product_impressions',
  'product_reads',
  'search_answers',
  'search_queries',
  'tool_days',
  'unsaved_forms',
]
export async function createMatrixWorld() {
  const world = await createPagesWorld()
  const { pool } = world.database
  const makeCaller = createCallers(world)
  const makers = createMakers(world)
  const settled = await world.settle('Bravo-that-is-asked')
  const callers = new Map<Kind, Caller>()
  for (const kind of KINDS) callers.set(kind, await makeCaller(kind, settled.org))
  // The first use of a link token is written down, whatever comes of it.
  for (const kind of ['link', 'other-link'] as const)
    await world.app.request('/api/org/', { headers: callerOf(kind).headers })
  const base = await settleRest()

  /** Requests for quotes are carried out after they were made. */
  async function nobodyIsAsked(): Promise<void> {
    const { rowCount } = await pool.query(`select 1 from rfqs where state = 'submitted'`)
    expect(rowCount).toBe(0)
  }

  async function settleRest(): Promise<Subject> {
    const home = await (await world.app.request('/')).text()
    const asset = /\/assets\/([^"]+\.css)/.exec(home)?.[1] ?? ''
    const email = 'somebody@people.example'
    const { password } = await signIn(world, { email, verified: true })
    const unsubscribe = unsubscribeToken(world.accounts, {
      userId: settled.org.ownerId,
      kinds: ['first_request'],
    })
    const invitation = settled.invitationToken
    const start = { ...settled, asset, account: { email, password }, invitation, unsubscribe }
    const consumer = { ...start, caller: callerOf('consumer') } as Subject
    const owners = { ...start, caller: callerOf('token') } as Subject
    const somebody = { ...start, caller: await makeCaller('consumer', settled.org) } as Subject
    return {
      ...consumer,
      ...(await makers.coOwner(consumer)),
      ...(await makers.newcomerId()),
      ...(await makers.reportId()),
      ...(await makers.consumersTask(consumer)),
      ...(await makers.planId(consumer)),
      ...(await makers.tokensTask(owners)),
      ...(await makers.choice(consumer)),
      ...(await makers.shareId(consumer)),
      ...(await makers.grantId(somebody)),
      ...(await makers.sessionId(somebody)),
      ...(await makers.jobId()),
      ...(await makers.tidy()),
      ...(await makers.imported()),
      ...(await makers.operated()),
      ...(await makers.client()),
      redeemed: {},
      queryId: '',
      removed: '',
    }
  }

  function callerOf(kind: Kind): Caller {
    const caller = callers.get(kind)
    if (!caller) throw new Error(`nobody is ${kind}`)
    return caller
  }

  async function subjectFor(kind: Kind, name: string, { fresh }: { fresh: boolean }): Promise<Subject> {
    let of: Subject = { ...base, caller: callerOf(kind) }
    if (fresh) for (const one of FRESH[name] ?? []) of = { ...of, ...(await makers[one](of)) }
    return of
  }

  async function request(name: string, of: Subject): Promise<Asked> {
    const [method = '', pattern = ''] = name.split(' ')
    const call = callOf(name, of)
    const path = pathOf(pattern, call)
    const isJson = call.body !== undefined || pattern.startsWith('/api/')
    const headers: Record<string, string> = {
      accept: isJson ? 'application/json, text/event-stream' : 'text/html',
      // As from a page of ours, which forms must come from.
      ...(!isJson && method !== 'GET' && { origin: world.base }),
      ...(call.body && { 'content-type': 'application/json' }),
      ...of.caller.headers,
    }
    const sent = method === 'ALL' ? 'POST' : method
    const body =
      sent === 'GET' ? undefined : call.body ? JSON.stringify(call.body) : formOf(call, of, pattern)
    const answer = await world.app.request(new URL(path, world.base).href, { method: sent, headers, body })
    const text = await answer.text()
    const told = unescapeHtml(`${text}\n${JSON.stringify([...answer.headers])}`)
    const isNoTask = pattern === '/a2a' && text.includes(NO_SUCH_TASK)
    const cell = isNoTask ? 404 : cellOf(answer.status, answer.headers.get('location') ?? '')
    return { kind: of.caller.kind, cell, said: `${path} ${JSON.stringify(call)}`, told }
  }

  async function callTool(name: string, of: Subject): Promise<Asked> {
    const { kind, token } = of.caller
    const args = toolArguments(name, of)
    const said = JSON.stringify(args)
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: withoutNote(name), arguments: args },
    }
    const answer = await world.rpc(token, message)
    const told = await answer.text()
    if (!answer.ok) return { kind, cell: answer.status, said, told }
    const { result } = JSON.parse(told) as {
      result?: { isError?: boolean; _meta?: Record<string, { kind: string }> }
    }
    const refusal = result?._meta?.['souk/error']?.kind ?? ''
    const cell = result && !result.isError ? 'ok' : (STATUS[refusal] ?? 500)
    return { kind, cell, said, told }
  }

  /** At the address of that route, by another method and with nothing in the body. */
  async function tryMethod(method: string, name: string, kind: Kind): Promise<number> {
    const of = { ...base, caller: callerOf(kind) }
    const url = new URL(pathOf(name.split(' ')[1] ?? '', callOf(name, of)), world.base)
    const headers = { ...of.caller.headers, origin: world.base }
    const answer = await world.app.request(url.href, { method, headers })
    await answer.text()
    return answer.status
  }

  return {
    ...world,
    tryMethod,
    subjectFor,
    request,
    callTool,
    callerOf,
    marks: world.marksOf(settled),
    /** What everybody is shown of it: its offer, and whose it is. */
    publicMarks: [settled.offerId, settled.name, settled.mark],
    /** Its sellers' name of a request, for who has its id or a share of it. */
    requestMark: settled.rfqId,
    /** This moment, when nothing is under way any more. */
    async moment(): Promise<string> {
      await vi.waitFor(nobodyIsAsked, { timeout: 10_000, interval: 20 })
      return world.written.now()
    },
    /** What has changed since that moment, of what does not change by itself. */
    async changes(moment: string): Promise<string[]> {
      await vi.waitFor(nobodyIsAsked, { timeout: 10_000, interval: 20 })
      const rows = await world.written.since(moment)
      return rows.filter((row) => {
        const [, table = ''] = row.split(' ')
        // Of the jobs, mails: nobody sends them here.
        return table === 'jobs' ? row.includes('mail.send') : !UNWATCHED.includes(table)
      })
    },
  }
}

function formOf(
  { fields = {}, file }: Call,
  { caller, org }: Subject,
  pattern: string,
): URLSearchParams | FormData {
  const form = file === undefined ? new URLSearchParams() : new FormData()
  // A form of the dashboard names the organization it was shown for.
  const shownFor = pattern.startsWith('/dashboard/') && { org_id: (caller.elsewhere ?? org).id }
  const values = { ...shownFor, ...fields }
  for (const [name, value] of Object.entries(values)) form.set(name, value)
  if (form instanceof FormData) form.set('file', new File([file ?? ''], 'products.csv'))
  return form
}

/** With its parameters, and a `*`, filled in. */
function pathOf(pattern: string, { at = [], query }: Call): string {
  const values = [...at]
  const path = pattern.replaceAll(/:\w+(\{[^/]*\})?|\*/g, () => values.shift() ?? 'any')
  return query ? `${path}?${query}` : path
}

function cellOf(status: number, location: string): Cell {
  if (status === 303 && location.startsWith('/auth/signin?return_to=')) return 'in'
  // A client is told by the address it is sent back to, and who was late by what the next page says.
  if (/[?&](error=|done=(late|gone)\b)/.test(location)) return 400
  return status < 400 ? 'ok' : status
}
