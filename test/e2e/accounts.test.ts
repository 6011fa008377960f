import fs from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { preparedDataDir, spawnSouk, startSouk, tempDataDir } from '../server-process.ts'

const dataDir = tempDataDir()
afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }))

const EMAIL = 'ada@example.com'
const PASSWORD = 'violet kettle 7 harbour'

/** The link in the newest mail, as a script finds it: the last file in order, a line that starts with http. */
async function newestLink(count: number): Promise<string> {
  const outbox = path.join(dataDir, 'outbox')
  const names = () =>
    fs.existsSync(outbox) ? fs.readdirSync(outbox).filter((name) => name.endsWith('.eml')) : []
  await expect.poll(names, { timeout: 10_000 }).toHaveLength(count)
  const raw = fs.readFileSync(path.join(outbox, names().sort().at(-1) ?? ''), 'utf8')
  return raw.split('\r\n').find((line) => /^http\S+$/.test(line)) ?? ''
}

describe('accounts on the real program', () => {
  test('sign up, sign in, confirm by mail, come back after a restart; the command line sees it all', async () => {
    const first = await startSouk({ SOUK_DATA_DIR: await preparedDataDir(dataDir) })
    const origin = 'http://localhost:0'
    const post = (address: string, fields: Record<string, string>, cookie = '') =>
      fetch(address, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { origin, cookie },
      })
    const signup = await post(`${first.address}/auth/signup`, {
      email: EMAIL,
      password: PASSWORD,
      name: 'Ada',
    })
    expect([signup.status, signup.headers.get('location')]).toEqual([303, '/auth/check-mail'])
    const kept = signup.headers.get('set-cookie')?.split(';')[0] ?? ''
    const signin = await post(`${first.address}/auth/signin`, { email: EMAIL, password: PASSWORD })
    expect(signin.status).toBe(303)
    const link = new URL(await newestLink(1))
    expect(link.pathname).toBe('/auth/verify')
    const open = (headers: Record<string, string>) =>
      fetch(`${first.address}${link.pathname}${link.search}`, { redirect: 'manual', headers })
    expect((await open({})).status).toBe(200)
    const verified = await open({ cookie: kept })
    expect([verified.status, verified.headers.get('location')]).toEqual([303, '/account?done=verified'])
    const cookie = verified.headers.get('set-cookie')?.split(';')[0] ?? ''
    await post(`${first.address}/auth/magic`, { email: EMAIL })
    expect(new URL(await newestLink(2)).pathname).toBe('/auth/magic')
    first.kill('SIGTERM')
    expect(await first.ended).toBe(0)

    const made = spawnSouk(['admin', 'make-admin', EMAIL], { SOUK_DATA_DIR: dataDir })
    expect([await made.ended, made.output()]).toEqual([0, expect.stringContaining('is now an operator')])
    const users = spawnSouk(['admin', 'users'], { SOUK_DATA_DIR: dataDir })
    expect(await users.ended).toBe(0)
    expect(users.output()).toMatch(/^ada@example\.com\tconsumer\tconfirmed\toperator\t\S+Z\tAda$/m)
    const wrong = spawnSouk(['admin', 'make-admin'], { SOUK_DATA_DIR: dataDir })
    expect([await wrong.ended, wrong.output()]).toEqual([2, expect.stringContaining('make-admin EMAIL')])

    const second = await startSouk({ SOUK_DATA_DIR: dataDir })
    const account = await fetch(`${second.address}/account`, { headers: { cookie }, redirect: 'manual' })
    expect(account.status).toBe(200)
    expect(await account.text()).toContain(EMAIL)
    expect(second.output() + first.output()).not.toMatch(/violet|souk_(session|verify|magic)_/)
    second.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  })
})
