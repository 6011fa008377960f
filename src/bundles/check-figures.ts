/**
 * Whether a text holds a figure that is not among those it may hold. Each way to write one is read in turn and taken out:
 * sums of money, percents, tokens of product names such as "4K", plain numbers, numbers in words. What is
 * left with a digit in it was not understood, and counts as wrong.
 */
import type { Figures, Names } from './plan-facts.ts'

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

export function hasWrongFigure(text: string, figures: Figures, { words }: Names): boolean {
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
