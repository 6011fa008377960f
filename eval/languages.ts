/**
 * Scores searches in other languages over the demo catalog: `npm run eval -- languages`. Each query is written as people
 * type it, umlauts and accents often left out, with the category its results must come from. `read` counts the queries
 * whose language is recognised, `first` those whose first product is of that category, `hit@5` those with at least one
 * among five, `of 5` the share of the five.
 */
import fs from 'node:fs'
import { projectFile } from '../src/lib/paths.ts'
import { readLanguage } from '../src/search/languages/read-language.ts'
import { createDemoSearch } from './demo.ts'
import { mean } from './metrics.ts'

export type ForeignQuery = { language: string; query: string; category: string }

const SHOWN = 5

export function readForeignQueries(): ForeignQuery[] {
  const lines = fs.readFileSync(projectFile('eval', 'languages.jsonl'), 'utf8').split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line) as ForeignQuery)
}

export async function reportLanguages(): Promise<void> {
  const search = await createDemoSearch()
  const scores = []
  for (const written of readForeignQueries()) {
    const { results } = await search.search({ query: written.query, limit: SHOWN, face: 'rest' })
    const right = results.map(({ category }) => category === written.category)
    const share = right.filter(Boolean).length / SHOWN
    scores.push({ ...written, first: right[0] === true, share, read: readLanguage(written.query) })
  }
  process.stdout.write('language  queries  read  first  hit@5  of 5\n')
  for (const language of [...new Set(scores.map((score) => score.language)), 'all']) {
    const own = scores.filter((score) => language === 'all' || score.language === language)
    const columns = [
      String(own.length).padStart(7),
      String(own.filter((score) => score.read.language === score.language).length).padStart(6),
      String(own.filter(({ first }) => first).length).padStart(7),
      String(own.filter(({ share }) => share > 0).length).padStart(7),
      mean(own.map(({ share }) => share))
        .toFixed(2)
        .padStart(6),
    ]
    process.stdout.write(`${language.padEnd(10)}${columns.join('')}\n`)
  }
  for (const { query, category, read, first } of scores)
    if (!first)
      process.stdout.write(`\nnot first: ${query}\n  ${category} ${read.language} ${read.english}\n`)
  await search.close()
}
