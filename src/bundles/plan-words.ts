/**
 * The small English of plans: names of things in singular and plural, lists, counts, shares. Operators name
 * categories, so a label is read, not looked up: "Chef knives" gives "chef knife", "Headphones" stay plural.
 */
import type { Candidate } from '../search/candidates.ts'
import type { PlanLine } from './bundles.schema.ts'
import { costOf } from './grade.ts'

type Product = Candidate['product']

const COUNTS = 'no one two three four five six seven eight nine'.split(' ')
const IRREGULAR = new Map(
  'mice=mouse knives=knife shelves=shelf scarves=scarf loaves=loaf feet=foot shoes=shoes movies=movie stereos=stereo'
    .split(' ')
    .map((pair) => [pair.split('=')[0], pair.split('=')[1]] as const),
)
/** Bought as one, named as many; and words whose s is their own. */
const ALWAYS_PLURAL =
  /(phones|buds|shoes|boots|sneakers|sandals|slippers|socks|gloves|mittens|glasses|goggles|binoculars|scissors|pants|jeans|shorts|leggings|trousers|tights|pajamas|dumbbells|weights|skis|curtains|sheets|blinds|clothes|supplies|accessories|series|ss|us|is)$/

/** "office chair" for one, "office chairs" for more; in the middle of a sentence. */
export function nounOf({ label, quantity }: Pick<PlanLine, 'label' | 'quantity'>): string {
  const words = pluralOf(label).split(' ')
  if (quantity === 1) words.push(singular(words.pop() ?? ''))
  return words.join(' ')
}

/** The label as it stands in the middle of a sentence; what is written in capitals for a reason stays ("Wi-Fi", "TVs"). */
export function pluralOf(label: string): string {
  return label.replace(/[^\s]+/g, (word) => (/^\p{Lu}[^\p{Lu}]*$/u.test(word) ? word.toLowerCase() : word))
}

/** "the office chair", "the two desk lamps". */
export function theThing(line: PlanLine): string {
  return line.quantity === 1 ? `the ${nounOf(line)}` : `the ${countOf(line.quantity)} ${nounOf(line)}`
}

function singular(word: string): string {
  const known = IRREGULAR.get(word)
  if (known) return known
  if (ALWAYS_PLURAL.test(word) || !word.endsWith('s')) return word
  if (/ies$/.test(word) && word.length > 4) return word.replace(/ies$/, 'y')
  if (/(ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}

/** Whether the noun takes "comes" or "come". */
export function isPlural(line: PlanLine): boolean {
  return line.quantity > 1 || /(?<!s)s$/.test(nounOf(line))
}

/** As people call it: brand and model where they are known, else the title up to its first comma. */
export function nameOf({ brand, model, title }: Product): string {
  const full =
    brand && model && !model.toLowerCase().startsWith(brand.toLowerCase()) ? `${brand} ${model}` : model
  if (full && brand) return full
  return (title.split(/,| with | – /)[0] ?? title).trim() || title
}

export function listOf(items: string[]): string {
  if (items.length < 3) return items.join(' and ')
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

export function countOf(n: number): string {
  return COUNTS[n] ?? n.toLocaleString('en-US')
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Each piece at its highest price, as the plan counts it. */
export function eachCents({ product }: PlanLine): number | null {
  return product && costOf(product, 1)
}

/** All pieces where each is cheapest. */
export function lowestCents({ product, quantity }: PlanLine): number | null {
  const low = product?.priceLowCents ?? product?.priceHighCents ?? null
  return low === null ? null : low * quantity
}

/** What the product that was passed over would have cost for all pieces. */
export function passedOverCents({ because, quantity }: PlanLine): number | null {
  return because.passedOver && costOf(because.passedOver, quantity)
}
