/** OAuth: its documents, registration, the way of a person through consent, tokens and their end, each step good or spoiled. */
import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Attempt, Maker, Turn } from './attempt.ts'
import { jsonOf, textOf } from './attempt.ts'
import { type Caller, callerFor, createCaller } from './callers.ts'
import { readForms } from './forms.ts'
import { asItIs, fuzzed, type Good } from './making.ts'
import type { Route } from './routes.ts'

const REDIRECT = 'http://127.0.0.1:7777/callback'
/** In a whole way through, most steps are good, or none would come to its end. */
const STEP_GOOD = 0.85

export function createOauthMaker(routes: readonly Route[]): Maker {
  const documents = routes.filter(({ method, path }) => method === 'GET' && /\.well-known\/o/.test(path))
  return {
    face: 'oauth',
    weight: 6,
    async run(turn) {
      const draw = turn.random()
      if (draw < 0.15) {
        const { path } = turn.pick(documents)
        const good = {
          operation: `GET ${path}`,
          method: 'GET',
          path: path.replace('*', 'x'),
          caller: stranger(turn),
        }
        return turn.send(fuzzed(turn, { face: 'oauth', ...good }))
      }
      if (draw < 0.65) return turn.send(fuzzed(turn, single(turn)))
      return wholeWay(turn)
    },
  }
}

const stranger = (turn: Turn): Caller => callerFor(turn, '/oauth', ['nobody'])

function oauthGood(good: Omit<Good, 'face'>): Good {
  return { face: 'oauth', ...good }
}

function single(turn: Turn): Good {
  const caller = stranger(turn)
  const client = turn.known.id(turn, 'client_id')
  const post = (path: string, form: Array<[string, string]>) =>
    oauthGood({ operation: `POST ${path}`, method: 'POST', path, caller, form })
  return turn.pick<() => Good>([
    () => registration(caller, turn.pick(['/api/oauth/register/', '/register'])),
    () =>
      authorization(
        turn,
        createCaller(turn, turn.people, turn.pick(['shopper', 'nobody'])),
        client,
        'x'.repeat(43),
      ),
    () =>
      post('/api/oauth/token/', [
        ['grant_type', 'authorization_code'],
        ['code', 'souk_code_of_nobody'],
        ['redirect_uri', REDIRECT],
        ['client_id', client],
        ['code_verifier', 'v'.repeat(43)],
      ]),
    () =>
      post('/api/oauth/token/', [
        ['grant_type', 'refresh_token'],
        ['refresh_token', 'souk_rt_of_nobody'],
        ['client_id', client],
      ]),
    () =>
      post('/api/oauth/revoke/', [
        ['token', 'souk_at_of_nobody'],
        ['token_type_hint', 'access_token'],
        ['client_id', client],
      ]),
  ])()
}

function registration(caller: Caller, path = '/api/oauth/register/'): Good {
  const json = {
    client_name: 'A client of a fuzzer',
    redirect_uris: [REDIRECT, 'com.example.app:/back'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'mcp',
    client_uri: 'https://client.example/',
    contacts: ['a@client.example'],
  }
  return oauthGood({ operation: `POST ${path}`, method: 'POST', path, caller, json })
}

function authorization(turn: Turn, caller: Caller, clientId: string, challenge: string): Good {
  return oauthGood({
    operation: 'GET /oauth/authorize/',
    method: 'GET',
    path: '/oauth/authorize/',
    caller,
    headers: { accept: 'text/html' },
    query: [
      ['response_type', 'code'],
      ['client_id', turn.chance(0.05) ? 'https://shop-1.trial.example/client.json' : clientId],
      ['redirect_uri', REDIRECT],
      ['code_challenge', challenge],
      ['code_challenge_method', 'S256'],
      ['scope', 'mcp'],
      ['state', turn.word()],
    ],
  })
}

/** Registers, asks, is allowed, gets tokens, uses, renews, gives back, and tries once more what must no longer work. */
async function wholeWay(turn: Turn): Promise<void> {
  const caller = stranger(turn)
  const person = createCaller(turn, turn.people, 'shopper')
  const step = (good: Good): Promise<Answer> => turn.send(fuzzed(turn, good, STEP_GOOD))
  const clientId = String(jsonOf(await step(registration(caller))).client_id ?? '')
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const page = await step(authorization(turn, person, clientId, challenge))
  const consent = readForms(textOf(page), '/oauth/authorize/').find(({ fields }) =>
    fields.some(([name]) => name === 'decision'),
  )
  if (!consent) return
  const fields = consent.fields.filter(([name]) => name !== 'decision')
  const decided = await step(
    oauthGood({
      operation: 'POST /oauth/authorize/',
      method: 'POST',
      path: '/oauth/authorize/',
      caller: person,
      form: [...fields, ['decision', turn.chance(0.9) ? 'allow' : 'deny']],
    }),
  )
  const code = URL.parse(decided.headers.location?.[0] ?? '')?.searchParams.get('code')
  if (!code) return
  const exchange = tokenRequest(caller, [
    ['grant_type', 'authorization_code'],
    ['code', code],
    ['redirect_uri', REDIRECT],
    ['client_id', clientId],
    ['code_verifier', verifier],
  ])
  if (turn.chance(0.2)) {
    // A code is good once, however many come with it at the same time.
    const answers = await Promise.all([exchange, exchange, exchange].map((good) => turn.send(asItIs(good))))
    const served = answers.filter(({ status }) => status === 200).length
    if (served > 1) turn.breach(asItIs(exchange), `one code was exchanged ${served} times`)
    return
  }
  const tokens = jsonOf(await step(exchange))
  if (typeof tokens.access_token !== 'string') return
  const useIt = () => turn.send(useToken(String(tokens.access_token)))
  if ((await useIt()).status === 401) turn.breach(asItIs(exchange), 'a fresh access token is refused')
  const refresh = tokenRequest(caller, [
    ['grant_type', 'refresh_token'],
    ['refresh_token', String(tokens.refresh_token)],
    ['client_id', clientId],
  ])
  const renewed = await turn.send(asItIs(refresh))
  const again = await turn.send(asItIs(refresh))
  if (renewed.status === 200 && again.status === 200)
    turn.breach(asItIs(refresh), 'a refresh token was taken twice')
  const revoke = oauthGood({
    operation: 'POST /api/oauth/revoke/',
    method: 'POST',
    path: '/api/oauth/revoke/',
    caller,
    form: [
      ['token', String(jsonOf(renewed).refresh_token ?? tokens.refresh_token)],
      ['client_id', clientId],
    ],
  })
  const revoked = await turn.send(asItIs(revoke))
  if (revoked.status === 200 && (await useIt()).status !== 401)
    turn.breach(asItIs(revoke), 'an access token works after its family was revoked')
}

function tokenRequest(caller: Caller, form: Array<[string, string]>): Good {
  return oauthGood({
    operation: 'POST /api/oauth/token/',
    method: 'POST',
    path: '/api/oauth/token/',
    caller,
    form,
  })
}

function useToken(token: string): Attempt {
  const caller: Caller = {
    kind: 'agent',
    headers: { authorization: `Bearer ${token}` },
    sells: [],
    own: [token],
  }
  const json = { jsonrpc: '2.0', id: 1, method: 'ping' }
  return asItIs({ face: 'tools', operation: 'tools ping', method: 'POST', path: '/mcp/', caller, json })
}
