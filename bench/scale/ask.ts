/** What is asked of a node on a catalog of some size: is it there, how fast is a search, how soon does a change show. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDemoSet } from '../../eval/judged.ts'
import type { ConnectedDatabase } from '../../src/db/connect.ts'
import { enqueue } from '../../src/jobs/runner.ts'
import { createProgress } from '../../src/lib/progress.ts'
import { EMBED_JOB } from '../../src/search/embed-products.ts'
import { median } from '../measure.ts'
import { cpuMs } from '../processes.ts'
import { askAll } from '../search/ask.ts'
import type { GrowthNode } from './node.ts'

export type Start = { readySeconds: number; searchingSeconds: number }
export type Shown = { medianMs: number; worstMs: number }

const WARM_UP = 60
const CHANGES = 6
const LOOK_MS = 5
const SHOWN_WITHIN_MS = 120_000
const QUIET_WITHIN_MS = 900_000
const HOLD_MS = 24 * 3_600_000

type Mode = 'semantic' | 'keyword'

/** Seconds from the command until the node is ready, and until it has answered a search in that mode. */
export async function timeStart(node: GrowthNode, limitMs: number, mode: Mode = 'semantic'): Promise<Start> {
  const seconds = () => (performance.now() - node.startedAt) / 1_000
  const until = async (reached: () => Promise<boolean>, what: string) => {
    while (!(await reached())) {
      if (performance.now() - node.startedAt > limitMs)
        throw new Error(`the node did not ${what} within ${limitMs / 1_000} s`)
      // To a hundredth: asking is work for a node that is busy with starting.
      await sleep(Math.max(LOOK_MS, seconds() * 10))
    }
    return seconds()
  }
  const readySeconds = await until(
    async () => (await fetch(`${node.base}/readyz`)).status === 200,
    'become ready',
  )
  let turn = 0
  const searchingSeconds = await until(
    async () => (await search(node, `tent ${turn++}`, ['explain'])).explain?.mode === mode,
    `search in mode ${mode}`,
  )
  return { readySeconds, searchingSeconds }
}

/** The demo catalog's queries, each asked once, one at a time: the node has heard none of them before. */
export async function timeSearches(
  node: GrowthNode,
): Promise<{ p50Ms: number; p99Ms: number; cpuMs: number }> {
  // The queries stand in the order of their kinds: every seventh is for warming up, so that both parts have all kinds.
  const queries = [...new Set(readDemoSet().queries.map(({ text }) => text))]
  const warmUp = queries.filter((_, index) => index % 7 === 0).slice(0, WARM_UP)
  const measured = queries.filter((text) => !warmUp.includes(text))
  await askAll(node.port, warmUp, 1)
  const before = cpuMs(node.pid)
  const { p50Ms, p99Ms } = await askAll(node.port, measured, 1)
  return { p50Ms, p99Ms, cpuMs: (cpuMs(node.pid) - before) / measured.length }
}

type Target = { id: string; title: string; path: string; slug: string }

/** From the commit of another process, this one, until the node shows it: on the product's page, and in a search. */
export async function timeChanges(
  database: ConnectedDatabase,
  node: GrowthNode,
): Promise<{ page: Shown; search: Shown }> {
  const { rows } = await database.pool.query<Target>(
    `select p.id, p.title, '/p/' || c.slug || '/' || p.slug || '.json' as path, p.slug
     from products p join categories c on c.id = p.category_id order by random() limit ${CHANGES * 2}`,
  )
  const progress = createProgress('Changing products')
  const page: number[] = []
  const found: number[] = []
  for (const [index, target] of rows.entries()) {
    const word = newWord()
    const onPage = async () => (await (await fetch(node.base + target.path)).text()).includes(word)
    const inSearch = async () => (await search(node, word)).results.some((hit) => hit.title.includes(word))
    if (index % 2 === 0) page.push(await timeChange(database, target, word, onPage))
    else found.push(await timeChange(database, target, word, inSearch))
    // What follows a change, embedding it, must not be in the way of the next one.
    await untilQuiet(database)
    progress.update(index + 1, (index + 1) / rows.length)
  }
  return { page: summary(page), search: summary(found) }
}

async function timeChange(
  { pool }: ConnectedDatabase,
  { id, title }: Target,
  word: string,
  isShown: () => Promise<boolean>,
): Promise<number> {
  // Asked before, so that the node has something old to forget.
  if (await isShown()) throw new Error(`${word} is shown before it is there`)
  await pool.query(
    `with changed as (
       update products set title = $2, updated_at = $3 where id = $1 returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from changed`,
    [id, `${title} ${word}`, new Date()],
  )
  const committed = performance.now()
  while (!(await isShown())) {
    if (performance.now() - committed > SHOWN_WITHIN_MS)
      throw new Error(`a change did not show within ${SHOWN_WITHIN_MS / 1_000} s`)
    await sleep(LOOK_MS)
  }
  return performance.now() - committed
}

/** Letters alone, and none like another: a search forgives mistakes in typing. */
function newWord(): string {
  return [...randomBytes(14)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

function summary(times: number[]): Shown {
  return { medianMs: median(times), worstMs: Math.max(...times) }
}

type SearchAnswer = { explain?: { mode: string }; results: Array<{ title: string }> }

async function search(node: GrowthNode, query: string, include: string[] = []): Promise<SearchAnswer> {
  const answer = await fetch(`${node.base}/api/search/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, include }),
  })
  if (!answer.ok) throw new Error(`a search was answered with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as SearchAnswer
}

/** Until nothing is left to be embedded: a node looks for it when it starts and after every change. */
export async function untilQuiet({ pool }: ConnectedDatabase): Promise<void> {
  const deadline = performance.now() + QUIET_WITHIN_MS
  for (;;) {
    const { rows } = await pool.query<{ open: boolean }>(
      `select exists (select 1 from jobs where kind = $1 and state in ('waiting', 'running')) as open`,
      [EMBED_JOB.kind],
    )
    if (!rows[0]?.open) return
    if (performance.now() > deadline) throw new Error('there is no end to what is being embedded')
    await sleep(20)
  }
}

/** Until the node has its index in files. */
export async function untilWritten(dir: string, { startedAt }: GrowthNode): Promise<void> {
  const began = performance.timeOrigin + startedAt
  const deadline = performance.now() + QUIET_WITHIN_MS
  const manifest = path.join(dir, 'data', 'index', 'manifest')
  while ((fs.statSync(manifest, { throwIfNoEntry: false })?.mtimeMs ?? 0) < began) {
    if (performance.now() > deadline) throw new Error('the node did not write its index to files')
    await sleep(100)
  }
}

/** One waiting job stands for all, so one that waits for long keeps the others from coming. */
export async function holdEmbedding(database: ConnectedDatabase): Promise<void> {
  for (;;) {
    await untilQuiet(database)
    if (await enqueue(database.db, EMBED_JOB, {}, { dedupeKey: 'all', delayMs: HOLD_MS })) return
  }
}

export async function releaseEmbedding({ pool }: ConnectedDatabase): Promise<void> {
  await pool.query(`delete from jobs where kind = $1 and state = 'waiting'`, [EMBED_JOB.kind])
}
