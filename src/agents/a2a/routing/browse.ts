/**
 * Whether a message only asks to see a category, and in what order. Any wish beyond that ("for two", "under $300", "with
 * a vestibule") makes it a search, because a list cannot answer it. Categories are told by the words that search's own
 * lexicon gives them.
 */
import type { CatalogIndex } from '../../../search/catalog-index.ts'
import { MAX_LIMIT } from '../../../search/search.schema.ts'
import { readNumber } from '../../../search/understand/budget.ts'
import { lexiconOf, termOf } from '../../../search/understand/names.ts'
import { foldAt, type Token, wordSet } from '../../../search/understand/tokens.ts'
import type { Understood } from '../../../search/understand/understand.ts'
import { contentAt } from './content.ts'
import type { Message } from './message.ts'
import type { Signal, SignalFound } from './signals.ts'

export type BrowseRead =
  | { kind: 'browse'; params: Record<string, unknown> }
  /** Several categories go by the words given. */
  | { kind: 'which'; categories: string[]; params: Record<string, unknown> }

const SORTS = ['price_asc', 'price_desc', 'rating', 'newest', 'popular'] as const
const IN_A_LIST: ReadonlySet<Signal> = new Set<Signal>([
  'browse',
  'offer',
  'discontinued',
  'categories',
  'changeable',
  ...SORTS,
])
const LIMIT_LEADS = wordSet('top first limit just only me list show the best max : = give')
const ALL_OF_IT = wordSet('everything catalog catalogue inventory products items selection range stock')

export function readBrowse(
  index: CatalogIndex,
  message: Message,
  understood: Understood,
  signals: readonly SignalFound[],
): BrowseRead | null {
  const { tokens } = message
  const said = new Set(signals.map(({ signal }) => signal))
  const changeable = signals.filter(({ signal }) => signal === 'changeable')
  if ([...said].some((signal) => !IN_A_LIST.has(signal))) return null
  if (changeable.some(({ from }) => foldAt(tokens, from) !== 'new')) return null
  if (understood.budget || understood.negated.length > 0 || understood.sizes.length > 0) return null
  if (understood.excludedBrands.length > 0 || understood.excludedKinds.length > 0) return null
  if (understood.reference) return null
  if (understood.brands.length > 0 || understood.models.length > 0 || understood.audience.length > 0)
    return null
  const limit = readLimit(tokens)
  if (limit === null) return null
  const words = contentAt(message, signals).map((at) => foldAt(tokens, at))
  const params = {
    ...sortOf(said, changeable.length > 0),
    ...((said.has('offer') || understood.sale) && { on_sale: true }),
    ...(said.has('discontinued') && { include_discontinued: true }),
    ...(limit !== undefined && { limit }),
  }
  if (words.length === 0) {
    const all =
      said.has('categories') || (said.has('browse') && tokens.some(({ fold }) => ALL_OF_IT.has(fold)))
    return all ? { kind: 'browse', params: {} } : null
  }
  const [category, ...others] = categoriesOf(index, words)
  if (!category) return null
  if (others.length > 0)
    return said.has('browse') ? { kind: 'which', categories: [category, ...others], params } : null
  return { kind: 'browse', params: { category, ...params } }
}

function sortOf(said: ReadonlySet<Signal>, isNew: boolean): { sort?: string } {
  const sort = SORTS.find((one) => said.has(one)) ?? (isNew ? 'newest' : undefined)
  return sort ? { sort } : {}
}

/** The lexicon leaves them out of labels, though some end in them. */
const SET_WORDS = wordSet('set sets')
const NO_VOTES: ReadonlyMap<string, number> = new Map()

/** The categories that every word speaks for, those it speaks loudest for alone; none when a word is no category's. */
export function categoriesOf(index: CatalogIndex, words: readonly string[]): string[] {
  const { stems } = lexiconOf(index.vocabulary())
  const votes = words.flatMap((word, at) => {
    if (SET_WORDS.has(word)) return []
    const joined = [word + (words[at + 1] ?? ''), (words[at - 1] ?? '') + word]
    const terms = [word, ...joined].map(termOf)
    return [terms.map((term) => stems.get(term)).find((slugs) => slugs !== undefined) ?? NO_VOTES]
  })
  const scores = new Map(
    [...(votes[0] ?? NO_VOTES).keys()].flatMap((slug) => {
      const weights = votes.map((slugs) => slugs.get(slug) ?? 0)
      return weights.includes(0) ? [] : [[slug, weights.reduce((sum, weight) => sum + weight, 0)]]
    }),
  )
  if (scores.size === 0) return []
  const best = Math.max(...scores.values())
  const loudest = [...scores].flatMap(([slug, score]) => (score === best ? [slug] : []))
  // "Monitors" is the whole name of one category and the last word of another.
  const whole = loudest.filter((slug) => slug.split('-').length === words.length)
  return whole.length === 1 ? whole : loudest
}

/** Undefined without a number; null when a number means something else. */
function readLimit(tokens: readonly Token[]): number | undefined | null {
  let limit: number | undefined
  for (let at = 0; at < tokens.length; at++) {
    const read = readNumber(tokens, at)
    if (!read) continue
    const led = at === 0 || LIMIT_LEADS.has(foldAt(tokens, at - 1))
    const count = led && Number.isInteger(read.value) && read.value >= 1 && !tokens[read.to]?.glued
    if (count && limit === undefined) limit = Math.min(read.value, MAX_LIMIT)
    else if (tokens[at]?.kind === 'number') return null
    at = read.to - 1
  }
  return limit
}
