/** A search that was asked before, beside a bare node:http server that sends the same bytes. Target: half its rate or more. */
import fs from 'node:fs'
import path from 'node:path'
import type { Figures } from '../figures.ts'
import { compare, figureOf, printRates } from '../measure.ts'
import { type Contender, startServer } from '../processes.ts'
import { searchRequest } from './ask.ts'

const QUERY = 'quiet tent for two in the rain'

export async function benchRepeated(souk: Contender, dir: string): Promise<Figures> {
  const answer = await fetch(`http://127.0.0.1:${souk.port}/api/search/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: QUERY }),
  })
  const file = path.join(dir, 'answer.json')
  fs.writeFileSync(file, await answer.text())
  const bare = await startServer('bare.ts', file, 'application/json')
  const rows = await compare(
    [
      { name: 'bare node:http, same bytes', contender: bare, request: searchRequest(QUERY) },
      { name: 'POST /api/search/, asked before', contender: souk, request: searchRequest(QUERY) },
    ],
    { rounds: 9, seconds: 0.6, connections: 32 },
  )
  await bare.stop()
  printRates('Repeated queries (32 connections)', rows)
  return { 'search.repeated_of_bare': rows[1]?.ofFirst ?? figureOf([]) }
}
