/** The ordinary actions by which texts of strangers get in, each with the text of one number in every field it has. */
import { createSession } from '../../src/accounts/sessions.service.ts'
import { approveRename } from '../../src/orgs/renames.service.ts'
import { createMailbox } from '../accounts.ts'
import { BASE_URL } from '../harness.ts'
import { HOSTILE } from '../hostile-texts.ts'
import { call, relate, type TestOrg } from '../orgs.ts'
import type { withTools } from '../tools.world.ts'
import { type SourceName, textFor } from './injection.sources.ts'
import { CATEGORY, type Shop, slugOf } from './injection.world.ts'
import type { createRfqWorld } from './rfq.world.ts'

type World = ReturnType<typeof withTools<Awaited<ReturnType<typeof createRfqWorld>>>>
type About = { at: number; slug: string }

/** Of HTTP alone: what no client can send is not a danger of headers. */
export const isHeaderText = (text: string) => /^[\x20-\x7e]*$/.test(text)

/** Lists of saved products that one person may have. */
const LISTS = 19
const FILE_NAME = 'bro"ught;\u202e=x%0d%0aX-Evil: 1.csv'
const DESTINATION = `https://shop.example/"><b/zqx>'|)](x)?a=<b/zqx>&b=1`

export function createActions(world: World) {
  const { pool } = world.database
  const mailbox = createMailbox(world)

  async function send(org: TestOrg, method: string, path: string, body?: Record<string, unknown>) {
    const answer = await call(world, org.session, method, path, body)
    if (answer.status > 201)
      throw new Error(`${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function press(by: { cookie: string }, path: string, fields: Record<string, string>, file?: File) {
    const body = file ? new FormData() : new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    if (file && body instanceof FormData) body.set('file', file)
    const headers = { ...by, origin: BASE_URL, accept: 'text/html' }
    return await world.app.request(BASE_URL + path, { method: 'POST', headers, body })
  }

  async function pressed(...args: Parameters<typeof press>): Promise<string> {
    const answer = await press(...args)
    const told = await answer.text()
    if (answer.status >= 400) throw new Error(`${args[1]}: ${answer.status} ${told}`)
    return answer.headers.get('location') ?? ''
  }

  /** A shop that is called so, run by somebody who is called so, with an offer and an agent. */
  async function open(at: number): Promise<Shop> {
    const org = world.producers[`t${at}`]?.org
    if (!org) throw new Error(`no shop ${at}`)
    const slug = `${CATEGORY}/${slugOf(at)}`
    const text = (source: SourceName) => textFor(source, at)
    const website = `https://t${at}.example/"><b/zqx>'?${encodeURIComponent(text('organization'))}`
    await send(org, 'PATCH', '/api/org/', { name: text('organization'), website_url: website })
    const { rows } = await pool.query<{ id: string }>('select id from org_renames where org_id = $1', [
      org.id,
    ])
    await approveRename(world.orgs, rows[0]?.id ?? '')
    // And one that waits, for the operator's queue.
    await send(org, 'PATCH', '/api/org/', { name: `Another name ${at}` })
    await pressed(org.session, '/account/name', { name: text('person') })
    const shop = { at, slug, org, token: await world.tokenFor(org.ownerId) }
    await offer(shop, { at, slug })
    return shop
  }

  async function offer({ org }: Shop, { at, slug }: About): Promise<void> {
    const { rows } = await pool.query<{ id: string }>('select id from products where slug = $1', [slugOf(at)])
    await relate(world, org, rows[0]?.id ?? '').catch(() => {})
    const { offer_id } = await send(org, 'POST', '/api/offers/create/', {
      product_slug: slug,
      headline: textFor('offer headline', at),
      detail: textFor('offer detail', at),
      promo_code: textFor('promo code', at),
      destination_url: `${DESTINATION}#${at}`,
      price_usd: 4,
      list_price_usd: 9,
    })
    await send(org, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  }

  /** One shop does everything that shops do, so that its pages show every text. */
  async function sell(shop: Shop, about: About): Promise<void> {
    const { org, token } = shop
    const text = (source: SourceName) => textFor(source, about.at)
    if (about.slug !== shop.slug) await offer(shop, about)
    await send(org, 'POST', '/api/org/enrichment/', {
      product_slug: about.slug,
      fields: { description: `A ${text('proposed description')}`, specs: { Weight: text('proposed spec') } },
      images: [{ url: 'https://pictures.example/new.png', alt: text('image alt') }],
      evidence_url: `${DESTINATION}#${about.at}`,
      note: text('proposal note'),
    })
    const submitted = await world.call({ token }, 'submit_product', {
      category: CATEGORY,
      title: text('submitted title'),
      description: text('submitted description'),
    })
    if (submitted.isError) throw new Error(submitted.text)
  }

  async function shop({ org, token }: Shop, { at, slug: whole }: About): Promise<void> {
    const [category, slug] = whole.split('/')
    const list = at % 20 < LISTS ? { list: textFor('saved list', at) } : {}
    const saved = await world.call({ token }, 'save_product', {
      category,
      slug,
      ...list,
      note: textFor('saved note', at),
    })
    if (saved.isError) throw new Error(saved.text)
    await pressed(org.session, `/p/${whole}/mistakes`, { kind: 'other', text: textFor('mistake report', at) })
    await world.tokenFor(org.ownerId, { clientName: textFor('client', at) })
    const userAgent = textFor('user agent', at)
    const visit = { ip: '192.0.2.1', userAgent, requestId: null }
    if (isHeaderText(userAgent))
      await createSession(world.accounts, { userId: org.ownerId, visit, replaces: null })
  }

  const nameToken = ({ org }: Shop, at: number) =>
    send(org, 'POST', '/api/org/link-tokens/', { name: textFor('link token', at) })

  /** Searches are remembered. */
  async function search(at: number): Promise<void> {
    const query = textFor('query', at)
    await call(world, null, 'POST', '/api/search/', { query: `trap ${query}` })
  }

  /** Rules of one's own may be called anything. */
  function rule({ org }: Shop) {
    const rules = HOSTILE.map((_, at) => [`rule ${at}`, textFor('organization rule', at)])
    return send(org, 'PATCH', '/api/org/agent-integration/', {
      is_managed: false,
      managed_rules: Object.fromEntries(rules),
    })
  }

  /** A file of which some rows are good and some are not, and a column is called so too. */
  async function bring({ org }: Shop): Promise<string> {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    const rows = HOSTILE.map((_, at) => `${cell(textFor('imported title', at))},${at % 2 ? CATEGORY : ''},x`)
    const content = `title,category,${cell(textFor('imported title', 0))}\n${rows.join('\n')}\n`
    const own = { org_id: org.id }
    const path = await pressed(
      org.session,
      '/dashboard/import',
      { ...own, source: 'csv' },
      new File([content], FILE_NAME),
    )
    await pressed(org.session, `${path}/result`, { ...own, act: 'check' })
    return path.split('/').at(-1) ?? ''
  }

  const invite = ({ org }: Shop) =>
    send(org, 'PATCH', '/api/org/team/', { email: 'invited@people.example', role: 'viewer' })

  return { send, press, open, sell, shop, nameToken, search, rule, bring, invite, mailbox }
}
