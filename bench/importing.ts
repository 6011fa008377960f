/**
 * A large catalog file imported into a running node, by a command beside it and through its page, and how long /healthz
 * takes to answer until every product is found: a balancer that waits for longer takes the node for dead.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { loadConfig } from '../src/config.ts'
import { type ConnectedDatabase, connectDatabase } from '../src/db/connect.ts'
import { createLog } from '../src/lib/log.ts'
import type { Figures } from './figures.ts'
import type { Polled } from './healthz/poll.ts'
import { watchHealthz } from './healthz.ts'
import { figureOf, printTable } from './measure.ts'
import { signUp } from './people.ts'
import { freePort, NODE, ROOT, startSouk, tempDir } from './processes.ts'
import { writeSyntheticCatalog } from './synthetic.ts'

const PRODUCTS = 100_000
const QUICK_PRODUCTS = 5_000
const EVERY_MS = 50
const TOKEN = 'an-operator-of-the-bench'

type Files = { products: string; categories: string; bytes: number }
type Node = { base: string; dataDir: string; env: Record<string, string> }
type Timed = { name: string; seconds: number; polled: Polled }

export async function benchImporting({ quick }: { quick: boolean }): Promise<Figures> {
  const products = quick ? QUICK_PRODUCTS : PRODUCTS
  const dir = tempDir()
  try {
    const files = writeSyntheticCatalog(dir, products)
    const command = await besideNode(path.join(dir, 'a'), products, importByCommand(files))
    const page = await besideNode(path.join(dir, 'b'), products, importByPage(files))
    printTable(
      `/healthz of a node while ${products.toLocaleString('en')} products (${Math.round(files.bytes / 1e6)} MB) are imported into it`,
      ['', 'seconds', 'asked', 'p50 ms', 'p99 ms', 'over 100 ms', 'worst ms', 'host took ms'],
      [...command, ...page].map(
        ({ name, seconds, polled: { asked, p50Ms, p99Ms, late, worstMs, stolenMs } }) => [
          name,
          seconds.toFixed(1),
          String(asked),
          p50Ms.toFixed(1),
          p99Ms.toFixed(1),
          String(late),
          worstMs.toFixed(1),
          stolenMs.toFixed(0),
        ],
      ),
    )
    return {
      'importing.healthz_worst_ms': worstOf(command),
      'importing.page_healthz_worst_ms': worstOf(page),
    }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

const worstOf = (timed: Timed[]) => figureOf([Math.max(...timed.map(({ polled }) => polled.worstMs))])

type Import = (node: Node, step: (name: string) => Promise<void>) => Promise<void>

/** `step` ends one, of which the table has a line. */
async function besideNode(dataDir: string, products: number, run: Import): Promise<Timed[]> {
  const port = await freePort()
  // Another name than the address it listens on, which its pages are at then.
  const base = `http://localhost:${port}`
  const env = { SOUK_DATA_DIR: dataDir, SOUK_CATALOG: 'none', SOUK_BASE_URL: base }
  const souk = await startSouk({ ...env, PORT: String(port) })
  const healthz = watchHealthz(port, EVERY_MS)
  const timed: Timed[] = []
  try {
    let since = performance.now()
    const step = async (name: string) => {
      timed.push({ name, seconds: (performance.now() - since) / 1_000, polled: await healthz.tell() })
      since = performance.now()
    }
    await run({ base, dataDir, env }, step)
    while ((await indexedBy(port)) < products) await sleep(500)
    await step('… until all of it is found')
    return timed
  } finally {
    await healthz.stop()
    await souk.stop()
  }
}

async function indexedBy(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^souk_index_products (\d+)/m.exec(metrics)?.[1])
}

function importByCommand(files: Files): Import {
  return async ({ env }, step) => {
    const args = ['import', files.products, '--categories', files.categories]
    const child = spawn(NODE, [path.join(ROOT, 'dist', 'main.js'), ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`the import failed with exit code ${code}`)
    await step('souk import')
  }
}

function importByPage(files: Files): Import {
  return async ({ base, dataDir }, step) => {
    const log = createLog('error')
    const database = await connectDatabase(loadConfig({ SOUK_DATA_DIR: dataDir }), { log, role: 'command' })
    try {
      await signUp(database.db, { token: TOKEN, accountType: 'producer', isAdmin: true })
      const post = async (address: string, body: FormData | URLSearchParams) => {
        const headers = { cookie: `souk_session=${TOKEN}`, origin: base, accept: 'text/html' }
        const answer = await fetch(base + address, { method: 'POST', headers, body, redirect: 'manual' })
        await answer.text()
        if (answer.status !== 303) throw new Error(`${address} answered ${answer.status}`)
        return answer.headers.get('location') ?? ''
      }
      const form = new FormData()
      form.set('file', new File([await fs.openAsBlob(files.products)], 'products.jsonl'))
      const file = await post('/admin/imports/new', form)
      await step('page: uploaded')
      await post(`${file}/run`, new URLSearchParams({ step: 'check' }))
      await untilState(database, 'checked')
      await step('page: checked')
      await post(`${file}/run`, new URLSearchParams({ step: 'import' }))
      await untilState(database, 'done')
      await step('page: imported')
    } finally {
      await database.close()
    }
  }
}

/** Of the only file. One that is neither running nor there has failed. */
async function untilState({ db }: ConnectedDatabase, wanted: 'checked' | 'done'): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ state: string }>`select state from import_files`.execute(db)
    const state = rows[0]?.state ?? 'gone'
    if (state === wanted) return
    if (state !== 'checking' && state !== 'importing') throw new Error(`the file is ${state}, not ${wanted}`)
    await sleep(500)
  }
}
