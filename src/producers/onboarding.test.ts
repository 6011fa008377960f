/** Each step is judged by what is true, whatever the others are, and is open again when it is no longer true. */
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { createOrg, relate, type TestOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { findSession } from '../accounts/sessions.service.ts'
import { newId } from '../lib/ids.ts'
import { getOnboarding, judgeOnboarding, type OnboardingFacts, STEPS } from './onboarding.service.ts'

const READY = {
  domainProved: true,
  verifiedProducts: 1,
  integration: { isManaged: true, hasCard: false, status: 'pending' },
  quotesNow: true,
  hasQuoted: false,
} satisfies OnboardingFacts['org']
const AGENT = { isManaged: false, hasCard: true, status: 'active' } as const

const openOf = (facts: OnboardingFacts) =>
  judgeOnboarding(facts).steps.flatMap(({ name, done }) => (done ? [] : [name]))
const openWith = (change: Partial<NonNullable<OnboardingFacts['org']>>) =>
  openOf({ emailVerified: true, org: { ...READY, ...change } })

describe('the judgement', () => {
  test('all is done with managed pricing that quotes, and with an agent that has answered', () => {
    for (const integration of [READY.integration, AGENT]) {
      const judged = judgeOnboarding({ emailVerified: true, org: { ...READY, integration } })
      expect(judged).toMatchObject({ done: STEPS.length, complete: true, obstacle: null })
    }
  })

  test('without an organization only the mail address can be done', () => {
    expect(openOf({ emailVerified: false, org: null })).toEqual(STEPS)
    expect(openOf({ emailVerified: true, org: null })).toEqual(STEPS.slice(1))
  })

  test('one thing undone opens its own step and no other', () => {
    expect(openOf({ emailVerified: false, org: READY })).toEqual(['email'])
    expect(openWith({ domainProved: false })).toEqual(['domain'])
    expect(openWith({ verifiedProducts: 0 })).toEqual(['products'])
    expect(openWith({ quotesNow: false, hasQuoted: true })).toEqual(['answering'])
  })

  test.each([
    ['nothing_set', { isManaged: false, hasCard: false, status: 'pending' }],
    ['agent_pending', { ...AGENT, status: 'pending' }],
    ['agent_unreachable', { ...AGENT, status: 'unreachable' }],
    ['nothing_to_quote', READY.integration],
  ] as const)(
    '%s keeps answers from coming, and a quote of before still counts as one seen',
    (obstacle, integration) => {
      const org = { ...READY, integration, quotesNow: false }
      const judged = judgeOnboarding({ emailVerified: true, org })
      expect(judged).toMatchObject({ obstacle, complete: false, done: 4 })
      expect(openOf({ emailVerified: true, org: { ...org, hasQuoted: true } })).toEqual(['answering'])
    },
  )
})

const souk = await createTestApp()
const { pool } = souk.database
let made = 0

async function openFor(org: TestOrg): Promise<string[]> {
  const token = org.session.cookie.slice(org.session.cookie.indexOf('=') + 1)
  const actor = await findSession(souk.accounts, token)
  if (!actor) throw new Error('not signed in')
  const { steps } = await getOnboarding(souk.rfq, actor)
  return steps.flatMap(({ name, done }) => (done ? [] : [name]))
}

const integrate = (org: TestOrg, set: { managed?: boolean; status?: string }) =>
  pool.query(
    `insert into agent_integrations (org_id, is_managed, agent_card_url, status) values ($1, $2, $3, $4)
     on conflict (org_id) do update set is_managed = $2, agent_card_url = $3, status = $4`,
    [
      org.id,
      set.managed ?? false,
      set.managed ? null : 'https://a.example/card.json',
      set.status ?? 'pending',
    ],
  )

const product = (row: Record<string, unknown> = {}) =>
  addProduct(souk, { slug: `onboarding-${++made}`, category: 'lamps', title: 'Lamp', ...row })

describe('an organization on its way', () => {
  test('comes one step further with each thing that is done, and back when it is undone', async () => {
    const org = await createOrg(souk, { verified: false })
    expect(await openFor(org)).toEqual(['domain', 'products', 'answering', 'tested'])
    await pool.query(`update users set email_verified_at = null where id = $1`, [org.ownerId])
    expect(await openFor(org)).toContain('email')
    await pool.query(`update users set email_verified_at = now() where id = $1`, [org.ownerId])
    await pool.query(
      `update orgs set verification_status = 'verified', verified_via = 'operator', verified_at = now() where id = $1`,
      [org.id],
    )
    expect(await openFor(org)).toEqual(['products', 'answering', 'tested'])
    await relate(souk, org, await product(), { status: 'pending' })
    expect(await openFor(org)).toEqual(['products', 'answering', 'tested'])
    const lamp = await product()
    await relate(souk, org, lamp)
    expect(await openFor(org)).toEqual(['answering', 'tested'])
    await integrate(org, { status: 'pending' })
    expect(await openFor(org)).toEqual(['answering', 'tested'])
    await integrate(org, { status: 'active' })
    expect(await openFor(org)).toEqual([])
    await integrate(org, { status: 'unreachable' })
    expect(await openFor(org)).toEqual(['answering', 'tested'])
    const rfqId = newId()
    await pool.query(
      `insert into rfqs (id, context_id, product_id, quantity, face, state, finished_at)
       values ($1, gen_random_uuid(), $2, 1, 'web', 'completed', now())`,
      [rfqId, lamp],
    )
    await pool.query(
      `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms)
       values ($1, $2, $3, '{}', '{}', now(), 5)`,
      [newId(), rfqId, org.id],
    )
    expect(await openFor(org)).toEqual(['answering'])
  })

  test('with managed pricing needs one verified product that can be quoted, wherever it is in the list', async () => {
    const org = await createOrg(souk)
    await integrate(org, { managed: true })
    const priced = await product({ price: { low: 40, high: 50 } })
    await relate(souk, org, priced, { status: 'pending' })
    expect(await openFor(org)).toEqual(['products', 'answering', 'tested'])
    await pool.query(
      `update product_relationships set status = 'verified', verified_via = 'operator', verified_at = now(),
         created_at = now() - interval '9 years' where product_id = $1`,
      [priced],
    )
    expect(await openFor(org)).toEqual([])
    const { rows } = await pool.query<{ id: string }>(
      `insert into products (id, slug, category_id, title)
       select gen_random_uuid(), 'unpriced-' || n, (select category_id from products where id = $1), 'One of many'
       from generate_series(1, 120) n returning id`,
      [priced],
    )
    for (const { id } of rows) await relate(souk, org, id)
    expect(await openFor(org)).toEqual([])
    await pool.query('update products set price_low_cents = null, price_high_cents = null where id = $1', [
      priced,
    ])
    expect(await openFor(org)).toEqual(['answering', 'tested'])
  })
})
