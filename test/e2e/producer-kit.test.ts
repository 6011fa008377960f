/**
 * The producer kit as a shop gets it: packed by npm, unpacked into node_modules of the worked example, which then
 * serves over TLS and is tested by the command that came in the package.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestCa } from '../tls.ts'

const run = promisify(execFile)
const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const SECRET = 'the-secret-of-fernhill-supply'
const PRODUCT = 'espresso-machines/grindel-unison-54'

let dir: string
let files: string[]
let shop: ChildProcess
let address: string

beforeAll(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-kit-'))
  const args = ['pack', '--json', '--offline', '--cache', path.join(dir, 'cache'), '--pack-destination', dir]
  await run('npm', args, { cwd: path.join(root, 'producer-kit') })
  const tarball = fs.readdirSync(dir).find((name) => name.endsWith('.tgz'))
  if (!tarball) throw new Error('npm pack made no file')
  const packed = path.join(dir, tarball)
  files = (await run('tar', ['-tzf', packed])).stdout.trim().split('\n')

  const home = path.join(dir, 'shop')
  fs.cpSync(path.join(root, 'examples', 'producer'), home, {
    recursive: true,
    filter: (source) => !source.includes('node_modules'),
  })
  const installed = path.join(home, 'node_modules', 'souk-producer-kit')
  fs.mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', packed, '-C', installed, '--strip-components=1'])

  const ca = createTestCa()
  const { cert, key } = ca.certFor(['localhost', '127.0.0.1'])
  for (const [name, pem] of Object.entries({ ca: ca.ca, cert, key }))
    fs.writeFileSync(path.join(dir, name), pem)
  shop = spawn(process.execPath, ['server.js'], {
    cwd: home,
    env: {
      PORT: '0',
      RFQ_HMAC_SECRET: SECRET,
      TLS_CERT: path.join(dir, 'cert'),
      TLS_KEY: path.join(dir, 'key'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!shop.stdout) throw new Error('no output')
  const [line] = await once(shop.stdout, 'data')
  address = /https:\/\/\S+/.exec(String(line))?.[0] ?? ''
})

afterAll(async () => {
  if (shop.exitCode === null && shop.kill('SIGTERM')) await once(shop, 'exit')
  fs.rmSync(dir, { recursive: true, force: true })
})

async function rfqTest(args: string[], env: Record<string, string> = {}) {
  const command = path.join(dir, 'shop', 'node_modules', 'souk-producer-kit', 'bin', 'souk-rfq-test.js')
  const trusted = { NODE_EXTRA_CA_CERTS: path.join(dir, 'ca'), ...env }
  const child = spawn(process.execPath, [command, ...args], {
    env: trusted,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const output = out + complaints
  return { code, output }
}

async function request(where: string, options: https.RequestOptions = {}, body = ''): Promise<string> {
  const ca = fs.readFileSync(path.join(dir, 'ca'))
  const sent = https.request(new URL(where, address), { ca, ...options }).end(body)
  const [response] = await once(sent, 'response')
  return await text(response)
}

test('the package carries its code, types, command and licence, no tests and no dependencies', () => {
  const inside = files.map((file) => file.replace('package/', ''))
  for (const needed of ['src/index.js', 'index.d.ts', 'bin/souk-rfq-test.js', 'README.md', 'LICENSE'])
    expect(inside).toContain(needed)
  expect(inside.filter((file) => /test\.ts$|test-support|check\.ts|tsconfig/.test(file))).toEqual([])
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'producer-kit', 'package.json'), 'utf8'))
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    expect(manifest).not.toHaveProperty(field)
})

test('the kit imports nothing but itself and Node', () => {
  const installed = path.join(dir, 'shop', 'node_modules', 'souk-producer-kit')
  const sources = files.filter((file) => file.endsWith('.js')).map((file) => file.replace('package/', ''))
  const imported = sources.flatMap((file) =>
    [
      ...fs
        .readFileSync(path.join(installed, file), 'utf8')
        .matchAll(/^(?:import|export) .*? from '([^']+)'/gm),
    ].map((match) => match[1] ?? ''),
  )
  expect(imported.length).toBeGreaterThan(10)
  expect(imported.filter((name) => !/^\.{1,2}\/|^node:/.test(name))).toEqual([])
})

test('the declared types fit the code, the example and the frameworks', async () => {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const child = spawn(process.execPath, [tsc, '-p', path.join(root, 'producer-kit')])
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect({ code, output }).toEqual({ code: 0, output: '' })
})

test('the example over TLS passes every check of souk-rfq-test', async () => {
  const { code, output } = await rfqTest([address, '--hmac', SECRET, '--product', PRODUCT, '--quantity', '4'])
  expect(output).toContain('$629 each + $0 shipping, in stock')
  expect(output).toContain('✓ a body changed after signing is refused (401)')
  expect(output).toMatch(/ good, 0 to look at, 0 wrong\n$/)
  expect(code).toBe(0)
})

test('the secret may come from the environment, and is never printed', async () => {
  const { code, output } = await rfqTest([address, '--product', PRODUCT], { SOUK_RFQ_HMAC: SECRET })
  expect(code).toBe(0)
  expect(output).not.toContain(SECRET)
})

test('the example declines what it cannot ship, and says when it is out of stock', async () => {
  const abroad = await rfqTest([address, '--hmac', SECRET, '--product', PRODUCT, '--region', 'ON-CA'])
  expect(abroad).toMatchObject({ code: 0, output: expect.stringContaining(`${PRODUCT} was declined`) })
  const sold = await rfqTest([address, '--hmac', SECRET, '--product', 'webcams/lumaro-tawny'])
  expect(sold).toMatchObject({
    code: 0,
    output: expect.stringContaining('$109 each + $6.9 shipping, out of stock'),
  })
})

test('behind the claim_url of a quote, the buyer finds the promised price', async () => {
  const metadata = { skill: 'respond-to-rfq', rfq_id: randomUUID(), product_slug: PRODUCT, quantity: 10 }
  const message = { messageId: randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'Ten' }], metadata }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: metadata.rfq_id,
    method: 'message/send',
    params: { message },
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
  const headers = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature }
  const answer = JSON.parse(await request('/message:send', { method: 'POST', headers }, body))
  expect(answer).toMatchObject({ price_usd: 599, in_stock: true })
  expect(await request(new URL(answer.claim_url).pathname)).toContain(`10 × ${PRODUCT} at $599 each`)
})

test('problems end with 1: a wrong secret, a certificate nobody trusts', async () => {
  const wrong = await rfqTest([address, '--hmac', 'some-other-secret-here'])
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('answered 401') })
  const untrusted = await rfqTest([address, '--hmac', SECRET], { NODE_EXTRA_CA_CERTS: '' })
  expect(untrusted).toMatchObject({ code: 1, output: expect.stringContaining('certificate is not trusted') })
  const insecure = await rfqTest([address, '--insecure', '--hmac', SECRET], { NODE_EXTRA_CA_CERTS: '' })
  expect(insecure.code).toBe(0)
})

test.each([
  [[]],
  [['not a url']],
  [['ftp://127.0.0.1/']],
  [['https://127.0.0.1/', '--quantity', 'two']],
  [['https://127.0.0.1/', '--hmac', 'short']],
  [['https://127.0.0.1/', '--product', 'no-category']],
  [['https://127.0.0.1/', '--unknown']],
])('called wrongly with %j, it ends with 2 and says how it is called', async (args) => {
  expect(await rfqTest(args)).toMatchObject({ code: 2, output: expect.stringContaining('souk-rfq-test URL') })
})
