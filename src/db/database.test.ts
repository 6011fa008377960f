import { describe, expect, test } from 'vitest'
import { captureLog, createTestDatabase } from '../../test/harness.ts'
import { isConnectionLost, openDatabase } from './database.ts'

describe('the pool', () => {
  test('a connection that breaks while it is checked out, between two queries, is an error of that work and no more', async () => {
    const { connection } = await createTestDatabase()
    const logged = captureLog()
    const database = openDatabase(connection, logged.log)
    const killer = openDatabase(connection, captureLog().log)
    const failure = await database.db
      .transaction()
      .execute(async (tx) => {
        const { pid } = await tx
          .selectNoFrom((eb) => eb.fn<number>('pg_backend_pid').as('pid'))
          .executeTakeFirstOrThrow()
        await killer.pool.query('select pg_terminate_backend($1)', [pid])
        await new Promise((resolve) => setTimeout(resolve, 200))
        return tx.selectFrom('jobs').select('id').execute()
      })
      .catch((error) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(isConnectionLost(failure)).toBe(true)
    expect(logged.text()).toContain('a database connection was lost')
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await Promise.all([database.close(), killer.close()])
  })
})
