/** Importing products made from the demo catalog: rate and memory at its highest, beside reading and parsing the same file. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import type { Figures } from './figures.ts'
import { figureOf, printTable } from './measure.ts'
import { ROOT, tempDir } from './processes.ts'
import { writeSyntheticCatalog } from './synthetic.ts'

const PRODUCTS = 30_000

export async function benchImport(): Promise<Figures> {
  const dir = tempDir()
  const files = writeSyntheticCatalog(dir, PRODUCTS)
  const env = { ...process.env, SOUK_DATA_DIR: path.join(dir, 'data'), SOUK_CATALOG: 'none' }
  const parsing = await parseAlone(files.products)
  const first = await runImport(files, env)
  const again = await runImport(files, env)
  fs.rmSync(dir, { recursive: true, force: true })
  const row = (name: string, { seconds, rssMb }: ImportRun) => [
    name,
    Math.round(PRODUCTS / seconds).toLocaleString('en'),
    seconds.toFixed(1),
    Number.isNaN(rssMb) ? '' : Math.round(rssMb).toString(),
  ]
  printTable(
    `Import of ${PRODUCTS.toLocaleString('en')} products (JSONL, ${Math.round(files.bytes / 1e6)} MB, whole command)`,
    ['', 'products/s', 'seconds', 'peak RSS MB'],
    [
      row('read and parsed, nothing else', { seconds: parsing, rssMb: Number.NaN }),
      row('into an empty catalog', first),
      row('again, nothing changed', again),
    ],
  )
  return {
    'import.rss_mb': figureOf([Math.max(first.rssMb, again.rssMb)]),
    'import.per_second': figureOf([PRODUCTS / first.seconds]),
    'import.of_parsing': figureOf([first.seconds / parsing]),
  }
}

async function parseAlone(file: string): Promise<number> {
  const started = performance.now()
  for await (const line of readline.createInterface({ input: fs.createReadStream(file) })) JSON.parse(line)
  return (performance.now() - started) / 1000
}

type ImportRun = { seconds: number; rssMb: number }

async function runImport(
  files: { products: string; categories: string },
  env: NodeJS.ProcessEnv,
): Promise<ImportRun> {
  const node = path.join(ROOT, 'node_modules', '.bin', 'node')
  const started = performance.now()
  const child = spawn(
    node,
    [path.join(ROOT, 'dist', 'main.js'), 'import', files.products, '--categories', files.categories],
    { env, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  let rssMb = 0
  const watch = setInterval(() => {
    const status = fs.readFileSync(`/proc/${child.pid}/status`, { encoding: 'utf8', flag: 'r' })
    rssMb = Math.max(rssMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
  }, 200)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`the import failed with exit code ${code}`)
  return { seconds: (performance.now() - started) / 1000, rssMb }
}
