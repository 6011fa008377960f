/**
 * The budget of a wish, as search reads it. Some things differ: an amount in another currency is read in dollars, because a
 * plan needs one and says so; "under $0" is a budget of nothing; a plan spends the amount that was named, so "around $1,200"
 * is 1,200 and not the 15 percent above it that a search still shows; and a sum that closes the sentence ("coffee corner,
 * 1k", "set up an office for 1200") is money here, because a wish for several things has nothing else to count there.
 */
import { type Amount, findBudget, readAmount } from '../search/understand/budget.ts'
import {
  foldAt,
  type Phrases,
  phraseAt,
  phrases,
  type Range,
  type Token,
  tokenize,
  wordSet,
} from '../search/understand/tokens.ts'
import { unitAt } from '../search/understand/units.ts'
import type { Wish } from './bundles.schema.ts'
import type { Mention } from './mentions.ts'

type WishMoney = Pick<Wish, 'budget' | 'foreignCurrency'> & {
  taken: Range[]
  /** A sum at the end that carries no sign of money: to be believed only of a wish for several things. */
  bare: { cents: number; approximate: boolean } | null
}

const LEAST_BARE = 50
const LEAST_CAP = 20
/** A number like these is a sum even without a word that leads to one. */
const ROUND = { from: 100, step: 10 }
const CLOSES = wordSet(
  'total altogether together max maximum tops please pls all in overall but and no not keep keeping i we with',
)
const OPENS = wordSet('for on got have budget with is : , . ; - – = only about around')
const YEARS = { from: 1900, to: 2099 }

export function readMoney(
  query: string,
  tokens: readonly Token[],
  isProductWord: (word: string) => boolean,
): WishMoney {
  const { budget, taken, foreign } = findBudget(query, tokens, isProductWord)
  const read = { foreignCurrency: null, taken, bare: null }
  const most = budget?.maxCents ?? null
  if (budget && most !== null) return { ...read, budget: namedAmount(budget.phrase, most, budget) }
  const wide = findBudget(query, tokens, isProductWord, { wide: true })
  const amount = wide.budget?.maxCents ?? null
  if (wide.budget && amount !== null) {
    const currency = foreign.map((range) => currencyIn(query, tokens, range)).find(Boolean) ?? null
    const budget = namedAmount(wide.budget.phrase, amount, wide.budget)
    return { ...read, taken: wide.taken, budget, foreignCurrency: currency }
  }
  const closing = taken.length === 0 ? bareAmount(tokens) : null
  if (!closing) return { ...read, budget: null }
  const bare = { cents: Math.round(closing.dollars * 100), approximate: closing.vague }
  return { ...read, budget: null, taken: [{ from: closing.from, to: closing.to }], bare }
}

/** Search widens "around $100" to 115; one that is only a limit or only a sum is as it was written. */
function namedAmount(
  phrase: string,
  maxCents: number,
  { minCents, approximate }: { minCents: number | null; approximate: boolean },
): Wish['budget'] {
  const tokens = tokenize(phrase)
  const amounts = tokens.flatMap((_, at) => readAmount(tokens, at) ?? [])
  const alone = amounts.find(({ from, to }) => from === 0 && to === tokens.length)
  if (!approximate || (alone && !alone.vague)) return { cents: maxCents, approximate: false }
  // Widened: neither bound was written, the amount between them was.
  const written = amounts.map(({ dollars }) => Math.round(dollars * 100))
  const between = written.filter((cents) => minCents !== null && cents > minCents && cents < maxCents)
  const cents = written.includes(maxCents) ? maxCents : (between[0] ?? maxCents)
  return { cents, approximate: true }
}

/** A sum without a sign of money, before a pause: "coffee corner, 1k", "kitchen basics for 350, I have knives". */
function bareAmount(tokens: readonly Token[]): Amount | null {
  const found = tokens.flatMap((_, from) => {
    const amount = readAmount(tokens, from)
    return amount && isBareSum(tokens, amount) ? [amount] : []
  })
  return found.toSorted((a, b) => b.dollars - a.dollars)[0] ?? null
}

function isBareSum(tokens: readonly Token[], { from, to, dollars, currency, resolution }: Amount): boolean {
  if (currency !== 'none' || resolution || dollars < LEAST_BARE || unitAt(tokens, to)) return false
  const year = dollars > YEARS.from && dollars < YEARS.to && dollars % 50 !== 0
  const round = dollars >= ROUND.from && dollars % ROUND.step === 0
  const opens = from > 0 && OPENS.has(foldAt(tokens, from - 1))
  const leads = from === 0 && /^(?:for|to)$/.test(foldAt(tokens, to))
  return (
    !year &&
    !tokens[from]?.glued &&
    ((opens && pauses(tokens, to)) || (round && (pauses(tokens, to) || leads)))
  )
}

function pauses(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at]
  return (
    !next || CLOSES.has(next.fold) || (next.kind === 'mark' && !next.glued) || /^[,;:.!?)]$/.test(next.fold)
  )
}

export type Cap = { slug: string; cents: number }

const LIMITS: Phrases<true> = phrases<true>([
  [
    true,
    `max|maximum|at most|up to|under|below|beneath|less than|cheaper than|no more than|not more than|not over|not above|never over|within|capped at|limited to|tops|<|< =|<=|≤`,
  ],
])
const BESIDE_LIMIT = wordSet('( : , – - is should be must cost costs costing for at a the can no')
const LIMIT_WORDS = wordSet(
  'max maximum at most up to under below less than no not more over within spend spending',
)
const CAP_REACH = 6

/**
 * What one thing may cost: "the chair at most $300", "monitor no more than 350". A limit behind the last thing of a list is
 * one of the whole, unless another sum is named or the thing is singled out by "the".
 */
export function readCaps(
  query: string,
  tokens: readonly Token[],
  mentions: readonly Mention[],
): { caps: Cap[]; text: string } {
  const amounts = tokens.flatMap((_, at) => {
    const amount = readAmount(tokens, at)
    if (!amount || amount.resolution || unitAt(tokens, amount.to)) return []
    return amount.currency !== 'none' || isWhole(tokens, amount) ? [amount] : []
  })
  const sums = amounts.filter(({ from }) => !amounts.some((other) => other.from < from && other.to > from))
  const caps: Cap[] = []
  let text = query
  for (const amount of sums) {
    const before = ownerOf(tokens, mentions, amount.from)
    const behind = before ? null : ownerBehind(tokens, mentions, amount.to)
    const owner = before ?? behind
    const apart = sums.length - caps.length > 1
    if (!owner || (!apart && foldAt(tokens, owner.from - 1) !== 'the')) continue
    caps.push({ slug: owner.slug, cents: Math.round(amount.dollars * 100) })
    const range = behind ? limitBefore(tokens, amount) : { from: owner.to, to: amount.to }
    const [start, end] = [tokens[range.from]?.start ?? 0, tokens[range.to - 1]?.end ?? 0]
    const open = text.slice(start, end).includes('(') && text[end] === ')' ? 1 : 0
    text = `${text.slice(0, start)},${' '.repeat(end + open - start - 1)}${text.slice(end + open)}`
  }
  return { caps, text }
}

/** "Max $300 on the chair", "300 for the chair". */
function ownerBehind(tokens: readonly Token[], mentions: readonly Mention[], to: number): Mention | null {
  let at = to
  while (/^(?:max|maximum|tops|at|most)$/.test(foldAt(tokens, at))) at++
  if (!/^(?:for|on)$/.test(foldAt(tokens, at))) return null
  if (foldAt(tokens, at + 1) !== 'the') return null
  return mentions.find(({ from }) => from >= at + 2 && from <= at + 3) ?? null
}

function limitBefore(tokens: readonly Token[], { from, to }: Range): Range {
  let start = from
  while (start > 0 && LIMIT_WORDS.has(foldAt(tokens, start - 1))) start--
  let end = to
  while (/^(?:max|maximum|tops|at|most|for|on|the)$/.test(foldAt(tokens, end))) end++
  return { from: start, to: end }
}

function isWhole(tokens: readonly Token[], { from, to, dollars }: Amount): boolean {
  if (tokens[from]?.kind !== 'number' || dollars < LEAST_CAP) return false
  const ofThing = /^(?:for|on)$/.test(foldAt(tokens, to)) && foldAt(tokens, to + 1) === 'the'
  return pauses(tokens, to) || ofThing || (from === 0 && foldAt(tokens, to) === 'for')
}

/** The thing whose limit this is: its name, then a word of limit, then the amount. */
function ownerOf(tokens: readonly Token[], mentions: readonly Mention[], amountAt: number): Mention | null {
  let limited = false
  for (let at = amountAt; at > Math.max(0, amountAt - CAP_REACH); at--) {
    const named = mentions.find(({ to }) => to === at)
    if (named) return limited ? named : null
    const word = foldAt(tokens, at - 1)
    for (let from = at - 1; from >= Math.max(0, at - 3); from--) {
      const limit = phraseAt(LIMITS, tokens, from)
      if (limit && limit.to === at) {
        limited = true
        at = from + 1
      }
    }
    if (!limited && !BESIDE_LIMIT.has(word)) return null
    if (
      limited &&
      !BESIDE_LIMIT.has(word) &&
      !phraseAt(LIMITS, tokens, at - 1) &&
      !mentions.some(({ to }) => to === at - 1)
    )
      return null
  }
  return null
}

/** The currency as it was written: "€", "C$", "euros", "GBP". */
function currencyIn(query: string, tokens: readonly Token[], range: Range): string | null {
  for (let at = range.from; at < range.to; at++) {
    const amount = readAmount(tokens, at)
    if (amount?.currency !== 'other') continue
    const parts = tokens.slice(amount.from, amount.to)
    const sign = parts.findIndex(({ kind }) => kind === 'sign')
    const letters = parts[sign]?.glued && parts[sign - 1]?.kind === 'word' ? sign - 1 : sign
    const word = parts.at(-1)?.kind === 'word' ? parts.at(-1) : parts[0]
    const dollar = parts[sign]?.fold === '$' && letters === sign
    const [first, last] = sign < 0 || dollar ? [word, word] : [parts[letters], parts[sign]]
    return first && last ? query.slice(first.start, last.end) : null
  }
  return null
}
