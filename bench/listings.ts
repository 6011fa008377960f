/** Files over the whole catalog: the first and the second request, the memory they take, and how soon a change shows. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadDemoCatalog } from '../src/catalog/demo.service.ts'
import { loadConfig } from '../src/config.ts'
import { type ConnectedDatabase, connectDatabase } from '../src/db/connect.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLog } from '../src/lib/log.ts'
import type { Figures } from './figures.ts'
import { figureOf, printTable } from './measure.ts'
import { cpuMs, startServer, tempDir } from './processes.ts'

const PRODUCTS = 20_000
const QUICK_PRODUCTS = 5_000
const SITEMAP = '/sitemap.xml'
const PATHS = ['/llms.txt', '/llms-full.txt', '/feeds/products.jsonl', '/feeds/google.tsv', SITEMAP]
const CHANGES = 5

export async function benchListings({ quick }: { quick: boolean }): Promise<Figures> {
  const dir = tempDir()
  const dataDir = path.join(dir, 'data')
  const log = createLog('error')
  const server = await startServer('listings.ts', dataDir)
  const database = await connectDatabase(loadConfig({ SOUK_DATA_DIR: dataDir }), { log, role: 'command' })
  try {
    const count = await fill(database, quick ? QUICK_PRODUCTS : PRODUCTS)
    const base = `http://127.0.0.1:${server.port}`
    const before = rssMb(server.pid)
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, rssMb(server.pid) - before)
    }, 50)
    const rows: string[][] = []
    let slowest = 0
    for (const address of PATHS) {
      most = 0
      const cpuBefore = cpuMs(server.pid)
      const first = await download(base + address)
      const cpuSeconds = (cpuMs(server.pid) - cpuBefore) / 1000
      const second = await download(base + address)
      const same = await fetch(base + address, { headers: { 'If-None-Match': second.etag } })
      if (same.status !== 304) throw new Error(`${address}: a known file was answered with ${same.status}`)
      slowest = Math.max(slowest, first.seconds)
      rows.push([
        address,
        (second.bytes / 1e6).toFixed(1),
        first.seconds.toFixed(2),
        (first.bytes / 1e6 / first.seconds).toFixed(0),
        cpuSeconds.toFixed(2),
        second.seconds.toFixed(2),
        (second.bytes / 1e6 / second.seconds).toFixed(0),
        most.toFixed(0),
      ])
    }
    clearInterval(watch)
    printTable(
      `Files over ${count.toLocaleString('en')} products`,
      ['', 'MB', 'first s', 'MB/s', 'CPU s', 'second s', 'MB/s', 'RSS + MB'],
      rows,
    )
    const growth = Math.max(...rows.map((row) => Number(row.at(-1))))
    const shown = await timeChanges(database, base)
    printTable(
      'A change of one product, from its commit',
      ['', 'seconds at most'],
      Object.entries(shown).map(([name, seconds]) => [name, seconds.toFixed(3)]),
    )
    return {
      'listings.rss_growth_mb': figureOf([growth]),
      'listings.first_seconds': figureOf([slowest]),
      'listings.shown_seconds': figureOf([Math.max(...Object.values(shown))]),
    }
  } finally {
    await database.close()
    await server.stop()
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** The demo catalog again and again: profiles of the usual length, each with a name of its own. */
async function fill({ db, pool }: ConnectedDatabase, wanted: number): Promise<number> {
  await loadDemoCatalog({ db, clock: systemClock, log: createLog('error') })
  await pool.query(
    `insert into products (id, slug, category_id, brand_id, title, model, description, verdict, specs, themes, best_for,
       not_for, images, where_to_buy, price_low_cents, price_high_cents, list_price_cents, rating, review_count, released,
       discontinued, mpn, verification_status, provenance)
     select gen_random_uuid(), p.slug || '-e' || n, category_id, brand_id, title || ' Edition ' || n, model, description,
       verdict, specs, themes, best_for, not_for, images, where_to_buy, price_low_cents, price_high_cents,
       list_price_cents, rating, review_count, released, discontinued, mpn || '-' || n, verification_status, provenance
     from products p, generate_series(1, ceil($1::numeric / (select count(*) from products))::int - 1) n`,
    [wanted],
  )
  await pool.query('analyze products')
  const { rows } = await pool.query<{ count: number }>('select count(*) as count from products')
  return rows[0]?.count ?? 0
}

async function download(address: string): Promise<{ bytes: number; seconds: number; etag: string }> {
  const started = performance.now()
  const response = await fetch(address)
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  return {
    bytes,
    seconds: (performance.now() - started) / 1000,
    etag: response.headers.get('etag') ?? '',
  }
}

const LONGEST_WAIT_MS = 30_000

/** Seconds from the commit until a file has a new tag, and that includes the asking. */
async function timeChanges({ pool }: ConnectedDatabase, base: string): Promise<Record<string, number>> {
  const shown: Record<string, number> = {}
  for (const address of PATHS) {
    for (let n = 0; n < CHANGES; n++) {
      const before = await tagsOf(base, address)
      await pool.query(
        `with changed as (
           update products set title = 'Changed ' || gen_random_uuid(), updated_at = now()
           where id = (select id from products order by random() limit 1) returning id, category_id)
         insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from changed`,
      )
      const committed = performance.now()
      while ((await tagsOf(base, address)) === before) {
        if (performance.now() - committed > LONGEST_WAIT_MS) throw new Error(`${address} does not change`)
        await sleep(5)
      }
      shown[address] = Math.max(shown[address] ?? 0, (performance.now() - committed) / 1000)
    }
  }
  return shown
}

/** Of a file in parts, those of all parts: its index names them and does not change with what is in them. */
async function tagsOf(base: string, address: string): Promise<string> {
  if (address !== SITEMAP) return tagOf(base + address)
  const index = await (await fetch(base + address)).text()
  const parts = [...index.matchAll(/<loc>[^<]*(\/sitemaps\/[^<]+)<\/loc>/g)].map(
    ([, part]) => `${base}${part}`,
  )
  const tags = await Promise.all((parts.length > 0 ? parts : [base + address]).map(tagOf))
  return tags.join(' ')
}

async function tagOf(address: string): Promise<string> {
  return (await fetch(address, { method: 'HEAD' })).headers.get('etag') ?? ''
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
