/** Producers at /dashboard/import without scripts: they upload, press the page's own buttons and read what it says. */
import { expect } from 'vitest'
import type { Outbound } from '../../src/lib/outbound.ts'
import { createBrowser } from '../accounts.ts'
import { BASE_URL, createTestApp } from '../harness.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createSite } from './integration.world.ts'

export const IMPORT = '/dashboard/import'
export const KNOWN = { category: 'kettles', title: 'Spout Kettle One', brand: 'Spout', gtin: '4006381333931' }

export type ImportPageWorld = Awaited<ReturnType<typeof createImportPageWorld>>
export type Page = { status: number; headers: Headers; html: string; text: string }

export async function createImportPageWorld() {
  const site = await createSite(['feeds.example'])
  // The site is no public one, so the wish for public addresses ends here.
  const outbound: Outbound = {
    ...site.outbound,
    request: (input) => site.outbound.request({ ...input, publicOnly: false }),
  }
  const souk = await createTestApp({ outbound })
  await addProduct(souk, { ...KNOWN, slug: 'spout-one', price: 50 })

  /** Somebody's browser; `org` is the one its forms are for. */
  function at(org: TestOrg, { cookie }: { cookie: string } = org.session) {
    const browser = createBrowser(souk)
    browser.setCookie(cookie)
    const page = async (answer: Promise<Response>): Promise<Page> => {
      const response = await answer
      // Not `text()`, which drops a byte order mark.
      const html = Buffer.from(await response.arrayBuffer()).toString('utf8')
      return { status: response.status, headers: response.headers, html, text: wordsOf(html) }
    }
    const upload = (name: string, content: string | Uint8Array, fields: Record<string, string> = {}) => {
      const form = new FormData()
      for (const [field, value] of Object.entries({ org_id: org.id, url: '', source: '', ...fields }))
        form.set(field, value)
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      form.set('file', new File([new Uint8Array(bytes)], name))
      const headers = { cookie, origin: BASE_URL, accept: 'text/html' }
      return page(
        Promise.resolve(souk.app.request(`${BASE_URL}${IMPORT}`, { method: 'POST', body: form, headers })),
      )
    }
    const get = (path: string) => page(browser.get(path))
    const post = (path: string, fields: Record<string, string> = {}) =>
      page(browser.post(path, { org_id: org.id, ...fields }))
    return {
      get,
      post,
      upload,
      /** Uploads what must be taken; answers with the draft's own address. */
      async bring(name: string, content: string | Uint8Array, fields: Record<string, string> = {}) {
        const { status, headers, text } = await upload(name, content, fields)
        expect([status, status === 303 ? '' : text]).toEqual([303, ''])
        return headers.get('location')?.split('?')[0] ?? ''
      },
      /** Presses one of the two buttons, and reads the page that it leads to. */
      async press(path: string, act: 'check' | 'import') {
        const answer = await post(`${path}/result`, { act })
        expect([200, 303]).toContain(answer.status)
        return get(`${path}/result`)
      },
    }
  }

  const left = async (org: TestOrg) => {
    const { rows } = await souk.database.pool.query(
      `select (select count(*)::int from product_submissions where org_id = $1) as submissions,
        (select count(*)::int from product_relationships where org_id = $1) as claims`,
      [org.id],
    )
    return rows[0]
  }
  return {
    ...souk,
    site,
    at,
    left,
    newShop: (options: Parameters<typeof createOrg>[1] = {}) => createOrg(souk, options),
    addMember: (org: TestOrg, role: Parameters<typeof addMember>[2]) => addMember(souk, org, role),
  }
}

/** What a page says, without the frame around it. */
function wordsOf(html: string): string {
  return html
    .slice(Math.max(0, html.indexOf('console-body')))
    .replaceAll(/<option[^>]*>[^<]*<\/option>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
}

/** The fields of the form that says what each column is, as they are chosen. */
export function columnsOf(html: string): Record<string, string> {
  const form = /<form class="fields import-columns".*?<\/form>/s.exec(html)?.[0] ?? ''
  const fields: Record<string, string> = {}
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]* name="(\w+)"[^>]*>(.*?)<\/select>/gs))
    fields[name] = /<option value="([^"]*)" selected/.exec(options)?.[1] ?? ''
  for (const [tag] of form.matchAll(/<input[^>]*name="spec_\d+"[^>]*>/g)) {
    const name = /name="(\w+)"/.exec(tag)?.[1] ?? ''
    fields[name] = / value="([^"]*)"/.exec(tag)?.[1] ?? ''
  }
  return fields
}

export const csv = (...lines: string[]) => `${lines.join('\n')}\n`
/** Rows of products that the catalog does not have. */
export const rowsNamed = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `${name} ${n + 1},kettles,Feedling`)
