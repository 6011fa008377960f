/**
 * Search beside what it stands on and what others do: a new query beside its embedding alone, a repeated one beside bare
 * node:http, the index by itself, from the demo catalog to a hundred thousand products, beside other engines, and its vectors
 * alone, up to a million.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './figures.ts'
import { type Contender, startSouk, tempDir } from './processes.ts'
import { benchEngines } from './search/engines.ts'
import { benchNewQueries } from './search/new-queries.ts'
import { benchRepeated } from './search/repeated.ts'
import { benchVectors } from './search/vectors.ts'

const SIZES = [10_000, 100_000]
const QUICK_SIZES = [10_000]
const VECTORS = [100_000, 1_000_000]
const QUICK_VECTORS = [100_000]
const READY_WITHIN_MS = 120_000

export async function benchSearch({ quick }: { quick: boolean }): Promise<Figures> {
  const dir = tempDir()
  const souk = await startSouk({ SOUK_DATA_DIR: path.join(dir, 'data') })
  await untilSemantic(souk)
  const figures = { ...(await benchNewQueries(souk)), ...(await benchRepeated(souk, dir)) }
  await souk.stop()
  fs.rmSync(dir, { recursive: true, force: true })
  return {
    ...figures,
    ...(await benchEngines(quick ? QUICK_SIZES : SIZES)),
    ...(await benchVectors(quick ? QUICK_VECTORS : VECTORS)),
  }
}

/** Until the model is loaded words alone decide, which would be measured as a very fast search. */
async function untilSemantic(souk: Contender): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (let turn = 0; ; turn++) {
    const answer = await fetch(`http://127.0.0.1:${souk.port}/api/search/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `tent ${turn}`, include: ['explain'] }),
    })
    const { explain } = (await answer.json()) as { explain?: { mode: string } }
    if (explain?.mode === 'semantic') return
    if (Date.now() > deadline) throw new Error('the search did not become semantic')
    await sleep(100)
  }
}
