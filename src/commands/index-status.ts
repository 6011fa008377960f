/** `souk index status`: how much of the catalog is embedded, how fast that goes, and how long it will take. */
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { type EmbeddingStatus, embeddingStatus } from '../search/facts.service.ts'
import { withDatabase } from './with-database.ts'

export async function indexCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  })
  if (positionals.length !== 1 || positionals[0] !== 'status') {
    process.stderr.write('usage: npm run souk -- index status [--json]\n')
    return 2
  }
  const status = await withDatabase(config, (database) => embeddingStatus(database, config.embedder))
  process.stdout.write(values.json ? `${JSON.stringify(statusAsJson(status))}\n` : statusAsText(status))
  return 0
}

export function statusAsJson({ model, products, stage, ...rest }: EmbeddingStatus) {
  const stageOf = (pending: number) => ({ done: products - pending, pending })
  return {
    model,
    products,
    whole: stageOf(rest.wholePending),
    sentences: stageOf(rest.sentencesPending),
    stage,
    per_second: rest.perSecond === null ? null : Number(rest.perSecond.toFixed(1)),
    seconds_left: rest.secondsLeft === null ? null : Math.ceil(rest.secondsLeft),
  }
}

export function statusAsText(status: EmbeddingStatus): string {
  const { products, wholePending, sentencesPending } = status
  const line = (name: string, pending: number) => {
    const percent = products === 0 ? 100 : Math.floor((1 - pending / products) * 100)
    return `${name.padEnd(15)}${count(products - pending).padStart(11)}  ${percent} %\n`
  }
  return [
    `${'Products'.padEnd(15)}${count(products).padStart(11)}\n`,
    line('Whole vectors', wholePending),
    line('Sentences', sentencesPending),
    `${paceInWords(status)}\n`,
  ].join('')
}

const STAGES = { whole: 'whole vectors', sentences: 'sentences' }

function paceInWords({ stage, perSecond, secondsLeft }: EmbeddingStatus): string {
  if (stage === null) return 'All done.'
  if (perSecond === null || secondsLeft === null)
    return 'The speed is not known yet. A running server works on it in the background.'
  const left = secondsLeft < 90 ? `${Math.ceil(secondsLeft)} s` : `${Math.ceil(secondsLeft / 60)} min`
  const then = stage === 'whole' ? ' Until then, search finds these products by words only.' : ''
  return `Making ${STAGES[stage]}: ${count(Math.round(perSecond))} products a second, about ${left} left.${then}`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
