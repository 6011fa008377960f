/**
 * The budget of a wish, as search reads it. Some things differ: an amount in another currency is read in dollars, because a
 * plan needs one and says so; "under $0" is a budget of nothing; a plan spends the amount that was named, so "around $1,200"
 * is 1,200 and not the 15 percent above it that a search still shows; and a sum that closes the sentence ("coffee corner,
 * 1k", "set up an office for 1200") is money here, because a wish for several things has nothing else to count there.
 */
import { type Amount, findBudget, readAmount } from '../search/understand/budget.ts'
import { foldAt, type Range, type Token, tokenize, wordSet } from '../search/understand/tokens.ts'
import { unitAt } from '../search/understand/units.ts'
import type { Wish } from './bundles.schema.ts'

type WishMoney = Pick<Wish, 'budget' | 'foreignCurrency'> & {
  taken: Range[]
  /** A sum at the end that carries no sign of money: to be believed only of a wish for several things. */
  bare: { cents: number; approximate: boolean } | null
}

const LEAST_BARE = 50
const CLOSES = wordSet('total altogether together max maximum tops please pls all in overall')
const OPENS = wordSet('for got have budget with is : , . ; - – = only')
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
  const closing = taken.length === 0 ? closingAmount(tokens) : null
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

function closingAmount(tokens: readonly Token[]): Amount | null {
  let end = tokens.length
  while (end > 0 && (CLOSES.has(foldAt(tokens, end - 1)) || /^[.!)]$/.test(foldAt(tokens, end - 1)))) end--
  for (let from = Math.max(0, end - 4); from < end; from++) {
    const amount = readAmount(tokens, from)
    if (!amount || amount.to !== end || amount.currency !== 'none' || amount.resolution) continue
    const { dollars } = amount
    const year = dollars > YEARS.from && dollars < YEARS.to && dollars % 50 !== 0
    if (dollars < LEAST_BARE || year || unitAt(tokens, amount.to)) return null
    return from === 0 || !OPENS.has(foldAt(tokens, from - 1)) ? null : amount
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
