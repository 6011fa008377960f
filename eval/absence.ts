/**
 * Does the search know when it has nothing? `npm run eval -- absence` asks for 100 things that the demo catalog does not
 * hold and for 300 that it does, and counts which answers say so: `match` is "none" or "near" rather than "good". Of the
 * 300, every third or so comes from eval/queries.jsonl, the others from eval/absence.jsonl. An answer without `match`
 * claims to be good. The 40 absent and 20 present ones of eval/absence.blind.jsonl were written before anybody looked at
 * what fails, teach nothing (eval/learn-fit.ts), and are counted apart.
 */
import fs from 'node:fs'
import { projectFile } from '../src/lib/paths.ts'
import type { Search } from '../src/search/search.service.ts'
import { createDemoSearch } from './demo.ts'
import { readDemoSet } from './judged.ts'
import type { Fact } from './obedience-facts.ts'

export const ABSENT_SLICES = ['other goods', 'impossible', 'gibberish', 'services', 'brand and kind'] as const
export const PRESENT_SLICES = ['short', 'long', 'sloppy', 'paraphrase', 'judged'] as const

export type AbsenceQuery = {
  slice: (typeof ABSENT_SLICES)[number] | (typeof PRESENT_SLICES)[number]
  query: string
  /** What no product of the catalog is: the proof that the thing is absent, where facts can give one. */
  never?: Fact[]
  /** A pattern of the titles that answer it. */
  answer?: string
}

export type Match = 'good' | 'near' | 'none'

const FROM_JUDGED = 150
const PAGE = 8

export function readBlindAbsence(): AbsenceQuery[] {
  return readWritten('absence.blind.jsonl')
}

function readWritten(file: string): AbsenceQuery[] {
  const lines = fs.readFileSync(projectFile('eval', file), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as AbsenceQuery)
}

export function readAbsence(): AbsenceQuery[] {
  const written = readWritten('absence.jsonl')
  const judged = readDemoSet().queries
  const taken = Array.from({ length: FROM_JUDGED }, (_, at) => Math.floor((at * judged.length) / FROM_JUDGED))
  return [
    ...written,
    ...taken.flatMap((at): AbsenceQuery[] => {
      const query = judged[at]
      return query ? [{ slice: 'judged', query: query.text }] : []
    }),
  ]
}

export function isAbsent({ slice }: AbsenceQuery): boolean {
  return ABSENT_SLICES.some((absent) => absent === slice)
}

export type AbsenceScore = AbsenceQuery & { match: Match; note: string; first: string }

export async function scoreAbsence(search: Search, queries = readAbsence()): Promise<AbsenceScore[]> {
  const scores: AbsenceScore[] = []
  for (const asked of queries) {
    const answer = await search.search({ query: asked.query, limit: PAGE, face: 'web' })
    const { match = 'good', note } = answer as typeof answer & { match?: Match; note?: string | null }
    scores.push({ ...asked, match, note: note ?? '', first: answer.results[0]?.title ?? 'nothing' })
  }
  return scores
}

export async function reportAbsence(): Promise<void> {
  const search = await createDemoSearch()
  const scores = await scoreAbsence(search)
  const blind = await scoreAbsence(search, readBlindAbsence())
  await search.close()
  const isRight = (score: AbsenceScore) => (score.match === 'good') !== isAbsent(score)
  printRow('slice', 'queries', 'good', 'near', 'none', 'right')
  const printSlice = (name: string, own: AbsenceScore[]) => {
    const count = (match: Match) => own.filter((score) => score.match === match).length
    printRow(name, own.length, count('good'), count('near'), count('none'), own.filter(isRight).length)
  }
  const [absent, present] = [scores.filter(isAbsent), scores.filter((score) => !isAbsent(score))]
  for (const slice of ABSENT_SLICES)
    printSlice(
      slice,
      absent.filter((score) => score.slice === slice),
    )
  printSlice('all absent', absent)
  for (const slice of PRESENT_SLICES)
    printSlice(
      slice,
      present.filter((score) => score.slice === slice),
    )
  printSlice('all present', present)
  printSlice('blind absent', blind.filter(isAbsent))
  printSlice(
    'blind present',
    blind.filter((score) => !isAbsent(score)),
  )
  process.stdout.write('\n')
  for (const { slice, query, match, note, first } of scores.filter((score) => !isRight(score)))
    process.stdout.write(`${slice} | ${query} | ${match}: ${first}${note && ` | ${note}`}\n`)
}

function printRow(name: string, ...cells: Array<string | number>): void {
  process.stdout.write(`${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(9)).join('')}\n`)
}
