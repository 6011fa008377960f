/**
 * Whether the things of a plan fit each other, where both state it: a bag's "Laptop sleeve: 15 in" and the laptop's
 * 15.6-inch display, an arm's "Monitor size: 17 to 32 in, up to 9 kg", a sheet's "Mattress size: queen". A spec whose name
 * says what it holds of another line's kind is a demand on that line. What one of them does not state is unknown, not assumed.
 */
import type { Candidate } from '../search/candidates.ts'
import { synonymsOf } from '../search/lexical/synonyms.ts'
import { stem } from '../search/lexical/tokenize.ts'
import { readShortSpecs } from '../search/short-specs.ts'
import { wordsOf } from './wish-words.ts'

type Product = Candidate['product']
type Spec = { name: string; value: string }

const LEADS = new Set(['max', 'maximum', 'fits', 'for', 'holds'])
/** Behind the name of another kind these tell what of it is held, not what is built in. */
const HOLDS = new Set(['sleeve', 'compartment', 'pocket', 'bay', 'slot', 'tray', 'size', 'sizes', 'weight'])
/** Specs that tell how large or heavy a thing is itself. */
const OWN_SIZE = /^(?:size|display|screen|diagonal)\b/i
const OWN_WEIGHT = /^(?:\S+ )?weight\b/i
const BED = /\b(?:twin xl|twin|full|double|queen|california king|king|single)\b/gi
const LENGTH = /(\d{1,5}(?:\.\d{1,3})?)[\s-]?(?:in(?:ch(?:es)?)?\b|["”])|(\d{1,5}(?:\.\d{1,3})?)\s?cm\b/gi
const MASS = /(\d{1,5}(?:\.\d{1,3})?)\s?(?:kg\b|lbs?\b)/gi
const CM_PER_INCH = 2.54
const KG_PER_LB = 0.4536
/** Makers round: a 15.6-inch laptop is held by what holds 15.5. */
const TOLERANCE = 0.15

/** Null where one of them does not state what the other asks; undefined where nothing is asked. */
export function fits(holder: Product, held: Product): boolean | null | undefined {
  const asked = demandsOn(holder, held)
  if (asked.length === 0) return undefined
  const verdicts = asked.flatMap(({ value }) => verdictsOn(value, held))
  if (verdicts.includes(false)) return false
  return verdicts.includes(true) ? true : null
}

/** What its specs say of the other's kind: "Laptop sleeve" of laptops. */
export function demandsOn(holder: Product, { category }: Product): Spec[] {
  const demands = demandsOf(holder)
  if (demands.length === 0) return demands
  const head = stem(wordsOf(category.label).at(-1) ?? '')
  const names = new Set([head, ...synonymsOf(head).map(({ term }) => term)])
  return demands.filter(({ kind }) => names.has(kind))
}

type Demand = Spec & { /** Stem of what is held. */ kind: string }

/** Every plan asks the same products again. */
const known = new WeakMap<Product, Demand[]>()

function demandsOf(holder: Product): Demand[] {
  const found =
    known.get(holder) ??
    readShortSpecs(holder.shortSpecs).flatMap((spec): Demand[] => {
      const [kind = '', holds = ''] = wordsOf(spec.name).filter((word) => !LEADS.has(word))
      return HOLDS.has(holds) ? [{ ...spec, kind: stem(kind) }] : []
    })
  known.set(holder, found)
  return found
}

function verdictsOn(asked: string, held: Product): boolean[] {
  if (/^no\b/i.test(asked)) return [false]
  const own = readShortSpecs(held.shortSpecs)
  const pairs: Array<[number[], number | undefined]> = [
    [numbersIn(asked, LENGTH), sizeOf(own, held.title)],
    [numbersIn(asked, MASS), numbersIn(specOf(own, OWN_WEIGHT), MASS)[0]],
  ]
  const measured = pairs.flatMap(([bounds, size]) => {
    if (bounds.length === 0 || size === undefined) return []
    const least = bounds.length > 1 ? Math.min(...bounds) : 0
    return size >= least - TOLERANCE && size <= Math.max(...bounds) + TOLERANCE
  })
  const beds = wordsFor(asked)
  const bed = wordsFor(own.map(({ name, value }) => (/^sizes?$/i.test(name) ? value : '')).join(' '))
  return [...measured, ...(beds.length > 0 && bed.length > 0 ? [bed.some((one) => beds.includes(one))] : [])]
}

function sizeOf(own: readonly Spec[], title: string): number | undefined {
  return numbersIn(specOf(own, OWN_SIZE), LENGTH)[0] ?? numbersIn(title, LENGTH)[0]
}

function specOf(specs: readonly Spec[], name: RegExp): string {
  return specs.find((spec) => name.test(spec.name))?.value ?? ''
}

/** In inches or kilograms. "17 to 32 in" and "17–32 in" write the unit once. */
function numbersIn(text: string, pattern: RegExp): number[] {
  const unit = pattern === LENGTH ? 'in' : 'kg'
  const spread = text.replace(
    /(\d{1,5}(?:\.\d{1,3})?)\s?(?:to|–|-)\s?(?=\d{1,5}(?:\.\d{1,3})?[\s-]?(?:in|kg))/g,
    `$1 ${unit} `,
  )
  return [...spread.matchAll(pattern)].map(([said, first, other]) =>
    other !== undefined ? Number(other) / CM_PER_INCH : Number(first) * (/lbs?$/i.test(said) ? KG_PER_LB : 1),
  )
}

function wordsFor(text: string): string[] {
  return (text.match(BED) ?? []).map((word) => word.toLowerCase())
}
