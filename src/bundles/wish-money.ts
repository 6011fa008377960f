/**
 * The budget of a wish, as search reads it. Some things differ: an amount in another currency is read in dollars, because a
 * plan needs one and says so; "under $0" is a budget of nothing; a plan spends the amount that was named, so "around $1,200"
 * is 1,200 and not the 15 percent above it that a search still shows; and a sum that closes the sentence ("coffee corner,
 * 1k", "set up an office for 1200") is money here, because a wish for several things has nothing else to count there.
 */
import { type Amount, findBudget, readAmount } from '../search/understand/budget.ts'
import { isGerund } from '../search/understand/negation.ts'
import {
  foldAt,
  isGlued,
  isWord,
  type Phrases,
  phraseAt,
  type Range,
  type Token,
  tokenize,
  wordSet,
} from '../search/understand/tokens.ts'
import { unitAt } from '../search/understand/units.ts'
import type { Wish } from './bundles.schema.ts'
import type { Mention } from './mentions.ts'
import { isPerson, phraseList } from './wish-words.ts'

type WishMoney = Pick<Wish, 'budget' | 'foreignCurrency'> & {
  taken: Range[]
  /** A sum at the end that carries no sign of money: to be believed only of a wish for several things. */
  bare: { cents: number; approximate: boolean } | null
  /** No word says that the bare sum is one: "Block Party 500" is a product. */
  mayBeName: boolean
}

const LEAST_BARE = 50
const LEAST_CAP = 20
/** A number like these is a sum even without a word that leads to one. */
const ROUND = { from: 100, step: 10 }
const CLOSES = wordSet(
  `total altogether together max maximum tops please pls all in overall but and no not keep keeping i we with is limit for to
  incl including budget combined if ideally preferably or roughly usd goes toward towards saved aside left spare available so maybe`,
)
const OPENS = wordSet(
  `for on got have budget with is spend under around about just only of at : , . ; - – — = ( max limit total put saved so > say roughly about gave give the our my`,
)

export function readMoney(
  query: string,
  tokens: readonly Token[],
  isProductWord: (word: string) => boolean,
): WishMoney {
  const { budget, taken, foreign } = findBudget(query, tokens, isProductWord)
  const read = { foreignCurrency: null, taken, bare: null, mayBeName: false }
  const whole = wholeSum(tokens)
  if (whole) {
    const range = { from: whole.from, to: whole.to }
    return {
      ...read,
      taken: [...taken, range],
      budget: { cents: Math.round(whole.dollars * 100), approximate: whole.vague },
    }
  }
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
  const { from, to, dollars, vague } = closing
  const mayBeName = from > 0 && !OPENS.has(foldAt(tokens, from - 1)) && !CLOSES.has(foldAt(tokens, to))
  const bare = { cents: Math.round(dollars * 100), approximate: vague }
  return { ...read, budget: null, taken: [{ from, to }], bare, mayBeName }
}

const OF_THE_WHOLE: Phrases<true> = phraseList(
  'total|is the total|is the limit|is my limit|is the budget|is all|in total|altogether|overall|in all|all in|together|all together|combined|for everything|in sum',
)

/** The sum that is said to be of everything, where others stand beside it: "700 together". */
function wholeSum(tokens: readonly Token[]): Amount | null {
  const sums = tokens.flatMap((_, at) => {
    const amount = readAmount(tokens, at)
    const known = amount && !amount.resolution && amount.dollars >= LEAST_BARE && !unitAt(tokens, amount.to)
    return known && amount.currency !== 'other' ? [amount] : []
  })
  const whole = sums.filter(({ to }) => phraseAt(OF_THE_WHOLE, tokens, to))
  return whole.length === 1 ? (whole[0] ?? null) : null
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
  if (isAge(tokens, from)) return false
  const opens = from === 0 || OPENS.has(foldAt(tokens, from - 1))
  // "1,300 avoiding Meridesk"
  const closes = pauses(tokens, to) || CLOSES.has(foldAt(tokens, to)) || isGerund(foldAt(tokens, to))
  const round = dollars >= ROUND.from && dollars % ROUND.step === 0
  return (
    !(isGlued(tokens, from) && isWord(tokens, from - 1)) &&
    ((opens && closes) || (round && (opens || closes)))
  )
}

const OLDEST = 110

/** "My grandmother is 84", "turned 50": no sum of money. */
function isAge(tokens: readonly Token[], at: number): boolean {
  if ((tokens[at]?.value ?? Infinity) > OLDEST) return false
  if (/^(?:turn(?:s|ed|ing)?|aged?)$/.test(foldAt(tokens, at - 1))) return true
  const told = /^(?:is|was|,|be)$/.test(foldAt(tokens, at - 1))
  return (
    told && tokens.slice(Math.max(0, at - 4), at).some(({ fold }) => isPerson(fold) || /^s?he$/.test(fold))
  )
}

function pauses(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at]
  return (
    !next || CLOSES.has(next.fold) || (next.kind === 'mark' && !next.glued) || /^[,;:.!?)]$/.test(next.fold)
  )
}

export type Cap = { slug: string; cents: number }

const MOST_OF_EACH =
  /[,;]?\s?\b(?:and |but |with )?(?:no(?:t (?:a|one))?(?: single)? (?:item|thing|piece|one)s?|nothing|none of (?:it|them)|(?:each|every) (?:item|thing|piece)|per (?:item|piece))\b[^.,;:\d]{0,32}\b(?:over|above|past|beyond|more than|at most|up to|max(?:imum)?|below|under|less than)\s?\$?\s?(\d{1,3}(?:,\d{3})+|\d{2,6})(?![\d.,]*\d|\s?(?:kg|lbs?|in|inch\w*|cm|g|w|watts?|db|hz)\b)(?: dollars| bucks| each)?/i

/** "No single item above 150" beside the sum of the whole, which is then free of it. */
export function readMostOfEach(text: string): { eachCents: number | null; text: string } {
  const found = MOST_OF_EACH.exec(text)
  const each = Number(found?.[1]?.replaceAll(',', ''))
  const rest = found ? `${text.slice(0, found.index)},${text.slice(found.index + found[0].length)}` : text
  const others = tokenize(rest).flatMap((_, at, tokens) => readAmount(tokens, at) ?? [])
  const isPart = others.some(({ dollars }) => dollars > each)
  return found && isPart ? { eachCents: each * 100, text: rest } : { eachCents: null, text }
}

const LIMIT = wordSet(
  'max maximum most best up exceed under below beneath less than over above past within capped limit tops ok < ≤ cap',
)
const SEPARATES = /^[,;.()!?–—]$|^(?:and|plus|but|&|\+)$/

/** A sum, the words around it up to the next pause, and the thing that it is of. */
type Sum = Amount & { clause: Range; owner: Mention | null; limited: boolean }

/**
 * What one thing may cost: "the chair at most $300", "monitor no more than 350", "130 for a mic". Where a sentence names several
 * sums, each is of the thing it stands with; the whole is the one that stands with none, the greatest where each stands with one,
 * or all of them together where each thing has its own. A single one is of a thing only when it is a limit and the thing is
 * singled out by "the".
 */
export function readCaps(
  query: string,
  tokens: readonly Token[],
  mentions: readonly Mention[],
): { caps: Cap[]; text: string; sumCents: number | null } {
  const sums = sumsIn(tokens, mentions)
  const most = Math.max(...sums.map(({ dollars }) => dollars))
  const owners = new Set(sums.map(({ owner }) => owner))
  // "Max 500 for the desk and max 300 for the chair": no sum is that of the whole.
  const isEach =
    sums.length > 1 &&
    owners.size === mentions.length &&
    owners.size === sums.length &&
    sums.every(
      (sum) => sum.owner && (sum.limited || isLed(tokens, sum)) && !phraseAt(OF_THE_WHOLE, tokens, sum.to),
    )
  const capped = sums.filter((sum) => {
    const { owner, limited, dollars } = sum
    if (!owner) return false
    const single = limited && foldAt(tokens, owner.from - 1) === 'the'
    const apart = isEach || (sums.length > 1 && dollars < most)
    return single || (apart && (limited || !counts(tokens, sum, owner)))
  })
  const caps = capped.flatMap(({ owner, dollars }) =>
    owner ? { slug: owner.slug, cents: Math.round(dollars * 100) } : [],
  )
  const text = capped.reduce((rest, { owner, clause, from, to }) => {
    // "300 for two bags": the count is of the bags.
    let end = to
    while (/^(?:for|on|the|max|maximum|tops|or|less|:)$/.test(foldAt(tokens, end))) end++
    const isBefore = owner && owner.from >= to
    return blank(
      rest,
      tokens,
      isBefore
        ? { from: clause.from, to: end }
        : { from: Math.max(owner?.to ?? 0, Math.min(clause.from, from)), to: clause.to },
    )
  }, query)
  const whole = isEach && caps.length === sums.length
  return { caps, text, sumCents: whole ? caps.reduce((sum, { cents }) => sum + cents, 0) : null }
}

function sumsIn(tokens: readonly Token[], mentions: readonly Mention[]): Sum[] {
  const amounts = tokens.flatMap((_, at) => {
    const amount = readAmount(tokens, at)
    if (!amount || amount.resolution || amount.dollars < LEAST_CAP || unitAt(tokens, amount.to)) return []
    return isAge(tokens, at) ? [] : [amount]
  })
  const outer = amounts.filter(
    ({ from, currency }) =>
      currency !== 'other' && !amounts.some((other) => other.from < from && other.to > from),
  )
  // "Under 1000: mattress. Under 100: lamps."
  const listed = outer.filter(({ to }) => foldAt(tokens, to) === ':')
  const found = outer.map((amount): Sum => {
    const clause = clauseAt(tokens, amount)
    const around = [
      ...tokens.slice(Math.max(clause.from, amount.from - 4), amount.from),
      ...tokens.slice(amount.to, amount.to + 2),
    ]
    const limited = around.some(({ fold }, at) => LIMIT.has(fold) && around[at + 1]?.fold !== 'of')
    const leads =
      listed.length > 1 && listed.includes(amount) ? mentions.find(({ from }) => from > amount.to) : null
    return { ...amount, clause, limited, owner: leads ?? nearest(mentions, amount, clause) }
  })
  // "Two bags, each 200 or less", "a purifier, below 300, and a vacuum"
  return found.map((sum, at) => {
    const each = /^(?:each|apiece|neither)$/.test(foldAt(tokens, sum.clause.from))
    if (sum.owner || !(each || (sum.limited && at < found.length - 1))) return sum
    const last = mentions.findLast(({ to }) => to <= sum.clause.from) ?? null
    const isNext =
      last &&
      SEPARATES.test(foldAt(tokens, sum.clause.from - 1)) &&
      !found.some(({ owner }) => owner === last)
    return isNext ? { ...sum, owner: last } : sum
  })
}

/** "Desk: 500", "500 for the desk". */
function isLed(tokens: readonly Token[], { from, to }: Range): boolean {
  return foldAt(tokens, from - 1) === ':' || /^(?:for|on)$/.test(foldAt(tokens, to))
}

/** "60 chairs", "mats for eighty". */
function counts(tokens: readonly Token[], { currency, from, to }: Amount, owner: Range): boolean {
  if (currency !== 'none') return false
  return tokens[from]?.kind !== 'number' || (owner.from >= to && !/^(?:for|on|:)$/.test(foldAt(tokens, to)))
}

/** The words around an amount up to the next pause; a thing before "(" belongs to what follows. */
function clauseAt(tokens: readonly Token[], { from, to }: Range): Range {
  const startOf = (at: number): number =>
    at > 0 && !SEPARATES.test(foldAt(tokens, at - 1)) ? startOf(at - 1) : at
  const start = startOf(from)
  const isInside = foldAt(tokens, start - 1) === '(' && from - start <= CAP_REACH
  let end = to
  const opensList = foldAt(tokens, to) === ':'
  while (!opensList && end < tokens.length && !SEPARATES.test(foldAt(tokens, end))) end++
  return { from: isInside ? startOf(start - 1) : start, to: foldAt(tokens, end) === ')' ? end + 1 : end }
}

const CAP_REACH = 8

function nearest(mentions: readonly Mention[], amount: Range, clause: Range): Mention | null {
  const gap = ({ from, to }: Mention) => (from >= amount.to ? from - amount.to : amount.from - to)
  const inside = mentions.filter(({ from, to }) => from >= clause.from && to <= clause.to)
  return inside.toSorted((a, b) => gap(a) - gap(b))[0] ?? null
}

function blank(text: string, tokens: readonly Token[], { from, to }: Range): string {
  const [start, end] = [tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0]
  return end > start ? `${text.slice(0, start)},${' '.repeat(end - start - 1)}${text.slice(end)}` : text
}

/** The currency as it was written: "€", "C$", "euros", "GBP". */
function currencyIn(query: string, tokens: readonly Token[], range: Range): string | null {
  for (let at = range.from; at < range.to; at++) {
    const amount = readAmount(tokens, at)
    if (amount?.currency !== 'other') continue
    const said = query.slice(tokens[amount.from]?.start, tokens[amount.to - 1]?.end)
    return said.replace(/[\d\s.,'’]+k?(?!\p{L})|[\d\s.,'’]+/gu, '') || null
  }
  return null
}
