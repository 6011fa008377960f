/**
 * The delivery region of a request in a sentence: codes ("CA-US"), a state or country by name ("Portland, Oregon",
 * "Bavaria, Germany", "to France"), or a code where a place stands ("Austin, TX"). Codes that are also words ("OR", "IN",
 * "ME") count only in capitals and behind a comma or a word that leads to a place. What a place means is for
 * lib/regions.ts to say; one of two meanings is found with both.
 */
import { countryNamed, hasState, readRegion, stateNamed, storedRegion } from '../../../lib/regions.ts'
import {
  foldAt,
  isGlued,
  isHyphen,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'

/** One region, or those that it may be. */
export type RegionFound = Range & { regions: string[] }

const LEADS = wordSet('to in for into from near : = , region destination state province')
const MAX_NAME_WORDS = 4
/** Names of states that are more often something else: a person's, a brand's or a word. */
const NEEDS_LEAD = wordSet('georgia virginia victoria england')
/** Names of countries that are also words. */
const NEEDS_CAPITAL = wordSet('turkey china chad jordan jersey guinea')

export function findRegion(message: Message): RegionFound | null {
  return findCodes(message) ?? findStateName(message) ?? findStateCode(message) ?? findCountry(message)
}

function findCountry({ tokens, taken }: Message): RegionFound | null {
  for (let from = 1; from < tokens.length; from++) {
    if (taken[from] || !isPlaceLead(tokens, from)) continue
    const read = nameAt(countryNamed, tokens, from)
    if (!read || (NEEDS_CAPITAL.has(foldAt(tokens, from)) && !tokens[from]?.upper)) continue
    const region = storedRegion(read.value)
    if (region) return { regions: [region.text], from, to: read.to }
  }
  return null
}

/** "CA-US", "us-ca" */
function findCodes({ tokens, taken }: Message): RegionFound | null {
  for (let from = 0; from + 2 < tokens.length; from++) {
    const to = from + 3
    const joined = isHyphen(tokens, from + 1) && isGlued(tokens, from + 1) && isGlued(tokens, from + 2)
    if (taken[from] || !joined || isInside(tokens, from) || continues(tokens, to)) continue
    const codes = [foldAt(tokens, from), foldAt(tokens, from + 2)]
    const read = codes.every((code) => code.length <= 3) ? readRegion(codes.join('-')) : null
    if (read?.kind !== 'region' || read.region.state === null) continue
    const { state, country, text } = read.region
    // "Wi-Fi" and "Hi-Fi" read like regions of Finland.
    const believed = hasState(country, state) || (tokens[from]?.upper && isPlaceLead(tokens, from))
    if (believed) return { regions: [text], from, to }
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
    const read = nameAt(stateNamed, tokens, from)
    if (!read) continue
    const name = foldAt(tokens, from)
    if (!isPlaceLead(tokens, from) && (NEEDS_LEAD.has(name) || !tokens[from]?.upper)) continue
    const capital = read.value === 'WA-US' ? columbiaAt(tokens, skipComma(tokens, read.to)) : null
    if (capital) return { regions: ['DC-US'], from, to: capital }
    const country = countryAfter(tokens, read.to)
    const sure = country !== null || isZip(tokens, skipComma(tokens, read.to))
    const regions = sure ? [read.value] : meaningsOf(read.name)
    return { regions, from, to: country?.to ?? read.to }
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
    const zip = isZip(tokens, from + 1)
    const regions = country
      ? [`${said}-${country.code}`].filter(() => hasState(country.code, said))
      : zip && hasState('US', said)
        ? [`${said}-US`]
        : hasState('US', said) || hasState('CA', said)
          ? meaningsOf(said)
          : []
    if (regions.length === 0) continue
    const place = isPlaceLead(tokens, from) || zip || (country && tokens[from - 1]?.upper)
    const capitals = sliceRange(text, tokens, { from, to: from + 1 }) === said
    if (!place || (!capitals && (!zip || isWordToo(token.fold)))) continue
    return { regions, from, to: country?.to ?? (zip ? from + 2 : from + 1) }
  }
  return null
}

function meaningsOf(text: string): string[] {
  const read = readRegion(text)
  if (read.kind === 'unknown') return []
  return read.kind === 'region' ? [read.region.text] : read.choices.map((choice) => choice.text)
}

function isZip(tokens: readonly Token[], at: number): boolean {
  return /^\d{5}$/.test(foldAt(tokens, at))
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
  const named = nameAt(countryNamed, tokens, from)
  return named && { code: named.value, to: named.to }
}

/** The longest name that starts here. */
function nameAt(
  meaning: (name: string) => string | undefined,
  tokens: readonly Token[],
  from: number,
): { name: string; value: string; to: number } | null {
  let name = ''
  let best: { name: string; value: string; to: number } | null = null
  for (let to = from; to < tokens.length && to < from + MAX_NAME_WORDS * 2; to++) {
    const { kind, fold } = tokens[to] as Token
    if (kind === 'mark' && !/^[-.&]$/.test(fold)) break
    if (kind === 'mark') continue
    name += (name && ' ') + fold
    const value = meaning(name)
    if (value !== undefined) best = { name, value, to: to + 1 }
  }
  return best
}
