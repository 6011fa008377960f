/** Many rows at once in a real browser: offers from a file, prices by a share; and what an operator typed outlives a session. */
import { expect, test } from 'vitest'
import { PASSWORD, signIn } from '../accounts.ts'
import { seen, useTravelers } from '../journeys.ts'
import { OFFERED } from '../pages.people.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const { managed } = world.sellers
const { pool } = world.database

async function pricesOf(...headlines: string[]): Promise<Array<number | null>> {
  const { rows } = await pool.query<{ headline: string; price_cents: number | null }>(
    'select headline, price_cents from offers where org_id = $1',
    [managed.id],
  )
  return headlines.map((headline) => rows.find((row) => row.headline === headline)?.price_cents ?? null)
}

test.each([true, false])(
  'offers come from a file, what is wrong is put right in place, and prices change together (scripts: %s)',
  async (scripts) => {
    const name = scripts ? 'Scripted' : 'Plain'
    const { page, press, follow, told, read } = await travel({
      ...{ at: '/dashboard/offers', as: managed.session, scripts },
    })
    await follow('Import a file')
    const rows = [
      'product_slug,headline,destination_url,price_usd,status',
      `${OFFERED},${name} one,https://harborhearth.example/one,100,active`,
      `${OFFERED},${name} two,https://harborhearth.example/two,a lot,draft`,
    ].join('\n')
    const file = { name: 'offers.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await press('Preview')
    expect(await read('Preview')).toContain('1 row would change something. Nothing is saved yet.')
    const problems = page.getByRole('table', { name: 'Rows that can’t be used' })
    expect(await seen(problems.getByRole('row', { name: /^3/ }))).toContain(`${name} two`)
    expect(await pricesOf(`${name} one`)).toEqual([null])
    await page.getByLabel('Or its rows').fill(rows.replace('a lot', '50'))
    await press('Preview again')
    await press('Save 2 rows')
    await told('2 rows saved.')
    expect(await pricesOf(`${name} one`, `${name} two`)).toEqual([10_000, 5_000])

    await follow('All offers')
    for (const which of ['one', 'two']) await page.getByLabel(`Select ${name} ${which}`).check()
    await page.getByText('Change their prices').click()
    await page.getByLabel('Change price by (%)').fill('-10')
    await press('Change the prices')
    await told('2 prices changed.')
    expect(await pricesOf(`${name} one`, `${name} two`)).toEqual([9_000, 4_500])
  },
)

test('what an operator typed is there again after the session ended and they signed in, and no secret is kept', async () => {
  const operator = await signIn(world, { email: 'op@people.example' })
  await pool.query(`update users set is_admin = true where email_key = 'op@people.example'`)
  const { rows } = await pool.query<{ id: string }>('select id from brands order by name limit 1')
  const at = `/admin/brands/${rows[0]?.id}`
  const { page, press, read } = await travel({ at, as: operator })
  await page.getByLabel('Name', { exact: true }).fill('Typed for long')
  await page.getByText('Merge into another brand').click()
  await page.getByLabel('Name of the brand that stays').fill('Half a name')
  await pool.query(
    `delete from sessions where user_id = (select id from users where email_key = 'op@people.example')`,
  )
  await press('Save')
  await read('Sign in')
  await page.getByLabel('Email').fill('op@people.example')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await read('You were signed out before this was saved')
  await press('Save it now')
  await page.locator('.done', { hasText: 'Saved.' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(at)
  await page.getByText('We restored what you typed here and had not saved.').first().waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed for long')
  // A form of one field in a folded part too, which is opened for it.
  expect(await page.getByLabel('Name of the brand that stays').inputValue()).toBe('Half a name')
  expect(await page.getByLabel('Name of the brand that stays').isVisible()).toBe(true)
  expect(await page.evaluate('Object.values(sessionStorage).join()')).not.toContain(PASSWORD)
})

test('an operator orders a product’s images by dragging, and without scripts by buttons', async () => {
  const slug = OFFERED.split('/')[1] ?? ''
  const images = ['one', 'two', 'three'].map((name) => ({
    url: `http://img.example/${name}.png`,
    alt: name,
  }))
  await pool.query('update products set images = $2 where slug = $1', [slug, JSON.stringify(images)])
  await world.catchUp()
  const at = `/admin/products/${slug}`
  const alts = async () => {
    const { rows } = await pool.query<{ images: Array<{ alt: string }> }>(
      'select images from products where slug = $1',
      [slug],
    )
    return rows[0]?.images.map(({ alt }) => alt)
  }
  const plain = await travel({ at, as: world.people.admin, scripts: false })
  const plainRows = plain.page.locator('fieldset[data-rows="images"] .row-edit')
  await plainRows.nth(2).getByRole('button', { name: 'Move up' }).click()
  await plainRows.nth(0).getByRole('button', { name: 'Move down' }).click()
  await plain.press('Save')
  await plain.told('Saved.')
  expect(await alts()).toEqual(['three', 'one', 'two'])

  const { page, press, told } = await travel({ at, as: world.people.admin })
  const rows = page.locator('fieldset[data-rows="images"] .row-edit')
  const grips = page.locator('fieldset[data-rows="images"] .row-grip')
  await grips.nth(0).scrollIntoViewIfNeeded()
  await grips.nth(2).dragTo(rows.nth(0), { targetPosition: { x: 5, y: 2 } })
  await press('Save')
  await told('Saved.')
  expect(await alts()).toEqual(['two', 'three', 'one'])
})
