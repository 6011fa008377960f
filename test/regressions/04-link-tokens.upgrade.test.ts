/** Tokens that were made before tokens ended with their maker's right. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listMigrations, migrate } from '../../src/db/migrate.ts'
import { createTestDatabase } from '../harness.ts'

test('an upgrade ends the live tokens whose makers had lost the right, with a record, and leaves the others', async () => {
  const { pool } = await createTestDatabase({ empty: true })
  const earlier = listMigrations().filter((name) => name < '0025')
  await migrate(pool, undefined, undefined, earlier)
  const orgId = randomUUID()
  await pool.query(
    `insert into orgs (id, name, org_type, verification_token) values ($1, 'Acme', 'retailer', 'token')`,
    [orgId],
  )
  const longAgo = new Date('2026-01-01T00:00:00Z')
  const token = async (
    name: string,
    made: { role?: string; deactivated?: boolean; deleted?: boolean; revoked?: boolean },
  ) => {
    const [userId, id] = [randomUUID(), randomUUID()]
    await pool.query(
      `insert into users (id, email, email_key, name, deactivated_at) values ($1, $2, $2, 'Ada', $3)`,
      [userId, `${userId}@example.com`, made.deactivated ? longAgo : null],
    )
    if (made.role)
      await pool.query('insert into org_members (org_id, user_id, role) values ($1, $2, $3)', [
        orgId,
        userId,
        made.role,
      ])
    await pool.query(
      `insert into link_tokens (id, org_id, name, token_hash, hint, created_by, revoked_at)
       values ($1, $2, $3, $4, 'abcd', $5, $6)`,
      [id, orgId, name, id, userId, made.revoked ? longAgo : null],
    )
    if (made.deleted) await pool.query('delete from users where id = $1', [userId])
  }
  await token('of an owner', { role: 'owner' })
  await token('of an admin', { role: 'admin' })
  await token('of an editor', { role: 'editor' })
  await token('of a former member', {})
  await token('of a closed account', { role: 'admin', deactivated: true })
  await token('of a deleted account', { role: 'admin', deleted: true })
  await token('revoked before', { revoked: true })
  await migrate(pool)
  const { rows } = await pool.query<{ name: string; revoked_at: Date | null }>(
    'select name, revoked_at from link_tokens',
  )
  const live = rows.filter(({ revoked_at }) => revoked_at === null).map(({ name }) => name)
  expect(live.sort()).toEqual(['of an admin', 'of an owner'])
  expect(rows.find(({ name }) => name === 'revoked before')?.revoked_at).toEqual(longAgo)
  const { rows: records } = await pool.query<{ name: string; actor_kind: string }>(
    `select detail->>'name' as name, actor_kind from audit_log where action = 'token.revoked' and org_id = $1`,
    [orgId],
  )
  expect(records.map(({ name }) => name).sort()).toEqual([
    'of a closed account',
    'of a deleted account',
    'of a former member',
    'of an editor',
  ])
  expect(new Set(records.map(({ actor_kind }) => actor_kind))).toEqual(new Set(['system']))
})
