/** What the guard of the producer routes says of the answers behind it. */
import { expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { call, createOrg } from '../../test/orgs.ts'

const souk = await createTestApp()

test.each(['/api/org/', '/api/org/team/', '/api/org/audit/', '/api/org/products/', '/api/offers/list/'])(
  'what %s tells one caller is kept by no browser and no proxy, a refusal neither',
  async (path) => {
    const org = await createOrg(souk)
    const answers = [
      await call(souk, org.session, 'GET', path),
      await call(souk, org.bearer, 'GET', path),
      await call(souk, null, 'GET', path),
    ]
    expect(answers[0]?.status).toBe(200)
    expect(answers[2]?.status).toBe(401)
    expect(answers.map(({ headers }) => headers.get('cache-control'))).toEqual(Array(3).fill('no-store'))
  },
)

test.each([
  ['POST', '/api/org/register/'],
  ['POST', '/api/org/ucp-check/'],
  ['GET', '/api/org/link-tokens/'],
])(
  '%s %s, for people alone, does not tell a program to send the token that it sends',
  async (method, path) => {
    const org = await createOrg(souk)
    for (const who of [org.bearer, null]) {
      const answer = await call(souk, who, method, path, method === 'POST' ? {} : undefined)
      expect(answer.status).toBe(401)
      expect(answer.body).toEqual({
        error: 'sign in first, at /auth/signin: this takes a session, and no token',
        code: 'unauthenticated',
      })
    }
  },
)
