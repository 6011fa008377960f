/** An organization that stays pending is told why, and what to do. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createOrgsWorld } from '../e2e/orgs.world.ts'
import { textOf } from '../html.ts'
import { createOrg } from '../orgs.ts'

const world = await createOrgsWorld()
const { ask, person } = world
const REGISTER = '/api/org/register/'

const page = async (cookie: string, path: string) => {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return textOf(await (await browser.get(path)).text())
}

describe('a second organization on a proved domain', () => {
  test('is pending, told that the domain is taken and whom to ask, and not who is behind it', async () => {
    const first = await person('owner@taken.example')
    const one = await ask(first, 'POST', REGISTER, {
      name: 'Secretive Holding',
      org_type: 'retailer',
      domain: 'taken.example',
    })
    expect(one.body).toEqual({
      org_id: expect.any(String),
      verification_status: 'verified',
      skipped_verification: true,
    })
    const second = await person('colleague@taken.example')
    const two = await ask(second, 'POST', REGISTER, {
      name: 'Second',
      org_type: 'retailer',
      domain: 'taken.example',
    })
    expect(two.status).toBe(201)
    expect(two.body).toMatchObject({
      verification_status: 'pending',
      skipped_verification: false,
      pending_reason: 'domain_taken',
      next_step: expect.stringMatching(/taken\.example.*invite you.*operator/),
    })
    const verify = await ask(second, 'POST', '/api/org/verify-domain/')
    expect(verify.status).toBe(409)
    expect(verify.body.error).toMatch(/taken\.example.*invite you.*operator/)
    const self = await ask(second, 'GET', '/api/org/')
    expect(self.body).toMatchObject({ pending_reason: 'domain_taken', next_step: two.body.next_step })
    const shown = await page(second.cookie, '/dashboard/organization')
    expect(shown).toContain('Another organization has verified taken.example')
    expect(shown).not.toContain('add a TXT record')
    for (const answer of [two, verify, self])
      expect(JSON.stringify(answer.body)).not.toMatch(/Secretive|owner@taken/)
    expect(shown).not.toMatch(/Secretive|owner@taken/)
  })

  test('of several who register it at once, all but one are told so', async () => {
    const people = []
    for (let n = 0; n < 6; n++) people.push(await person(`one-${n}@crowded.example`))
    const answers = await Promise.all(
      people.map((who) =>
        ask(who, 'POST', REGISTER, { name: 'Crowd', org_type: 'retailer', domain: 'crowded.example' }),
      ),
    )
    const reasons = answers.map(({ body }) => body.pending_reason)
    expect(reasons.filter((reason) => reason === 'domain_taken')).toHaveLength(5)
    expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1)
  })
})

test.each([
  ['no_domain', null, 'people.example', /set.*domain/i],
  ['freemail_domain', 'gmail.com', 'gmail.com', /public email domain/],
  ['domain_unproved', 'acme.example', 'people.example', /Verify acme\.example/],
])('%s is why an organization is pending, in words', async (reason, domain, host, words) => {
  const who = await person(`why-${reason}@${host}`)
  const answer = await ask(who, 'POST', REGISTER, { name: 'Why', org_type: 'retailer', domain })
  expect(answer.body).toMatchObject({
    verification_status: 'pending',
    pending_reason: reason,
    next_step: expect.stringMatching(words),
  })
  const self = await ask(who, 'GET', '/api/org/')
  expect(self.body.next_step).toMatch(/verify|domain/i)
})

test('a verified organization has no reason to be pending', async () => {
  const org = await createOrg(world)
  const { body } = await ask(org.session, 'GET', '/api/org/')
  expect(body).not.toHaveProperty('pending_reason')
  expect(body).not.toHaveProperty('next_step')
})

test('a domain set later that another organization has proved says so as well', async () => {
  await createOrg(world, { domain: 'later.example' })
  const org = await createOrg(world, { domain: null, verified: false })
  const { body } = await ask(org.session, 'PATCH', '/api/org/', { domain: 'later.example' })
  expect(body).toMatchObject({ verification_status: 'pending', pending_reason: 'domain_taken' })
})
