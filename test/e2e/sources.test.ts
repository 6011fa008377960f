/**
 * Sources on a real server on loopback: whatever it does, the run ends where it says, the catalog is as it was or as the
 * file says, and the next run is known. Each test has a source of its own in one world.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { listImports, undoImport } from '../../src/catalog/import-undo.service.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { openSocket } from '../../src/lib/outbound.connect.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import type { SourcesContext } from '../../src/sources/context.ts'
import { runSource } from '../../src/sources/source-run.ts'
import { nextWords, stateOf } from '../../src/sources/source-words.ts'
import { createSourceJobs } from '../../src/sources/sources.job.ts'
import { type Source, SourceInput } from '../../src/sources/sources.schema.ts'
import {
  addSource,
  askRun,
  changeSource,
  decide,
  getSource,
  listRuns,
  pauseSource,
  removeSource,
} from '../../src/sources/sources.service.ts'
import { captureLog, createTestApp } from '../harness.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** What the world outside does next, and what it was asked. */
let answer: Answer = (_, response) => response.end('')
const asked: IncomingMessage[] = []
const server = createServer((request, response) => {
  asked.push(request)
  answer(request, response)
})
/** Another origin, which a redirect may lead to. */
const elsewhere = createServer((request, response) => {
  asked.push(request)
  response.end(feed(4))
})
const portOf = (of: typeof server) => (of.address() as { port: number }).port
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
const [port, otherPort] = [portOf(server), portOf(elsewhere)]

/** Every connection that is opened, in order. */
const dialled: string[] = []
const looked: string[] = []
const outbound = createOutbound({
  allow: parseOutboundAllow(`127.0.0.1:${port}, 127.0.0.1:${otherPort}`),
  resolve: async (name) => {
    looked.push(name)
    return ['10.0.0.7']
  },
  open: (address, at) => {
    dialled.push(`${address} ${at}`)
    return openSocket(address, at)
  },
})
const souk = await createTestApp({ outbound })
const { pool } = souk.database
const ctx: SourcesContext = {
  ...souk.sources,
  limits: { ...souk.sources.limits, maxBytes: 60_000, maxInflatedBytes: 100_000 },
}
const BY = { by: { kind: 'operator', id: null } } as const
const running = new AbortController().signal

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  elsewhere.closeAllConnections()
  elsewhere.close()
})
beforeEach(async () => {
  asked.length = 0
  dialled.length = 0
  looked.length = 0
})

function feed(products: number, { price = 10, from = 1 } = {}): string {
  const rows = Array.from({ length: products }, (_, at) => {
    const id = from + at
    return `k${id},Kettle Number ${id},Spout,kettles,${price}`
  })
  return ['id,title,brand,category,price', ...rows].join('\n')
}

const sends =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/csv', ...headers })
    response.end(body)
  }

let count = 0
async function newSource(input: Partial<Record<keyof SourceInput, unknown>> = {}): Promise<string> {
  const name = `Shop ${++count}`
  const url = `http://127.0.0.1:${port}/feed.csv`
  return addSource(ctx, BY, SourceInput.parse({ name, url, every_minutes: 60, ...input }))
}
const view = (id: string) => getSource(ctx, BY, id)
/** As a node does when the time has come. */
async function run(id: string, does: Answer = answer, { timeoutMs = ctx.limits.timeoutMs } = {}) {
  answer = does
  await pool.query('update sources set next_run_at = $2 where id = $1', [id, souk.clock.now()])
  await runSource({ ...ctx, limits: { ...ctx.limits, timeoutMs } }, id, running)
  const source = await view(id)
  if (!source.last) throw new Error('it did not run')
  return { source, last: source.last, state: stateOf(source) }
}
/** The products of a source: title, whether discontinued, whether hidden. */
async function catalogOf(id: string) {
  const { key } = await view(id)
  const { rows } = await pool.query(
    `select distinct p.id, p.title, p.price_low_cents as price, p.discontinued, p.hidden_at is not null as hidden
     from products p join product_keys k on k.product_id = p.id where k.source = $1 order by p.title`,
    [key],
  )
  return rows.map(({ id: _, ...row }) => row)
}
const titles = async (id: string) => (await catalogOf(id)).length
const minutesToNext = ({ nextRunAt }: Pick<Source, 'nextRunAt'>) =>
  nextRunAt && (nextRunAt.getTime() - souk.clock.now().getTime()) / 60_000
const waitingJob = async (id: string) => {
  const { rows } = await pool.query(
    "select state, extract(epoch from run_at - now()) / 60 as minutes from jobs where dedupe_key = $1 and state = 'waiting'",
    [id],
  )
  return rows.map(({ minutes }) => Math.round(Math.max(0, minutes)))
}

describe('a scheduled source', () => {
  test('changed: it is imported, and the next run is in the interval', async () => {
    const id = await newSource()
    const first = await run(id, sends(feed(10), { etag: '"one"' }))
    expect(first.last).toMatchObject({
      outcome: 'changed',
      rows: 10,
      counts: { created: 10 },
      message: '10 rows: 10 new.',
    })
    expect(await titles(id)).toBe(10)
    const second = await run(id, sends(feed(10, { price: 12 }), { etag: '"two"' }))
    expect(second.last).toMatchObject({ outcome: 'changed', counts: { updated: 10 } })
    expect(asked.at(-1)?.headers['if-none-match']).toBe('"one"')
    expect([minutesToNext(second.source), await waitingJob(id), second.state]).toEqual([60, [60], 'good'])
    const [newest] = await listImports(ctx, { limit: 1 })
    expect(newest).toMatchObject({ id: second.last.importId, source: second.source.key, state: 'done' })
  })

  test('unchanged: 304 is an answer, and the same bytes are no news either', async () => {
    const id = await newSource()
    const modified = 'Sun, 01 Nov 2026 10:00:00 GMT'
    await run(id, sends(feed(5), { etag: '"five"', 'last-modified': modified }))
    const { last, source, state } = await run(id, sends('', {}, 304))
    expect(asked.at(-1)?.headers).toMatchObject({ 'if-none-match': '"five"', 'if-modified-since': modified })
    expect([last.outcome, last.message, state]).toEqual([
      'unchanged',
      'The file has not changed since the last run.',
      'good',
    ])
    expect(source.lastGood).toMatchObject({ counts: { created: 5 } })
    const same = await run(id, sends(feed(5)))
    expect([same.last.outcome, same.last.importId, await titles(id)]).toEqual(['unchanged', null, 5])
  })

  test('shrunk: it waits for a person, with the very file that was seen', async () => {
    const id = await newSource({ gone: 'discontinue' })
    await run(id, sends(feed(10)))
    const { last, source, state } = await run(id, sends(feed(6)))
    expect([last.state, last.outcome, state]).toEqual(['waiting', 'shrunk', 'waiting'])
    expect(last.message).toBe(
      '4 of 10 products (40 %) are missing from the new file. The catalog stays as it was.',
    )
    expect(last.fix).toContain('Approve it')
    expect([minutesToNext(source), (await catalogOf(id)).every(({ discontinued }) => !discontinued)]).toEqual(
      [60, true],
    )
    // The same file again is the same question.
    const again = await run(id, sends(feed(6)))
    expect([again.last.outcome, again.source.waiting?.id]).toEqual(['unchanged', last.id])
    // By the time somebody approves, the server has something else.
    answer = sends('gone', {}, 500)
    asked.length = 0
    await decide(ctx, BY, { id, runId: last.id, approve: true })
    await runSource(ctx, id, running)
    expect(asked).toEqual([])
    const done = await view(id)
    expect([done.waiting, done.lastGood?.id, done.lastGood?.counts]).toMatchObject([
      null,
      last.id,
      { gone: 4, discontinued: 4 },
    ])
    expect((await catalogOf(id)).filter(({ discontinued }) => discontinued).length).toBe(4)
    await expect(decide(ctx, BY, { id, runId: last.id, approve: true })).rejects.toThrow('no longer waits')
  })

  test('a rejected file keeps everything and asks no second time; a good one takes over by itself', async () => {
    const id = await newSource({ gone: 'remove' })
    await run(id, sends(feed(10)))
    const { last } = await run(id, sends(feed(2)))
    await decide(ctx, BY, { id, runId: last.id, approve: false })
    const again = await run(id, sends(feed(2)))
    expect([again.last.outcome, again.last.message, again.source.waiting]).toEqual([
      'unchanged',
      'The file is still the one that you rejected.',
      null,
    ])
    const other = await run(id, sends(feed(3)))
    expect(other.state).toBe('waiting')
    const whole = await run(id, sends(feed(10, { price: 11 })))
    expect([whole.state, whole.source.waiting, whole.last.counts.updated]).toEqual(['good', null, 10])
    const replaced = (await listRuns(ctx, BY, id)).map(({ outcome }) => outcome)
    expect(replaced).toEqual(['changed', 'replaced', 'unchanged', 'rejected', 'changed'])
  })

  test.each<[what: string, does: Answer, message: RegExp, fix: RegExp]>([
    [
      'not parseable',
      sends('%PDF-1.7 nothing here'),
      /could not be detected/,
      /Check what the address sends/,
    ],
    ['half of a gzip file', sends(gzipSync(feed(500)).subarray(0, 900)), /damaged|detected/, /Check what/],
    ['empty', sends('id,title,category\n', {}), /No products could be read/, /Check what/],
    ['status 500', sends('oops', {}, 500), /status 500/, /try again by ourselves/],
    ['status 401', sends('who', {}, 401), /status 401/, /credentials/],
    ['status 404', sends('', {}, 404), /status 404/, /Check the address/],
    ['reset', (_, response) => void response.socket?.resetAndDestroy(), /127\.0\.0\.1/, /server is up/],
    [
      'cut off in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': '50000' })
        response.write(feed(20))
        setTimeout(() => response.socket?.destroy(), 20)
      },
      /127\.0\.0\.1/,
      /server is up/,
    ],
    ['slow', (_, response) => void response.write('id,title'), /within 1 second/, /smaller or compressed/],
    ['huge', sends(feed(4_000)), /larger than/, /compressed file/],
    [
      'huge, without saying so',
      (_, response) => {
        const write = () => response.write(feed(500), () => !response.destroyed && setImmediate(write))
        write()
      },
      /larger than/,
      /compressed file/,
    ],
    [
      'a gzip bomb as content encoding',
      sends(gzipSync(`${feed(20)}\n${'k1,Kettle Number 1,Spout,kettles,10\n'.repeat(6_000)}`), {
        'content-encoding': 'gzip',
      }),
      /unpacks to more than/,
      /Check what/,
    ],
    [
      'a gzip bomb as a file',
      sends(gzipSync(`${feed(20)}\n${'k1,Kettle Number 1,Spout,kettles,10\n'.repeat(6_000)}`)),
      /unpacks to more than/,
      /Check what/,
    ],
    ['an encoding we do not read', sends('x', { 'content-encoding': 'br' }), /packed/, /plain text or gzip/],
    ['a redirect to nowhere', sends('', {}, 302), /redirects/, /final address/],
    ['redirects without end', sends('', { location: '/feed.csv' }, 302), /redirects/, /final address/],
    ['a 304 that nobody asked for', sends('', {}, 304), /redirects|status/, /./],
  ])('%s: it fails, nothing is lost, and the next run is soon', async (what, does, message, fix) => {
    const id = await newSource({ gone: 'remove' })
    await run(id, sends(feed(8)))
    await pool.query('update sources set etag = null where id = $1', [id])
    if (what.startsWith('a 304'))
      await pool.query('update sources set content_hash = null where id = $1', [id])
    const before = await catalogOf(id)
    const { last, source, state } = await run(id, does, what === 'slow' ? { timeoutMs: 500 } : {})
    expect([last.outcome, state]).toEqual(['failed', 'failing'])
    expect(last.message).toMatch(message)
    expect(last.message).toMatch(/The catalog stays as it was\.$/)
    expect(last.fix).toMatch(fix)
    expect(await catalogOf(id)).toEqual(before)
    expect(source.lastGood).toMatchObject({ outcome: 'changed', counts: { created: 8 } })
    expect([source.goodRows, minutesToNext(source), await waitingJob(id)]).toEqual([8, 15, [15]])
    expect(nextWords(source, (at) => at.toISOString())).toBe(source.nextRunAt?.toISOString())
    // It recovers as if nothing had been.
    const good = await run(id, sends(feed(8, { price: 14 })))
    expect([good.state, good.last.counts.updated, minutesToNext(good.source)]).toEqual(['good', 8, 60])
  })

  test('a first file without products is broken, not shrunk', async () => {
    const id = await newSource()
    const { last, source } = await run(id, sends('id,title,category,price\n,,,\n'))
    expect([last.outcome, last.state, source.waiting]).toEqual(['failed', 'ended', null])
  })

  test('failures are tried again ever later, at most a day', async () => {
    const id = await newSource()
    const delays: Array<number | null> = []
    for (let tries = 0; tries < 9; tries++)
      delays.push(minutesToNext((await run(id, sends('', {}, 500))).source))
    expect(delays).toEqual([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440])
  })

  test('the same as gzip, by its encoding or its bytes, is read', async () => {
    const id = await newSource()
    const plain = await run(id, sends(gzipSync(feed(6)), { 'content-encoding': 'gzip' }))
    expect([plain.last.outcome, plain.last.rows]).toEqual(['changed', 6])
    const file = await run(id, sends(gzipSync(feed(6, { price: 20 }))))
    expect([file.last.outcome, file.last.counts.updated]).toEqual(['changed', 6])
  })
})

describe('a redirect', () => {
  test('is followed to another origin, which gets no credentials', async () => {
    const id = await newSource({ auth: 'basic', credentials: 'shop:hush' })
    const { last } = await run(id, sends('', { location: `http://127.0.0.1:${otherPort}/real` }, 302))
    expect([last.outcome, last.rows]).toEqual(['changed', 4])
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('shop:hush').toString('base64')}`,
      undefined,
    ])
  })

  test.each([
    ['https://169.254.169.254/latest/', []],
    ['https://[::1]:8443/', []],
    ['https://inside.example/feed', ['inside.example']],
    ['http://127.0.0.1:1/feed', []],
  ])('to %s is refused without a packet', async (location, names) => {
    const id = await newSource()
    const { last, source } = await run(id, sends('', { location }, 302))
    expect(last.outcome).toBe('failed')
    expect(last.message).toMatch(/private network, so nothing was sent there|not an https address/)
    expect(looked).toEqual(names)
    // The one connection there was is that to the server that redirected, which may have been open already.
    expect(dialled.filter((place) => place !== `127.0.0.1 ${port}`)).toEqual([])
    expect(minutesToNext(source)).toBe(15)
  })
})

describe('products that are gone', () => {
  test('are discontinued, are back when the file has them again, and an undo takes that back', async () => {
    const id = await newSource({ gone: 'discontinue' })
    await run(id, sends(feed(10)))
    const { last } = await run(id, sends(feed(8)))
    expect(last).toMatchObject({ outcome: 'changed', counts: { gone: 2, discontinued: 2 } })
    expect(last.message).toBe('8 rows: 2 discontinued.')
    const { rows: changes } = await pool.query(
      "select count(*)::int as count from changes where aspect = 'discontinued' and after = '{\"discontinued\": true}'",
    )
    expect(changes[0].count).toBeGreaterThanOrEqual(2)
    const back = await run(id, sends(feed(9)))
    expect(back.last.counts).toMatchObject({ returned: 1, created: 0 })
    expect((await catalogOf(id)).filter(({ discontinued }) => discontinued).length).toBe(1)
    await undoImport(ctx, { ...BY, id: back.last.importId ?? '' })
    expect((await catalogOf(id)).filter(({ discontinued }) => discontinued).length).toBe(2)
    await undoImport(ctx, { ...BY, id: last.importId ?? '' })
    expect((await catalogOf(id)).filter(({ discontinued }) => discontinued).length).toBe(0)
  })

  test('are hidden, but for what people hold; an undo shows them', async () => {
    const id = await newSource({ gone: 'remove' })
    await run(id, sends(feed(10, { from: 101 })))
    const { rows: users } = await pool.query(
      `insert into users (id, email, email_key) values (gen_random_uuid(), 'a@a.example', 'a@a.example') returning id`,
    )
    await pool.query(
      `insert into saved_products (id, user_id, product_id, list)
       select gen_random_uuid(), $1, id, 'mine' from products where title = 'Kettle Number 110'`,
      [users[0].id],
    )
    const { last } = await run(id, sends(feed(8, { from: 101 })))
    expect(last.counts).toMatchObject({ gone: 2, removed: 1, discontinued: 1 })
    const hidden = async () => (await catalogOf(id)).filter((product) => product.hidden).length
    expect(await hidden()).toBe(1)
    const back = await run(id, sends(feed(10, { from: 101, price: 11 })))
    expect([back.last.counts.returned, await hidden()]).toEqual([2, 0])
    await undoImport(ctx, { ...BY, id: back.last.importId ?? '' })
    expect(await hidden()).toBe(1)
  })

  test('stay where another source has them, and where their row only could not be read', async () => {
    const other = await newSource({ gone: 'discontinue' })
    const id = await newSource({ gone: 'discontinue' })
    const numbered = (rows: Array<[string, string, string]>) =>
      ['id,title,category,price,gtin', ...rows.map(([a, b, gtin]) => `${a},${b},kettles,9,${gtin}`)].join(
        '\n',
      )
    const few = Array.from({ length: 8 }, (_, at): [string, string, string] => [`n${at}`, `Pot ${at}`, ''])
    await run(id, sends(numbered([...few, ['g1', 'Pan of two', '4006381333931']])))
    await run(other, sends(numbered([['x1', 'Pan of two', '4006381333931']])))
    const [first, ...others] = few
    const broken: [string, string, string] = [first?.[0] ?? '', '', '']
    const { last } = await run(id, sends(numbered([broken, ...others])))
    expect(last.counts).toMatchObject({ gone: 1, discontinued: 0, failed: 1 })
    expect(last.report.join()).toContain('title')
  })

  test('of a removed source stay, or end with it in one import', async () => {
    const kept = await newSource()
    await run(kept, sends(feed(3, { from: 201 })))
    const { key } = await view(kept)
    expect(await removeSource(ctx, BY, { id: kept })).toMatchObject({ importId: null })
    const { rows } = await pool.query('select count(*)::int as count from product_keys where source = $1', [
      key,
    ])
    expect(rows[0].count).toBe(3)
    const ended = await newSource()
    await run(ended, sends(feed(4, { from: 301 })))
    // One is gone already, and left alone until the source ends.
    await run(ended, sends(feed(3, { from: 301 })))
    const gone = await removeSource(ctx, BY, { id: ended, products: 'remove' })
    expect(gone).toMatchObject({ removed: 4 })
    await expect(view(ended)).rejects.toThrow('no such source')
    expect(await waitingJob(ended)).toEqual([])
    await undoImport(ctx, { ...BY, id: gone.importId ?? '' })
  })
})

describe('a run', () => {
  test('that a crash cut off goes on with the same file and the same import', async () => {
    const id = await newSource()
    answer = sends(feed(12))
    const runId = await askRun(ctx, BY, id)
    const dying = new AbortController()
    // The node dies after the file was stored, while its rows are read.
    const cut = { ...ctx, log: ctx.log, db: ctx.db, limits: ctx.limits }
    const watch = setInterval(async () => {
      const { rows } = await pool.query('select 1 from source_runs where id = $1 and file_id is not null', [
        runId,
      ])
      if (rows.length > 0) dying.abort(new Error('the node died'))
    }, 1)
    await runSource(cut, id, dying.signal).catch(() => {})
    clearInterval(watch)
    const before = asked.length
    await runSource(ctx, id, running)
    const runs = await listRuns(ctx, BY, id)
    expect(runs.map((one) => [one.id, one.outcome, one.rows])).toEqual([[runId, 'changed', 12]])
    expect(asked.length).toBe(before)
    expect(await titles(id)).toBe(12)
  })

  test('is one at a time, and a job that is left over begins none', async () => {
    const id = await newSource()
    await askRun(ctx, BY, id)
    await expect(askRun(ctx, BY, id)).rejects.toThrow('running now')
    answer = sends(feed(3))
    await runSource(ctx, id, running)
    await runSource(ctx, id, running)
    expect((await listRuns(ctx, BY, id)).length).toBe(1)
  })

  test('by two nodes at once is one run', async () => {
    const id = await newSource()
    answer = sends(feed(5))
    const job = () => createSourceJobs(ctx).filter(({ kind }) => kind === 'sources.run')
    const nodes = [1, 2].map(() =>
      createJobRunner({ db: ctx.db, log: captureLog().log, jobs: job(), pollMs: 10 }),
    )
    await pool.query("delete from jobs where kind = 'sources.run' and dedupe_key <> $1", [id])
    for (const node of nodes) node.start()
    while ((await view(id)).last?.state !== 'ended') await new Promise((done) => setTimeout(done, 10))
    await Promise.all(nodes.map((node) => node.stop(1_000)))
    expect(asked.length).toBe(1)
    expect((await listRuns(ctx, BY, id)).map(({ outcome }) => outcome)).toEqual(['changed'])
  })

  test('whose attempts are used up ends as interrupted, and runs again', async () => {
    const id = await newSource()
    await askRun(ctx, BY, id)
    const [job] = createSourceJobs(ctx)
    await job?.gaveUp?.({ sourceId: id })
    const { last, source } = { last: (await view(id)).last, source: await view(id) }
    expect([last?.outcome, last?.message, minutesToNext(source)]).toEqual([
      'failed',
      expect.stringContaining('interrupted'),
      15,
    ])
  })

  test('whose job was dropped is found again', async () => {
    const id = await newSource()
    await pool.query('delete from jobs')
    await pool.query("update sources set next_run_at = now() - interval '10 years' where id = $1", [id])
    const [, look] = createSourceJobs(ctx)
    await look?.run({}, { signal: running, attempt: 1, jobId: '', log: ctx.log })
    expect(await waitingJob(id)).toEqual([0])
  })

  test('that only checks writes nothing', async () => {
    const id = await newSource()
    answer = sends(feed(7, { from: 401 }))
    await askRun(ctx, BY, id, { dryRun: true })
    await runSource(ctx, id, running)
    const { last } = await view(id)
    expect([last?.outcome, last?.counts.created, await titles(id)]).toEqual(['checked', 7, 0])
  })
})

describe('settings', () => {
  test('credentials are sealed, never shown, and do not follow to another address', async () => {
    const id = await newSource({ auth: 'header', credentials: 'X-Key: s3cr3t-word' })
    await run(id, sends(feed(2)))
    expect(asked.at(-1)?.headers['x-key']).toBe('s3cr3t-word')
    const { rows } = await pool.query('select * from sources where id = $1', [id])
    const { rows: audit } = await pool.query('select * from audit_log')
    for (const text of [JSON.stringify(rows), JSON.stringify(audit), JSON.stringify(await view(id))])
      expect(text).not.toContain('s3cr3t-word')
    expect(rows[0].credentials_box).toMatch(/^v1\./)
    const { name } = await view(id)
    const change = { name, url: `http://127.0.0.1:${otherPort}/x`, auth: 'header', every_minutes: 60 }
    await expect(changeSource(ctx, BY, id, SourceInput.parse(change))).rejects.toThrow(
      'enter the credentials again',
    )
    await changeSource(ctx, BY, id, SourceInput.parse({ ...change, url: `http://127.0.0.1:${port}/y` }))
    await run(id, sends(feed(2, { price: 3 })))
    expect([asked.at(-1)?.url, asked.at(-1)?.headers['x-key']]).toEqual(['/y', 's3cr3t-word'])
    expect(JSON.stringify(souk.logged)).not.toContain('s3cr3t-word')
  })

  test('renaming keeps the products, and two of one name are refused', async () => {
    const id = await newSource()
    await run(id, sends(feed(3, { from: 501 })))
    const { name, url } = await view(id)
    const other = await newSource()
    await expect(
      changeSource(ctx, BY, other, SourceInput.parse({ name: name.toUpperCase(), url })),
    ).rejects.toThrow('already have a source')
    await changeSource(
      ctx,
      BY,
      id,
      SourceInput.parse({ name: 'Renamed <b>shop</b>', url, every_minutes: 60 }),
    )
    const { last } = await run(id, sends(feed(3, { from: 501, price: 4 })))
    expect(last.counts).toMatchObject({ created: 0, updated: 3 })
  })

  test.each([
    ['\u001b[2Jname', 'one line of ordinary characters'],
    ['two\nlines', 'one line of ordinary characters'],
    ['', ''],
  ])('the name %j is refused', (name, why) => {
    expect(() => SourceInput.parse({ name, url: 'https://a.example' })).toThrow(why)
  })

  test('an address with a password in it is refused', () => {
    expect(() => SourceInput.parse({ name: 'x', url: 'https://u:p@a.example/' })).toThrow('Credentials')
  })

  test('a paused source does not run, and goes on when resumed', async () => {
    const id = await newSource()
    await pauseSource(ctx, BY, id, true)
    expect(await waitingJob(id)).toEqual([])
    await runSource(ctx, id, running)
    expect((await view(id)).last).toBeNull()
    await pauseSource(ctx, BY, id, false)
    expect(await waitingJob(id)).toEqual([0])
  })
})
