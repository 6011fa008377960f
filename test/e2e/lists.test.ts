/**
 * Every list of the consoles and of a person's own pages is searched, filtered, paged and taken away as CSV; those whose
 * rows can be written come back as a file. The pages are those that the app serves: a new one is a list with all of it, or
 * says here why it is none.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { recordBackup } from '../../src/backup/records.queries.ts'
import { setRates } from '../../src/catalog/rates.service.ts'
import { enqueue } from '../../src/jobs/runner.ts'
import { newId } from '../../src/lib/ids.ts'
import { insertTrace } from '../../src/oauth/trace.queries.ts'
import { addJudgements, addRule, RuleInput } from '../../src/search/tuning.service.ts'
import { unescapeHtml } from '../html.ts'
import { ASKED, OFFERED, send } from '../pages.people.ts'
import { createTourWorld } from '../pages.seeds.ts'
import { addSellerSource } from '../sources.ts'

const world = await createTourWorld()
const { pool } = world.database
const cookies: Array<[RegExp, string]> = [
  [/^\/admin(?:\/|$)/, world.people.admin.cookie],
  [/^\/dashboard(?:\/|$)/, world.sellers.managed.session.cookie],
  [/^\/(?:account|saved|quotes|plans)(?:\/|$)/, world.people.ada.cookie],
]
const cookieFor = (address: string) =>
  cookies.find(([pattern]) => pattern.test(address.split('?', 1)[0] ?? ''))?.[1]

/** Pages that show no list of records, or a part of one that is listed elsewhere. */
const NO_LISTS: Record<string, string> = {
  '/account': 'settings; sessions and apps are a handful, each with its button',
  '/account/delete': 'a form',
  '/account/notices': 'a form',
  '/account/password': 'a form',
  '/admin': 'counts of the queues',
  '/admin/brands/import': 'a form',
  '/admin/categories/import': 'a form',
  '/admin/health': 'figures of a node',
  '/admin/health/history': 'figures by hour, as charts, with a file of their own',
  '/admin/imports/new': 'a form',
  '/admin/search': 'figures, the worst and most frequent of each kind',
  '/admin/sources/new': 'a form',
  '/dashboard': 'an overview, whose parts lead to the lists',
  '/dashboard/agent': 'settings and the health of one agent',
  '/dashboard/agent/sandbox': 'a form and what came of it',
  '/dashboard/offers/calendar': 'the list of offers, by day',
  '/dashboard/offers/import': 'a form',
  '/dashboard/offers/new': 'a form',
  '/dashboard/organization': 'a form',
  '/dashboard/organization/new': 'a form',
  '/dashboard/performance': 'figures by day and product, with a file of their own',
  '/dashboard/pricing/import': 'a form',
  '/dashboard/products/claim': 'a form with a search of the catalog',
  '/dashboard/products/claims-import': 'a form',
  '/dashboard/products/found': 'a proposal that is confirmed as a whole',
  '/dashboard/products/new': 'a form',
  '/dashboard/start': 'steps',
  '/quotes/new': 'a form',
  '/saved/add': 'a form',
}
const NO_PAGES = /\.(?:csv|json|events)$|^\/account\/export$/

/** What is done to many rows at once, and where rows come back as a file. */
const WRITTEN: Record<string, { bulk?: string; file?: string }> = {
  '/admin/brands': { file: '/admin/brands/import' },
  '/admin/categories': { file: '/admin/categories/import' },
  '/admin/products': { bulk: '/admin/products/bulk', file: '/admin/imports' },
  '/dashboard/offers': { bulk: '/dashboard/offers/status', file: '/dashboard/offers/import' },
  '/dashboard/pricing': { file: '/dashboard/pricing/import' },
  '/dashboard/pricing/table': {
    bulk: '/dashboard/pricing/table/selected',
    file: '/dashboard/pricing/import',
  },
  '/dashboard/products': { bulk: '/dashboard/products/withdraw', file: '/dashboard/products/claims-import' },
}

const pages = [
  ...new Set(world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
].filter((path) => cookieFor(path) !== undefined && !path.includes(':') && !NO_PAGES.test(path))
const lists = pages.filter((path) => !(path in NO_LISTS))

async function get(path: string): Promise<Response> {
  const headers = { cookie: cookieFor(path) ?? '', accept: 'text/html' }
  return world.app.request(`${world.baseUrl}${path}`, { headers })
}
const htmlOf = async (path: string) => {
  const answer = await get(path)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}
const listIn = (html: string) => html.slice(html.indexOf('id="list"'))
const hrefs = (html: string, pattern: RegExp) =>
  [...html.matchAll(/<a\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => pattern.test(tag))
    .map((tag) => unescapeHtml(/href="([^"]*)"/.exec(tag)?.[1] ?? ''))
/** Of the form that filters: what can be typed or chosen, by name. */
function filtersIn(html: string): string[] {
  const main = html.slice(html.indexOf('<main'))
  const forms = [...main.matchAll(/<form\b[^>]*>.*?<\/form>/gs)].map(([form]) => form)
  const form = forms.find((one) => /<input[^>]*\bname="q"/.test(one)) ?? ''
  const controls = [...form.matchAll(/<(?:input|select)\b[^>]*>/g)].map(([tag]) => tag)
  return controls
    .filter((tag) => !tag.includes('type="hidden"'))
    .map((tag) => /\bname="([^"]*)"/.exec(tag)?.[1] ?? '')
}

beforeAll(async () => {
  await addSecondRows()
}, 60_000)

test('every page is a list or says why it is none, and no reason is left over', () => {
  expect(Object.keys(NO_LISTS).filter((path) => !pages.includes(path))).toEqual([])
  expect(Object.keys(WRITTEN).filter((path) => !lists.includes(path))).toEqual([])
  expect(lists.length).toBeGreaterThan(30)
})

describe('a list', () => {
  test.each(lists)('%s is searched and filtered', async (path) => {
    const html = await htmlOf(`${path}?q=nothing-says-this`)
    const names = filtersIn(html)
    expect({ path, searched: names.includes('q') }).toEqual({ path, searched: true })
    const filters = names.filter((name) => name !== 'q' && name !== 'sort')
    expect({ path, filters: filters.length > 0 }).toEqual({ path, filters: true })
    // A search for what is nowhere finds nothing, and does not forget what was searched for.
    expect(hrefs(listIn(html), /\bdownload\b/)).toEqual([])
    expect(html).toContain('value="nothing-says-this"')
  })

  test.each(lists)('%s has no two parts of one id, which labels and errors lead to', async (path) => {
    const ids = [...(await htmlOf(path)).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect({ path, twice: ids.filter((id, at) => ids.indexOf(id) < at) }).toEqual({ path, twice: [] })
  })

  test.each(lists)('%s is taken away as CSV, all of it', async (path) => {
    const [file] = hrefs(await htmlOf(path), /\bdownload\b/)
    if (file === undefined) throw new Error(`${path} has no link to its file`)
    const answer = await get(file)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="souk-[a-z0-9-]+\.csv"$/)
    const [header = '', ...rows] = (await answer.text()).split('\r\n')
    expect(header.split(',').length).toBeGreaterThan(1)
    expect(rows.length).toBeGreaterThan(2)
  })

  test.each(lists)('%s is shown a page at a time', async (path) => {
    const first = await htmlOf(`${path}?rows=1`)
    const [next] = hrefs(listIn(first), /\brel="next"/)
    if (next === undefined) throw new Error(`${path} has no next page`)
    expect(new URL(next, world.baseUrl).searchParams.get('rows')).toBe('1')
    const second = await htmlOf(next)
    const rowOf = (html: string) => listIn(html).slice(0, listIn(html).search(/rel="(?:next|prev)"/))
    expect(rowOf(second)).not.toBe(rowOf(first))
  })

  test.each(lists)('%s has the bulk actions and the way back that it is to have', async (path) => {
    const html = await htmlOf(path)
    const [bulk] = [...html.matchAll(/<form id="bulk"[^>]*action="([^"]*)"/g)].map(([, action]) => action)
    const { file, ...expected } = WRITTEN[path] ?? {}
    expect({ path, bulk }).toEqual({ path, bulk: expected.bulk })
    if (file === undefined) return
    expect(hrefs(html, new RegExp(`href="${file}"`))).toContain(file)
    if (file === '/admin/imports') return
    const form = await htmlOf(file)
    expect(form).toMatch(/<input[^>]*type="file"/)
    expect(form).toMatch(/<button[^>]*name="act"[^>]*value="preview"/)
    expect(hrefs(form, /\?format=csv"/).length).toBe(1)
  })
})

/** A list of one row has no second page: those of which the world has fewer than two get more. */
async function addSecondRows(): Promise<void> {
  const { managed, quick } = world.sellers
  const { db } = world.database
  const by = { kind: 'operator', id: null } as const
  const ctx = { db, clock: world.clock }
  for (const name of ['Shop plugin', 'Price script'])
    await send(world, managed, 'POST', '/api/org/link-tokens/', { name })
  await send(world, managed, 'POST', '/api/org/enrichment/', {
    product_slug: ASKED,
    fields: { specs: { Noise: '61 dB' } },
    evidence: ['https://harborhearth.example/data'],
  })
  await send(world, quick, 'PATCH', '/api/org/', { name: 'Quick Quote Works' })
  await addSellerSource(world, managed, 'Second feed')
  const [slug = ''] = OFFERED.split('/').toReversed()
  await addRule(ctx, { by, input: RuleInput.parse({ kind: 'synonym', words: 'settee, couch' }) })
  await addJudgements(ctx, { by, lines: `burr grinder | ${slug}` })
  await setRates(ctx, { by, rates: { GBP: 1.27 } })
  const client = await pool.connect()
  try {
    for (const file of ['monday.souk', 'tuesday.souk'])
      await recordBackup(client, {
        ...{ at: world.clock.now().toISOString(), file, bytes: 4_473_413, tables: 50, rows: 3_662 },
        ...{ secret: 'inside', checked: 'whole' },
      })
  } finally {
    client.release()
  }
  const failed =
    (await enqueue(db, { kind: 'rfq.push', maxAttempts: 5 }, { url: 'https://other.example' })) ?? ''
  await pool.query(
    `update jobs set state = 'failed', last_error = 'no answer', finished_at = now() where id = $1`,
    [failed],
  )
  const exchange = { at: world.clock.now(), clientId: 'a-client', ip: null, userAgent: null, requestId: null }
  await insertTrace(
    db,
    (['ok', 'refused'] as const).map((outcome) => ({
      ...{ ...exchange, id: newId(), outcome, step: 'token', reason: null, detail: {} },
    })),
  )
}
