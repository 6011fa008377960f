/**
 * Whether a text from a language model may be shown as the explanation of a plan. What goes into a prompt (a shopper's words,
 * product texts) can carry orders to the model, so nothing the model says is trusted: every figure must be one of the
 * plan's, in a line's text one of that line's; every capitalised name must be of the plan's products and categories, and
 * no other brand or model of the catalog may appear; there is no markup, no address, no promise about sales or
 * delivery that no product text makes. A harmless text refused costs nothing: the built-in one is shown instead.
 */
import { type Names as CatalogNames, compactName } from '../search/understand/names.ts'
import type { Vocabulary } from '../search/understand/understand.ts'
import type { Plan, PlanLine, PlanTexts, Wish } from './bundles.schema.ts'
import {
  type Figures,
  figuresOfLine,
  figuresOfPlan,
  type Names,
  namesIn,
  namesOf,
  saidInPlan,
} from './plan-facts.ts'

/** Gives a brand or model of the catalog that the text names, or null. The plan's own names are taken out before. */
export type NamesOther = (text: string) => string | null

type Checked = { texts: PlanTexts } | { refused: string }

const LONGEST_OVERVIEW = 900
const LONGEST_REASONING = 500
const SHORTEST = 15
/** A run of so many words of the shopper's is an echo and no advice. */
const ECHO_WORDS = 6

/** Control and format characters, private use, other number signs, pictures, markup, addresses. */
const NOT_PROSE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{No}\p{Nl}\p{Zl}\p{Zp}\p{Extended_Pictographic}<>[\]{}|\\^~`*_#@=⁄]/u
const ADDRESS = /:\/\/|\bwww\b|\bhttps?\b|\bmailto\b|\bjavascript\b|[\p{L}\p{N}-]{2,}\.\p{L}{2,}/iu
const FOREIGN_DIGIT_OR_MONEY =
  /(?![0-9])\p{Nd}|(?!\$)\p{Sc}|\b(?:eur|gbp|euros?|pounds sterling|yen|rupees?)\b/iu
const ABOUT_ITSELF =
  /\b(?:instructions?|prompts?|system message|language model|as an ai|assistant|json|ignore (?:all|the|any|previous)|disregard)\b/i
const PROMISES =
  /\b(?:discount\w*|on sale|sales?|coupons?|promo\w*|vouchers?|rebates?|cash ?back|free|shipping|ships|deliver\w*|warrant\w*|guarantee\w*|refund\w*|returns?|in stock|out of stock|cheapest|best[- ]?sell\w*|best[- ]rated|top[- ]rated|highest[- ]rated|most popular|awards?|award-winning|certified|official|exclusive|limited time|today only|hurry|half[- ]price|half off|deals?|bargain\w*|recall\w*|sponsor\w*|buy now|click|visit)\b/gi
const SAYS_OVER =
  /\b(?:over|exceed\w*|beyond|above|more than|short|stretch\w*|does not fit|doesn't fit|out of reach)\b/i

/** Words an English sentence begins with: their capital is no name's. */
const OPENERS = new Set(
  `a about above after again all almost along already also although altogether always among an and another any anyone
  are as at be because before below beside besides better between beyond both budget but buyers buying by can cheaper
  choose choosing combined compared consider considering cost costing costs dearer do each either enough even every
  everything expect finally first for from given go going half has have having here how however i if in instead is it its
  it's just keep keeping last leave leaving left less let like mind money more most much neither no none nor not note
  nothing now of on once one only or other others otherwise our out over overall paying people pick plus price priced
  prices put raise raising ranked ranking rated rather reviewers reviews same savings second setting shoppers should since skip
  so some spend spending still such swap taken taking tell that that's the their them then there there's these they they're
  third this those though three thus to together too total two under unlike until up upgrading use using we we've
  what when where whether which while who why will with within without would yet you you'll you're you've your`.split(
    /\s+/,
  ),
)

export function checkTexts(
  plan: Plan,
  wish: Wish,
  answer: { overview: string; reasonings: string[] },
  namesOther: NamesOther,
): Checked {
  if (answer.reasonings.length !== plan.lines.length) return { refused: 'another number of lines' }
  const names = namesIn(plan)
  const said = saidInPlan(plan)
  const overview = answer.overview.normalize('NFKC').trim()
  const check = (text: string, longest: number, figures: Figures) =>
    wrongWith(text, { longest, figures, names, said, wish, namesOther })

  const wrong = check(overview, LONGEST_OVERVIEW, figuresOfPlan(plan, wish)) ?? wrongOverview(overview, plan)
  if (wrong) return { refused: `overview: ${wrong}` }
  const reasonings: Record<string, string> = {}
  for (const [at, line] of plan.lines.entries()) {
    const text = (answer.reasonings[at] ?? '').normalize('NFKC').trim()
    const wrong =
      check(text, LONGEST_REASONING, figuresOfLine(plan, wish, line)) ?? wrongReasoning(text, line)
    if (wrong) return { refused: `line ${at + 1}: ${wrong}` }
    reasonings[line.slug] = text
  }
  return { texts: { overview, reasonings } }
}

type Scope = {
  longest: number
  figures: Figures
  names: Names
  said: string
  wish: Wish
  namesOther: NamesOther
}

function wrongWith(text: string, { longest, figures, names, said, wish, namesOther }: Scope): string | null {
  if (text.length < SHORTEST) return 'too short'
  if (text.length > longest) return 'too long'
  if (NOT_PROSE.test(text)) return 'markup or characters that are not prose'
  if (FOREIGN_DIGIT_OR_MONEY.test(text)) return 'other digits or another currency'
  if (hasForeignLetters(text, said)) return 'letters of another script'
  const rest = withoutNames(text, names)
  if (ADDRESS.test(rest)) return 'an address'
  if (ABOUT_ITSELF.test(rest)) return 'it speaks of its instructions'
  if (echoes(rest, wish.query)) return 'an echo of the query'
  if (hasWrongFigure(rest, figures, names)) return 'a figure that is not in the plan'
  if (hasOtherPromise(rest, said)) return 'a promise that no product makes'
  if (hasUnknownName(rest, names, said) || namesOther(rest) !== null) return 'a name that is not in the plan'
  return null
}

function wrongOverview(text: string, { lines, totalCents, budgetCents }: Plan): string | null {
  const figures = [totalCents, ...(budgetCents === null ? [] : [budgetCents])]
  const told = figures.some((cents) => text.replaceAll(',', '').includes(`$${Math.trunc(cents / 100)}`))
  if (!told) return 'neither the total nor the budget is in it'
  if (lines.some(({ overBudget }) => overBudget) && !SAYS_OVER.test(text))
    return 'it does not say that a line is over budget'
  return null
}

function wrongReasoning(text: string, { product, overBudget }: PlanLine): string | null {
  const lower = text.toLowerCase()
  if (product && !namesOf(product).some((name) => lower.includes(name.toLowerCase())))
    return 'the product is not named'
  if (overBudget && !SAYS_OVER.test(text)) return 'it does not say that it is over budget'
  return null
}

/** A mark stands for each of the plan's own names, so that their digits and capitals do not count. */
function withoutNames(text: string, { phrases }: Names): string {
  if (phrases.length === 0) return text
  const any = phrases
    .map((phrase) => phrase.normalize('NFKC').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|')
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}$.,-])(?:${any})(?![\\p{L}\\p{N}%])`, 'giu'), '•')
}

function hasForeignLetters(text: string, said: string): boolean {
  return (text.match(/(?!\p{Script=Latin})\p{L}/gu) ?? []).some((letter) => !said.includes(letter))
}

function echoes(text: string, query: string): boolean {
  const spoken = (from: string) => from.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  const words = spoken(query)
  const inText = ` ${spoken(text).join(' ')} `
  return words.some(
    (_, at) =>
      at + ECHO_WORDS <= words.length && inText.includes(` ${words.slice(at, at + ECHO_WORDS).join(' ')} `),
  )
}

function hasOtherPromise(text: string, said: string): boolean {
  const lower = said.toLowerCase()
  return (text.match(PROMISES) ?? []).some((promise) => !lower.includes(promise.toLowerCase()))
}

function hasUnknownName(text: string, { words }: Names, said: string): boolean {
  const capitalisedThere = new Set(said.match(/\p{Lu}[\p{L}\p{N}'’-]*/gu) ?? [])
  const plainThere = new Set(said.match(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}'’-]*/gu) ?? [])
  const known = (word: string) =>
    words.has(word.toLowerCase()) || capitalisedThere.has(word) || /^(I|US|USD|I'[a-z]+)$/.test(word)
  for (const { 0: found, index } of text.matchAll(/(?<![\p{L}\p{N}])\p{L}*\p{Lu}[\p{L}\p{N}'’-]*/gu)) {
    const word = found.replaceAll('’', "'").replace(/'s$/, '')
    if (known(word)) continue
    const first = /^$|[.!?]["”’)]?\s+["“‘(]?$/.test(text.slice(0, index))
    const plain = word.toLowerCase()
    // "Combining", "Altogether": no brand is known by such a word alone at the start of a sentence.
    const ordinary = OPENERS.has(plain) || plainThere.has(plain) || /^\p{Lu}\p{Ll}+(?:ing|ly)$/u.test(word)
    if (!first || !ordinary) return true
  }
  return false
}

const NUMBER = String.raw`\d+(?:,\d+)*(?:\.\d+)?`
const MONEY = new RegExp(
  String.raw`(?:\$\s?|\busd\s?)(${NUMBER})(?![\p{L}\p{N}%])|(?<![\p{L}\p{N}.,])(${NUMBER})[\s-]?(?:dollars?|bucks|usd)\b`,
  'giu',
)
const PERCENT = new RegExp(String.raw`(?<![\p{L}\p{N}.,])(${NUMBER})\s?(?:%|percent\b|per cent\b)`, 'giu')
const OUT_OF_FIVE = /(?:\bout of|\bof|\/)\s?5(?:\.0)?(?![\d.,]*\d)(?:[\s-]stars?)?/gi
const PLAIN = new RegExp(String.raw`(?<![\p{L}\p{N}.,])(${NUMBER})(?:st|nd|rd|th)?(?![\p{L}\p{N}%])`, 'giu')

const SMALL = new Map(
  'two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, at) => [word, at + 2]),
)
const ORDINALS = new Map(
  'second third fourth fifth sixth seventh eighth ninth tenth'.split(' ').map((word, at) => [word, at + 2]),
)
const LARGE =
  /\b(?:(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|double|triple|twice|quadruple)\b/i
const COUNTED_MONEY =
  /\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few)[\s-](?:dollars?|bucks|cents?|percent|per cent|stars?)\b/i
const FRACTIONS =
  /\b(?:quarter|tenth)s?\b(?=\s+(?:off|less|cheaper|of the price))|\bhalf\b(?=\s+(?:off|the price|price))/i

/**
 * Whether a text holds a figure that is not among those it may hold. Each way to write one is read in turn and taken out:
 * sums of money, percents, tokens of product names such as "4K", plain numbers, numbers in words. What is
 * left with a digit in it was not understood, and counts as wrong.
 */
function hasWrongFigure(text: string, figures: Figures, { words }: Names): boolean {
  let wrong = false
  const take = (from: string, pattern: RegExp, allowed: (value: number) => boolean) =>
    from.replace(pattern, (_, ...groups: unknown[]) => {
      const digits = groups.slice(0, 2).find((group) => typeof group === 'string')
      if (!allowed(readNumber(digits))) wrong = true
      return ' '
    })
  let rest = take(text, MONEY, (dollars) => isSum(dollars, figures.cents))
  rest = take(rest, PERCENT, (percent) => figures.percents.has(Math.round(percent)))
  rest = rest.replace(OUT_OF_FIVE, ' ')
  rest = rest.replace(/[\p{L}\p{N}][\p{L}\p{N}.-]*/gu, (token) =>
    /\d/.test(token) && /\p{L}/u.test(token) && words.has(token.toLowerCase()) ? ' ' : token,
  )
  // "4.5-star", "2-piece": the number counts, the word does not.
  rest = rest.replace(/(\d)-(?=\p{L})/gu, '$1 ')
  rest = take(rest, PLAIN, (value) => figures.numbers.has(value))
  if (wrong || /[\d$%]/.test(rest)) return true
  return hasWrongWord(text, figures)
}

/** "The other two" of five lines is no claim: counts up to the number of lines may be spoken. */
function hasWrongWord(text: string, { numbers, lines }: Figures): boolean {
  if (LARGE.test(text) || COUNTED_MONEY.test(text) || FRACTIONS.test(text)) return true
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).some((word) => {
    const count = SMALL.get(word)
    if (count !== undefined) return count > lines && !numbers.has(count)
    const place = ORDINALS.get(word)
    return place !== undefined && place > 2 && !numbers.has(place)
  })
}

/** To the cent, or rounded to the dollar. */
function isSum(dollars: number, all: Set<number>): boolean {
  const cents = Math.round(dollars * 100)
  if (all.has(cents)) return true
  return cents % 100 === 0 && [...all].some((sum) => Math.round(sum / 100) * 100 === cents)
}

/** NaN, which is no figure of any plan, when the commas do not stand for thousands. */
function readNumber(digits: unknown): number {
  const text = String(digits)
  return /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/.test(text) ? Number(text.replaceAll(',', '')) : Number.NaN
}

const MOST_WORDS = 6

/**
 * Finds brands and models of the catalog in a text. A brand counts however it is written. A model of one plain word ("Solo")
 * counts only with a capital, because such words are also just words; with digits or of several words it always counts.
 * `vocabulary` is asked each time: the catalog changes.
 */
export function createNamesOther(vocabulary: () => Pick<Vocabulary, 'brands' | 'models'>): NamesOther {
  return (text) => {
    const { brands, models } = vocabulary()
    const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’&+.-]*(?<![.'’])/gu) ?? []
    for (let from = 0; from < words.length; from++)
      for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) {
        const said = words.slice(from, to).join(' ')
        const name = said.toLowerCase()
        if (!/\p{L}/u.test(name)) continue
        if (isNamed(brands, name)) return said
        const plainWord = to === from + 1 && !/\d/.test(name)
        if (isNamed(models, name) && (!plainWord || /^\p{Lu}/u.test(said))) return said
      }
    return null
  }
}

/** As it is spelled, but for capitals: "sun dial" is no "Sundial". */
function isNamed(names: CatalogNames, said: string): boolean {
  return names.get(compactName(said))?.toLowerCase() === said
}
