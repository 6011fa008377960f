/**
 * Which drawing stands for a product without photographs: its kind from its title or its type, its size from a spec, its
 * colour from a spec, its first variant or its title. Where nothing is known, the slug chooses among looks that claim
 * nothing, so that neighbours differ. Pure; a product always gets the same drawing.
 */
import { spread } from '../lib/spread.ts'
import type { Spec, Variant } from './catalog.schema.ts'
import { COLOUR_WORDS, type Colour, DRAWN, type DrawnCategory, NEUTRAL } from './drawing.kinds.ts'

export type Drawable = {
  slug: string
  title: string
  category: { slug: string; label?: string }
  specs?: readonly Spec[]
  variants?: readonly Variant[]
}

export const SIZES = ['small', 'regular', 'large'] as const
export type Size = (typeof SIZES)[number]

/** Tones of one hue, where the product's own colour is unknown. */
export const FINISHES = 3
/** With it, no neighbours in the demo of the same kind and hue have the same finish. */
const SEED = 28

export type Drawing = {
  category: string
  kind: string
  size: Size
  /** Null if nothing tells it. */
  colour: Colour | null
  finish: number
}

/** Names of specs that say what a thing is, rather than what belongs to it. */
const TELLING =
  /^(?:product )?(?:type|style|design|form|form factor|fit|shape|layout|mount|technology|adjustment)$/
const OF_COLOUR = /^(?:main |primary |body |frame )?(?:colou?r|colou?rway|finish)$/
/** What makes a colour part of another word: white noise, black ink, a copper core. */
const NOT_A_COLOUR = 'noise|carbon|only|ink|core|light|balance|glass|box|label|look'
/** Colours where a colour is asked for; in a title they are more often weather, stuff or a name. */
const AMBIGUOUS = wordsIn(
  'snow chalk slate sand natural linen cream wood jute rose wine plum mint sage moss sky midnight lemon platinum'.split(
    ' ',
  ),
  '',
  'g',
)
/** Where a title stops saying what the thing is. */
const ASIDE = /[,(|:]| [-–—] | (?:with|for|by|plus)\b/i

export function drawingOf(product: Drawable): Drawing {
  const category = categoryDrawn(product)
  const drawn = DRAWN[category] as DrawnCategory
  const specs = lowered(product.specs ?? [])
  return {
    category,
    kind: kindOf(product, category, specs),
    size: sizeOf(drawn, specs),
    colour: colourOf(product, specs),
    finish: Math.floor(spread(`${product.slug} ${SEED}`) * FINISHES),
  }
}

/** The words for what is drawn: "over-ear headphones". */
export function drawnWords({ category, kind }: { category: string; kind: string }): string {
  return DRAWN[category]?.kinds[kind]?.[0] ?? ''
}

/** `/pictures/<category>/<kind>/<colour>.svg`; the brand's name stands for an unknown colour and gives it a hue. */
export function drawingPath({ category, kind, size, colour, finish }: Drawing, brand: string): string {
  const sized = size === 'regular' ? kind : `${kind}-${size}`
  return `/pictures/${category}/${sized}/${colour ?? `${encodeURIComponent(brand)}${finish === 0 ? '' : `~${finish}`}`}.svg`
}

/** What such an address asks for; `key` is a colour or a brand. Null for a kind that is not drawn. */
export function readDrawingPath(
  slug: string,
  file: string,
): (Omit<Drawing, 'colour'> & { key: string }) | null {
  const asked = FILE.exec(file)
  if (!asked) return null
  const [, kind, size = 'regular', key = '', finish = '0'] = asked
  const drawn = kindInCategory(slug, kind)
  return drawn && { ...drawn, size: size as Size, key, finish: Number(finish) }
}

const FILE = new RegExp(
  `^(?:([a-z0-9-]+?)(?:-(${SIZES.join('|')}))?/)?(.*?)(?:~([0-${FINISHES - 1}]))?\\.svg$`,
  's',
)

/** The drawing of a category as a whole. Null if it has no such kind. */
function kindInCategory(slug: string, kind?: string): { category: string; kind: string } | null {
  const category = categoryDrawn({ category: { slug } })
  const { usual, kinds } = DRAWN[category] as DrawnCategory
  if (kind !== undefined) return category === slug && Object.hasOwn(kinds, kind) ? { category, kind } : null
  return { category, kind: category === NEUTRAL ? pick(usual, slug) : (usual[0] as string) }
}

/**
 * The category whose drawings fit: its own, or one that its name or the product's title ends with. A headphone stand is no
 * headphone, so the words must come last.
 */
function categoryDrawn({ category, title }: { category: Drawable['category']; title?: string }): string {
  if (Object.hasOwn(DRAWN, category.slug)) return category.slug
  const [head] = title?.split(ASIDE) ?? []
  for (const name of [category.slug, category.label, head]) {
    const found = name && NAMES.get(NAME.exec(fold(name))?.[1] ?? '')
    if (found) return found
  }
  return NEUTRAL
}

function kindOf({ slug, title }: Drawable, category: string, specs: readonly Spec[]): string {
  const types = specs.filter(({ name }) => TELLING.test(name)).map(({ value }) => fold(value))
  for (const text of [fold(title), ...types])
    for (const { kind, told } of TOLD.get(category) ?? []) if (told.test(text)) return kind
  return pick(DRAWN[category]?.usual ?? [], slug)
}

function sizeOf({ size }: DrawnCategory, specs: readonly Spec[]): Size {
  if (!size) return 'regular'
  const [named, unit, small, large] = size
  const value =
    specs
      .find(({ name }) => name === named)
      ?.value.slice(0, 80)
      .toLowerCase() ?? ''
  // The longest side of "50 x 40 x 7 in".
  const sides = new RegExp(`((?:\\d[\\d.,]*\\s*[x×]\\s*)*\\d[\\d.,]*)[\\s-]*${unit}(?![a-df-z])`).exec(value)
  const most = Math.max(...(sides?.[1] ?? '').split(/[x×]/).map((side) => Number.parseFloat(side)))
  if (Number.isNaN(most)) return 'regular'
  return most <= small ? 'small' : most >= large ? 'large' : 'regular'
}

function colourOf({ title, variants = [] }: Drawable, specs: readonly Spec[]): Colour | null {
  const said = [...specs, ...lowered(variants[0]?.options ?? [])].filter(({ name }) => OF_COLOUR.test(name))
  for (const { value } of said) {
    const colour = colourIn(fold(value))
    if (colour) return colour
  }
  return colourIn(fold(title.replace(/ (?:with|for)\b.*/i, '')).replace(AMBIGUOUS, ''))
}

function colourIn(text: string): Colour | null {
  return COLOURS.get(COLOUR.exec(text)?.[1] ?? '') ?? null
}

function lowered(specs: readonly Spec[]): Spec[] {
  return specs.map(({ name, value }) => ({ name: name.toLowerCase(), value }))
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}%²]+/gu, ' ')
    .trim()
}

/** Whole words of a folded text, one of them or several; the longest of those that begin at the same place. */
function wordsIn(words: Iterable<string>, after = '', flags = ''): RegExp {
  const longest = [...words].sort((one, other) => other.length - one.length)
  return new RegExp(`(?:^| )(${longest.join('|')})s?(?= |$)${after}`, flags)
}

/** By category, the kinds that words tell. */
const TOLD = new Map(
  Object.entries(DRAWN).map(([category, { kinds }]) => [
    category,
    Object.entries(kinds).flatMap(([kind, [, words]]) =>
      words ? [{ kind, told: wordsIn(words.split('|')) }] : [],
    ),
  ]),
)

/** Of each word of a table, what it belongs to. A `^` only says where the word must stand. */
function byWord<Key extends string>(table: Iterable<readonly [Key, string]>): Map<string, Key> {
  return new Map(
    [...table].flatMap(([key, words]) =>
      words.split('|').map((word) => [word.replace('^', ''), key] as const),
    ),
  )
}

const NAMED = Object.entries(DRAWN).map(([category, { names }]) => [category, names] as const)
const NAMES = byWord(NAMED)
const NAME = wordsIn(
  NAMED.flatMap(([, names]) => names.split('|')),
  '$',
)
const COLOURS = byWord(Object.entries(COLOUR_WORDS) as Array<[Colour, string]>)
const COLOUR = wordsIn(COLOURS.keys(), `(?! (?:${NOT_A_COLOUR}))`)

function pick(among: readonly string[], slug: string): string {
  return among[Math.floor(spread(slug) * among.length)] as string
}
