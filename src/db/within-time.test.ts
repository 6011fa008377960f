import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { withinTime } from './within-time.ts'

const { database } = await createTestApp()
const { db } = database
const TOO_LONG = { message: 'ask for less', field: 'since' }

test('a statement that takes too long is ended, and anyone who asked is told what to do', async () => {
  const slow = withinTime(db, TOO_LONG, (tx) => sql`select pg_sleep(20)`.execute(tx), 50)
  await expect(slow).rejects.toMatchObject({ kind: 'unavailable', message: 'ask for less', field: 'since' })
})

test('the bound ends with the reading, other faults stay what they are, and nothing can be written', async () => {
  const bound = (tx: typeof db) =>
    sql<{ bound: string }>`select current_setting('statement_timeout') as bound`.execute(tx)
  const [before] = (await bound(db)).rows
  expect((await withinTime(db, TOO_LONG, bound)).rows).toEqual([{ bound: '10s' }])
  expect((await bound(db)).rows).toEqual([before])
  await expect(withinTime(db, TOO_LONG, (tx) => sql`select 1 / 0`.execute(tx))).rejects.toMatchObject({
    code: '22012',
  })
  const write = withinTime(db, TOO_LONG, (tx) => sql`delete from products`.execute(tx))
  await expect(write).rejects.toMatchObject({ code: '25006' })
})
