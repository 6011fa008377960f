/**
 * A secret of each kind is given or taken in ordinary actions, done well and done wrong, and then looked for wherever it could
 * have been left: in every log line and span, in every answer but the one that gives it, in what can be read, exported and
 * backed up, and in every column of the database, also in disguise.
 */
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { readEverything } from '../../src/backup/backup.service.ts'
import { exportCategories, exportProducts } from '../../src/catalog/export.service.ts'
import { stopTracing } from '../../src/lib/tracing.ts'
import { BASE_URL } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import {
  look,
  planSet,
  readMetrics,
  useAccount,
  useAgent,
  useOauth,
  useOrganization,
} from './secrets.actions.ts'
import { createSecretsWorld, disguises, SLUG } from './secrets.world.ts'

const world = await createSecretsWorld()
const { database, logged } = world
let asked: { taskId: string; rfqId: string }
let metrics: string

beforeAll(async () => {
  await useAccount(world)
  const accessToken = await useOauth(world)
  await useOrganization(world)
  asked = await world.askForQuotes()
  await useAgent(world, accessToken)
  await planSet(world)
  await world.askForQuotes()
  metrics = await readMetrics(world)
  await look(world)
})

/** Every GET that the app has, by those to whom it has something to say. */
async function everyRead(): Promise<Array<{ path: string; text: string }>> {
  const operator = await createOrg(world)
  await database.pool.query('update users set is_admin = true where id = $1', [operator.ownerId])
  const ada = { cookie: world.browser.cookie() ?? '' }
  const { acme, bolt } = world
  const readersOf = (path: string): Array<Record<string, string>> => {
    if (/^\/(api\/)?admin/.test(path)) return [operator.session]
    if (/^\/(dashboard|api\/o)/.test(path)) return [acme.session, bolt.session]
    return /^\/(account|auth|saved|quotes|oauth|org)/.test(path) ? [ada, acme.session, {}] : [{}]
  }
  const [category = '', slug = ''] = SLUG.split('/')
  const values: Record<string, string> = { category, slug, name: 'rfq', part: '1.xml' }
  const idIn = (path: string) => (path.startsWith('/quotes') ? asked.taskId : asked.rfqId)
  const fill = (path: string) =>
    path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) =>
      name === 'id' ? idIn(path) : (values[name] ?? 'any'),
    )
  const patterns = world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => fill(path))
  const ids = [acme, bolt].flatMap(({ id, ownerId }) => [
    `/admin/organizations/${id}`,
    `/admin/users/${ownerId}`,
  ])
  const told: Array<{ path: string; text: string }> = []
  for (const path of new Set([...patterns, ...ids]))
    for (const headers of readersOf(path)) {
      const answer = await world.app.request(BASE_URL + path, { headers })
      const text = `${path} ${answer.status} ${await answer.text()} ${JSON.stringify([...answer.headers])}`
      told.push({ path, text })
    }
  return told
}

async function backup(): Promise<string> {
  const client = new pg.Client(database.connection)
  await client.connect()
  const contents = {
    secret: null,
    secretElsewhere: true,
    counted: { tables: 0, rows: 0 },
    onProgress: () => {},
  }
  const pieces: Buffer[] = []
  for await (const piece of readEverything(client, contents)) pieces.push(piece)
  await client.end()
  return Buffer.concat(pieces).toString('latin1')
}

async function gathered(lines: AsyncIterable<string>): Promise<string> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all.join('')
}

/** Figures stand in longer ones by chance; in a log line, how long something took is one too. */
const found = (text: string, secret: string) =>
  /^[\d.]+$/.test(secret)
    ? new RegExp(`(?<![\\w.-])${secret.replace('.', '\\.?')}(?![\\w-])`).test(
        text.replaceAll(/"\w*(?:ms|time)":[\d.]+/gi, ''),
      )
    : disguises(secret).some((disguise) => text.includes(disguise))

const PLACES: Record<string, { read: () => string | Promise<string>; holds: RegExp }> = {
  'whatever can be read': {
    read: async () => (await everyRead()).map(({ text }) => text).join('\n'),
    holds: /\/account\/export 200[\s\S]*\/api\/org\/audit 200[\s\S]*\/admin\/jobs 200/,
  },
  'the log': { read: () => logged.text(), holds: /"msg":"request failed"[\s\S]*/ },
  'the traces': { read: () => traces(), holds: /POST \/api\/oauth\/token/ },
  'the answers to actions': { read: () => world.answers.join('\n'), holds: /invalid_grant/ },
  'the metrics': { read: () => metrics, holds: /souk_http_requests_total/ },
  'the database, at every moment': {
    read: () => world.seen.join('\n'),
    holds: /mail\.send[\s\S]*integration\.card_registered/,
  },
  'the catalog’s export': {
    read: () =>
      Promise.all([gathered(exportProducts(world.ctx)), gathered(exportCategories(world.ctx))]).then(String),
    holds: /Oak/,
  },
  'a backup': { read: backup, holds: /integration\.card_registered/ },
}

/** The last of them are sent when it ends. */
async function traces(): Promise<string> {
  await stopTracing()
  return JSON.stringify(world.collector.spans)
}

describe('no secret is in', () => {
  test.each(Object.entries(PLACES))('%s', async (_, { read, holds }) => {
    const text = await read()
    expect(text).toMatch(holds)
    const kinds = world.planted
      .filter(({ value }) => found(text, value))
      .map(({ kind, value }) => `${kind} ${value}`)
    expect(kinds).toEqual([])
  })
})

test('the id of a buyer’s task is in nothing that its sellers read', async () => {
  const read = (await everyRead()).filter(({ path }) => /^\/(dashboard|api\/org)/.test(path))
  expect(read.filter(({ text }) => text.includes(asked.rfqId)).length).toBeGreaterThan(3)
  expect(read.filter(({ text }) => text.includes(asked.taskId)).map(({ path }) => path)).toEqual([])
})

test('the search would have found each of them, whatever it is wrapped in', () => {
  const kinds = new Set(world.planted.map(({ kind }) => kind))
  expect(kinds.size).toBe(17)
  for (const { value } of world.planted) {
    const wraps = [
      value,
      Buffer.from(`{"a":"${value}"}`).toString('base64'),
      Buffer.from(`x${value}`).toString('hex'),
    ]
    for (const wrapped of /^[\d.]+$/.test(value) ? [value] : wraps)
      expect(found(`"${wrapped}"`, value)).toBe(true)
  }
})

test('what was sealed is there, and opens', async () => {
  const { rows } = await database.pool.query<{ box: string }>(
    'select secret_box as box from agent_integrations order by org_id',
  )
  const opened = rows.map(({ box }) => world.orgs.integrationSecrets.open(box))
  expect(opened.sort()).toEqual(['planted-bearer-7f3a9c1e', 'planted-hmac-0d4e8b2a6c'])
})
