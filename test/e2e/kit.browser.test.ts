/** What the script of the console adds in a real browser, and that the same is there without it. */
import { expect, test } from 'vitest'
import { useTravelers } from '../journeys.ts'
import { OFFERED } from '../pages.people.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const { managed } = world.sellers

const offers = async () =>
  (
    await world.database.pool.query<{ headline: string; starts_at: Date }>(
      'select headline, starts_at from offers where org_id = $1 order by created_at desc',
      [managed.id],
    )
  ).rows

test('times are typed and shown in the time zone of the reader, and kept after an error', async () => {
  const at = `/dashboard/offers/new?product=${OFFERED}`
  const zone = { timezoneId: 'America/New_York', as: managed.session, refused: [400] }
  const { page, press, told } = await travel({ at, ...zone })
  await page.getByText('your time zone (America/New_York)').first().waitFor()
  await page.getByLabel('Headline').fill('Zoned')
  await page.getByLabel('Destination').fill('https://harborhearth.example/zoned')
  await page.getByLabel('Price', { exact: true }).fill('a lot')
  await page.getByLabel('Starts').fill('2027-01-15T09:30')
  await press('Save draft')
  await page.getByRole('alert').getByText('Price must be dollars').waitFor()
  expect(await page.getByLabel('Starts').inputValue()).toBe('2027-01-15T09:30')
  await page.getByLabel('Price', { exact: true }).fill('99')
  await press('Save draft')
  await told('Saved as a draft')
  expect(await page.getByLabel('Starts').inputValue()).toBe('2027-01-15T09:30')
  expect((await offers())[0]).toEqual({ headline: 'Zoned', starts_at: new Date('2027-01-15T14:30:00Z') })
})

test('a list is filtered while somebody types, and the address follows', async () => {
  const { page } = await travel({ at: '/dashboard/offers', as: managed.session })
  const rows = page.locator('#list tbody tr')
  const before = await rows.count()
  expect(before).toBeGreaterThan(0)
  await page.getByLabel('Headline or promo code').fill('no offer says this')
  await page.getByText('No offers match.').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('no offer says this')
  await page.getByLabel('Headline or promo code').fill('')
  await expect.poll(() => rows.count()).toBe(before)
})

test.each([true, false])('rows are added and removed, with scripts: %s', async (scripts) => {
  const at = `/dashboard/products/${OFFERED}/change`
  const { page } = await travel({ at, as: managed.session, scripts })
  const editor = page.locator('fieldset[data-rows="best_for"]')
  const rows = editor.locator('.row-edit')
  const before = await rows.count()
  await editor.locator('input').last().fill('Small kitchens')
  await editor.getByRole('button', { name: 'Add a row' }).click()
  await expect.poll(() => rows.count()).toBe(before + 1)
  expect(
    await editor
      .locator('input')
      .nth(before - 1)
      .inputValue(),
  ).toBe('Small kitchens')
  await rows
    .first()
    .getByRole('button', { name: /^Remove/ })
    .click()
  await expect.poll(() => rows.count()).toBe(before)
  expect(
    await editor
      .locator('input')
      .nth(Math.max(before - 2, 0))
      .inputValue(),
  ).toBe('Small kitchens')
})

test('a field says what is wrong with it as soon as it is left, and stops when it is right', async () => {
  const at = `/dashboard/offers/new?product=${OFFERED}`
  const { page } = await travel({ at, as: managed.session })
  const field = page.getByLabel('Destination')
  await field.fill('nowhere')
  await page.getByLabel('Headline').click()
  await page.locator('#field-destination_url-error').waitFor()
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  await field.fill('https://harborhearth.example/')
  await expect.poll(() => page.locator('#field-destination_url-error').count()).toBe(0)
})
