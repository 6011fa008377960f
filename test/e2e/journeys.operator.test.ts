/**
 * What producers and the operator do about the catalog and its requests, in a real browser: a sheet with mistakes is
 * brought in, a correction is proposed, looked at and shown, and anyone who lost or failed a request finds out why.
 */
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { askSellers, seen, useTravelers } from '../journeys.ts'
import { createOrg, relate } from '../orgs.ts'
import { ASKED, send } from '../pages.people.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const MACHINE = 'Brasswick Solo V2 Espresso Machine'

const SHEET = [
  'Bezeichnung;Warengruppe;Marke;Preis;Gewicht;Lager',
  'Morgentau Kettle;espresso-machines;Morgentau;129;1.1 kg;A4',
  'Abendrot Kettle;espresso-machines;Abendrot;89 EUR;1.3 kg;A5',
  'Nordlicht Press;hovercrafts;Nordlicht;49;0.8 kg;B1',
  'Fernblick Press;espresso-machines;Fernblick;59;0.9 kg;B2',
]

test('without scripts, a sheet with foreign columns and two bad rows is mapped, tried and imported, and the bad rows come back', async () => {
  const as = world.sellers.quick.session
  const { page, press, follow, read, told, go } = await travel({ at: '/dashboard', as, scripts: false })
  await follow('Import')
  const file = { name: 'herbst.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET.join('\r\n')) }
  await page.getByLabel('File', { exact: true }).setInputFiles(file)
  await press('Upload and preview')
  expect(await read('Preview')).toContain('6 columns')

  const columns = { Bezeichnung: 'Title', Warengruppe: 'Category', Marke: 'Brand', Preis: 'Price' }
  for (const [column, label] of Object.entries(columns))
    await page.getByLabel(`Read ${column} as`).selectOption({ label })
  await page.getByLabel('Read Gewicht as').selectOption({ label: 'A spec' })
  const weight = page.getByRole('row', { name: 'Gewicht' })
  await weight.getByRole('textbox').fill('Weight')
  await press('Update preview')
  await told('Columns updated.')
  const preview = page.getByRole('table', { name: 'Preview of the first rows' })
  expect(await seen(preview.getByRole('row', { name: 'Morgentau Kettle' }))).toMatch(/\$129\s+Looks good/)
  expect(await seen(preview.getByRole('row', { name: 'Abendrot Kettle' }))).toContain('Would fail')

  /** What takes longer than a moment tells how far it is, and leads to the result. */
  const result = async (heading: string) => {
    const later = page.getByRole('link', { name: 'View the result' })
    const there = page.getByRole('heading', { name: heading })
    await later.or(there).first().waitFor()
    if (await later.isVisible()) await later.click()
    return read(heading)
  }
  await press('Check 4 rows')
  expect(await result('Ready to import')).toContain('2 rows failed and won’t be imported.')
  const rows = page.getByRole('table', { name: 'Rows' })
  expect(await seen(rows.getByRole('row', { name: 'Morgentau Kettle' }))).toContain('New product')
  expect(await seen(rows.getByRole('row', { name: 'Abendrot Kettle' }))).toMatch(
    /2, line 3\s+Failed\s+.*not in US dollars/,
  )
  expect(await seen(rows.getByRole('row', { name: 'Nordlicht Press' }))).toMatch(
    /3, line 4\s+Failed\s+.*category/i,
  )

  const [download] = await Promise.all([page.waitForEvent('download'), follow('Download the failed rows')])
  expect(download.suggestedFilename()).toBe('herbst-bad-rows.csv')
  const lines = fs
    .readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines[0]).toBe(`Souk problem;Souk fix;${SHEET[0]}`)
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^[^;]*not in US dollars[^;]*;[^;]+;${SHEET[2]}$`)),
    expect.stringMatching(new RegExp(`^[^;]+;[^;]+;${SHEET[3]}$`)),
  ])

  await go('/dashboard/products')
  expect(await read('Products')).not.toContain('Morgentau')
  await page.goBack()
  await press('Import 2 rows')
  expect(await result('Row by row')).toContain('Import complete.')
  await follow('View your products')
  await read('Proposed products')
  const proposed = page.getByRole('table', { name: 'Proposed products' })
  for (const title of ['Morgentau Kettle', 'Fernblick Press'])
    expect(await seen(proposed.getByRole('row', { name: title }))).toContain('In review')
  expect(await proposed.getByRole('row').count()).toBe(3)
})

test('a correction that a maker proposes is shown to the public when the operator has seen before and after, and not sooner', async () => {
  const maker = await travel({
    at: `/dashboard/products/${ASKED}`,
    as: world.sellers.slow.session,
    scripts: false,
  })
  const stranger = await travel({ at: `/p/${ASKED}`, scripts: false })
  const publicly = async () => {
    await stranger.page.reload()
    return stranger.read(MACHINE)
  }
  await maker.follow('Propose a change')
  const model = maker.page.getByLabel('Model')
  expect(await model.inputValue()).toBe('Solo V2')
  await model.fill('Solo V2 Mk 7')
  await maker.page.getByLabel('Best for, row 1').fill('quiet mornings in small kitchens')
  await maker.page.getByLabel('Note to the operator').fill('As printed on the box since May')
  await maker.press('Send for review')
  await maker.told('Change sent for review. Nothing changes until the operator approves it.')
  const proposal = maker.page.getByRole('listitem').filter({ hasText: 'Model, Best for' })
  expect(await seen(proposal.first())).toContain('In review')
  expect(await publicly()).not.toContain('quiet mornings')

  const operator = await travel({ at: '/admin/enrichments', as: world.people.admin })
  await operator.follow(MACHINE)
  await operator.read('Proposed changes')
  const table = operator.page.getByRole('table', { name: 'Current and proposed' })
  const line = table.getByRole('row', { name: 'Model' })
  expect((await line.getByRole('cell').allInnerTexts()).map((cell) => cell.split('\n')[0])).toEqual([
    'Solo V2',
    'Solo V2 Mk 7',
  ])
  expect(await line.locator('ins').allInnerTexts()).toEqual(['Mk 7'])
  expect(await seen(table.getByRole('row', { name: 'Best for' }))).toMatch(
    /narrow counters[\s\S]*quiet mornings/,
  )
  expect(await operator.read('Reason and evidence')).toContain('As printed on the box since May')
  await operator.press('Approve selected changes')
  await operator.told('Approved. The product page shows it now.')

  const shown = await publicly()
  expect(shown).toContain('quiet mornings in small kitchens')
  expect(shown).toContain('Solo V2 Mk 7')
  await maker.page.reload()
  expect(await seen(proposal.first())).toContain('Approved')
})

test('the inspector tells who lost why and by which answer, and whose agent failed how to fix it and that it is fixed', async () => {
  const { free, sellers } = world
  const tidewater = await createOrg(world, { name: 'Tidewater', domain: free.host })
  const product = await world.database.db
    .selectFrom('products')
    .select('id')
    .where('slug', '=', ASKED.split('/')[1] ?? '')
    .executeTakeFirstOrThrow()
  await relate(world, tidewater, product.id)
  await send(world, tidewater, 'POST', '/api/org/register-agent-card/', {
    agent_card_url: `https://${free.host}/.well-known/agent-card.json`,
    auth_type: 'bearer',
    bearer_token: free.token,
  })
  const fixed = free.mood
  free.mood = {}
  const shopper = await travel({ at: `/p/${ASKED}` })
  const { ranked } = await askSellers(shopper, 3)
  expect(ranked).toEqual(['1. Brasswick', '2. Fernhill Supply', '3. Harbor & Hearth'])

  const lost = await travel({ at: '/dashboard/rfqs', as: sellers.quick.session })
  const row = lost.page.getByRole('row', { name: `3 × ${MACHINE}` })
  expect(await seen(row)).toMatch(/Lost\s+\$412\.50\s+2 of 3/)
  await row.getByRole('link').first().click()
  const why = lost.page.getByRole('region', { name: 'Outcome' })
  expect(await seen(why)).toMatch(/Lost, 2 of 3[\s\S]*Your quote came 2 of 3\.[\s\S]*above the winner’s/)
  await why.getByText('How quotes are ranked, and your values').click()
  expect(await seen(why.getByRole('row', { name: 'Lower total' }))).toMatch(/\$1,246\.50[\s\S]*Decided here/)
  const attempt = lost.page.getByRole('article').filter({ hasText: 'First try' })
  expect(await seen(attempt)).toMatch(
    /Quoted[\s\S]*Took [\d,.]+ (ms|s)[\s\S]*POST https:\/\/fernhill\.example\/message:send/,
  )
  expect(await seen(attempt.getByRole('region', { name: 'Request: First try' }))).toMatch(/content-type/i)
  expect(await seen(attempt.getByRole('region', { name: 'Request body: First try' }))).toContain(ASKED)
  expect(await seen(attempt.getByRole('region', { name: 'Answer body: First try' }))).toContain('412.5')

  const failed = await travel({ at: '/dashboard/rfqs', as: tidewater.session })
  await failed.follow(`3 × ${MACHINE}`)
  const told = await failed.read('Outcome')
  expect(told).toMatch(/Failed[\s\S]*Your answer didn’t count\.\s+price_usd is missing\./)
  expect(told).toMatch(/Invalid answer[\s\S]*How to fix it:/)
  expect(told).not.toContain(free.token)
  free.mood = fixed
  await failed.press('Send a test')
  const now = failed.page.getByRole('region', { name: 'Now' })
  expect(await seen(now)).toMatch(/Quoted[\s\S]*399/)
  expect(await seen(failed.page.getByRole('region', { name: 'Then' }))).toContain('Invalid answer')
})
