import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createBrowser, signIn } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { JobPostponed } from '../jobs/runner.ts'
import { newId } from '../lib/ids.ts'
import { listAccounts, makeAdmin } from './admin.service.ts'
import { listAudit, recordAudit } from './audit.service.ts'
import { findSession } from './sessions.service.ts'
import { createSweepJob } from './sweep.job.ts'

const DAY = 86_400_000
let souk: Awaited<ReturnType<typeof createTestApp>>
beforeAll(async () => {
  souk = await createTestApp()
})

afterEach(() => void vi.useRealTimers())

const count = async (table: string, where = 'true') =>
  Number((await souk.database.pool.query(`select count(*) as n from ${table} where ${where}`)).rows[0].n)

describe('the sweep', () => {
  const run = () =>
    createSweepJob(souk.accounts).run(
      {},
      { signal: AbortSignal.timeout(5_000), attempt: 1, jobId: newId(), log: souk.logged.log },
    )

  test('takes what has run out and leaves what is valid', async () => {
    const { email } = await signIn(souk)
    await createBrowser(souk).post('/auth/signin', { email, password: 'a wrong guess' })
    await run()
    expect([await count('sessions'), await count('mail_tokens'), await count('throttles')]).toEqual([1, 1, 6])
    souk.clock.advance(9 * DAY)
    await run()
    expect([await count('sessions'), await count('mail_tokens'), await count('throttles')]).toEqual([1, 0, 0])
    souk.clock.advance(30 * DAY)
    await run()
    expect(await count('sessions')).toBe(0)
  })

  test('a node whose clock is a year ahead signs nobody out', async () => {
    await signIn(souk)
    const before = await count('sessions')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 365 * DAY })
    souk.clock.advance(365 * DAY)
    await expect(run()).rejects.toBeInstanceOf(JobPostponed)
    souk.clock.advance(-365 * DAY)
    expect([before > 0, await count('sessions')]).toEqual([true, before])
  })

  test('keeps the audit log, but for tries at addresses that have no account', async () => {
    const { email } = await signIn(souk)
    for (const address of [email, 'nobody@example.com']) {
      await createBrowser(souk).post('/auth/signin', { email: address, password: 'a wrong guess' })
      await createBrowser(souk).post('/auth/reset', { email: address })
    }
    const nobodys = () => count('audit_log', 'user_id is null')
    const kept = await count('audit_log', 'user_id is not null')
    souk.clock.advance(89 * DAY)
    await run()
    expect(await nobodys()).toBe(2)
    souk.clock.advance(2 * DAY)
    await run()
    // Accounts that nobody confirmed go by then, and each leaves a line.
    expect([await nobodys(), await count('audit_log', `action <> 'account.deleted'`)]).toEqual([0, kept])
  })
})

describe('the audit log', () => {
  test('an entry is written with the action or not at all', async () => {
    const userId = newId()
    const act = souk.database.db.transaction().execute(async (tx) => {
      await recordAudit(tx, {
        actor: { kind: 'system', id: null },
        action: 'test.undone',
        at: new Date(),
        userId,
      })
      throw new Error('the action failed')
    })
    await expect(act).rejects.toThrow('the action failed')
    expect(await listAudit(souk.accounts, { userId })).toEqual([])
  })

  test('is listed newest first, a page at a time, for a person or an organization', async () => {
    const [userId, orgId] = [newId(), newId()]
    for (let minute = 0; minute < 5; minute++)
      await recordAudit(souk.database.db, {
        actor: { kind: 'user', id: userId },
        action: `test.${minute}`,
        // Two of one moment, as a transaction writes them: no page may lose one.
        at: new Date(Date.UTC(2026, 0, 1, 0, minute - (minute % 2))),
        userId,
        orgId: minute % 2 ? orgId : null,
      })
    const page = await listAudit(souk.accounts, { userId, limit: 2 })
    expect(page.map(({ action }) => action)).toEqual(['test.4', 'test.3'])
    const next = await listAudit(souk.accounts, { userId, limit: 2, before: page.at(-1)?.id })
    expect(next.map(({ action }) => action)).toEqual(['test.2', 'test.1'])
    const org = await listAudit(souk.accounts, { orgId })
    expect(org.map(({ action }) => action)).toEqual(['test.3', 'test.1'])
  })
})

describe('the operator’s command line', () => {
  test('lists accounts, and makes one an operator, which takes effect at once and is in their history', async () => {
    const { email, cookie } = await signIn(souk, { email: 'Op@example.com' })
    const token = cookie.split('=')[1] ?? ''
    expect((await findSession(souk.accounts, token))?.user.isAdmin).toBe(false)
    expect(await makeAdmin(souk.accounts, ' op@EXAMPLE.com ')).toEqual({ verified: false })
    const session = await findSession(souk.accounts, token)
    expect(session?.user.isAdmin).toBe(true)
    const [line] = (await listAccounts(souk.accounts, [])).filter((account) => account.email === email)
    expect(line).toMatchObject({
      email: 'Op@example.com',
      verified: false,
      admin: true,
      accountType: 'consumer',
    })
    const [newest] = await listAudit(souk.accounts, { userId: session?.user.id ?? '' })
    expect(newest).toMatchObject({ action: 'admin.granted', actor: { kind: 'operator', id: null } })
  })

  test('says so when there is no such account', async () => {
    await expect(makeAdmin(souk.accounts, 'none@example.com')).rejects.toThrow('no account has the address')
  })
})
