/** What an approved enrichment does to everything people and agents read; over HTTP. */
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { beforeAll, describe, expect, test } from 'vitest'
import { ORG_HOOKS } from '../../src/org-hooks.ts'
import { call, type TestOrg } from '../orgs.ts'
import { createEnrichmentWorld, type EnrichmentWorld, PATH } from './enrichment.world.ts'
import { find, slugs } from './search.world.ts'

let world: EnrichmentWorld

beforeAll(async () => {
  world = await createEnrichmentWorld()
  await world.searchRuntime.fill()
})

/** As the organizations' own use cases do it: the write and the hook in one transaction. */
async function changeOrg(org: TestOrg, set: Record<string, unknown>): Promise<void> {
  const at = world.clock.now()
  await world.database.db.transaction().execute(async (tx) => {
    await tx.updateTable('orgs').set(set).where('id', '=', org.id).execute()
    await ORG_HOOKS.changed(tx, org.id, at)
  })
}

test('a profile nobody enriched says nothing of enrichments but where to propose one', async () => {
  const product = await world.addProduct()
  const { html, md, json } = await world.read(product.slug)
  expect(json).toMatchObject({
    verificationStatus: 'base',
    enrichmentEndpoint: 'http://souk.test/api/org/enrichment/',
  })
  expect(json).not.toHaveProperty('enrichedBy')
  expect(json).not.toHaveProperty('additionalImages')
  for (const form of [html, md]) {
    expect(form).not.toContain('Enriched by')
    expect(form).not.toContain('from the producer')
    expect(form).not.toContain('Verified by the manufacturer')
  }
})

test('an approval changes JSON-LD, Markdown, HTML and search at once', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id, { name: 'Fjord & Sons', orgType: 'distributor' })
  const before = await world.read(product.slug)
  const search = async () => slugs((await find(world.app, { query: 'gooseneck samovar' })).results)
  await world.catchUp()
  expect((await search())[0]).not.toBe(product.slug)
  world.clock.advance(60_000)
  await world.enrich(org, {
    product_slug: product.slug,
    fields: { title: 'Gooseneck Samovar', specs: { Spout: 'gooseneck' }, price: { low: 80, high: 90 } },
    images: [{ url: 'https://fjord.example/front.jpg', alt: 'From the front' }],
  })
  const { html, md, json } = await world.read(product.slug)
  expect(json).toMatchObject({
    name: 'Gooseneck Samovar',
    additionalImages: ['https://fjord.example/front.jpg'],
    enrichedBy: [{ orgName: 'Fjord & Sons', orgType: 'distributor', verifiedAt: '2026-11-01T12:00:00.000Z' }],
    verificationStatus: 'producer_enriched',
    enrichmentEndpoint: expect.any(String),
    offers: { priceRange: '$80 – $90' },
    dateModified: world.clock.now().toISOString(),
  })
  expect(json.dateModified).not.toBe(before.json.dateModified)
  expect(md).toContain('# Gooseneck Samovar')
  expect(md).toContain('- ![From the front](https://fjord.example/front.jpg) from the producer')
  expect(md).toMatch(/- Enriched by: Fjord \\& Sons · [\w.-]+, verified \(distributor, since 2026-11-01\)/)
  expect(md).toContain('| Spout | gooseneck |')
  expect(md).toMatch(/- Fjord \\& Sons · [\w.-]+, verified \(verified 2026-11-01\): title, price, specs/)
  expect(html).toContain('<h1>Gooseneck Samovar</h1>')
  expect(html).toContain('src="https://fjord.example/front.jpg" alt="From the front"')
  expect(html).toContain('Details added by Fjord &amp; Sons')
  expect((await search())[0]).toBe(product.slug)
  const category = await (await world.app.request('/c/kettles.md')).text()
  expect(category).toContain('https://fjord.example/front.jpg')
})

test('pictures from producers pass the page’s own policy, which stays as it was', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id)
  await world.enrich(org, { product_slug: product.slug, images: [{ url: 'https://shop.example/a.jpg' }] })
  await world.catchUp()
  const response = await world.app.request(`/p/kettles/${product.slug}`)
  expect(response.headers.get('content-security-policy')).toContain(`img-src 'self' https: data:;`)
  const image = /<img[^>]*shop\.example[^>]*>/.exec(await response.text())?.[0]
  expect(image).toContain('referrerpolicy="no-referrer"')
  expect(image).toContain('loading="lazy"')
})

test('images come in the order of their approval, each once, and no more than 24', async () => {
  const product = await world.addProduct()
  const orgs = [await world.addProducer(product.id), await world.addProducer(product.id)] as const
  const images = (from: number) =>
    Array.from({ length: 12 }, (_, n) => ({ url: `https://shop.example/${from + n}.jpg` }))
  for (const [n, from] of [20, 0, 6, 40].entries()) {
    world.clock.advance(1_000)
    await world.enrich(orgs[n % 2 === 0 ? 0 : 1], { product_slug: product.slug, images: images(from) })
  }
  const shown = (await world.read(product.slug)).json.additionalImages as string[]
  const expected = [...images(20), ...images(0)].map(({ url }) => url)
  expect(shown).toEqual(expected)
})

test('a manufacturer’s confirmation is shown, and asks for no more proposals', async () => {
  const product = await world.addProduct()
  const maker = await world.addProducer(product.id, { type: 'manufactured_by', orgType: 'manufacturer' })
  await world.enrich(maker, { product_slug: product.slug, confirms_profile: true })
  const { html, md, json } = await world.read(product.slug)
  expect(json.verificationStatus).toBe('manufacturer_verified')
  expect(json).not.toHaveProperty('enrichmentEndpoint')
  expect(json).toHaveProperty('enrichedBy')
  expect(md).toContain('- Status: manufacturer\\_verified')
  expect(html).toContain('Verified by the manufacturer')
})

test('who enriched is named once, while verified and active, by the name it has now', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id, { name: 'First Name' })
  const quiet = await world.addProducer(product.id, { name: 'Unverified', verified: false })
  const contributors = async () => {
    const { html, md, json } = await world.read(product.slug)
    const named = ((json.enrichedBy ?? []) as Array<{ orgName: string }>).map(({ orgName }) => orgName)
    for (const name of ['First Name', 'Second Name', 'Unverified'])
      expect([name, md.includes(`Enriched by: ${name}`), html.includes(`Details added by ${name}`)]).toEqual([
        name,
        named.includes(name),
        named.includes(name),
      ])
    return { named, modified: json.dateModified }
  }
  await world.enrich(org, { product_slug: product.slug, fields: { sku: '1' } })
  await world.enrich(org, { product_slug: product.slug, fields: { sku: '2' } })
  await world.enrich(quiet, { product_slug: product.slug, fields: { sku: '3' } })
  expect((await contributors()).named).toEqual(['First Name'])
  for (const [set, named] of [
    [{ name: 'Second Name' }, ['Second Name']],
    [{ deactivated_at: new Date() }, []],
    [{ deactivated_at: null }, ['Second Name']],
  ] as const) {
    world.clock.advance(60_000)
    await changeOrg(org, set)
    const now = await contributors()
    expect([now.named, now.modified]).toEqual([named, world.clock.now().toISOString()])
  }
  await changeOrg(quiet, { verification_status: 'verified', verified_at: new Date() })
  expect((await contributors()).named).toEqual(['Second Name', 'Unverified'])
})

test('a change of an organization that enriched nothing touches no product', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id)
  await world.submit(org.bearer, { product_slug: product.slug, fields: { sku: 'waits' } })
  const { json } = await world.read(product.slug)
  world.clock.advance(60_000)
  await changeOrg(org, { name: 'Another name' })
  expect((await world.read(product.slug)).json.dateModified).toBe(json.dateModified)
})

describe('hostile proposals', () => {
  const markdown = new MarkdownIt({ html: true })
  function skeleton(html: string): string[] {
    const found: string[] = []
    const parser = new Parser({
      onopentag: (name, attributes) =>
        void found.push(`${name}[${Object.keys(attributes).sort().join(' ')}]`),
    })
    parser.end(html)
    return found
  }
  const proposal = (text: string, slug: string) => ({
    fields: {
      title: `x ${text}`,
      model: `x ${text}`,
      description: `x ${text}`.replace(/\s+/g, ' '),
      specs: { [`x ${text}`]: `x ${text}` },
      best_for: [`x ${text}`],
      not_for: [`x ${text}`],
      where_to_buy: [{ name: `x ${text}`, url: 'https://shop.example/x' }],
      mpn: `${slug} ${text}`,
      sku: `x ${text}`,
    },
    images: [{ url: `https://shop.example/${text}`, alt: `x ${text}` }],
    note: `x ${text}`,
  })

  test.each([
    '</script><img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    '&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;lt;b&amp;amp;gt;',
    '[link](javascript:alert(1)) ![x](https://evil.example/p.png) <https://evil.example> **bold**',
    '# heading\n\n- list\n\n| a | b |\n|---|---|\n```\ncode',
    'null \u0000 bell \u0007 escape \u001b[31m',
    'lone \ud800 right to left \u202e zero \u200b tag \u{e0041}',
    '{{constructor.constructor("x")()}} #{x} <%= x %> %s \' or 1=1 --',
    '__proto__',
  ])('%j stays text in every form', async (text) => {
    const plain = await world.addProduct()
    const product = await world.addProduct()
    for (const [one, words] of [
      [plain, 'plain'],
      [product, text],
    ] as const) {
      const org = await world.addProducer(one.id, { name: 'Plain' })
      await world.enrich(org, { product_slug: one.slug, ...proposal(words, one.slug) })
    }
    const [expected, actual] = [await world.read(plain.slug), await world.read(product.slug)]
    expect(skeleton(actual.html)).toEqual(skeleton(expected.html))
    expect(skeleton(markdown.render(actual.md))).toEqual(skeleton(markdown.render(expected.md)))
    const all = `${actual.html}${actual.md}${JSON.stringify(actual.json)}`
    expect(all.replaceAll('\n', ' ')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    expect(Object.keys(actual.json)).toEqual(Object.keys(expected.json))
  })

  test('addresses with controls, quotes and halves of characters are kept encoded', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const odd = 'https://shop.example/a\u0000b\u0001"\'<>)](\ud800|`'
    await world.enrich(org, {
      product_slug: product.slug,
      fields: { where_to_buy: [{ name: 'Shop', url: 'https://shop.example/a\u0000b\ud800' }] },
      images: [{ url: odd }],
      evidence_url: odd,
    })
    const { html, md, json } = await world.read(product.slug)
    const [url = ''] = json.additionalImages as string[]
    expect(url).toMatch(/^https:\/\/shop\.example\/[\x21-\x7e]+$/)
    expect(url).not.toMatch(/["<>]/)
    expect(html).not.toContain('\u0000')
    expect(md.match(/!\[[^\]]*\]\([^)]*\) from the producer/g)).toHaveLength(1)
  })

  test('an address that is too long once encoded is refused when it is proposed, not when it is approved', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const where_to_buy = [{ name: 'Shop', url: `https://shop.example/${'é'.repeat(1_000)}` }]
    const answer = await call(world, org.bearer, 'POST', PATH, {
      product_slug: product.slug,
      fields: { where_to_buy },
    })
    expect([answer.status, answer.body.field]).toEqual([400, 'fields.where_to_buy.0.url'])
  })

  test('names that mean something to the language are names like others, or refused', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const send = (fields: string) =>
      call(world, org.bearer, 'POST', PATH, `{"product_slug":"${product.slug}","fields":${fields}}`)
    expect((await send('{"__proto__":{"title":"x"}}')).status).toBe(400)
    const { body } = await send('{"specs":{"__proto__":"x","constructor":"y","toString":"z"}}')
    expect((await world.approve(body.enrichment_id)).status).toBe(200)
    const { json, html } = await world.read(product.slug)
    const specs = json.additionalProperty as Array<{ name: string; value: string }>
    expect(specs.map(({ name, value }) => [name, value])).toEqual(
      expect.arrayContaining([
        ['constructor', 'y'],
        ['toString', 'z'],
      ]),
    )
    expect(html).toContain('toString')
  })
})
