/**
 * Files that producers bring, the largest and the most awkward ones, uploaded, looked at, checked and imported, and how
 * long /healthz takes to answer meanwhile: nobody else is to notice them.
 */
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { loadConfig } from '../src/config.ts'
import { connectDatabase } from '../src/db/connect.ts'
import { newId } from '../src/lib/ids.ts'
import { createLog } from '../src/lib/log.ts'
import type { Figures } from './figures.ts'
import type { Polled } from './healthz/poll.ts'
import { watchHealthz } from './healthz.ts'
import { figureOf, printTable } from './measure.ts'
import { signUp } from './people.ts'
import { freePort, startSouk, tempDir } from './processes.ts'

const ROWS = 2_000
const TOKEN = 'a-session-of-the-bench'
const RSS = '<rss xmlns:g="http://base.google.com/ns/1.0"><channel>'

type Brought = { name: string; file: string; text: string }

export async function benchUploads({ quick }: { quick: boolean }): Promise<Figures> {
  const dir = tempDir()
  const dataDir = path.join(dir, 'data')
  const port = await freePort()
  // Another name than the address it listens on, which it then says.
  const base = `http://localhost:${port}`
  const env = { SOUK_DATA_DIR: dataDir, SOUK_CATALOG: 'none', SOUK_LIMITS: 'import=off', SOUK_BASE_URL: base }
  const souk = await startSouk({ ...env, PORT: String(port) })
  const healthz = watchHealthz(port, 5)
  try {
    const org = await createProducer(dataDir)
    await healthz.tell()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const idle = await healthz.tell()
    const rows = [rowOf('nothing brought', '', 0, idle)]
    let worst = 0
    for (const { name, file, text } of quick ? files().slice(0, 2) : files()) {
      const started = performance.now()
      await bring(base, org, file, text)
      const seconds = (performance.now() - started) / 1000
      const found = await healthz.tell()
      worst = Math.max(worst, found.worstMs)
      rows.push(rowOf(name, (text.length / 1e6).toFixed(1), seconds, found))
    }
    printTable(
      `/healthz while a producer's file is uploaded, looked at three times, checked and imported`,
      ['', 'MB', 'seconds', 'asked', 'p50 ms', 'worst ms'],
      rows,
    )
    return { 'uploads.healthz_worst_ms': figureOf([worst]) }
  } finally {
    await healthz.stop()
    await souk.stop()
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

function rowOf(name: string, mb: string, seconds: number, { asked, p50Ms, worstMs }: Polled): string[] {
  return [name, mb, seconds ? seconds.toFixed(1) : '', String(asked), p50Ms.toFixed(2), worstMs.toFixed(1)]
}

function files(): Brought[] {
  const many = (count: number, one: (n: number) => string, between = '') =>
    Array.from({ length: count }, (_, n) => one(n)).join(between)
  const item = (n: number, more: string) =>
    `<item><g:id>${n}</g:id><title>Kettle ${n}</title><g:product_type>kettles</g:product_type>${more}</item>\n`
  const images = many(60, (n) => `{"url":"https://x.example/${n}/${'p'.repeat(120)}"}`, ',')
  return [
    {
      name: '600,000 attributes on an item',
      file: 'attributes.xml',
      text: `${RSS}${item(0, '')}<item${many(600_000, (n) => ` a${n}=""`)}></item></channel></rss>`,
    },
    {
      name: '2,000 rows of a sheet',
      file: 'sheet.csv',
      text: `title,category,brand,description\n${many(ROWS, (n) => `Sheet ${n},kettles,Bench,${'word '.repeat(1_800)}`, '\n')}`,
    },
    {
      name: '2,000 lines of JSON, 60 pictures each',
      file: 'lines.jsonl',
      text: many(ROWS, (n) => `{"title":"Line ${n}","category":"kettles","images":[${images}]}`, '\n'),
    },
    {
      name: '2,000 items of a feed',
      file: 'feed.xml',
      text: `${RSS}${many(ROWS, (n) => item(n, `<description>${'&lt;b&gt;word '.repeat(600)}</description>`))}</channel></rss>`,
    },
  ]
}

async function bring(base: string, org: string, name: string, text: string): Promise<void> {
  const headers = { cookie: `souk_session=${TOKEN}`, origin: base, accept: 'text/html' }
  const post = async (address: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ org_id: org, ...fields })
    const answer = await fetch(base + address, { method: 'POST', headers, body, redirect: 'manual' })
    await answer.text()
    if (answer.status >= 400) throw new Error(`${address} answered ${answer.status}`)
  }
  const form = new FormData()
  for (const [field, value] of Object.entries({ org_id: org, url: '', source: '' })) form.set(field, value)
  form.set('file', new File([text], name))
  const upload = await fetch(`${base}/dashboard/import`, {
    method: 'POST',
    headers,
    body: form,
    redirect: 'manual',
  })
  const draft = upload.headers.get('location')?.split('?')[0]
  if (upload.status !== 303 || !draft) throw new Error(`the upload of ${name} answered ${upload.status}`)
  for (let n = 0; n < 3; n++) await (await fetch(base + draft, { headers })).text()
  await post(`${draft}/result`, { act: 'check' })
  await post(`${draft}/result`, { act: 'import' })
}

/** An organization whose owner is signed in, and a category for what they bring. */
async function createProducer(dataDir: string): Promise<string> {
  const log = createLog('error')
  const database = await connectDatabase(loadConfig({ SOUK_DATA_DIR: dataDir }), { log, role: 'command' })
  const org = newId()
  const { db } = database
  await sql`insert into categories (id, slug, label, description)
    values (${newId()}, 'kettles', 'Kettles', 'They boil.')`.execute(db)
  const user = await signUp(db, { token: TOKEN, accountType: 'producer' })
  await sql`insert into orgs (id, name, org_type, verification_token)
    values (${org}, 'Bench', 'retailer', 'bench')`.execute(db)
  await sql`insert into org_members (org_id, user_id, role) values (${org}, ${user}, 'owner')`.execute(db)
  await database.close()
  return org
}
