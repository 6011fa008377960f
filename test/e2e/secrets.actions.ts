/** The ordinary actions in which something secret changes hands, done well and done wrong; each is written down. */
import { expect } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { BASE_URL } from '../harness.ts'
import { hiddenFields, pkce, REDIRECT, requestFor } from './oauth.world.ts'
import { type SecretsWorld, SLUG } from './secrets.world.ts'

const EMAIL = 'ada@people.example'
const tokenIn = (link: string) => new URL(link, BASE_URL).searchParams.get('token') ?? ''

export async function useAccount(world: SecretsWorld): Promise<void> {
  const { browser, plant, mailbox, answers } = world
  const post = async (path: string, fields: Record<string, string>, status: number) => {
    const answer = await browser.post(path, fields)
    const remembered = /souk_browser_[\w-]{43}/.exec(answer.headers.get('set-cookie') ?? '')?.[0]
    if (remembered) plant('browser cookie', remembered)
    // A form that is shown again holds what it was sent for.
    const told = (await answer.text()).replaceAll(/<input type="hidden" name="token"[^>]*>/g, '')
    answers.push(`${path} ${told} ${answer.headers.get('location')}`)
    expect({ path, status: answer.status }).toEqual({ path, status })
  }
  const session = () => plant('session', (browser.cookie() ?? '').split('=')[1] ?? '')
  const password = plant('password', 'violet kettle 7 harbour')
  await post('/auth/signup', { email: EMAIL, password, name: 'Ada' }, 303)
  await world.sendMailInVain()
  await look(world)
  const verify = await mailbox.link(EMAIL)
  plant('mail token', tokenIn(verify))
  expect((await browser.get(verify)).status).toBe(303)
  session()
  // Again, with what has run out.
  answers.push(await (await browser.get(verify)).text())
  await post('/auth/signout', {}, 303)
  await post('/auth/signin', { email: EMAIL, password: plant('password', 'wrong-otter-71935') }, 401)
  await post('/auth/signin', { email: EMAIL, password }, 303)
  session()
  await post('/auth/signup', { email: 'no address', password: plant('password', 'refused-otter-71936') }, 400)
  await post('/auth/signup', { email: 'b@people.example', password: plant('password', 'otter7193') }, 400)
  await post('/account/password', { password: plant('password', 'otter7194') }, 400)
  const faulty = { email: 'c@people.example', password: plant('password', 'fault copper 9 lantern') }
  await world.whileBroken('users', () => post('/auth/signup', faulty, 500))
  await world.whileBroken('sessions', () => post('/auth/signin', { email: EMAIL, password }, 500))
  await post('/auth/magic', { email: EMAIL }, 303)
  await post('/auth/reset', { email: EMAIL }, 303)
  await look(world)
  const mails = await mailbox.mails(EMAIL)
  for (const { text } of mails.slice(-2))
    plant('mail token', tokenIn(text.split('\n').find((line) => line.startsWith('http')) ?? ''))
  const reset = tokenIn(await mailbox.link(EMAIL))
  await post('/auth/reset', { token: reset, password: plant('password', 'otter7195') }, 400)
  const chosen = plant('password', 'amber thicket 4 saddle')
  await world.whileBroken('sessions', () => post('/auth/reset', { token: reset, password: chosen }, 500))
  await post('/auth/reset', { token: reset, password: chosen }, 303)
  session()
}

/** Anyone who may not know it is shown the page of the link; the database is looked at while the mail still waits. */
export async function look(world: SecretsWorld): Promise<void> {
  world.seen.push(await world.everyRow())
}

export async function useOauth(world: SecretsWorld): Promise<string> {
  const { app, plant, answers, browser } = world
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const token = async (fields: Record<string, string>, status: number) => {
    const answer = await app.request(`${BASE_URL}/api/oauth/token/`, {
      method: 'POST',
      headers: form,
      body: String(new URLSearchParams(fields)),
    })
    const body = (await answer.json()) as { access_token?: string; refresh_token?: string }
    expect({ fields, status: answer.status, body }).toMatchObject({ status })
    if (status !== 200) answers.push(JSON.stringify([body, [...answer.headers]]))
    if (body.access_token) plant('access token', body.access_token)
    if (body.refresh_token) plant('refresh token', body.refresh_token)
    return { access: body.access_token ?? '', refresh: body.refresh_token ?? '' }
  }
  const registration = { client_name: 'Agent', redirect_uris: [REDIRECT] }
  const { body } = await world.say(null, 'POST', '/api/oauth/register/', registration)
  const clientId = String(body.client_id)
  const { verifier, challenge } = pkce()
  plant('code verifier', verifier)
  const request = new URLSearchParams(requestFor(clientId, challenge))
  const code = async () => {
    let answer = await browser.get(`/oauth/authorize/?${request}`)
    if (answer.status === 200) {
      const fields = Object.fromEntries(hiddenFields(await answer.text()))
      answer = await browser.post('/oauth/authorize/', { ...fields, decision: 'allow' })
    }
    return plant(
      'authorization code',
      new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '',
    )
  }
  const redeem = { grant_type: 'authorization_code', redirect_uri: REDIRECT, client_id: clientId }
  await token({ ...redeem, code: await code(), code_verifier: plant('code verifier', pkce().verifier) }, 400)
  const faulty = await code()
  await world.whileBroken('oauth_access_tokens', () =>
    token({ ...redeem, code: faulty, code_verifier: verifier }, 500),
  )
  const good = { ...redeem, code: await code(), code_verifier: verifier }
  const first = await token(good, 200)
  const renew = { grant_type: 'refresh_token', client_id: clientId }
  const second = await token({ ...renew, refresh_token: first.refresh }, 200)
  await token({ ...renew, refresh_token: first.refresh }, 400)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const accept = { accept: 'application/json, text/event-stream' }
  expect((await world.say({ bearer: second.access }, 'POST', '/mcp/', call, accept)).status).toBe(200)
  const mistyped = plant('access token', `souk_at_${'mistyped'.repeat(5)}`)
  expect((await world.say({ bearer: mistyped }, 'POST', '/mcp/', call, accept)).status).toBe(401)
  return second.access
}

export async function useOrganization(world: SecretsWorld): Promise<void> {
  const { acme, bolt, plant, say } = world
  plant('link token', acme.bearer.bearer)
  const made = await world.app.request(`${BASE_URL}/api/org/link-tokens/`, {
    method: 'POST',
    headers: { ...acme.session, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'till' }),
  })
  const { token } = (await made.json()) as { token: string }
  expect((await say({ bearer: plant('link token', token) }, 'GET', '/api/org/')).status).toBe(200)
  const expectStatus = async (status: number, ...args: Parameters<typeof say>) =>
    expect({ args, status: (await say(...args)).status }).toEqual({ args, status })
  await expectStatus(
    401,
    { bearer: plant('link token', `souk_link_${'mistyped'.repeat(5)}`) },
    'GET',
    '/api/org/',
  )
  await world.whileBroken('link_tokens', () =>
    expectStatus(500, acme.session, 'POST', '/api/org/link-tokens/', { name: 'broken' }),
  )
  const register = (domain: string) => ({ agent_card_url: `https://${domain}/card.json` })
  const hmac = { auth_type: 'hmac', hmac_secret: plant('producer hmac', 'planted-hmac-0d4e8b2a6c') }
  const bearer = { auth_type: 'bearer', bearer_token: plant('producer bearer', 'planted-bearer-7f3a9c1e') }
  const path = '/api/org/register-agent-card/'
  await expectStatus(200, acme.session, 'POST', path, { ...register('acme.example'), ...hmac })
  await expectStatus(200, bolt.bearer, 'POST', path, { ...register('bolt.example'), ...bearer })
  const short = { auth_type: 'bearer', bearer_token: plant('producer bearer', 'too-short-9185') }
  await expectStatus(400, bolt.session, 'POST', path, { ...register('bolt.example'), ...short })
  const elsewhere = { auth_type: 'hmac', hmac_secret: plant('producer hmac', 'elsewhere-hmac-481516') }
  await expectStatus(403, bolt.session, 'POST', path, { ...register('acme.example'), ...elsewhere })
  const floors = {
    ...{ product_slug: SLUG, confirm: true },
    reserve_price_usd: Number(plant('reserve price', '7713.37')),
  }
  await expectStatus(200, acme.session, 'PATCH', '/api/org/pricing/', floors)
  await world.whileBroken('product_pricing', () =>
    expectStatus(500, bolt.session, 'PATCH', '/api/org/pricing/', {
      product_slug: SLUG,
      reserve_price_usd: Number(plant('reserve price', '7717.61')),
    }),
  )
  await expectStatus(200, acme.session, 'PATCH', '/api/org/team/', {
    email: 'lin@people.example',
    role: 'viewer',
  })
  await look(world)
  const invitation = tokenIn(await world.mailbox.link('lin@people.example'))
  await expectStatus(401, null, 'POST', '/api/org/invitations/accept/', {
    token: plant('mail token', invitation),
  })
  const stranger = createBrowser(world)
  world.answers.push(await (await stranger.post('/org/join', { token: `${invitation}x` })).text())
}

/** The model is asked to explain, and says no. */
export async function planSet(world: SecretsWorld): Promise<void> {
  const by = { cookie: world.browser.cookie() ?? '' }
  const { body } = await world.say(by, 'POST', '/api/search/', {
    query: 'shelves and desks under $20000',
    bundle: true,
  })
  expect(body.type).toBe('bundle')
}

/** With where to be told of the end, and what proves there that it is us. */
export async function useAgent(world: SecretsWorld, accessToken: string): Promise<void> {
  const pushNotificationConfig = {
    url: 'https://hook.example/told',
    token: world.plant('push credential', 'planted-push-token-62f1'),
    authentication: {
      schemes: ['Bearer'],
      credentials: world.plant('push credential', 'planted-push-cred-90ab'),
    },
  }
  const ask = (config: unknown) => {
    const parts = [{ kind: 'text', text: 'x' }]
    const metadata = { skill: 'request-for-quote', product_slug: SLUG }
    const message = { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, metadata }
    const params = { message, configuration: { pushNotificationConfig: config } }
    return world.say({ bearer: accessToken }, 'POST', '/a2a/', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params,
    })
  }
  expect((await ask(pushNotificationConfig)).body).toHaveProperty('result.kind', 'task')
  const bad = { ...pushNotificationConfig, token: world.plant('push credential', 'refused push token ü 5') }
  expect((await ask(bad)).body).toHaveProperty('error')
}

export async function readMetrics(world: SecretsWorld): Promise<string> {
  const token = 'planted-metrics-5f0c1b7e9a2d'
  const wrong = world.plant('metrics token', 'planted-metrics-wrong-1')
  expect((await world.say({ bearer: wrong }, 'GET', '/metrics')).status).toBe(404)
  const { status, body } = await world.say({ bearer: token }, 'GET', '/metrics')
  expect(status).toBe(200)
  return String(body.text)
}
