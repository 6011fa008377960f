/**
 * The pages of the dashboard asked as browsers ask them, with what a page tells and offers read from its text: tests that
 * look for traces of one organization in what another is shown, and for forms that somebody may not send.
 */
import { afterAll, beforeAll, expect } from 'vitest'
import { unescapeHtml } from '../html.ts'
import { PAGES, type Page, type PageCall } from './separation.pages.table.ts'
import { createSeparationWorld, type Settled } from './separation.world.ts'

/** Where a form comes from that no page of ours sent. */
export const ELSEWHERE: Array<Record<string, string>> = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

export type Answer = { status: number; location: string | null; told: string; html: string }
export type Person = { cookie: string } | null

export async function createPagesWorld() {
  const world = await createSeparationWorld()
  const base = world.accounts.config.baseUrl

  async function ask(by: Person, method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { accept: 'text/html', ...by, ...(init.headers as Record<string, string>) }
    const answer = await world.app.request(new URL(path, base).href, { ...init, method, headers })
    const html = await answer.text()
    const told = unescapeHtml(`${html}\n${JSON.stringify([...answer.headers])}`)
    return { status: answer.status, location: answer.headers.get('location'), told, html }
  }

  /** As from the page of the organization `orgId`. */
  function send(
    by: Person,
    name: string,
    call: PageCall,
    orgId = '',
    headers: Record<string, string> = { origin: base },
  ): Promise<Answer> {
    const path = pathOf(name, call)
    if (name.startsWith('GET ')) return ask(by, 'GET', path)
    const body = call.file === undefined ? new URLSearchParams() : new FormData()
    for (const [field, value] of Object.entries({ org_id: orgId, ...call.fields })) body.set(field, value)
    if (body instanceof FormData) body.set('file', new File([call.file ?? ''], 'products.csv'))
    return ask(by, 'POST', path, { body, headers })
  }

  function expectNothingTold(answer: Answer, of: Settled, said: string): void {
    const marks = world.marksOf(of).filter((mark) => !said.includes(mark))
    expect(marks.length).toBeGreaterThan(10)
    expect({ said, marks: marks.filter((mark) => answer.told.includes(mark)) }).toEqual({ said, marks: [] })
  }

  const known = new Set<Settled>()
  /** Without rows of its own, an organization that stays as it was would prove nothing. Looked at once: it takes its time. */
  async function expectRows(of: Settled): Promise<void> {
    if (!known.has(of)) expect((await world.rowsOf(of)).length).toBeGreaterThan(25)
    known.add(of)
  }

  /** Whatever is asked in this block, each row of these stays as it was; `but` names those that may come. */
  function nothingChanges(of: () => Settled[], but?: RegExp): void {
    let before: string
    beforeAll(async () => {
      for (const one of of()) await expectRows(one)
      before = await world.written.now()
    })
    afterAll(async () => {
      for (const one of of()) {
        const changes = await world.changesOf(one, before)
        expect(changes.filter((row) => !but?.test(row))).toEqual([])
      }
    })
  }

  return { ...world, base, ask, send, expectNothingTold, nothingChanges }
}

export function pathOf(name: string, { at = [], query }: PageCall): string {
  const values = [...at]
  const path = (name.split(' ')[1] ?? '').replaceAll(/:\w+/g, () => values.shift() ?? '')
  return query ? `${path}?${query}` : path
}

/** What somebody says themselves is no news to them. */
export const saidBy = (name: string, call: PageCall) =>
  `${pathOf(name, call)} ${JSON.stringify(call.fields ?? {})} ${call.file ?? ''}`

export function expectStatus({ status, told }: Answer, ...expected: number[]): void {
  const isExpected = expected.includes(status)
  expect({ status, told: isExpected ? '' : mainOf(told) }).toEqual({
    status: expect.toBeOneOf(expected),
    told: '',
  })
}

/** For who reads why a test failed. */
function mainOf(told: string): string {
  return told.slice(Math.max(0, told.indexOf('<main'))).slice(0, 3_000)
}

/** The row whose path this is: one without parameters before one with. */
export function rowFor(method: string, path: string): Page | undefined {
  const exact = PAGES[`${method} ${path}`]
  if (exact) return exact
  return PATTERNS.find(({ pattern }) => pattern.test(`${method} ${path}`))?.page
}

const PATTERNS = Object.entries(PAGES).map(([name, page]) => ({
  page,
  pattern: new RegExp(`^${name.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
}))

export function offeredBy(html: string): { posts: string[]; links: string[] } {
  const attribute = (tag: string, name: string) => {
    const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
    return value === undefined ? [] : [unescapeHtml(value)]
  }
  // One without an address is sent to its page's own, which nothing here has: it is told as ''.
  const target = (tag: string) => attribute(tag, 'action')[0] ?? ''
  const tags = (kind: string) => [...html.matchAll(new RegExp(`<${kind}\\b[^>]*>`, 'g'))].map(([tag]) => tag)
  const forms = tags('form').filter((tag) => / method="post"/i.test(tag))
  const buttons = [...tags('button'), ...tags('input')].flatMap((tag) => attribute(tag, 'formaction'))
  return {
    posts: [...forms.map(target), ...buttons],
    links: tags('a').flatMap((tag) => attribute(tag, 'href')),
  }
}

export const isOfDashboard = (path: string) => /^\/dashboard(?=$|[/?#.])/.test(path)
