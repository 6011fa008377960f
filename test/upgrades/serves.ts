/** Whether the app serves from a database that `fillEveryTable` has filled, whatever has happened to it since. */
import { expect } from 'vitest'
import { createSecretBox } from '../../src/lib/crypto.ts'
import { createBrowser } from '../accounts.ts'
import { createTestApp, type TestDatabase } from '../harness.ts'
import { PERSON, PRODUCT, SEALED } from './fill.ts'

export const SECRET = 'a secret for tests, of at least 32 characters'

export async function expectServed(
  database: TestDatabase,
): Promise<Awaited<ReturnType<typeof createTestApp>>> {
  const souk = await createTestApp({ database })
  const browser = createBrowser(souk)
  const page = await browser.get(`/p/${PRODUCT.category}/${PRODUCT.slug}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain(PRODUCT.title)
  if (await hasRows(database, 'users')) {
    await browser.post('/auth/signin', PERSON)
    expect(browser.cookie()).not.toBeNull()
  }
  if (await hasRows(database, 'rfqs')) {
    const { rows } = await database.pool.query<{ id: string }>(
      `select r.id from rfqs r join users u on u.id = r.user_id where u.email = $1`,
      [PERSON.email],
    )
    const path = `/quotes/${rows[0]?.id}`
    expect((await browser.get(path)).status).toBe(200)
    expect((await createBrowser(souk).get(path)).status, 'for anybody else').toBe(404)
  }
  if (await hasRows(database, 'agent_integrations')) {
    const { rows } = await database.pool.query<{ secret_box: string }>(
      'select secret_box from agent_integrations limit 1',
    )
    expect(createSecretBox(SECRET, 'integration').open(rows[0]?.secret_box ?? '')).toBe(SEALED)
  }
  return souk
}

async function hasRows({ pool }: TestDatabase, table: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from ${table} limit 1`)
  return (rowCount ?? 0) > 0
}
