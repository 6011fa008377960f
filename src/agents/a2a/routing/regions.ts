/**
 * The delivery region of a request, STATE-COUNTRY as the contract has it: written as codes ("CA-US"), or as a state or
 * province by name ("Portland, Oregon", "Bavaria, Germany"), or as a code where a place stands ("Austin, TX"). Codes
 * that are also words ("OR", "IN", "ME") count only in capitals and behind a comma or a word that leads to a place.
 */
import { readRegion } from '../../../pricing/pricing.schema.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  type Range,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'
import { COUNTRIES, REGION_OF, STATES } from './places.ts'

export type RegionFound = Range & { region: string }
export type CountryFound = Range & { country: string }

const LEADS = wordSet('to in for into from near : = , region destination state province')
const MAX_NAME_WORDS = 4
/** Names of states that are more often something else: a person's, a brand's or a word. */
const NEEDS_LEAD = wordSet('georgia virginia victoria england')

export function findRegion(message: Message): RegionFound | null {
  return findCodes(message) ?? findStateName(message) ?? findStateCode(message)
}

/** A country named without a state, which the contract cannot express. */
export function findCountry({ tokens, taken }: Message): CountryFound | null {
  for (let from = 1; from < tokens.length; from++) {
    if (taken[from] || !isPlaceLead(tokens, from)) continue
    const read = nameAt(COUNTRIES, tokens, from)
    if (read) return { country: read.value, from, to: read.to }
  }
  return null
}

/** A region's code as the whole message, where its country is known: "BY" to "which state of Germany?". */
export function findRegionCode({ tokens }: Message, country: string): RegionFound | null {
  const code = foldAt(tokens, 0).toUpperCase()
  const known = STATES.get(country)
  if (tokens.length !== 1 || !(known ? known.has(code) : tokens[0]?.upper)) return null
  const region = /^[A-Z]{1,3}$/.test(code) ? readRegion(`${code}-${country}`) : null
  return region ? { region, from: 0, to: 1 } : null
}

/** "CA-US", "us-ca" */
function findCodes({ tokens, taken }: Message): RegionFound | null {
  for (let from = 0; from + 2 < tokens.length; from++) {
    const to = from + 3
    const joined = isHyphen(tokens, from + 1) && isGlued(tokens, from + 1) && isGlued(tokens, from + 2)
    if (taken[from] || !joined || isInside(tokens, from) || continues(tokens, to)) continue
    const region = readRegion(`${foldAt(tokens, from)}-${foldAt(tokens, from + 2)}`)
    if (!region) continue
    const [state = '', country = ''] = region.split('-')
    const known = STATES.get(country)
    // "Wi-Fi" and "Hi-Fi" read like regions of Finland.
    const believed = known ? known.has(state) : tokens[from]?.upper && isPlaceLead(tokens, from)
    if (believed) return { region, from, to }
  }
  return null
}

/** The middle or the end of a longer name: "tarn-ca-us". */
function isInside(tokens: readonly Token[], at: number): boolean {
  return isGlued(tokens, at) && !/^[=:("'[,]$/.test(foldAt(tokens, at - 1))
}

function continues(tokens: readonly Token[], at: number): boolean {
  return isGlued(tokens, at) && !/^[.,;:!?)"'}\]]$/.test(foldAt(tokens, at))
}

function findStateName({ tokens, taken }: Message): RegionFound | null {
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from]) continue
    const read = nameAt(REGION_OF, tokens, from)
    if (!read) continue
    const name = foldAt(tokens, from)
    if (!isPlaceLead(tokens, from) && (NEEDS_LEAD.has(name) || !tokens[from]?.upper)) continue
    const capital = read.value === 'WA-US' ? columbiaAt(tokens, skipComma(tokens, read.to)) : null
    if (capital) return { region: 'DC-US', from, to: capital }
    return { region: read.value, from, to: pastCountry(tokens, read.to) }
  }
  return null
}

/** "Austin, TX", "to NY", "Seattle WA 98101" */
function findStateCode({ text, tokens, taken }: Message): RegionFound | null {
  for (let from = 1; from < tokens.length; from++) {
    const token = tokens[from]
    if (taken[from] || !token || token.fold.length > 3 || token.kind !== 'word') continue
    const said = token.fold.toUpperCase()
    const country = countryAfter(tokens, from + 1)
    for (const [code, states] of STATES) {
      if (!states.has(said) || (country && country.code !== code)) continue
      // Alone, "CA" and "DE" are states of the country most is sold in.
      if (!country && code !== 'US' && code !== 'CA') continue
      const zip = /^\d{5}$/.test(foldAt(tokens, from + 1))
      const place = isPlaceLead(tokens, from) || zip || (country && tokens[from - 1]?.upper)
      const capitals = text.slice(token.start, token.end) === said
      if (!place || (!capitals && (!zip || isWordToo(token.fold)))) continue
      return { region: `${said}-${code}`, from, to: country?.to ?? (zip ? from + 2 : from + 1) }
    }
  }
  return null
}

function isWordToo(word: string): boolean {
  return /^(in|or|me|hi|ok|oh|pa|ma|la|id|de|al|on|as)$/.test(word)
}

function isPlaceLead(tokens: readonly Token[], at: number): boolean {
  const before = foldAt(tokens, at - 1)
  if (before === 'the' || before === 'of') return LEADS.has(foldAt(tokens, at - 2)) || before === 'of'
  return LEADS.has(before)
}

/** Behind "DC" or "D.C."; null when neither stands there. */
function columbiaAt(tokens: readonly Token[], at: number): number | null {
  if (foldAt(tokens, at) === 'dc') return at + 1
  const dotted = [0, 1, 2].map((step) => foldAt(tokens, at + step)).join('') === 'd.c'
  return dotted ? at + 3 : null
}

function skipComma(tokens: readonly Token[], at: number): number {
  return foldAt(tokens, at) === ',' ? at + 1 : at
}

function countryAfter(tokens: readonly Token[], at: number): { code: string; to: number } | null {
  const from = skipComma(tokens, at)
  const named = nameAt(COUNTRIES, tokens, from)
  return named && { code: named.value, to: named.to }
}

function pastCountry(tokens: readonly Token[], at: number): number {
  return countryAfter(tokens, at)?.to ?? at
}

/** The longest name that starts here. */
function nameAt(
  names: ReadonlyMap<string, string>,
  tokens: readonly Token[],
  from: number,
): { value: string; to: number } | null {
  let name = ''
  let best: { value: string; to: number } | null = null
  for (let to = from; to < tokens.length && to < from + MAX_NAME_WORDS * 2; to++) {
    const { kind, fold } = tokens[to] as Token
    if (kind === 'mark' && !/^[-.&]$/.test(fold)) break
    if (kind === 'mark') continue
    name += (name && ' ') + fold
    const value = names.get(name)
    if (value !== undefined) best = { value, to: to + 1 }
  }
  return best
}
