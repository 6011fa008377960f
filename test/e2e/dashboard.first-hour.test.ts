/**
 * How much a new seller of fifty products has to do until the first request is answered, counted in a real browser: every
 * click and every field, the two in the mail too. Claimed one by one, the same took 268: five for each product. And what
 * they do next: changing many rows at once, and finding what they typed again after a lost session.
 */
import { beforeAll, expect, test } from 'vitest'
import { PASSWORD } from '../accounts.ts'
import { askSellers, seen, useTravelers } from '../journeys.ts'
import { addMember, createOrg, relate, type TestOrg } from '../orgs.ts'
import { productId } from '../pages.people.ts'
import { createPagesWorld } from '../pages.world.ts'
import { createStopwatch } from '../stopwatch.ts'

const SHOP = 'workbenchdirect.example'
const MOST = 25

const world = await createPagesWorld()
const travel = useTravelers(world)

test(`a seller of over fifty products signs up and answers the first request in at most ${MOST} clicks and fields`, async () => {
  const { page, go } = await travel({ at: '/auth/signup' })
  const watch = createStopwatch(page)
  const { fill, press, follow, read, paste } = watch
  await fill('Email', `owner@${SHOP}`)
  await fill('Password', PASSWORD)
  await press('Create account')
  await read('Check your email')
  const { name } = await world.mailTo(`owner@${SHOP}`, /\/auth\/verify/)
  await go('/dev/outbox')
  await watch.click(`the mail`, page.locator(`a[href$="${name}"]`))
  await watch.click('the link in it', page.locator('.letter a').first())
  await page.getByText('Email confirmed').or(page.getByText('Your email')).first().waitFor()

  await go('/dashboard')
  await follow('Register an organization')
  await fill('Name', 'Workbench Direct')
  await press('Register')
  await read('How do you want to answer requests?')
  await press('Let Souk answer')
  const found = await read(/^\d+ products at workbenchdirect\.example$/)
  expect(Number(/(\d+) products at/.exec(found)?.[1])).toBeGreaterThanOrEqual(50)
  await press('Claim the selected products')
  await read('Price table')
  const cells = page.locator('tbody tr').filter({ has: page.locator('[data-cell]') })
  const rows = await cells.count()
  expect(rows).toBeGreaterThanOrEqual(50)
  await paste(
    cells.first().locator('[data-cell]').first(),
    Array.from({ length: rows }, (_, row) => `${40 + row}.50\t${row + 5}\t4.99\t3\tUS`).join('\n'),
  )
  await page
    .getByRole('status')
    .filter({ hasText: `Pasted ${rows} rows.` })
    .waitFor()
  await press('Save the table')
  await page
    .getByRole('status')
    .filter({ hasText: `${rows} products saved.` })
    .waitFor()
  await follow('Send a test request')
  await press('Test now')
  const shown = await read('What a buyer would see')
  expect(shown).toMatch(/Workbench Direct \(workbenchdirect\.example\)/)
  expect(shown).toMatch(/Shipping\s+\$4\.99/)
  expect(shown).toMatch(/says nothing about your rank|you would be the only quote/)

  const { rows: priced } = await world.database.pool.query<{
    slug: string
    product_rules: { price_usd: number }
  }>(
    `select c.slug || '/' || p.slug as slug, y.rules as product_rules from product_pricing y
     join orgs o on o.id = y.org_id and o.domain = $1 join products p on p.id = y.product_id
     join categories c on c.id = p.category_id where not p.discontinued order by p.title, p.id`,
    [SHOP],
  )
  expect(priced.length).toBeGreaterThanOrEqual(50)
  const buyer = await travel({ at: `/p/${priced[0]?.slug}`, refused: [] })
  const { ranked, best } = await askSellers(buyer, 1)
  expect(ranked.join()).toContain('Workbench Direct')
  expect(best).toContain('$')
  await follow('Requests for quotes')
  expect(await read('Requests for quotes')).toMatch(/Ranked|Quoted|first/)
  console.log(watch.report())
  expect(watch.interactions()).toBeLessThanOrEqual(MOST)
})

const SLUGS = ['espresso-machines/grindel-unison-54', 'coffee-grinders/grindel-rove', 'webcams/lumaro-tawny']
let org: TestOrg

beforeAll(async () => {
  org = await createOrg(world, { name: 'Bulk Shop', domain: 'bulk.example' })
  for (const slug of SLUGS) await relate(world, org, await productId(world, slug))
})

const rules = async () =>
  (
    await world.database.pool.query<{ slug: string; rules: Record<string, unknown> }>(
      `select p.slug, y.rules from product_pricing y join products p on p.id = y.product_id where org_id = $1 order by p.slug`,
      [org.id],
    )
  ).rows

test('a table without scripts keeps every cell when one is wrong, and saves the changed ones when it is right', async () => {
  const { page, press, told } = await travel({
    at: '/dashboard/pricing/table',
    as: org.session,
    scripts: false,
    refused: [400],
  })
  const cell = (column: string, product: RegExp) =>
    page.getByLabel(new RegExp(`^${column}: ${product.source}`))
  await cell('Price \\(USD\\)', /Grindel Unison/).fill('640')
  await cell('Units in stock', /Grindel Unison/).fill('many')
  await cell('Delivers to', /Grindel Rove/).fill('US; Canada')
  await press('Save the table')
  expect(await seen(page.getByRole('alert'))).toContain('Stock')
  expect(await cell('Price \\(USD\\)', /Grindel Unison/).inputValue()).toBe('640')
  expect(await cell('Delivers to', /Grindel Rove/).inputValue()).toBe('US; Canada')
  expect(await rules()).toEqual([])
  await cell('Units in stock', /Grindel Unison/).fill('12')
  await press('Save the table')
  await told('2 products saved.')
  expect(await rules()).toMatchObject([
    { slug: 'grindel-rove', rules: { delivery_regions: ['US', 'Canada'] } },
    { slug: 'grindel-unison-54', rules: { price_usd: 640, stock: 12 } },
  ])
  await press('Save the table')
  await told('Nothing was changed')
  await cell('Units in stock', /Grindel Unison/).fill('')
  await press('Save the table')
  await told('1 product saved.')
  expect((await rules())[1]?.rules.stock ?? null).toBeNull()
})

test('the selected are changed together, and pasted rows find their products by name', async () => {
  const { page, press, told } = await travel({ at: '/dashboard/pricing/table', as: org.session })
  await page.getByLabel('Select all on this page').check()
  await page.getByText('Change the selected together').click()
  await page.getByLabel('Change price by (%)').fill('-10')
  await press('Change the selected')
  await told('3 products saved.')
  const cut = await rules()
  expect(cut.map(({ rules: { price_usd } }) => typeof price_usd)).toEqual(['number', 'number', 'number'])
  expect(cut.find(({ slug }) => slug === 'grindel-unison-54')?.rules.price_usd).toBe(576)

  await page.locator('[data-cell]').first().focus()
  await page.evaluate(`const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'product\\tprice\\n${SLUGS[2]}\\t99\\n${SLUGS[0]}\\t650.25\\nnone/such\\t1')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`)
  await told('2 match no product on this page')
  await press('Save the table')
  await told('2 products saved.')
  expect((await rules()).map(({ slug, rules: { price_usd } }) => [slug, price_usd])).toEqual(
    expect.arrayContaining([
      ['grindel-unison-54', 650.25],
      ['lumaro-tawny', 99],
    ]),
  )
})

test('what was typed is there again after the session was lost, and undo takes it back', async () => {
  const owner = await addMember(world, org, 'owner')
  const path = `/dashboard/pricing/${SLUGS[0]}`
  const { page, press, go } = await travel({ at: path, as: owner })
  await page.getByLabel('Delivery time (business days)').fill('9')
  await page.getByLabel('Minimum price (USD)').fill('123')
  await page.getByLabel('Region or country, row 1').first().fill('Ontario')
  await page.context().clearCookies()
  await press('Save rules')
  await page.waitForURL(/\/auth\/signin/)
  await page.context().addCookies([world.cookieOf(owner.cookie)])
  await go(path)
  await page.getByText('We restored what you typed here and had not saved.').waitFor()
  expect(await page.getByLabel('Delivery time (business days)').inputValue()).toBe('9')
  expect(await page.getByLabel('Region or country, row 1').first().inputValue()).toBe('Ontario')
  await press('Undo')
  expect(await page.getByLabel('Delivery time (business days)').inputValue()).toBe('')
  await page.reload()
  expect(await page.getByText('We restored what you typed').count()).toBe(0)
})

test('claims of many products are withdrawn together', async () => {
  const { page, press, told } = await travel({ at: '/dashboard/products', as: org.session, scripts: false })
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByText('Withdraw the claims of the selected').click()
  await press('Withdraw claims')
  await told('The claims of the selected products were withdrawn.')
  const { rows } = await world.database.pool.query('select 1 from product_relationships where org_id = $1', [
    org.id,
  ])
  expect(rows).toEqual([])
})
