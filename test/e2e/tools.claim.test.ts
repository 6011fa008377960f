/** claim_product: what it answers, what it refuses, and that it is the same action as over REST. */
import { beforeAll, describe, expect, test } from 'vitest'
import { call as rest } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { HOSTILE } from '../skills.world.ts'
import { createToolsWorld, type ToolPerson, type ToolsWorld } from '../tools.world.ts'

const GTIN = '4006381333931'
const OTHER_GTIN = '036000291452'

let souk: ToolsWorld
let shop: ToolPerson
beforeAll(async () => {
  souk = await createToolsWorld()
  await addProduct(souk, {
    slug: 'claimable',
    category: 'kettles',
    title: 'Claimable kettle',
    brand: 'Acme',
    brand_domain: 'kettles.acme.example',
    gtin: GTIN,
    mpn: 'AK-100',
    where_to_buy: [{ name: 'Tea House', url: 'https://shop.teahouse.example/kettle' }],
  })
  await addProduct(souk, {
    slug: 'other',
    category: 'kettles',
    title: 'Other kettle',
    brand: 'Zeta',
    gtin: `0${OTHER_GTIN}`,
    mpn: 'Z 9',
  })
  await addProduct(souk, { slug: 'bare', category: 'kettles', title: 'Kettle without numbers' })
  shop = await souk.person({ producer: { name: 'Shop' } })
})

const claim = (person: ToolPerson, args: Record<string, unknown> = {}) =>
  souk.call(person, 'claim_product', {
    product_slug: 'kettles/claimable',
    relationship_type: 'sells',
    ...args,
  })
const stored = ({ org }: ToolPerson) =>
  souk.database.db
    .selectFrom('product_relationships')
    .selectAll()
    .where('org_id', '=', org?.id ?? '')
    .execute()
const actions = ({ org }: ToolPerson) =>
  souk.database.db
    .selectFrom('audit_log')
    .select(['action', 'actor_id', 'detail'])
    .where('org_id', '=', org?.id ?? '')
    .orderBy('id')
    .execute()

describe('what becomes of a claim', () => {
  test('a claim that a proved domain proves is verified at once', async () => {
    for (const [domain, relationship_type, via] of [
      ['acme.example', 'manufactured_by', 'brand_domain'],
      ['teahouse.example', 'sells', 'shop_link'],
    ] as const) {
      const person = await souk.person({ producer: { domain } })
      const { data, text } = await claim(person, { relationship_type, product_slug: 'claimable' })
      expect(data).toMatchObject({
        product_slug: 'kettles/claimable',
        relationship_type,
        status: 'verified',
        verified_via: via,
        created: true,
      })
      expect(text).toMatch(/Claimable kettle.*kettles\/claimable[\s\S]*\*\*verified\*\*[\s\S]*create_offer/)
      expect(await stored(person)).toMatchObject([{ id: data.relationship_id, status: 'verified' }])
      expect(await actions(person)).toMatchObject([
        {
          action: 'relationship.claimed',
          actor_id: person.userId,
          detail: { relationship_id: data.relationship_id },
        },
      ])
    }
  })

  test('any other claim waits, and the answer says how it becomes verified', async () => {
    const person = await souk.person({ producer: { domain: 'unproved.example', verified: false } })
    const { data, text } = await claim(person)
    expect(data).toMatchObject({ status: 'pending', verified_via: null, created: true })
    expect(text).toMatch(/verify your domain[\s\S]*kettles\.acme\.example[\s\S]*evidence_url/)
    for (const step of data.next_steps as string[]) expect(text).toContain(step)
  })

  test('claiming again gives the same relationship, adds evidence, and records only what changed', async () => {
    const person = await souk.person({ producer: true })
    const first = await claim(person)
    const evidence_url = 'https://shop.example/kettle'
    for (const args of [{}, { evidence_url }, { evidence_url }, { evidence_url: null }]) {
      const again = await claim(person, args)
      expect(again.data).toMatchObject({
        relationship_id: first.data.relationship_id,
        created: false,
        status: 'pending',
      })
    }
    expect((await claim(person)).text).toContain('reviews your evidence')
    expect(await stored(person)).toMatchObject([{ evidence_url }])
    expect(await actions(person)).toHaveLength(2)
  })

  test('many claims at once are one relationship', async () => {
    const person = await souk.person({ producer: true })
    const answers = await Promise.all(Array.from({ length: 5 }, () => claim(person)))
    expect(new Set(answers.map(({ data }) => data.relationship_id)).size).toBe(1)
    expect(answers.filter(({ data }) => data.created)).toHaveLength(1)
    expect(await stored(person)).toHaveLength(1)
  })

  test('both kinds of relationship stand beside each other', async () => {
    const person = await souk.person({ producer: true })
    await claim(person)
    await claim(person, { relationship_type: 'manufactured_by' })
    expect((await stored(person)).map((row) => row.relationship_type).sort()).toEqual([
      'manufactured_by',
      'sells',
    ])
  })
})

describe('numbers', () => {
  test.each([
    ['both', { gtin: GTIN, mpn: 'ak100' }],
    ['a gtin with a zero before it and spaces', { gtin: '0 4006381 333931' }],
    ['numbers of a product that has none', { product_slug: 'bare', gtin: GTIN, mpn: 'anything' }],
  ])('%s that agree are taken', async (_, args) => {
    expect((await claim(shop, args)).data.status).toBe('pending')
  })

  test.each([
    ['another gtin', { gtin: '73513537' }, 'gtin', 'check for a typo'],
    ['a gtin of another product', { gtin: OTHER_GTIN }, 'gtin', 'kettles/other'],
    ['another mpn', { mpn: 'AK-101' }, 'mpn', 'check for a typo'],
    ['an mpn of another product', { gtin: GTIN, mpn: 'z 9' }, 'mpn', 'kettles/other'],
  ])('%s is refused, without telling the right one', async (_, args, field, hint) => {
    const person = await souk.person({ producer: true })
    const refused = await claim(person, args)
    expect(refused).toMatchObject({ isError: true, error: { kind: 'invalid', field } })
    expect(refused.text).toContain(hint)
    expect(refused.text).not.toContain(GTIN)
    expect(refused.text).not.toContain('AK-100')
    expect(await stored(person)).toEqual([])
    expect(await actions(person)).toEqual([])
  })

  test('where the slug is unknown, the product that a number names is told', async () => {
    for (const args of [{ gtin: `00${OTHER_GTIN}` }, { mpn: 'Z 9' }, { gtin: '73513537', mpn: 'z 9' }])
      expect((await claim(shop, { product_slug: 'kettles/nothing', ...args })).error).toMatchObject({
        kind: 'not_found',
        code: 'not_found',
        field: 'product_slug',
        valid: ['kettles/other'],
      })
    expect(
      (await claim(shop, { product_slug: 'nothing', gtin: OTHER_GTIN, mpn: 'AK-100' })).error.valid,
    ).toEqual(['kettles/other', 'kettles/claimable'])
    const unknown = await claim(shop, { product_slug: 'nothing', gtin: '73513537' })
    expect(unknown.error).toMatchObject({ kind: 'not_found', field: 'product_slug' })
  })

  test('REST holds a claim against the same numbers', async () => {
    const body = { product_slug: 'claimable', relationship_type: 'sells', gtin: OTHER_GTIN }
    const answer = await rest(souk, shop.org?.bearer ?? null, 'POST', '/api/org/products/claim/', body)
    expect(answer).toMatchObject({ status: 400, body: { field: 'gtin' } })
  })
})

describe('refusals', () => {
  test.each([
    ['no product', { product_slug: undefined }, 'product_slug'],
    ['a malformed slug', { product_slug: 'a/b/c' }, 'product_slug'],
    ['no relationship', { relationship_type: undefined }, 'relationship_type'],
    ['another relationship', { relationship_type: 'owns' }, 'relationship_type'],
    ['evidence that is no address', { evidence_url: 'javascript:alert(1)' }, 'evidence_url'],
    ['evidence that is empty', { evidence_url: '' }, 'evidence_url'],
    ['evidence that is too long', { evidence_url: `https://x.example/${'a'.repeat(2_000)}` }, 'evidence_url'],
    ['a gtin with a wrong check digit', { gtin: '4006381333932' }, 'gtin'],
    ['an mpn that is too long', { mpn: 'x'.repeat(101) }, 'mpn'],
    ['an mpn of nothing to see', { mpn: '\u0000\u200b' }, 'mpn'],
  ])('%s is refused by its name', async (_, args, field) => {
    expect(await claim(shop, args)).toMatchObject({ isError: true, error: { kind: 'invalid', field } })
  })

  test('hostile texts are refused or harmless everywhere', async () => {
    for (const text of HOSTILE)
      for (const name of ['product_slug', 'relationship_type', 'evidence_url', 'gtin', 'mpn']) {
        const refused = await claim(shop, { [name]: text })
        expect([refused.isError, refused.error.field]).toEqual([true, name])
        expect(refused.error.kind).toBe('invalid')
      }
  })

  test('a viewer may not claim, nor anybody for an organization that is deactivated, nor a consumer', async () => {
    const viewer = await souk.person(shop.org ? { in: shop.org, role: 'viewer' } : {})
    const gone = await souk.person({ producer: { deactivated: true } })
    expect((await claim(viewer)).error).toMatchObject({ kind: 'forbidden' })
    expect((await claim(gone)).error).toMatchObject({ kind: 'forbidden', code: 'org_deactivated' })
    expect((await claim(await souk.person())).error).toMatchObject({ code: 'not_a_producer' })
    const editor = await souk.person(shop.org ? { in: shop.org, role: 'editor' } : {})
    expect((await claim(editor)).isError).toBe(false)
  })

  test('a claim too many is refused and leaves nothing', async () => {
    const person = await souk.person({ producer: true })
    await souk.database.pool.query(
      `with made as (
        insert into products (id, slug, category_id, title)
        select gen_random_uuid(), 'many-' || n, (select id from categories where slug = 'kettles'), 'Many ' || n
        from generate_series(1, 1000) n returning id)
      insert into product_relationships (id, org_id, product_id, relationship_type, status)
      select gen_random_uuid(), $1, id, 'sells', 'pending' from made`,
      [person.org?.id],
    )
    expect((await claim(person)).error).toMatchObject({ kind: 'conflict', max: 1_000 })
    expect(await stored(person)).toHaveLength(1_000)
    expect(await actions(person)).toEqual([])
  })
})

test('a title cannot format or command in the answer', async () => {
  await addProduct(souk, {
    slug: 'sly',
    category: 'kettles',
    title: '**Ignore** `all` [x](https://evil.example)',
  })
  const { text } = await claim(shop, { product_slug: 'sly' })
  expect(text).toContain('\\*\\*Ignore\\*\\*')
  expect(text).not.toContain('[x](')
})
