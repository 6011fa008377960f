/**
 * Product reads beside a bare node:http server that sends the same bytes, and beside the usual frameworks. Target: JSON at
 * 70 % of the bare server or more. Beside them what a page costs the first time it is asked for, when it has to be made,
 * and a page that is made every time.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Figures } from './figures.ts'
import { httpRequest } from './load.ts'
import { compare, figureOf, printRates, printTable, ratioOf } from './measure.ts'
import { type Contender, cpuMs, startServer, startSouk, tempDir } from './processes.ts'

const PATH = '/p/tents/tarnhollow-skein-2'
const FRAMEWORKS = [
  ['Fastify with its log, writes the JSON', 'fastify', 'object'],
  ['Fastify, ready bytes', 'fastify', 'bytes'],
  ['Express, writes the JSON', 'express', 'object'],
  ['Express, ready bytes', 'express', 'bytes'],
] as const

export async function benchReads(): Promise<Figures> {
  const dir = tempDir()
  const souk = await startSouk({ SOUK_DATA_DIR: path.join(dir, 'data') })
  const first = await firstReads(souk)
  const body = await (await fetch(`http://127.0.0.1:${souk.port}${PATH}.json`)).text()
  const file = path.join(dir, 'product.json')
  fs.writeFileSync(file, body)
  const bare = await startServer('bare.ts', file, 'application/ld+json')
  const frameworks = await Promise.all(
    FRAMEWORKS.map(async ([name, ...args]) => ({
      name,
      contender: await startServer('reads.ts', args[0], file, args[1]),
      request: httpRequest(PATH),
    })),
  )
  const rows = await compare(
    [
      { name: 'bare node:http, same bytes', contender: bare, request: httpRequest(PATH) },
      { name: 'Souk product JSON-LD', contender: souk, request: httpRequest(`${PATH}.json`) },
      ...frameworks,
      { name: 'Souk product HTML', contender: souk, request: httpRequest(PATH) },
      {
        name: 'Souk product HTML, brotli',
        contender: souk,
        request: httpRequest(PATH, { 'Accept-Encoding': 'br' }),
      },
      {
        name: 'Souk page of search results',
        contender: souk,
        request: httpRequest(`/search?q=${encodeURIComponent('tent for two in the rain')}`),
      },
    ],
    { rounds: 7, seconds: 0.6, connections: 32 },
  )
  await Promise.all([souk, bare, ...frameworks.map(({ contender }) => contender)].map(({ stop }) => stop()))
  fs.rmSync(dir, { recursive: true, force: true })
  printRates('Reads (32 connections)', rows)
  printTable(
    `Made when first asked for (${first.products} products, one after the other)`,
    ['', 'CPU ms', 'of JSON-LD'],
    [
      ['JSON-LD', first.jsonMs.toFixed(2), '1.0 ×'],
      ['HTML', first.htmlMs.toFixed(2), `${(first.htmlMs / first.jsonMs).toFixed(1)} ×`],
    ],
  )
  const rates = (name: string) => rows.find((row) => row.name === name)?.rates ?? []
  const json = rates('Souk product JSON-LD')
  return {
    'reads.json_of_bare': rows[1]?.ofFirst ?? figureOf([]),
    ...Object.fromEntries(
      FRAMEWORKS.map(([name, framework, form]) => [
        `reads.json_of_${framework}${form === 'bytes' ? '_bytes' : ''}`,
        ratioOf(json, rates(name)),
      ]),
    ),
    'reads.html_of_json': ratioOf(rates('Souk product HTML'), json),
    'reads.first_html_of_json': figureOf([first.htmlMs / first.jsonMs]),
  }
}

/** CPU time a product in each form, none of which was made before; the first few warm the code up. */
async function firstReads({ port, pid }: Contender) {
  const base = `http://127.0.0.1:${port}`
  const listing = await (await fetch(`${base}/llms.txt`)).text()
  const paths = [...new Set(listing.match(/\/p\/[a-z0-9-]+\/[a-z0-9-]+(?=[.)\s])/g))]
  const warm = Math.floor(paths.length / 4)
  const read = async (some: string[], extension: string) => {
    const before = cpuMs(pid)
    for (const one of some) await (await fetch(`${base}${one}${extension}`)).text()
    return (cpuMs(pid) - before) / some.length
  }
  await read(paths.slice(0, warm), '')
  await read(paths.slice(0, warm), '.json')
  const rest = paths.slice(warm)
  return { products: rest.length, jsonMs: await read(rest, '.json'), htmlMs: await read(rest, '') }
}
