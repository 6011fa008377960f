import { expect, test, vi } from 'vitest'
import { createTestApp, SILENT } from '../../test/harness.ts'
import { withTools } from '../../test/tools.world.ts'
import { startListener } from '../db/listen.ts'
import { newId } from '../lib/ids.ts'
import { createRememberedTokens } from './remembered-tokens.ts'

const world = withTools(await createTestApp())
const { pool } = world.database

const revoke = (userId: string) =>
  pool.query('update oauth_families set revoked_at = now() where user_id = $1', [userId])

test('a token that was just looked up is known without asking the database', async () => {
  const tokens = createRememberedTokens(world.oauth)
  const ada = await world.person()
  expect(tokens.peek(ada.token)).toBeUndefined()
  const actor = await tokens.find(ada.token)
  expect(actor?.user.id).toBe(ada.userId)
  expect(tokens.peek(ada.token)).toBe(actor)
})

test('a token that speaks for nobody is never remembered', async () => {
  const tokens = createRememberedTokens(world.oauth)
  expect(await tokens.find('souk_at_unknown')).toBeNull()
  expect(tokens.peek('souk_at_unknown')).toBeUndefined()
})

test('a token ends at its time although it is remembered', async () => {
  const tokens = createRememberedTokens(world.oauth)
  const ada = await world.person()
  await pool.query(
    `update oauth_access_tokens t set expires_at = $2 from oauth_families f where f.id = t.family_id and f.user_id = $1`,
    [ada.userId, new Date(world.clock.now().getTime() + 1_000)],
  )
  expect(await tokens.find(ada.token)).not.toBeNull()
  world.clock.advance(1_000)
  expect(tokens.peek(ada.token)).toBeUndefined()
  expect(await tokens.find(ada.token)).toBeNull()
})

test('what was being looked up when tokens are forgotten is not remembered', async () => {
  const tokens = createRememberedTokens(world.oauth)
  const ada = await world.person()
  const finding = tokens.find(ada.token)
  tokens.forget()
  expect(await finding).not.toBeNull()
  expect(tokens.peek(ada.token)).toBeUndefined()
})

test.each<[string, (userId: string) => Promise<unknown>]>([
  ['a consent is revoked', revoke],
  [
    'a token is deleted',
    (userId) =>
      pool.query(
        'delete from oauth_access_tokens t using oauth_families f where f.id = t.family_id and f.user_id = $1',
        [userId],
      ),
  ],
  [
    'the account is deactivated',
    (userId) => pool.query('update users set deactivated_at = now() where id = $1', [userId]),
  ],
  ['the account goes', (userId) => pool.query('delete from users where id = $1', [userId])],
  [
    'a person becomes a producer',
    (userId) => pool.query(`update users set account_type = 'producer' where id = $1`, [userId]),
  ],
])('when %s anywhere, every node hears of it and forgets', async (_, happens) => {
  const tokens = createRememberedTokens(world.oauth)
  const ada = await world.person()
  let heard: () => void = () => {}
  const nextNews = () =>
    new Promise<void>((resolve) => {
      heard = resolve
    })
  const connected = nextNews()
  const listener = startListener(
    world.database.connection,
    {
      tokens: () => {
        tokens.forget()
        heard()
      },
    },
    SILENT,
  )
  await connected
  expect(await tokens.find(ada.token)).not.toBeNull()
  const news = nextNews()
  await happens(ada.userId)
  await news
  expect(tokens.peek(ada.token)).toBeUndefined()
  await listener.close()
})

test('a node forgets before it answers anyone who ended a token there', async () => {
  const forgetTokens = vi.fn()
  const { app } = await createTestApp({ forgetTokens })
  const revoke = new URLSearchParams({ token: 'souk_at_unknown', client_id: newId() })
  await app.request('/api/oauth/revoke/', { method: 'POST', body: revoke })
  expect(forgetTokens).toHaveBeenCalledTimes(1)
  await app.request('/account')
  await app.request('/api/search/', { method: 'POST', body: '{}' })
  expect(forgetTokens).toHaveBeenCalledTimes(1)
})
