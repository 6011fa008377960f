/**
 * Bait: a price of nothing, a link that leads away from the seller that is named, and addresses that lead a shopper to
 * their own router or machine.
 */
import { describe, expect, test } from 'vitest'
import { answerWith, createRfqWorld, PRODUCT } from '../e2e/rfq.world.ts'
import { call, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { withTools } from '../tools.world.ts'

const now = () => world.clock.now()
const answers: Record<string, Record<string, unknown>> = { acme: {}, bolt: {}, cord: {} }
const world = withTools(
  await createRfqWorld({
    acme: { respond: (...args) => answerWith(now, answers.acme)(...args) },
    bolt: { respond: (...args) => answerWith(now, answers.bolt)(...args) },
    cord: { respond: (...args) => answerWith(now, answers.cord)(...args), verified: false },
  }),
)
const DECLINE = { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }

async function ask(change: Record<string, Record<string, unknown>>) {
  Object.assign(answers, { acme: DECLINE, bolt: DECLINE, cord: DECLINE, ...change })
  const task = await world.ask()
  return { task, verdicts: await world.verdicts(task.rfqId) }
}

describe('a price', () => {
  test.each([
    [{ price_usd: 0, in_stock: true }, 'invalid'],
    [{ price_usd: -0, in_stock: true }, 'invalid'],
    [{ price_usd: 0.004, in_stock: true }, 'invalid'],
    [{ price_usd: 0.01, in_stock: true }, 'quoted'],
    [{ ...DECLINE }, 'declined'],
    [{ price_usd: 0, in_stock: false }, 'declined'],
  ])('%o is %s', async (fields, verdict) => {
    const { task, verdicts } = await ask({ acme: fields })
    expect(verdicts.acme?.verdict).toBe(verdict)
    expect(task.quotes).toHaveLength(verdict === 'quoted' ? 1 : 0)
  })

  test('of nothing says which field is wrong and why', async () => {
    const { verdicts } = await ask({ acme: { price_usd: 0, in_stock: true } })
    expect(verdicts.acme?.reason).toBe('price_usd must be above 0 where in_stock is true')
  })

  test('of nothing is not quoted by rules either', async () => {
    const product = await addProduct(world, {
      category: 'stools',
      slug: 'free',
      title: 'Free',
      list_price: 0,
    })
    const seller = await createOrg(world, { name: 'Freebie' })
    await relate(world, seller, product)
    await call(world, seller.session, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
    const task = await world.ask({ product_slug: 'stools/free' })
    expect(task.quotes).toEqual([])
    expect((await world.verdicts(task.rfqId)).Freebie).toMatchObject({ verdict: 'declined' })
  })
})

describe('the link of a quote', () => {
  const hostOf = async (claim_url: string) => {
    const { task } = await ask({ acme: { claim_url } })
    return task.quotes[0]?.claim_host
  }

  test.each([
    ['https://acme.example/x'],
    ['https://pay.acme.example/x'],
    ['https://ACME.example./x'],
    ['https://acme.example:8443/x'],
  ])('%s stays on the proved domain', async (claim_url) => {
    expect(await hostOf(claim_url)).toBeUndefined()
  })

  test.each([
    ['https://pay.example/acme.example', 'pay.example'],
    ['https://acme.example.evil.example/x', 'acme.example.evil.example'],
    ['https://evilacme.example/x', 'evilacme.example'],
    ['https://аcme.example/x', 'xn--cme-5cd.example'],
  ])('%s shows that it leads to %s', async (claim_url, host) => {
    expect(await hostOf(claim_url)).toBe(host)
  })

  test('without a proved domain every link says where it leads', async () => {
    const { task } = await ask({ cord: {} })
    expect(task.quotes).toMatchObject([{ org: { domain: null }, claim_host: 'cord.example' }])
    expect(task.quotes[0]?.rank_reasons).toContain(
      'the link goes to cord.example, and the seller has no verified domain',
    )
  })

  test('one that leaves the domain stands behind an equal one, and says why; a cheaper one does not', async () => {
    const away = { claim_url: 'https://pay.example/x' }
    for (const [acme, bolt, first] of [
      [away, {}, 'bolt'],
      [{}, away, 'acme'],
      [{ ...away, price_usd: 99 }, {}, 'acme'],
    ] as const) {
      const { task } = await ask({ acme, bolt })
      expect(task.quotes[0]?.org.name).toBe(first)
      const told = task.quotes.find(({ claim_host }) => claim_host === 'pay.example')
      expect(told?.rank_reasons[0]).toMatch(/^the link goes to pay\.example, not \w+\.example$/)
    }
  })

  test('the tool, the page and the signature say where it leads', async () => {
    Object.assign(answers, { acme: { claim_url: 'https://pay.example/x' }, bolt: DECLINE, cord: DECLINE })
    const buyer = await world.person()
    const { data, text } = await world.call(buyer, 'find_retailers', { query: 'lamp', product_slug: PRODUCT })
    const [quote] = data.quotes as Array<{ claim_host: string; signature: string }>
    expect(quote?.claim_host).toBe('pay.example')
    expect(text).toContain('(on pay.example)')
    const payload = Buffer.from(quote?.signature.split('.')[1] ?? '', 'base64url').toString('utf8')
    expect(JSON.parse(payload)).toMatchObject({ claim_host: 'pay.example' })
    const { rfqId } = await world.ask()
    const html = await (await world.app.request(`/quotes/${rfqId}`)).text()
    expect(html).toContain('Opens pay.example')
  })
})

/** Each leads to this machine, this network, or to nobody. */
const PRIVATE = [
  'localhost',
  'LOCALHOST.',
  'api.localhost',
  'router',
  'printer.local',
  'metadata.google.internal',
  'nas.lan',
  'wiki.corp',
  'fritz.home.arpa',
  '127.0.0.1',
  '127.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '１２７.0.0.1',
  '127.0.0.1.',
  '0',
  '10.0.0.8:8080',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.5.4',
  '192.168.1.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fd00::1]',
  '[fe80::1]',
]
const PUBLIC = [
  'https://shop.example/x',
  'http://shop.example:8080/x',
  'https://8.8.8.8/',
  'https://bücher.example/',
]

describe('addresses that people are sent to', async () => {
  const seller = await createOrg(world, { name: 'Linker' })
  const product = await addProduct(world, {
    category: 'stools',
    slug: 'linked',
    title: 'Linked',
    list_price: 10,
  })
  await relate(world, seller, product)
  const slug = 'stools/linked'
  const post = (method: string, path: string, body: unknown) =>
    call(world, seller.session, method, path, body)
  const offer = (destination_url: string) =>
    post('POST', '/api/offers/create/', { product_slug: slug, headline: 'Deal', destination_url })
  const enrich = (proposed: Record<string, unknown>) =>
    post('POST', '/api/org/enrichment/', { product_slug: slug, ...proposed })

  const FACES: Record<string, (url: string) => Promise<{ status: number; body: Record<string, unknown> }>> = {
    'destination_url of a new offer': offer,
    'destination_url of an offer': async (destination_url) => {
      const { body } = await offer('https://shop.example/')
      return post('PATCH', '/api/offers/edit/', { offer_id: body.offer_id, destination_url })
    },
    'website_url of an organization': (website_url) => post('PATCH', '/api/org/', { website_url }),
    'evidence_url of a claim': (evidence_url) =>
      post('POST', '/api/org/products/claim/', {
        product_slug: slug,
        relationship_type: 'sells',
        evidence_url,
      }),
    'evidence_url of a proposal': (evidence_url) => enrich({ fields: { verdict: 'Good' }, evidence_url }),
    'a picture of a proposal': (url) => enrich({ images: [{ url }] }),
    'a shop of a proposal': (url) => enrich({ fields: { where_to_buy: [{ name: 'Shop', url }] } }),
  }

  test.each(Object.entries(FACES))('%s: a private or local host is refused', async (_name, send) => {
    for (const host of PRIVATE)
      for (const scheme of ['http', 'https']) {
        const { status, body } = await send(`${scheme}://${host}/x`)
        expect([`${scheme}://${host}`, status]).toEqual([`${scheme}://${host}`, 400])
        expect(String(body.error)).toMatch(/public host|address|URL/)
      }
  })

  test.each(Object.entries(FACES).slice(0, 3))('%s: a public one is taken', async (_name, send) => {
    for (const url of PUBLIC) expect([url, (await send(url)).status < 300]).toEqual([url, true])
  })

  test('an imported row with a private shop or picture is refused, and says which field', async () => {
    const token = await world.tokenFor(seller.ownerId)
    for (const field of ['where_to_buy', 'images'] as const) {
      const entry =
        field === 'images' ? { url: 'http://192.168.1.1/a' } : { name: 'X', url: 'http://127.1/a' }
      const { data, text } = await world.call({ token }, 'import_products', {
        source: 'jsonl',
        content: JSON.stringify({ title: `Row ${field}`, category: 'stools', [field]: [entry] }),
      })
      expect(`${text} ${JSON.stringify(data)}`).toMatch(new RegExp(`${field}[\\s\\S]*public host`))
    }
  })

  test('an agent’s claim_url to one is invalid', async () => {
    for (const host of ['127.0.0.1', '0x7f.1', 'localhost', 'router', '[::1]', 'nas.lan']) {
      const { verdicts } = await ask({ acme: { claim_url: `https://${host}/x` } })
      expect([host, verdicts.acme?.verdict]).toEqual([host, 'invalid'])
    }
  })

  test('a link that was stored before leads to the product instead', async () => {
    const { body } = await offer('https://shop.example/')
    await post('PATCH', '/api/offers/update/', { offer_id: body.offer_id, status: 'active' })
    const led = async () => (await world.app.request(`/go/${body.offer_id}`)).headers.get('location')
    expect(await led()).toBe('https://shop.example/')
    await world.database.pool.query(
      `update offers set destination_url = 'http://192.168.1.1/' where id = $1`,
      [body.offer_id],
    )
    expect(await led()).toContain('/p/stools/linked')
  })
})
