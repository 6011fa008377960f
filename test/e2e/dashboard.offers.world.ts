/** Two shops at /dashboard/offers, without scripts: forms are filled in from what the page holds. */
import { type Browser, createBrowser } from '../accounts.ts'
import { addMember } from '../orgs.ts'
import { attribute, read } from './dashboard.agent.world.ts'
import { createOffersWorld, DEAL } from './offers.world.ts'

export const LIST = '/dashboard/offers'
export const NEW = `${LIST}/new`
export const CALENDAR = `${LIST}/calendar`

export async function createOfferPagesWorld() {
  const souk = await createOffersWorld()
  const { shop, rival } = souk
  const browserOf = ({ cookie }: { cookie: string }) => {
    const browser = createBrowser(souk)
    browser.setCookie(cookie)
    return browser
  }
  const people = {
    owner: browserOf(shop.session),
    rival: browserOf(rival.session),
    editor: browserOf(await addMember(souk, shop, 'editor')),
    viewer: browserOf(await addMember(souk, shop, 'viewer')),
  }

  const fields = (more: Record<string, string> = {}) => ({
    ...{ org_id: shop.id, product_slug: 'kettles/gooseneck', ...DEAL, save: 'draft' },
    ...more,
  })

  /** Its id, from where the form led to. */
  async function create(more: Record<string, string> = {}, browser: Browser = people.owner): Promise<string> {
    const { status, headers, html } = await read(browser.post(NEW, fields(more)))
    const id = /^\/dashboard\/offers\/([0-9a-f-]{36})\?/.exec(headers.get('location') ?? '')?.[1]
    if (status !== 303 || id === undefined) throw new Error(`no offer was made: ${status} ${html}`)
    return id
  }

  /** As the page has filled the form in, to be sent with something typed over. */
  async function opened(id: string, browser: Browser = people.owner): Promise<Record<string, string>> {
    const { html } = await read(browser.get(`${LIST}/${id}`))
    return formValues(html)
  }

  const setStatus = (id: string, status: string, browser: Browser = people.owner, more = {}) =>
    browser.post(`${LIST}/${id}/status`, { org_id: shop.id, status, from: 'offer', ...more })

  const publicPage = async () => (await read(createBrowser(souk).get('/p/kettles/gooseneck'))).html

  const stored = () => souk.database.db.selectFrom('offers').selectAll().orderBy('id').execute()

  return { ...souk, people, browserOf, fields, create, opened, setStatus, publicPage, stored }
}

/** What the form with the terms would send: boxes only when they are ticked, as browsers do. */
export function formValues(html: string): Record<string, string> {
  const [, body = ''] = /<form[^>]* id="offer-form"[^>]*>(.*?)<\/form>/s.exec(html) ?? []
  const values: Record<string, string> = {}
  for (const [tag] of body.matchAll(/<input[^>]*>/g)) {
    const name = attribute(tag, 'name') ?? ''
    if (attribute(tag, 'type') !== 'checkbox') values[name] = attribute(tag, 'value') ?? ''
    else if (/ checked/.test(tag)) values[name] = 'on'
  }
  for (const [, name = '', text = ''] of body.matchAll(
    /<textarea[^>]* name="(\w+)"[^>]*>(.*?)<\/textarea>/gs,
  ))
    values[name] = text.trim()
  for (const [, name = '', options = ''] of body.matchAll(/<select[^>]* name="(\w+)"[^>]*>(.*?)<\/select>/gs))
    values[name] = attribute(/<option[^>]* selected[^>]*>/.exec(options)?.[0] ?? '', 'value') ?? ''
  return values
}

/** Words only, on one line. */
export function wordsOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
}

/** Of the row whose heading says so. */
export function rowWords(html: string, heading: string): string {
  const rows = html.split('<tr>').map((row) => row.split('</tr>')[0] ?? '')
  return wordsOf(rows.find((row) => row.includes('<th scope="row">') && wordsOf(row).includes(heading)) ?? '')
}
