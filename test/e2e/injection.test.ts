/**
 * Hostile texts in every field that somebody outside fills, and every outlet read by the parser of its form: no text
 * becomes more than text, neither as it came in nor as it would be if it had never been cleaned.
 */
import { describe, expect, test } from 'vitest'
import { createAccessLog } from '../../src/lib/log.ts'
import { tellMetrics } from '../../src/lib/metrics.registry.ts'
import { useBrowser } from '../browser.ts'
import { BASE_URL, captureLog } from '../harness.ts'
import { HOSTILE, HOSTILE_ADDRESSES, type HostileKind } from '../hostile-texts.ts'
import { listenFirst } from '../listen-first.ts'
import { readPrometheusText } from '../prometheus-text.ts'
import { isHeaderText } from './injection.actions.ts'
import { ADDRESSES, ask, consentPage, REFLECTIONS } from './injection.calls.ts'
import { faultsForModel, faultsInData, judge, NOTHING, verdictOf } from './injection.judge.ts'
import { readHtml } from './injection.leaves.ts'
import { type Findings, MARKED, markOf, textFor } from './injection.sources.ts'
import { nameOf, OUTLETS, type Outlet, pathsOf } from './injection.table.ts'
import { argumentsOf, MESSAGES, TOOL_CALLS } from './injection.tools.ts'
import { createInjectionWorld } from './injection.world.ts'

type Part = { text?: string; data?: unknown }

const world = await createInjectionWorld()
const LINES = OUTLETS.map((outlet) => [nameOf(outlet, world), outlet] as const)

async function read(outlet: Outlet, leaving: number) {
  const headers = outlet.by ? world.readers[outlet.by] : {}
  const answers = await Promise.all(
    pathsOf(outlet, world, leaving).map((path) => world.app.request(BASE_URL + path, { headers })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  return judge(answers, outlet.shows)
}

describe('texts that came in over HTTP', () => {
  // Some of each: all of them come below, in their worst form.
  test.each(LINES)('are only text in %s', async (_, outlet) => {
    expect(await read(outlet, 8)).toEqual(NOTHING)
  })
})

describe('texts that nobody cleaned', () => {
  test('are in the database and in what is made of it', async () => {
    expect(await world.unclean()).toBeGreaterThan(500)
    await world.catchUp()
    for (const { at, slug } of world.shops) {
      const answer = await world.app.request(`${BASE_URL}/p/${slug}.json`)
      expect(await answer.json()).toMatchObject({ name: HOSTILE[at]?.text(markOf('product title', at)) })
    }
  })
  test.each(LINES)('are only text in %s', async (_, outlet) => {
    expect(await read(outlet, 1)).toEqual(NOTHING)
  })
})

describe('what a model is told', () => {
  test.each(TOOL_CALLS)('by the tool %s stays text, and words of others are fenced', async (...call) => {
    const [tool, , shows] = call
    const findings: Findings[] = []
    for (const args of argumentsOf(call, world)) {
      const { text, data } = await world.call(world.main, tool, args)
      findings.push(faultsForModel(text), faultsInData(data))
    }
    expect(verdictOf(findings, shows)).toEqual(NOTHING)
  })

  const asked = async (method: string, params: unknown) => {
    const answer = await ask(world, { path: '/a2a/', json: { jsonrpc: '2.0', id: 1, method, params } })
    const { result } = (await answer.json()) as {
      result: { parts?: Part[]; artifacts?: Array<{ parts: Part[] }> }
    }
    const parts = [...(result.parts ?? []), ...(result.artifacts ?? []).flatMap((artifact) => artifact.parts)]
    return parts.map(({ text, data }) => (text === undefined ? faultsInData(data) : faultsForModel(text)))
  }
  test.each(MESSAGES)('by the agent, asked for %j, stays text', async (metadata, shows) => {
    const parts = [{ kind: 'text', text: 'x' }]
    const message = { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, metadata }
    expect(verdictOf(await asked('message/send', { message }), shows)).toEqual(NOTHING)
  })
  test('by the agent when quotes have come stays text', async () => {
    const found = await asked('tasks/get', { id: world.quoted.rfqId })
    expect(verdictOf(found, ['organization', 'quote terms'])).toEqual(NOTHING)
  })
})

/** Controls, and what turns or breaks lines. */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u
const ALL = HOSTILE.map((_, at) => textFor('reflected', at))
/** Of pages and envelopes: the others are dangers of other forms. */
const OF_PAGES = new Set<HostileKind>(['html', 'json in a script', 'lines', 'hidden'])
const SENT = ALL.filter((_, at) => OF_PAGES.has(HOSTILE[at]?.kind ?? 'html'))

describe('what was sent', () => {
  test.each(Object.entries(REFLECTIONS))('is only text in the answer to %s', async (_, reflection) => {
    expect(await judge(SENT.map((text) => ask(world, reflection(text, world))))).toEqual(NOTHING)
  })
  test('is only text on the page that asks whether a client may, and in what it is told', async () => {
    const texts = HOSTILE.map((_, at) => textFor('client', at))
    expect(
      await judge(
        texts.map((text) => consentPage(world, text)),
        ['client'],
      ),
    ).toEqual(NOTHING)
  })
  test('in a header is in no header of the answer', async () => {
    const answers = ALL.filter(isHeaderText).map((text) =>
      ask(world, {
        path: '/mcp/',
        json: {},
        headers: {
          'x-request-id': text,
          'user-agent': text,
          referer: text,
          authorization: `Bearer ${text}`,
          origin: text,
        },
      }),
    )
    expect(answers.length).toBeGreaterThan(15)
    expect(await judge(answers)).toEqual(NOTHING)
  })
})

test('no text ends a line of the log, nor is one there that a terminal would obey', async () => {
  const { log, text, lines } = captureLog()
  const access = createAccessLog(log)
  for (const hostile of ALL) {
    log.error({ err: new Error(hostile), [hostile]: hostile }, hostile)
    access({ requestId: 'r', method: 'GET', path: hostile, status: 200, ms: 1 })
  }
  expect(lines()).toHaveLength(2 * ALL.length)
  expect(
    lines()
      .filter((_, at) => at % 2 === 0)
      .map(({ msg }) => msg),
  ).toEqual(ALL)
  const everyLine = `${text()}${world.logged.text()}`.split('\n')
  expect(everyLine.filter((line) => OBEYED.test(line))).toEqual([])
  expect(world.logged.lines().length).toBeGreaterThan(1_000)
})

test('no text is a label of a metric', async () => {
  const { text } = await tellMetrics()
  expect([...readPrometheusText(text).keys()]).toContain('souk_http_requests_total')
  expect(text.match(MARKED)).toBeNull()
})

test('nothing that a stranger wrote is in a mail, and its links are ours', async () => {
  const { pool } = world.database
  await pool.query(
    `update orgs set verification_status = 'pending', verified_via = null, verified_at = null where id = $1`,
    [world.shops[3]?.org.id],
  )
  for (const { org, at } of world.shops)
    await world.does.send(org, 'PATCH', '/api/org/team/', {
      email: `invited-${at}@people.example`,
      role: 'viewer',
    })
  const mails = await world.does.mailbox.mails()
  expect(mails.length).toBeGreaterThan(world.shops.length)
  for (const { subject, text, html, to, from } of mails) {
    expect([subject, text, html, to, from].join('\n')).not.toMatch(MARKED)
    expect(`${subject}${to}${from}`).not.toMatch(/[\r\n]/)
    const { links } = readHtml(html)
    expect(links.length).toBeGreaterThan(0)
    for (const link of [...links, ...(text.match(/https?:\S+/g) ?? [])])
      expect(link.startsWith(`${BASE_URL}/`)).toBe(true)
  }
})

describe('an address that is not of the web', () => {
  test.each(Object.entries(ADDRESSES))('is refused as that %s', async (_, field) => {
    for (const url of HOSTILE_ADDRESSES) {
      const answer = await ask(world, field(url))
      expect({ url, status: answer.status }).toEqual({ url, status: 400 })
    }
  })
})

describe('in a real browser', async () => {
  const { baseUrl, answerWith } = await listenFirst()
  answerWith(world.app)
  // The service is known by its name, so the browser is told where that is, and of nothing else.
  const { host } = new URL(baseUrl)
  const browser = useBrowser([
    `--host-resolver-rules=MAP souk.test:80 ${host},MAP * ~NOTFOUND`,
    `--unsafely-treat-insecure-origin-as-secure=${BASE_URL}`,
  ])
  const PAGES: Array<[path: string, by: keyof typeof world.readers]> = [
    ['/c/traps', 'owner'],
    ['/p/traps/trap-3', 'owner'],
    [`/quotes/${world.quoted.rfqId}`, 'owner'],
    ['/saved', 'owner'],
    ['/dashboard/offers', 'owner'],
    ['/admin/organizations', 'operator'],
  ]
  test('no page says, runs or fetches what a stranger wrote', async () => {
    const { page, complaints, requested } = await browser.open(`${BASE_URL}/robots.txt`)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    // Sellers' pictures are theirs to host; nobody does here.
    await page.route('https://pictures.example/**', (route) =>
      route.fulfill({
        status: 200,
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      }),
    )
    for (const [path, by] of PAGES) {
      const [name = '', value = ''] = world.readers[by].cookie.split('=')
      await page.context().addCookies([{ name, value, url: BASE_URL }])
      const answer = await page.goto(BASE_URL + path)
      expect({ path, status: answer?.status() }).toEqual({ path, status: 200 })
      expect(await page.locator('[zqx]').count()).toBe(0)
      expect(await page.locator('body').textContent()).toMatch(MARKED)
    }
    const elsewhere = requested.filter(
      (url) => !/^(http:\/\/souk\.test|https:\/\/pictures\.example)\//.test(url),
    )
    expect({ dialogs, complaints, elsewhere }).toEqual({ dialogs: [], complaints: [], elsewhere: [] })
  })
})
