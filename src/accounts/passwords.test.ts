import { describe, expect, test } from 'vitest'
import { createBrowser, signIn } from '../../test/accounts.ts'
import { createTestApp, testConfig } from '../../test/harness.ts'
import { loadConfig } from '../config.ts'
import { AppError } from '../lib/errors.ts'
import { createLimit } from '../lib/limit.ts'
import { passwordProblem } from './password-strength.ts'
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts'

/** What an operator gets who sets nothing; every other test runs with a cheap cost. */
const REAL = loadConfig({}).passwordCost
const CHEAP = { memory: 64, passes: 1 }

describe('hashing', () => {
  test('the right password verifies, another does not, and equal passwords have unequal hashes', async () => {
    const [one, two] = await Promise.all([
      hashPassword('tea for two', REAL),
      hashPassword('tea for two', REAL),
    ])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).not.toBe(two)
    expect(await verifyPassword('tea for two', one, REAL)).toBe(true)
    expect(await verifyPassword('tea for three', one, REAL)).toBe(false)
    expect(needsRehash(one, REAL)).toBe(false)
    expect(needsRehash(await hashPassword('x', { memory: 1_024, passes: 1 }), REAL)).toBe(true)
  })

  test('verifies what the reference implementation made', async () => {
    // argon2id of "password" with salt "somesalt", m=65536, t=2, p=1: the vector of the reference implementation.
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', hash, REAL)).toBe(true)
    expect(await verifyPassword('passwore', hash, REAL)).toBe(false)
  })

  test('the same letters in other code points are the same password', async () => {
    expect(
      await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait', CHEAP), CHEAP),
    ).toBe(true)
  })

  test('with no hash the answer is no', async () => {
    expect(await verifyPassword('', null, REAL)).toBe(false)
    expect(await verifyPassword('anything', null, REAL)).toBe(false)
  })
})

describe('time', () => {
  /**
   * The work is the same by construction (see signin.service). Known and unknown addresses take turns, so that a busy
   * machine slows both alike, and their lower quartiles are compared, because other work only ever adds time. A
   * skipped hash leaves a fifth of the time or less, however often it is measured; the margin is one half. When noise
   * passes the margin, more samples are taken: they bring equal times together and never unequal ones.
   */
  test('does not tell whether an account exists', { timeout: 120_000 }, async () => {
    const souk = await createTestApp({ config: { ...testConfig(), passwordCost: REAL } })
    const { email } = await signIn(souk)
    const measure = async (address: string) => {
      await souk.database.pool.query('delete from throttles')
      const started = performance.now()
      const { status } = await createBrowser(souk).post('/auth/signin', {
        email: address,
        password: 'a wrong guess',
      })
      expect(status).toBe(401)
      return performance.now() - started
    }
    const known: number[] = []
    const unknown: number[] = []
    const quartile = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 2] ?? 0
    const ratio = () => quartile(unknown) / quartile(known)
    await measure(email)
    do {
      for (let round = 0; round < 8; round++) {
        known.push(await measure(email))
        unknown.push(await measure(`nobody-${unknown.length}@example.com`))
      }
    } while (Math.abs(Math.log2(ratio())) > 1 && known.length < 300)
    expect(ratio()).toBeGreaterThan(0.5)
    expect(ratio()).toBeLessThan(2)
  })
})

describe('a flood', () => {
  test('runs a few at once, in order, lets nobody jump the line, and turns away what is too much', async () => {
    const limit = createLimit({ atOnce: 2, waiting: 3, tooMany: 'too many' })
    let running = 0
    let most = 0
    const order: number[] = []
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const work = gates.map((gate, index) =>
      limit(async () => {
        most = Math.max(most, ++running)
        order.push(index)
        await gate.promise
        running--
        if (index === 1) throw new Error('a failure frees its place too')
        return index
      }),
    )
    await expect(limit(async () => 'too much')).rejects.toThrow(
      new AppError('unavailable', 'too many', { retryAfterSeconds: 5 }),
    )
    for (const gate of gates) gate.resolve()
    const results = await Promise.allSettled(work)
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ])
    expect([most, order]).toEqual([2, [0, 1, 2, 3, 4]])
    expect(await limit(async () => 'free again')).toBe('free again')
  })
})

describe('choosing', () => {
  const ADA = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' }
  test.each([
    'violet kettle 7 harbour',
    'correct horse battery staple',
    'Xq7#mLp2vR',
    'пять случайных слов тут',
  ])('%j will do: length, not composition', async (password) =>
    expect(await passwordProblem(password, ADA)).toBeNull(),
  )
  test.each(['qwertyuiop', '1234567890', 'iloveyou2020', 'hunter2hunter2', 'lovelace-1815', 'aaaaaaaaaa'])(
    '%j is refused with a tip',
    async (password) => expect(await passwordProblem(password, ADA)).toContain('random words'),
  )
  test.each(['ｐａｓｓｗｏｒｄ１２３４', '𝐪𝐰𝐞𝐫𝐭𝐲𝐮𝐢𝐨𝐩', 'ａｄａ．ｌｏｖｅｌａｃｅ'])(
    '%j is judged as what it is hashed as',
    async (password) => expect(await passwordProblem(password, ADA)).toContain('random words'),
  )
  test('only the first 32 characters are judged, so that a long one costs no more of the processor', async () => {
    const strong = 'violet kettle 7 harbour meadow'
    expect(await passwordProblem(`${'p4$$w0rd'.repeat(4)}${strong}`, ADA)).not.toBeNull()
    expect(await passwordProblem(`${strong}${'p4$$w0rd'.repeat(4)}`, ADA)).toBeNull()
  })

  test('length is counted in characters, not in code units', async () => {
    expect(await passwordProblem('🦊🐙🦉🐳🦔', ADA)).toContain('at least 10')
  })
})
