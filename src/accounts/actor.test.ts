import { expect, test } from 'vitest'
import { type Actor, createActorResolver, type Person } from './actor.ts'

const user: Person = {
  id: 'u',
  email: 'ada@example.com',
  name: 'Ada',
  emailVerified: true,
  accountType: 'consumer',
  isAdmin: false,
}
const resolve = createActorResolver({
  session: async (token) =>
    token === 'cookie' ? { kind: 'session', user, sessionId: 's', selectedOrgId: null } : null,
  accessToken: async (token) =>
    token === 'access'
      ? {
          kind: 'access_token',
          user,
          clientId: 'c',
          clientName: 'C',
          selectedOrgId: null,
          scope: 'mcp',
          resource: null,
        }
      : null,
  linkToken: async (token) => (token === 'link' ? { kind: 'link_token', tokenId: 't', orgId: 'o' } : null),
})

test.each<[string | null, string | null, Actor['kind']]>([
  [null, null, 'anonymous'],
  ['cookie', null, 'session'],
  ['wrong', null, 'anonymous'],
  [null, 'access', 'access_token'],
  [null, 'link', 'link_token'],
  ['cookie', 'access', 'access_token'],
  // A bearer token that is wrong is nobody, even beside a good cookie.
  ['cookie', 'wrong', 'anonymous'],
  ['cookie', '', 'anonymous'],
])('cookie %j with bearer %j is %s', async (sessionToken, bearerToken, kind) => {
  expect((await resolve({ sessionToken, bearerToken })).kind).toBe(kind)
})

test('a credential nobody issues yet is nobody', async () => {
  const early = createActorResolver({ session: async () => null })
  expect(await early({ sessionToken: null, bearerToken: 'anything' })).toEqual({ kind: 'anonymous' })
})
