/**
 * The delivery region of a request in a sentence: a code ("CA-US"), a state or a country by name ("Portland, Oregon",
 * "to France"), or a code where a place stands ("Austin, TX"). What a place means is for lib/regions.ts to say; one of two
 * meanings is found with both.
 */
import { countryNamed, hasState, readRegion, stateNamed, storedRegion } from '../../../lib/regions.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  isWord,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'

/** One region, or those that it may be. */
export type PlaceFound = Range & { regions: string[] }

const LEADS = wordSet('to in for into from near : = , region destination state province')
/** More often a person, a brand or a word. */
const NEEDS_LEAD = wordSet('georgia virginia victoria england')
const NEEDS_CAPITAL = wordSet('turkey china chad jordan jersey guinea')
const LONGEST = 4

export function findPlace(message: Message): PlaceFound | null {
  const places = [...message.tokens.keys()].filter((at) => !message.taken[at] && isWord(message.tokens, at))
  for (const read of [codeAt, stateAt, countryAt])
    for (const from of places) {
      const found = read(message, from)
      if (found) return { from, ...found }
    }
  return null
}

type Found = { to: number; regions: string[] } | null

/** "CA-US", "us-ca" */
function codeAt({ tokens }: Message, from: number): Found {
  const [to, joined] = [
    from + 3,
    isHyphen(tokens, from + 1) && isGlued(tokens, from + 1) && isGlued(tokens, from + 2),
  ]
  const inside = isGlued(tokens, from) && !/^[=:("'[,]$/.test(foldAt(tokens, from - 1))
  const goesOn = isGlued(tokens, to) && !/^[.,;:!?)"'}\]]$/.test(foldAt(tokens, to))
  const codes = [foldAt(tokens, from), foldAt(tokens, from + 2)]
  if (!joined || inside || goesOn || codes.some((code) => code.length > 3)) return null
  const read = readRegion(codes.join('-'))
  if (read.kind !== 'region' || read.region.state === null) return null
  // "Wi-Fi" and "Hi-Fi" read like regions of Finland.
  return hasState(read.region.country, read.region.state) ? { to, regions: [read.region.text] } : null
}

function stateAt({ text, tokens }: Message, from: number): Found {
  const led = isLed(tokens, from)
  const capital = tokens[from]?.upper ?? false
  const name = longest(stateNamed, tokens, from)
  const believed = led || (capital && !NEEDS_LEAD.has(foldAt(tokens, from)))
  const dc = name?.value === 'WA-US' && /^,? ?d\.?c\b/i.test(text.slice(tokens[name.to - 1]?.end).trimStart())
  if (dc) return { to: Math.min(tokens.length, name.to + 2), regions: ['DC-US'] }
  if (name && believed) return withCountry(tokens, name.to, name.name, name.value)
  const code = sliceRange(text, tokens, { from, to: from + 1 })
  const zip = isZip(tokens, from + 1)
  const [upper, country] = [code.toUpperCase(), countryBehind(tokens, from + 1)]
  if (code.length > 3 || !(led || zip || (country && tokens[from - 1]?.upper))) return null
  if (code !== upper && !(zip && !/^(?:in|or|me|hi|ok|oh|pa|ma|la|id|de|al)$/.test(code))) return null
  if (country)
    return hasState(country.value, upper) ? { to: country.to, regions: [`${upper}-${country.value}`] } : null
  return hasState('US', upper) || hasState('CA', upper)
    ? withCountry(tokens, from + 1, upper, hasState('US', upper) ? `${upper}-US` : `${upper}-CA`)
    : null
}

/** A zip code or a country behind it leaves no doubt. */
function withCountry(tokens: readonly Token[], to: number, name: string, value: string): Found {
  const country = countryBehind(tokens, to)
  const zip = [to, to + 1].find((at) => isZip(tokens, at))
  if (country || zip !== undefined) return { to: country?.to ?? (zip ?? to) + 1, regions: [value] }
  const read = readRegion(name)
  if (read.kind === 'unknown') return { to, regions: [value] }
  return {
    to,
    regions: read.kind === 'region' ? [read.region.text] : read.choices.map((choice) => choice.text),
  }
}

function countryAt({ tokens }: Message, from: number): Found {
  if (!isLed(tokens, from)) return null
  const read = longest(countryNamed, tokens, from)
  if (!read || (NEEDS_CAPITAL.has(foldAt(tokens, from)) && !tokens[from]?.upper)) return null
  const region = storedRegion(read.value)
  return region && { to: read.to, regions: [region.text] }
}

function countryBehind(tokens: readonly Token[], at: number) {
  return longest(countryNamed, tokens, foldAt(tokens, at) === ',' ? at + 1 : at)
}

const isZip = (tokens: readonly Token[], at: number) => /^\d{5}$/.test(foldAt(tokens, at))

function isLed(tokens: readonly Token[], at: number): boolean {
  const before = foldAt(tokens, at - 1)
  return LEADS.has(before === 'the' ? foldAt(tokens, at - 2) : before) || before === 'of'
}

function longest(meaning: (name: string) => string | undefined, tokens: readonly Token[], from: number) {
  for (let to = Math.min(tokens.length, from + LONGEST); to > from; to--) {
    const words = tokens.slice(from, to)
    const name = words.map(({ fold }) => fold).join(' ')
    const value = words.every(({ kind }) => kind === 'word') ? meaning(name) : undefined
    if (value !== undefined) return { name, value, to }
  }
  return null
}
