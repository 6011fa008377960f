/**
 * The short version of `npm run fuzz`: hundreds of spoiled requests against a real node, and nothing may be found. Then the
 * checks themselves are put to the test: each is fed an answer, a line of the log, a memory or a row that is bad.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkAnswer } from '../../trials/fuzz/checks.ts'
import { createDice } from '../../trials/fuzz/dice.ts'
import { createFindings, reproduction, writeFound } from '../../trials/fuzz/findings.ts'
import { writeJson } from '../../trials/fuzz/json.ts'
import { mutateValue } from '../../trials/fuzz/mutate.ts'
import { breachesOf, checkRecords, ROW_RULES } from '../../trials/fuzz/rows.ts'
import { runFuzz } from '../../trials/fuzz/run.ts'
import { parseAnswer } from '../../trials/fuzz/sending.ts'
import { judgeMemory, readLine } from '../../trials/fuzz/watch.ts'
import { openFuzzWorld } from '../../trials/fuzz/world.ts'
import type { World } from '../../trials/world.ts'
import { CHEAP_PASSWORDS } from '../harness.ts'
import { preparedTrialDir } from '../server-process.ts'
import { ATTEMPT, answerOf, BAD_ANSWERS, type Bad, SECRETS } from './fuzz.answers.ts'
import { ROW_BREAKS } from './fuzz.breaks.ts'

/** Four hundred spoiled ones, after those that find out what the node offers. */
const REQUESTS = 750
let world: World
let client: pg.Client

beforeAll(async () => {
  world = await openFuzzWorld(REQUESTS, { env: CHEAP_PASSWORDS, from: await preparedTrialDir() })
  client = new pg.Client(world.cluster.postgres.connection)
  await client.connect()
}, 120_000)

afterAll(async () => {
  await client?.end()
  await world?.close()
}, 120_000)

test('hundreds of spoiled requests find nothing', { timeout: 240_000 }, async () => {
  const { findings, tally } = await runFuzz(world, { requests: REQUESTS, seed: 20261116 })
  expect(findings.map(writeFound)).toEqual([])
  expect(tally.sent()).toBeGreaterThanOrEqual(REQUESTS)
  expect([...tally.faces().keys()].sort()).toEqual(['a2a', 'oauth', 'pages', 'rest', 'tools', 'wire'])
  for (const [face, counts] of tally.faces()) expect(counts.get('2xx') ?? 0, face).toBeGreaterThan(0)
})

test.for(ROW_BREAKS)('rows: $what is found', async ({ rule, sql }) => {
  await client.query('begin')
  try {
    const { rowCount } = await client.query(sql)
    expect(rowCount, 'there was something to break').toBeGreaterThan(0)
    const broken = ROW_RULES.find((one) => one.rule.includes(rule))
    if (!broken) throw new Error(`there is no rule ${rule}`)
    expect(await breachesOf(client as unknown as pg.Pool, broken)).not.toEqual([])
  } finally {
    await client.query('rollback')
  }
})

test('every rule of rows has a row that breaks it', () => {
  const untried = ROW_RULES.filter(({ rule }) => !ROW_BREAKS.some((one) => rule.includes(one.rule)))
  expect(untried.map(({ rule }) => rule)).toEqual([])
})

test('an action without its record, and a record of what was refused, are found', async () => {
  const outcomes: Array<[string, string, number]> = [
    ['of-a-test-1', 'POST /api/offers/create/', 201],
    ['of-a-test-2', 'PATCH /api/offers/edit/', 404],
  ]
  const rows = [{ request_id: 'of-a-test-2', action: 'offer.edited', count: 1 }]
  const pool = { query: async () => ({ rows }) } as unknown as pg.Pool
  const breaches = await checkRecords(pool, {
    prefix: 'of-a-test-',
    outcomeOf: () => ({ operation: 'PATCH /api/offers/edit/', status: 404 }),
    all: () => outcomes,
  })
  expect(breaches).toEqual([
    'PATCH /api/offers/edit/ answered 404 and is on record as offer.edited (of-a-test-2)',
    'POST /api/offers/create/ answered 201 and has 0 records offer.created (of-a-test-1)',
  ])
})

const kindsOf = (bad: Bad) =>
  checkAnswer({ ...ATTEMPT, ...bad.about }, answerOf(bad), SECRETS).map(({ kind }) => kind)

test.for(BAD_ANSWERS)('answers: $what is found', (bad) => {
  expect(kindsOf(bad)).toContain(bad.kind)
})

test('a good answer has nothing against it, and a caller may see their own token', () => {
  expect(kindsOf({ what: '', kind: '', answer: {} })).toEqual([])
  const own = '{"token":"souk_at_of_the_caller_and_of_nobody_else"}'
  expect(kindsOf({ what: '', kind: '', answer: { status: 200 }, text: own })).toEqual([])
})

test('errors in the log are found with the request they are of, and what the program tells is not', () => {
  const error = {
    level: 'error',
    requestId: 'of-a-test',
    msg: 'request failed',
    err: { message: 'it broke' },
  }
  expect(readLine(JSON.stringify(error))).toMatchObject({
    requestId: 'of-a-test',
    finding: { kind: 'log: error', signature: 'request failed: it broke' },
  })
  expect(readLine('(node:1) UnhandledPromiseRejectionWarning: x')?.finding.kind).toBe('log: not ours')
  expect(readLine('{"level":"warn","msg":"slow"}')).toBe(null)
  expect(readLine('Embedding products: 1')).toBe(null)
})

test('memory that grows or is too large is found', () => {
  const sample = (heapMb: number, rssMb = 300) => ({ atMs: 0, rssMb, heapMb, bufferMb: 0 })
  expect(judgeMemory([sample(60), sample(70), sample(75)])).toEqual([])
  expect(judgeMemory([sample(60), sample(70), sample(260)])).toMatchObject([{ kind: 'memory grows' }])
  expect(judgeMemory([sample(60), sample(60, 2_000)])).toMatchObject([{ kind: 'memory' }])
  expect(judgeMemory([])).toMatchObject([{ kind: 'memory' }])
})

test('findings are told once, with the shortest request', () => {
  const findings = createFindings()
  const hang = { kind: 'hang', signature: 'no answer in time' }
  for (const path of ['/api/org/?a=long', '/api/org/', '/api/org/?b=longer'])
    findings.add(hang, { ...ATTEMPT, path, body: Buffer.from([0xff]) })
  findings.add(hang, { ...ATTEMPT, operation: 'GET /elsewhere' })
  const [first, second] = findings.list()
  expect([first?.times, first?.example?.path, second?.operation]).toEqual([3, '/api/org/', 'GET /elsewhere'])
  expect(first?.example && reproduction(first.example)).toBe(
    "GET '/api/org/' (base64, 1 bytes) /w== (shopper; as it should be)",
  )
})

test('the same seed spoils a value in the same way, and JSON is written that no library writes', () => {
  const value = { query: 'lamp', filters: { max_price: 5, list: ['a'] } }
  const made = (seed: number) =>
    Array.from({ length: 200 }, (_, turn) => writeJson(mutateValue(createDice(seed, turn), value).value))
  expect(made(1)).toEqual(made(1))
  expect(made(1)).not.toEqual(made(2))
  expect(made(1).join()).toContain('1e400')
  expect(value.filters.list).toEqual(['a'])
})

test('an answer is read from the bytes of a connection, also after a word to go on', () => {
  const text =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
  const { status, headers, body } = parseAnswer(Buffer.from(text)) ?? {}
  expect([status, headers?.a, body?.toString()]).toEqual([200, ['1'], 'abc'])
  expect(parseAnswer(Buffer.from('SSH-2.0'))).toBe(null)
})
