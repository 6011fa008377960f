/** A restore that is tried: into a database of its own that is thrown away, with its result for the operator. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { takeBackup } from '../../src/backup/backup.service.ts'
import { drillRestore } from '../../src/backup/drill.service.ts'
import { lastDrill } from '../../src/backup/records.service.ts'
import { createBrowser, signIn } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { textOf } from '../html.ts'
import { addProduct } from '../products.ts'

const world = await createTestApp()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-drilled-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
const { email, cookie } = await signIn(world, { email: 'op@example.com', verified: true })
await world.database.db.updateTable('users').set({ is_admin: true }).where('email_key', '=', email).execute()
const operator = createBrowser(world)
operator.setCookie(cookie)

const config = {
  databaseUrl: world.database.url,
  dataDir: folder,
  secret: 'a secret for tests, of at least 32 characters',
}
const say = () => {}
const page = async () => textOf(await (await operator.get('/admin/backups')).text())
const leftovers = () => fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('souk-drill-'))

test('a drill brings everything back, keeps nothing of it, and the page of backups shows the last one', async () => {
  expect(await page()).toContain('No restore has been tried yet.')
  await addProduct(world, { category: 'kettles', slug: 'whistler', title: 'Whistler' })
  const file = path.join(folder, 'monday.souk')
  const taken = await takeBackup(config, { file, force: false, withSecret: true, listed: true, say })
  const before = leftovers()
  const done = await drillRestore(config, { file, say })
  expect(done).toMatchObject({ file: 'monday.souk', tables: taken.tables, rows: taken.rows, problem: null })
  expect(await lastDrill(world.ctx)).toEqual(done)
  expect(leftovers()).toEqual(before)
  expect(await page()).toMatch(
    /Result Restored .* File monday\.souk .* [\d,]+ tables, [\d,]+ rows Took [\d.]+ s/,
  )
})

test('one that fails says why, and takes the place of the last', async () => {
  const file = path.join(folder, 'damaged.souk')
  const whole = fs.readFileSync(path.join(folder, 'monday.souk'))
  fs.writeFileSync(file, whole.subarray(0, whole.length - 100))
  const done = await drillRestore(config, { file, say })
  expect(done.problem).not.toBeNull()
  const words = await page()
  expect(words).toContain('Result Failed Why')
  expect(words).toContain('File damaged.souk')
})
