/** The operator brings a file to the page, corrects how it is read, checks it, imports it and undoes it, in a browser. */
import fs from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { useTravelers } from '../journeys.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)

const EUROS = [
  'id;title;brand;category;price',
  'k-1;Nordkap Kocher;Nordkap;Wasserkocher;49,90',
  'k-2;Nordkap Kocher Groß;Nordkap;Wasserkocher;59,90',
  'k-3;;Nordkap;Wasserkocher;10,00',
  'k-4;Nordkap Leuchte;Nordkap;Leuchten;20,00',
].join('\n')

const products = async () =>
  (
    await world.database.pool.query(
      `select p.title, c.slug, p.price_low_cents as cents from products p join categories c on c.id = p.category_id
       where p.title like 'Nordkap%' order by p.title`,
    )
  ).rows

beforeAll(() => {
  expect(world.people.admin.cookie).not.toBe('')
})

test.each([true, false])('with scripts: %s', async (scripts) => {
  const { page, press, follow, read, told } = await travel({
    at: '/admin/imports',
    as: world.people.admin,
    refused: [400],
    scripts,
  })
  await follow('Import a file')
  await read('Choose a file')
  const file = { name: 'kocher.csv', mimeType: 'text/csv', buffer: Buffer.from(EUROS) }
  await page.getByLabel('Choose a file, or drop it here').setInputFiles(file)
  await press('Upload')
  const first = await read('Preview')
  expect(first).toContain('Nordkap Kocher Groß')
  expect(first).toContain('Title is missing')

  await page.getByLabel('Currency').selectOption('EUR')
  await page.getByLabel('US dollars per unit').fill('1.10')
  await page.getByLabel('Change Wasserkocher to').fill('no such place')
  await press('Update preview')
  await page.getByRole('alert').filter({ hasText: 'There is no category "no such place"' }).waitFor()
  await page.getByLabel('Change Wasserkocher to').fill('espresso-machines')
  await press('Update preview')
  await told('Preview updated.')
  const corrected = await read('Preview')
  expect(corrected).toMatch(/\$54\.89\s+49\.90 EUR/)

  await press(/^Check 4 rows/)
  await followEnd('Check results')
  const checked = await read('Check results')
  expect(checked).toMatch(/New\s+3/)
  expect(checked).toMatch(/Failed\s+1/)
  expect(await products()).toEqual([])
  await press('Import 3 products')
  await followEnd('Import results')
  const done = await read('Import results')
  expect(done).toMatch(/New\s+3/)
  expect(await products()).toEqual([
    { title: 'Nordkap Kocher', slug: 'espresso-machines', cents: 5489 },
    { title: 'Nordkap Kocher Groß', slug: 'espresso-machines', cents: 6589 },
    { title: 'Nordkap Leuchte', slug: 'leuchten', cents: 2200 },
  ])

  const [download] = await Promise.all([page.waitForEvent('download'), follow('Download report')])
  expect(download.suggestedFilename()).toBe('kocher-report.csv')
  const report = fs.readFileSync((await download.path()) ?? '', 'utf8')
  expect(report).toMatch(/\r\n4,k-3,yes,title,/)

  await follow('View or undo this import')
  expect(await read('New products')).toContain('Nordkap Kocher Groß')
  await follow('Undo this import')
  expect(await read('What will change')).toMatch(/Products to remove\s+3/)
  await press('Undo and remove 3 products')
  await read('What was undone')
  expect(await products()).toEqual([])
  await follow('All imports')
  expect(await read('Imports')).toMatch(/kocher\.csv[\s\S]*Undone/)

  /** The page tells how far it is, and then the way to the result; it may be done before the page is there. */
  async function followEnd(heading: string): Promise<void> {
    const [end, there] = [
      page.getByRole('link', { name: 'See the result' }),
      page.getByRole('heading', { name: heading }),
    ]
    await end.or(there).first().waitFor()
    if (await end.isVisible()) await end.click()
  }
})
