/** The operator's command for rotating the key, and the piece of code producers copy from the docs. */
import fs from 'node:fs'
import { expect, test, vi } from 'vitest'
import { adminCommand } from '../../src/commands/admin.ts'
import { createSecretBox, hmacSha256Hex } from '../../src/lib/crypto.ts'
import { newId } from '../../src/lib/ids.ts'
import { createOrgsContext } from '../../src/orgs/context.ts'
import { findIntegrations } from '../../src/orgs/integration-health.service.ts'
import { PUSH_SECRETS } from '../../src/rfq/pushes.service.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'

const OLD = 'the secret that was there first of 32 characters'
const NEW = 'the secret that comes after it of 32 characters'

test('admin reseal-secrets seals with the newest key what the server can still open, and names what is lost', async () => {
  const souk = await createTestApp()
  const orgs = createOrgsContext(souk.accounts, { ...souk.orgs, secret: OLD })
  const [kept, lost] = [await createOrg(souk), await createOrg(souk)]
  const GONE = 'a secret nobody has any more of 32 characters'
  const gone = createSecretBox(GONE, 'integration')
  for (const [org, box] of [
    [kept, orgs.integrationSecrets],
    [lost, gone],
  ] as const)
    await souk.database.db
      .insertInto('agent_integrations')
      .values({
        org_id: org.id,
        agent_card_url: 'https://a.example',
        auth_type: 'hmac',
        secret_box: box.seal('theirs'),
      })
      .execute()
  const rfqId = await requestQuote(souk)
  const pushBox = (secret: string) => createSecretBox(secret, PUSH_SECRETS.purpose)
  for (const [id, box] of [
    ['kept', pushBox(OLD).seal('{"token":"theirs"}')],
    ['lost', pushBox(GONE).seal('{"token":"theirs"}')],
    ['open', null],
  ] as const)
    await souk.database.db
      .insertInto('rfq_pushes')
      .values({
        rfq_id: rfqId,
        id,
        url: 'https://a.example',
        protocol: '1.0',
        auth_scheme: null,
        secrets_box: box,
      })
      .execute()

  await souk.database.db
    .insertInto('a2a_questions')
    .values({
      id: newId(),
      context_id: newId(),
      said: 'hi',
      reply: '{}',
      push_box: pushBox(OLD).seal('{"url":"theirs"}'),
    })
    .execute()

  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written[stream] += text
      return true
    })
  const config = testConfig({ DATABASE_URL: souk.database.url, SOUK_SECRET: `${NEW},${OLD}` })
  const status = await adminCommand(config, ['reseal-secrets'])
  vi.restoreAllMocks()

  expect(status).toBe(0)
  expect(written.stderr).toContain('Resealed 1 producer secrets with the newest key')
  expect(written.stderr).toContain('1 producer secrets cannot be opened')
  expect(written.stderr).toContain('Resealed 1 push notification secrets with the newest key')
  expect(written.stderr).toContain('1 push notification secrets cannot be opened')
  expect(written.stdout).toBe(`${lost.id}\n${rfqId} lost\n`)
  expect(written.stdout + written.stderr).not.toContain('theirs')
  const rotated = createOrgsContext(souk.accounts, { ...souk.orgs, secret: NEW })
  const found = await findIntegrations(rotated, [kept.id, lost.id])
  expect(found.get(kept.id)).toMatchObject({ secret: 'theirs', secretLost: false })
  expect(found.get(lost.id)).toMatchObject({ secret: null, secretLost: true })
  const pushes = await souk.database.db.selectFrom('rfq_pushes').selectAll().orderBy('id').execute()
  expect(pushes.map(({ id }) => id)).toEqual(['kept', 'lost', 'open'])
  expect(pushBox(NEW).open(pushes[0]?.secrets_box ?? '')).toBe('{"token":"theirs"}')
  expect(pushBox(GONE).open(pushes[1]?.secrets_box ?? '')).toBe('{"token":"theirs"}')
  expect(pushes[2]?.secrets_box).toBeNull()
  const questions = await souk.database.db.selectFrom('a2a_questions').select('push_box').execute()
  expect(questions.map(({ push_box: box }) => pushBox(NEW).open(box ?? ''))).toEqual(['{"url":"theirs"}'])
})

async function requestQuote(souk: Awaited<ReturnType<typeof createTestApp>>): Promise<string> {
  const productId = await addProduct(souk, { category: 'desk-lamps', slug: 'lume-one', title: 'Lume One' })
  const id = newId()
  await souk.database.db
    .insertInto('rfqs')
    .values({ id, context_id: newId(), product_id: productId, quantity: 1, face: 'a2a' })
    .execute()
  return id
}

test('the code in the docs accepts our signature, and no other body, secret, time or form', async () => {
  const page = fs.readFileSync(new URL('../../docs/producer-protocol.md', import.meta.url), 'utf8')
  const code = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(page)?.[1] ?? ''
  const module = `data:text/javascript,${encodeURIComponent(code)}`
  const { isFromSouk } = (await import(/* @vite-ignore */ module)) as {
    isFromSouk(secret: string, headers: Record<string, string>, rawBody: string): boolean
  }
  const secret = 'a secret with an ü, of some length'
  const body = '{"jsonrpc":"2.0", "text":"ü"}'
  const signed = (seconds: number, key = secret) => {
    const timestamp = String(seconds)
    const signature = hmacSha256Hex(key, `${timestamp}.${body}`)
    return { 'x-service-timestamp': timestamp, 'x-service-signature': signature }
  }
  const now = Math.floor(Date.now() / 1000)
  expect(isFromSouk(secret, signed(now), body)).toBe(true)
  expect(isFromSouk(secret, signed(now - 290), body)).toBe(true)
  for (const seconds of [now - 302, now + 302]) expect(isFromSouk(secret, signed(seconds), body)).toBe(false)
  expect(isFromSouk(secret, signed(now), `${body} `)).toBe(false)
  expect(isFromSouk(secret, signed(now, `${secret}!`), body)).toBe(false)
  expect(isFromSouk(secret, { ...signed(now), 'x-service-timestamp': String(now - 1) }, body)).toBe(false)
  expect(isFromSouk(secret, { ...signed(now), 'x-service-signature': 'zz' }, body)).toBe(false)
  expect(isFromSouk(secret, {}, body)).toBe(false)
})
