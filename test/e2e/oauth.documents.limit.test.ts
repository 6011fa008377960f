/**
 * Client documents are fetched from wherever anyone who opens the authorization page says. How often a stranger can make us
 * knock at a host is counted at the dialler; nothing leaves.
 */
import { expect, test } from 'vitest'
import { FETCHES_AN_HOUR } from '../../src/oauth/context.ts'
import { rehearse } from '../rehearse.ts'
import { createOauthWorld, pkce, requestFor } from './oauth.world.ts'

const { outbound, dialled } = rehearse({ resolve: async () => ['93.184.216.34'] })
const world = await createOauthWorld({ outbound })
const challenge = pkce().challenge

const open = (document: string, ip: string) =>
  world.app.request(
    `/oauth/authorize/?${new URLSearchParams(requestFor(`https://victim.example/${document}`, challenge))}`,
    { headers: { Accept: 'text/html' } },
    { incoming: { socket: { remoteAddress: ip } } },
  )

test('a network makes us knock at a host so many times an hour, however many documents it names; what is known is free', async () => {
  for (let count = 0; count < FETCHES_AN_HOUR; count++)
    expect((await open(`client-${count}.json`, '192.0.2.1')).status).toBe(400)
  const refused = await open('one-more.json', '192.0.2.1')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(dialled).toHaveLength(FETCHES_AN_HOUR)

  expect((await open(`client-${FETCHES_AN_HOUR - 1}.json`, '192.0.2.1')).status).toBe(400)
  expect(dialled).toHaveLength(FETCHES_AN_HOUR)
  expect((await open('one-more.json', '192.0.2.2')).status).toBe(400)
  expect(dialled).toHaveLength(FETCHES_AN_HOUR + 1)
})
