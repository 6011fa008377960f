/** What sellers and buyers are told about requests for quote: by looks at what is stored, and by what completes one. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createMailbox, signIn } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { createOrg, type TestOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { sendNotices } from '../notices/send.job.ts'
import { recordAnswer, recordAnswers } from '../orgs/integration-health.service.ts'
import { insertAttempts, insertQuotes } from './attempts.queries.ts'
import { completeRfq } from './end.ts'
import { RfqRequest } from './rfq.schema.ts'
import { submitRfq } from './rfq.service.ts'
import { lookForDigest, lookForFirstRequests, lookForLosses } from './rfq-notices.service.ts'

const souk = await createTestApp()
const { db, pool } = souk.database
const { rfq: ctx, clock } = souk
const box = createMailbox(souk)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const VISIT = { ip: null, userAgent: null, requestId: null }
const productId = await addProduct(souk, { category: 'lamps', slug: 'lume', title: 'Lume "Lamp"' })

beforeEach(async () => {
  clock.set('2026-11-02T12:00:00Z')
  await pool.query(
    `truncate rfqs cascade; delete from notices; delete from jobs; delete from agent_integrations;
     delete from settings where name = 'notices.digest_day'`,
  )
})

async function seller(name: string): Promise<TestOrg> {
  const org = await createOrg(souk, { name })
  await pool.query(
    `insert into agent_integrations (org_id, agent_card_url) values ($1, 'https://agent.example/card.json')`,
    [org.id],
  )
  return org
}

/** Asked now and ended, by a stranger unless told otherwise; with the rank that the seller's quote got. */
async function asked(
  { id: orgId }: TestOrg,
  rank: number | null,
  { anonymous = true } = {},
): Promise<string> {
  const [rfqId, at] = [newId(), clock.now()]
  const { rows } = await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at, anonymous)
     values ($1, gen_random_uuid(), $2, 1, 'web', 'completed', $3, $3, $4) returning session_id`,
    [rfqId, productId, at, anonymous],
  )
  await pool.query(
    `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, finished_at, verdict)
     values ($1, $2, 1, 'agent', $3, $3, 'quoted')`,
    [rfqId, orgId, at],
  )
  if (rank !== null)
    await pool.query(
      `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms, rank)
       values ($1, $2, $3, '{}', '{}', $4, 5, $5)`,
      [newId(), rfqId, orgId, at, rank],
    )
  return rows[0].session_id
}

async function look(): Promise<void> {
  await lookForFirstRequests(ctx)
  await lookForLosses(ctx)
  await lookForDigest(ctx)
  await sendNotices(ctx)
}
const told = async (org: TestOrg) =>
  (
    await pool.query<{ kind: string }>(
      'select kind from notices where org_id = $1 order by created_at, kind',
      [org.id],
    )
  ).rows.map(({ kind }) => kind)
const mailsTo = async ({ ownerId }: { ownerId: string }) => {
  const { rows } = await pool.query('select email from users where id = $1', [ownerId])
  return box.mails(rows[0].email)
}

describe('a seller is told', () => {
  test('of its first request, once ever', async () => {
    const org = await seller('Kettle Shop')
    const other = await seller('Quiet Shop')
    await look()
    const sessionId = await asked(org, null)
    await look()
    clock.advance(MINUTE)
    await asked(org, 1)
    await look()
    const mails = await mailsTo(org)
    expect(mails.map(({ subject }) => subject)).toEqual(['Souk: Your first request for a quote'])
    const lines = mails[0]?.text.split('\n') ?? []
    expect(lines.slice(0, 3)).toEqual([
      `- Kettle Shop: a buyer asked for a quote for "Lume 'Lamp'". It is your`,
      '  first request.',
      `http://souk.test/dashboard/rfqs/${sessionId}`,
    ])
    expect(await told(other)).toEqual([])
    // What proves that it was not the first may be all that is left of it.
    await pool.query('delete from notices; delete from rfq_attempts')
    clock.advance(DAY)
    await asked(org, 2)
    await lookForFirstRequests(ctx)
    expect(await told(org)).toEqual([])
  })

  test('of five quotes in a row that ranked below others, once a streak', async () => {
    const org = await seller('Losing Shop')
    const lose = async (times: number, anonymous = false) => {
      for (let n = 0; n < times; n++) {
        clock.advance(MINUTE)
        await asked(org, 2 + n, { anonymous })
        await lookForLosses(ctx)
      }
    }
    const streaks = async () => (await told(org)).filter((kind) => kind === 'loss_streak').length
    await lose(4)
    expect(await streaks()).toBe(0)
    await lose(1)
    expect(await streaks()).toBe(1)
    await lose(10)
    clock.advance(8 * DAY)
    await lose(6)
    expect(await streaks()).toBe(1)
    // A new one, after the week.
    clock.advance(MINUTE)
    await asked(org, 1)
    await lose(4)
    expect(await streaks()).toBe(1)
    await lose(1)
    expect(await streaks()).toBe(2)
  })

  test('not of losses that are weeks apart', async () => {
    const org = await seller('Rare Shop')
    for (let n = 0; n < 6; n++) {
      clock.advance(3 * DAY)
      await asked(org, 2)
      await lookForLosses(ctx)
    }
    expect(await told(org)).toEqual([])
  })

  test('of any number of strangers’ requests in one mail the next morning, and again only a day later', async () => {
    const org = await seller('Popular Shop')
    await asked(org, 1)
    await look()
    clock.advance(MINUTE)
    await look()
    expect(await mailsTo(org)).toHaveLength(1)
    for (let n = 0; n < 60; n++) {
      clock.advance(MINUTE)
      await asked(org, n % 3 === 0 ? null : 2)
      if (n % 5 === 0) await look()
    }
    clock.set('2026-11-03T00:10:00Z')
    // Nodes look at the same time.
    await Promise.all([look(), look(), look()])
    expect(await mailsTo(org)).toHaveLength(1)
    for (let n = 0; n < 12; n++) {
      clock.advance(HOUR)
      await asked(org, 2)
      await look()
    }
    const [, digest, ...more] = await mailsTo(org)
    expect(more).toEqual([])
    expect(digest?.subject).toBe('Souk: 2 notices')
    expect(digest?.text.replaceAll('\n  ', ' ')).toContain(
      '- Popular Shop: 61 requests for quotes on November 2, 2026 (UTC). You quoted for 41 of them and ranked first in 1.',
    )
    expect(digest?.text).toContain('your last 5 quotes ranked below')
    clock.set('2026-11-04T08:00:30Z')
    await look()
    clock.advance(MINUTE)
    await look()
    expect(await mailsTo(org)).toHaveLength(2)
    clock.set('2026-11-05T08:00:30Z')
    await look()
    expect(await mailsTo(org)).toHaveLength(3)
  })

  test('that its agent is silent, once an outage and once a day', async () => {
    const org = await seller('Agent Shop')
    const answer = (ok: boolean) =>
      db
        .transaction()
        .execute((tx) => recordAnswer({ db: tx }, { orgId: org.id, ok, ms: 5, at: clock.now() }))
    await answer(false)
    await answer(false)
    expect(await told(org)).toEqual([])
    for (let n = 0; n < 9; n++) await answer(false)
    expect(await told(org)).toEqual(['agent_silent'])
    await answer(true)
    for (let n = 0; n < 4; n++) await answer(false)
    expect(await told(org)).toHaveLength(1)
    await answer(true)
    clock.advance(DAY)
    const failed = { orgId: org.id, ok: false, ms: null, at: clock.now() }
    await db.transaction().execute((tx) => recordAnswers({ db: tx }, [failed, failed, failed, failed]))
    expect(await told(org)).toHaveLength(2)
    clock.advance(MINUTE)
    await sendNotices(ctx)
    expect((await mailsTo(org)).at(-1)?.text.split('\n')).toContain('http://souk.test/dashboard/agent')
  })
})

describe('a buyer is told of quotes', () => {
  async function quotedFor(userId: string | null, ms: number, face: 'web' | 'a2a' = 'web') {
    const org = await seller('Slow Shop')
    const asker = { userId, clientId: null, face, visit: VISIT }
    const request = RfqRequest.parse({ product_slug: 'lamps/lume' })
    const { rfqId } = await submitRfq(ctx, asker, { request })
    const started_at = clock.now()
    const attempt = { rfq_id: rfqId, org_id: org.id, try: 1, kind: 'agent' as const, started_at }
    const nothing = { endpoint: null, auth_type: null, request_headers: null, request_body: null }
    await insertAttempts(db, [{ ...attempt, ...nothing }])
    clock.advance(ms)
    const quote = {
      id: newId(),
      rfqId,
      receivedAt: clock.now(),
      responseMs: ms,
      org: { id: org.id, name: 'Slow Shop', orgType: 'retailer', verified: true, domain: 'slow.example' },
      health: { failuresInARow: 0, quotes: 0 },
      answer: {
        ...{ priceCents: 1000, inStock: true, claimUrl: 'https://slow.example/claim', shippingCostCents: 0 },
        ...{ offerExpiresAt: new Date(clock.now().getTime() + DAY), estimatedShippingDays: 2, note: null },
      },
    }
    // What an answer holds is checked elsewhere.
    await insertQuotes(db, [quote as unknown as Parameters<typeof insertQuotes>[1][number]])
    await completeRfq(ctx, rfqId, { profile: null })
    return rfqId
  }
  async function buyer(verified = true) {
    const { browser, email } = await signIn(souk, { verified })
    const { rows } = await pool.query('select id from users where email = $1', [email])
    const quotes = async () => {
      clock.advance(MINUTE)
      await sendNotices(ctx)
      return (await box.mails(email)).filter(({ subject }) => subject.includes('quotes'))
    }
    return { browser, email, userId: rows[0].id as string, quotes }
  }

  test('that came when they had left', async () => {
    const ada = await buyer()
    const rfqId = await quotedFor(ada.userId, 20_000)
    const [mail, ...more] = await ada.quotes()
    expect(more).toEqual([])
    expect(mail?.subject).toBe('Souk: Your quotes are ready')
    expect(mail?.text.split('\n')).toContain(`http://souk.test/quotes/${rfqId}`)
  })

  test('not of those they were there for, or looked at before the mail', async () => {
    const ada = await buyer()
    await quotedFor(ada.userId, 2_000)
    const rfqId = await quotedFor(ada.userId, 20_000)
    expect((await ada.browser.get(`/quotes/${rfqId}`)).status).toBe(200)
    expect(await ada.quotes()).toEqual([])
  })

  test('not what their agent asked, nor a stranger, nor at an address that is not confirmed', async () => {
    const [ada, unconfirmed] = [await buyer(), await buyer(false)]
    await quotedFor(ada.userId, 20_000, 'a2a')
    await quotedFor(unconfirmed.userId, 20_000)
    await quotedFor(null, 20_000)
    expect([await ada.quotes(), await unconfirmed.quotes()]).toEqual([[], []])
    expect((await pool.query('select 1 from notices')).rows).toEqual([])
  })
})
