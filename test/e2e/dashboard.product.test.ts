/** One product as its producer sees it: its claims, its issues, who said what, and proposing a change. */
import { describe, expect, test } from 'vitest'
import { textOf } from '../html.ts'
import { relate } from '../orgs.ts'
import { createProductsWorld, filledIn, PRODUCTS, read, WHOLE } from './dashboard.products.world.ts'

const world = await createProductsWorld()
const { owner, editor, viewer, theirs, form, rival, claims, ids } = world
const CHANGE = `${WHOLE}/change`
const BARE = `${PRODUCTS}/kettles/bare`

/** The form as a browser would send it after somebody typed over some fields. */
async function typedOver(fields: Record<string, string>) {
  return { ...filledIn((await read(owner.get(CHANGE))).html, CHANGE), ...fields }
}

async function propose(fields: Record<string, string>) {
  const answer = await read(owner.post(CHANGE, await typedOver(fields)))
  return { ...answer, newest: (await world.proposals()).at(-1) }
}

describe('the page', () => {
  test('it shows how the claim was verified, issues with their fixes in plain words, and where the profile comes from', async () => {
    const { html } = await read(viewer.get(WHOLE))
    const text = textOf(html)
    expect(html).toContain('href="/p/kettles/whole"')
    expect(text).toMatch(/You make it Status Verified .*the operator checked it/)
    expect(text).toContain('It has no image. Propose one that shows the whole product.')
    expect(text).toContain('An owner, admin or editor of Spout Inc can change this product.')
    expect(html).not.toContain(`href="${WHOLE}/change`)
    expect(text).not.toMatch(/submit_enrichment|create_offer|manufactured_by/)
    expect(text).toMatch(/Description A slim spout\. feed/)
    expect(text).toMatch(/Not stated yet: .*SKU/)
    expect(html).not.toMatch(/<form[^>]* action="\/dashboard\/products/)
  })

  test('a claim that is not verified says what verifies it', async () => {
    const text = textOf((await read(owner.get(BARE))).html)
    expect(text).toMatch(/Not verified yet since November 1, 2026/)
    expect(text).toContain('The catalog has no domain for this brand')
    expect(text).toContain('Your claim that you sell it is waiting')
    expect(textOf((await read(owner.get(`${BARE}/change`))).html)).toContain(
      'isn’t verified yet, so you can’t propose changes',
    )
  })

  test('a product that was not claimed is not there, and neither is one that does not exist', async () => {
    for (const path of ['kettles/free', 'kettles/none', 'tents/whole', 'kettles/free/change'])
      expect((await owner.get(`${PRODUCTS}/${path}`)).status, path).toBe(404)
    for (const path of ['change', 'claims/withdraw', 'proposals/withdraw']) {
      const fields = { relationship_id: claims.makes, enrichment_id: claims.makes, sku: 'X' }
      expect((await owner.post(`${PRODUCTS}/kettles/free/${path}`, form(fields))).status, path).toBe(404)
    }
  })
})

describe('proposing a change', () => {
  test('a form that nobody typed in proposes nothing', async () => {
    const { status, html } = await propose({})
    expect(status).toBe(400)
    expect(textOf(html)).toContain('You haven’t changed anything yet')
    expect(await world.proposals()).toEqual([])
  })

  test('only what differs is proposed; of specs, only those that are new or corrected', async () => {
    const { location, newest } = await propose({
      description: 'A slim spout,\r\nand a lid.',
      specs: 'Capacity: 1.2 l\r\nPower: 1200 W\r\nWeight: 1 kg\r\nColour: black\r\nCord: 1 m\r\nLid: yes',
      best_for: '- tea\r\n- small kitchens',
      price_high: '65.50',
      sku: 'WK-1',
      images: 'https://spout.example/1.jpg The front',
      evidence: 'https://spout.example/sheet',
      note: 'From our data sheet',
    })
    expect(location).toBe(`${WHOLE}?done=proposed`)
    expect(newest).toMatchObject({
      fields: {
        description: 'A slim spout,\nand a lid.',
        specs: [
          { name: 'Capacity', value: '1.2 l' },
          { name: 'Lid', value: 'yes' },
        ],
        best_for: ['tea', 'small kitchens'],
        price: { low: 50, high: 65.5 },
        sku: 'WK-1',
      },
      images: [{ url: 'https://spout.example/1.jpg', alt: 'The front' }],
      evidence: ['https://spout.example/sheet'],
      note: 'From our data sheet',
      confirms_profile: false,
    })
    expect(Object.keys(newest?.fields as object)).toHaveLength(5)
    const text = textOf((await read(owner.get(WHOLE))).html)
    expect(text).toMatch(/Description, Specs, Best for, Price, SKU, Images just now · In review/)
    expect(text).toContain('$50 – $65.50')
  })

  test('what was emptied is to be cleared, and the whole profile can be confirmed by its maker', async () => {
    const rows = Object.keys(await typedOver({})).filter((name) => /^(?:where_to_buy|specs)\./.test(name))
    const emptied = Object.fromEntries(rows.map((name) => [name, '']))
    const { newest } = await propose({ ...emptied, mpn: '', confirms_profile: 'on' })
    expect(newest).toMatchObject({
      fields: { mpn: null, where_to_buy: [], specs: null },
      confirms_profile: true,
    })
  })

  test('rows are added, corrected and removed, with a button and without scripts', async () => {
    const form = await typedOver({ 'specs.0.value': '1.2 l', 'best_for.0.value': 'tea', sku: 'KEPT' })
    const added = await read(owner.post(CHANGE, { ...form, _add: 'best_for' }))
    expect(added.status).toBe(200)
    expect(filledIn(added.html, CHANGE)).toEqual({ ...form, 'best_for.1.value': '' })
    // Enter in a field presses the first button: it sends the form and removes no row.
    expect(/<form[^>]* action="[^"]+\/change".*?(<button[^>]*>)/s.exec(added.html)?.[1]).not.toContain(
      'name=',
    )
    const removed = await read(owner.post(CHANGE, { ...form, _remove: 'where_to_buy.0' }))
    expect(filledIn(removed.html, CHANGE)).not.toHaveProperty('where_to_buy.1.url')
    expect((await propose({ ...form, 'best_for.1.value': 'small kitchens' })).newest?.fields).toEqual({
      specs: [{ name: 'Capacity', value: '1.2 l' }],
      best_for: ['tea', 'small kitchens'],
      sku: 'KEPT',
    })
  })

  test('a profile that changed since the form was opened is not proposed to be changed back', async () => {
    const opened = await typedOver({ sku: 'WK-2' })
    await world.database.pool.query("update products set model = 'Mark II' where slug = 'whole'")
    await read(owner.post(CHANGE, opened))
    expect((await world.proposals()).at(-1)?.fields).toEqual({ sku: 'WK-2' })
  })

  test.each([
    [{ specs: 'Capacity: 1 l\r\nbig' }, 'specs', 'Specs: line 2 (“big”) needs a name'],
    [{ 'specs.1.name': '', 'specs.1.value': '' }, 'specs', 'Specs: “Power” is missing'],
    [{ 'specs.1.value': '' }, 'specs', 'Specs: row 2 (“Power”) needs a name and a value'],
    [{ 'specs.1.name': 'weight' }, 'specs', 'Specs: row 3 (“Weight 1 kg”) repeats a name'],
    [{ 'where_to_buy.0.price': 'cheap' }, 'where_to_buy', 'has “cheap” where a price such as 49.99'],
    [{ where_to_buy: 'Spout' }, 'where_to_buy', 'Where to buy: line 1 (“Spout”) needs the full address'],
    [{ gtin: '123' }, 'gtin', 'Bar code number (GTIN) must be 8, 12, 13 or 14 digits'],
    [{ released: 'last year' }, 'released', 'Released must be YYYY, YYYY-MM or YYYY-MM-DD'],
    [{ price_low: '90' }, 'price_low', 'The lowest price is above the highest price.'],
    [{ title: '' }, 'title', 'Enter a title.'],
    [{ images: 'http://spout.example/1.jpg' }, 'images', 'New images: line 1'],
    [{ evidence: 'our site' }, 'evidence', 'Evidence: line 1 (“our site”)'],
  ])('%j is refused beside its field, and all that was typed is kept', async (fields, field, problem) => {
    const before = await world.proposals()
    const typed = await typedOver({ sku: 'KEPT "1"', note: 'kept', ...fields })
    const { status, html } = await read(owner.post(CHANGE, typed))
    expect(status).toBe(400)
    expect(textOf(html)).toContain(problem)
    expect(html).toContain(`id="field-${field}-error"`)
    expect(filledIn(html, CHANGE)).toEqual(typed)
    expect(await world.proposals()).toEqual(before)
  })

  test('two who send the same at once make one proposal', async () => {
    const typed = await typedOver({ sku: 'TWICE' })
    const answers = await Promise.all([owner.post(CHANGE, typed), editor.post(CHANGE, typed)])
    expect(answers.map(({ headers }) => headers.get('location')).sort()).toEqual([
      `${WHOLE}?done=proposed`,
      `${WHOLE}?done=proposed_same`,
    ])
    const same = (await world.proposals()).filter(
      ({ fields }) => (fields as { sku?: string }).sku === 'TWICE',
    )
    expect(same).toHaveLength(1)
  })

  test('a viewer proposes nothing, and only a maker may confirm a profile', async () => {
    const before = await world.proposals()
    expect((await viewer.post(CHANGE, await typedOver({ sku: 'V' }))).status).toBe(403)
    const theirChange = `${BARE}/change`
    const page = await read(theirs.get(theirChange))
    expect(page.html).not.toContain('confirms_profile')
    const confirming = { ...filledIn(page.html, theirChange), confirms_profile: 'on' }
    expect((await theirs.post(theirChange, confirming)).status).toBe(403)
    expect(await world.proposals()).toEqual(before)
  })

  test('a proposal is withdrawn by its own organization only, and only while it waits', async () => {
    const [one] = await world.proposals()
    const withdraw = `${WHOLE}/proposals/withdraw`
    const fields = { enrichment_id: one?.id ?? '' }
    expect((await theirs.post(`${BARE}/proposals/withdraw`, { org_id: rival.id, ...fields })).status).toBe(
      404,
    )
    expect((await read(editor.post(withdraw, form(fields)))).location).toBe(
      `${WHOLE}?done=proposal_withdrawn`,
    )
    const again = await read(editor.post(withdraw, form(fields)))
    expect(again.status).toBe(409)
    expect(textOf(again.html)).toContain('This proposal is already withdrawn')
  })
})

describe('withdrawing a claim', () => {
  test('the page says what goes with it; the last verified one pauses the offers', async () => {
    const offer = await world.activeOffer(ids.whole)
    const sells = await relate(world, world.maker, ids.whole)
    const withdraw = `${WHOLE}/claims/withdraw`
    expect(textOf((await read(owner.get(WHOLE))).html)).toContain(
      'Your offers for this product stay as they are',
    )
    expect((await viewer.post(withdraw, form({ relationship_id: sells }))).status).toBe(403)
    expect((await owner.post(withdraw, form({ relationship_id: claims.rivals }))).status).toBe(404)
    expect((await read(owner.post(withdraw, form({ relationship_id: sells })))).location).toBe(
      `${WHOLE}?done=claim_withdrawn`,
    )
    expect(textOf((await read(owner.get(WHOLE))).html)).toContain('We pause your offers for it')
    expect((await read(owner.post(withdraw, form({ relationship_id: claims.makes })))).location).toBe(
      `${PRODUCTS}?done=claim_withdrawn`,
    )
    const { rows } = await world.database.pool.query('select status from offers where id = $1', [offer])
    expect(rows).toEqual([{ status: 'paused' }])
    expect((await owner.get(WHOLE)).status).toBe(404)
    expect((await world.relationships()).map(({ id }) => id)).toContain(claims.rivals)
  })
})
