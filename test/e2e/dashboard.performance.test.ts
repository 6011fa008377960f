/** /dashboard/performance and its file: the figures of the service, by every group, over the days asked for. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { addMember, createOrg, relate } from '../orgs.ts'
import { createFiguresWorld, readPage } from './dashboard.figures.world.ts'

const world = await createFiguresWorld()
const PAGE = '/dashboard/performance'
const FILE = '/dashboard/performance.csv'

const org = await createOrg(world)
const rival = await createOrg(world, { name: 'Rival Goods' })
const [lamp, desk, theirs] = [
  await world.product('lamp', '=HYPERLINK("http://x.example","Lamp, \'best\'")'),
  await world.product('desk-lamp', 'Desk lamp'),
  await world.product('theirs', 'Their lamp'),
]
for (const id of [lamp, desk]) await relate(world, org, id)
for (const id of [lamp, theirs]) await relate(world, rival, id)
await world.search('warm lamp', [lamp, desk, theirs], { times: 3 })
await world.search('@sum(lamp)', [lamp], { times: 3, at: '2026-10-30T10:00:00Z' })
await world.search('my own secret', [lamp])
await world.read(lamp, 'Claude', 2)
await world.read(desk, '+cmd|calc')
await world.quoted(lamp, [
  [rival, 20],
  [org, 25],
])
await world.quoted(lamp, [[org, 30]])
await world.click(org, lamp)
await world.click(rival, lamp)

const owner = world.browserOf(org.session)

async function fileOf(query: string) {
  const { status, headers, html: text } = await readPage(owner.get(`${FILE}?${query}`))
  return { status, headers, lines: text.split('\r\n') }
}

describe('the page', () => {
  test('tells every figure, and of another seller only a place', async () => {
    const { status, html, words } = await readPage(owner.get(PAGE))
    expect(status).toBe(200)
    for (const told of [
      'Impressions 10 ',
      'Agent reads 3 ',
      'Requests 2 ',
      'Quotes 2 ',
      'Ranked first 1 ',
      'Wins 1 ',
      'Win rate 50% ',
      'Value won $30 ',
      'Response time 5 ms ',
      'Price rank 1.5 of 1.5 ',
      'Clicks 1 ',
    ])
      expect(words).toContain(told)
    expect(words).toContain('November 1, 2026 7 3 2 2 1 1 50% $30 5 ms 1.5 of 1.5 1')
    expect(html).not.toMatch(/Rival Goods|Their lamp/)
    expect(words).not.toMatch(/\$20|20\.00/)
  })

  test.each([
    [
      'product',
      /HYPERLINK\(.*?\) 7 2 2 2 1 1 50% \$30 5 ms 1\.5 of 1\.5 1 Desk lamp 3 1 0 0 0 0 – \$0 – – 0/,
    ],
    ['region', /Deliver to Requests .*? Not stated 2 2 1 1 50% \$30/],
    ['client', /Asked by Requests .*? 2 2 1 1 50% \$30/],
    ['agent', /Agent Reads Claude 2 \+cmd\|calc 1/],
    ['query', /Search Impressions warm lamp 6 @sum\(lamp\) 3 Searched by fewer than 3 people each 1/],
  ])('by %s each row has what is known of it', async (by, told) => {
    const { html, words } = await readPage(owner.get(`${PAGE}?by=${by}`))
    expect(words).toMatch(told)
    expect(words).not.toContain('my own secret')
    expect(html).toMatch(new RegExp(`href="${PAGE}\\?by=${by}&amp;days=30#rows-title" aria-current="page"`))
    expect(html).toContain('in total Impressions 10, Agent reads 3')
  })

  test('the days are a range or two dates, and the links of the page keep them', async () => {
    const week = await readPage(owner.get(`${PAGE}?days=7&by=product`))
    expect(week.words).toContain('October 26, 2026 to November 1, 2026')
    const dates = await readPage(owner.get(`${PAGE}?from=2026-10-29&to=2026-10-31`))
    expect(dates.words).toContain('October 29, 2026 to October 31, 2026')
    expect(dates.words).toContain('Impressions 3 ')
    expect(dates.html).toContain('by=product&amp;from=2026-10-29&amp;to=2026-10-31')
    expect(dates.html).toContain(`href="${FILE}?by=day&amp;from=2026-10-29&amp;to=2026-10-31"`)
    const year = await readPage(owner.get(`${PAGE}?days=365`))
    expect(year.words).not.toContain('Searches are kept')
    const words = await readPage(owner.get(`${PAGE}?days=365&by=query`))
    expect(words.words).toContain('Searches are kept for 90 days')
    expect(year.html).toContain(
      'Seen and read, by week from November 2, 2025 to November 1, 2026: in total Impressions 10',
    )
    expect((await readPage(owner.get(`${PAGE}?to=2026-10-31`))).words).toContain(
      'October 2, 2026 to October 31',
    )
  })

  test.each([
    ['from=2026-02-30&to=2026-10-31', 'from', 'Enter a date such as'],
    ['from=2026-11-02&to=2026-11-01', 'from', 'The first day must be before the last.'],
    ['from=2024-11-02&to=2026-11-01', 'from', 'Choose at most 366 days'],
    ['from=2026-11-01&to=soon', 'to', 'Enter a date such as'],
  ])('%s is refused beside its field, with what was typed', async (query, field, told) => {
    const { status, html, words } = await readPage(owner.get(`${PAGE}?${query}&by=product`))
    expect(status).toBe(400)
    expect(html).toMatch(new RegExp(`id="field-${field}-error">${told}`))
    for (const [name, value] of new URLSearchParams(query))
      expect(html).toMatch(new RegExp(`name="${name}"[^>]*value="${value}"`))
    expect(words).not.toContain('Download CSV')
    expect(html).toContain('name="by" value="product"')
    expect((await owner.get(`${FILE}?${query}`)).status).toBe(400)
  })

  test('a new organization is told why there is nothing, and what to do', async () => {
    const fresh = world.browserOf((await createOrg(world)).session)
    for (const by of ['day', 'product', 'agent', 'query']) {
      const { status, html, words } = await readPage(fresh.get(`${PAGE}?by=${by}`))
      expect(status).toBe(200)
      expect(words).toContain('Price rank None')
      expect(html).toContain('<a href="/dashboard/products">See your products</a>')
    }
  })
})

describe('the file', () => {
  test('is named for what is in it and kept by nobody', async () => {
    const { status, headers, lines } = await fileOf('by=day&days=7')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="souk-performance-by-day-2026-10-26-to-2026-11-01.csv"',
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(lines).toEqual([
      'day,impressions,agent_reads,requests,quotes,ranked_first,wins,win_rate,won_usd,response_ms,price_rank,price_rank_of,clicks',
      '2026-11-01,7,3,2,2,1,1,0.5,30,5,1.5,1.5,1',
      '2026-10-30,3,0,0,0,0,0,,0,,,,0',
      '',
    ])
  })

  test('holds nothing that a spreadsheet would run', async () => {
    expect((await fileOf('by=product')).lines[1]).toBe(
      `lamps/lamp,"'=HYPERLINK(""http://x.example"",""Lamp, 'best'"")",7,2,2,2,1,1,0.5,30,5,1.5,1.5,1`,
    )
    expect((await fileOf('by=agent')).lines.slice(0, 3)).toEqual([
      'agent,agent_reads',
      'Claude,2',
      "'+cmd|calc,1",
    ])
    expect((await fileOf('by=query')).lines.slice(1, 4)).toEqual([
      'warm lamp,6',
      "'@sum(lamp),3",
      '(asked by fewer than 3 people each),1',
    ])
  })
})

test('who is not signed in is brought back to the same days, and every member of the organization reads', async () => {
  for (const path of [`${PAGE}?by=agent&days=7`, `${FILE}?by=agent&days=7`]) {
    const answer = await createBrowser(world).get(path)
    expect(answer.headers.get('location')).toBe(`/auth/signin?return_to=${encodeURIComponent(path)}`)
    const viewer = world.browserOf(await addMember(world, org, 'viewer'))
    expect((await viewer.get(path)).status).toBe(200)
  }
})
