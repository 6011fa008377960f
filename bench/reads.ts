/** Product reads beside a bare node:http server that sends the same bytes. Target: JSON at 70 % of it or more. */
import fs from 'node:fs'
import path from 'node:path'
import { httpRequest } from './load.ts'
import { compare, printRates } from './measure.ts'
import { startServer, startSouk, tempDir } from './processes.ts'

const PATH = '/p/tents/tarnhollow-skein-2'

export async function benchReads(): Promise<Record<string, number>> {
  const dir = tempDir()
  const souk = await startSouk({ SOUK_DATA_DIR: path.join(dir, 'data') })
  const body = await (await fetch(`http://127.0.0.1:${souk.port}${PATH}.json`)).text()
  const file = path.join(dir, 'product.json')
  fs.writeFileSync(file, body)
  const bare = await startServer('bare.ts', file, 'application/ld+json')
  const rows = await compare(
    [
      { name: 'bare node:http, same bytes', contender: bare, request: httpRequest(PATH) },
      { name: 'Souk product JSON-LD', contender: souk, request: httpRequest(`${PATH}.json`) },
      { name: 'Souk product HTML', contender: souk, request: httpRequest(PATH) },
      {
        name: 'Souk product HTML, brotli',
        contender: souk,
        request: httpRequest(PATH, { 'Accept-Encoding': 'br' }),
      },
    ],
    { rounds: 15, seconds: 0.7, connections: 32 },
  )
  await Promise.all([souk.stop(), bare.stop()])
  fs.rmSync(dir, { recursive: true, force: true })
  printRates('Reads (32 connections)', rows)
  return { 'reads.json_of_bare': rows[1]?.ofFirst ?? 0 }
}
