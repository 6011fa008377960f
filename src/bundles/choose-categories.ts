/**
 * The categories a plan fills: those the shopper named, and for a goal those of the catalog that serve it, up to where
 * relevance drops. What one person uses alone is taken once for each when it is said for how many; what is shared is taken
 * once, and its search says for how many instead ("tents for 4 people"). What the shopper left out is never chosen.
 */

import { byText } from '../lib/text.ts'
import type { CatalogIndex } from '../search/catalog-index.ts'
import { factsOf, stem } from '../search/lexical/tokenize.ts'
import type { Search } from '../search/search.service.ts'
import { termOf } from '../search/understand/names.ts'
import { wordSet } from '../search/understand/tokens.ts'
import type { Vocabulary } from '../search/understand/understand.ts'
import { type ChosenCategory, MAX_CATEGORIES, MIN_CATEGORIES, type Wish } from './bundles.schema.ts'
import { PLACES, type Role, rolesFor } from './roles.ts'
import { CHEAP, CHOICE, impliedBy, isPerPerson, isPerson, plainly, wordsOf } from './wish-words.ts'

/** A category further behind the best than this does not belong to the goal. */
const KEEP_FROM = 0.8
const MOST_INFERRED = 6
/** The goal is the catalog's business when its best category comes so near, and others at least so near. */
const NEAR_BEST = 0.38
const NEAR_OTHERS = 0.3
/** What is asked for in other words is of a category that is at least so near. */
const NEAR_ITEM = 0.3
/** Of what belongs to the goal by its own words, by how much it is needed. */
const OF_GOAL = 0.2
const EMPHASIS = { more: 2.5, less: 0.4 }
/** Search understands these as wishes about the price. */
const LEVEL = { more: 'premium', less: 'cheap' }
/** Without a budget, what is needed less is left out. */
const NEEDED = 0.5
/** What is needed less makes up the number alone. */
const SPARE = 0.15
/** How many it is for tells nothing of its kind. */
const COUNTED = wordSet(
  'for a an the of from with that this one two three four five six people persons person my our us may can',
)
/** No product's facts answer these. */
const OPINIONS = wordSet(
  'good nice decent little proper really cool solid acceptable sensible that this with leaves',
)
const isOpinion = (word: string) => OPINIONS.has(word) || CHEAP.has(word) || CHOICE.has(word)
const INFERRED = { least: 0.5, most: 0.9 }

export async function chooseCategories(search: Search, wish: Wish): Promise<ChosenCategory[]> {
  const chosen = await chooseAll(search, wish)
  return chosen.map((one) => ({ ...one, query: [one.query, ...wish.demands].join(', ') }))
}

async function chooseAll(search: Search, wish: Wish): Promise<ChosenCategory[]> {
  const { chosen, rated } = await choose(search, wish)
  if (chosen.length >= MIN_CATEGORIES) return chosen
  const ranking = rated ?? (await rateCategories(search, plainly(wish.goal ?? wish.query)))
  // Who names one thing, or has the rest of a goal, wants no other that is not as near. Otherwise the nearest are a try.
  const isNamed = chosen.some(({ named }) => named)
  if (chosen.some(({ quantity }) => quantity > 1)) return chosen
  const mayTry = !isNamed && (rated !== null || wish.excluded.length === 0)
  const least = mayTry ? 0 : Math.max(NEAR_OTHERS, (ranking[0]?.score ?? 0) * KEEP_FROM)
  const more = ranking
    .filter((one) => one.score >= least && isFree(one, chosen, wish))
    .slice(0, MIN_CATEGORIES - chosen.length)
  const goal = wish.goal ?? ''
  return [...chosen, ...more.map((one) => inferred(wish, goal, one, { share: 0 }))]
}

/**
 * Exactly those that were given beside the sentence; what it says of one of them (how many, how good) still counts. The
 * labels are the index's own, because the vocabulary may not know a category yet that came a moment ago.
 */
export function takeCategories(index: CatalogIndex, wish: Wish, slugs: readonly string[]): ChosenCategory[] {
  const vocabulary = index.vocabulary()
  const labels = new Map(index.categories().map(({ slug, label }) => [slug, label]))
  const goal = wish.goal ?? ''
  const named = namedCategories({ ...wish, excluded: [] }, goal, vocabulary)
  return [...new Set(slugs)].map((slug) => {
    const label = labels.get(slug) ?? slug.replaceAll('-', ' ')
    const said = named.find((one) => one.slug === slug)
    return said ?? { ...inferred(wish, goal, { slug, label }, { share: 1 }), weight: 1, named: true }
  })
}

/** Whether the catalog holds at least two categories for the wish, with nothing added to make up the number. */
export async function spansCategories(search: Search, wish: Wish): Promise<boolean> {
  const { chosen, rated } = await choose(search, wish)
  // Named things and the roles of a known goal are there.
  if (rated === null) return chosen.length >= MIN_CATEGORIES
  const near = rated.filter(({ score }) => score >= NEAR_OTHERS)
  const fitting = new Set(near.map(({ slug }) => slug))
  return chosen.filter(({ named, slug }) => named || fitting.has(slug)).length >= MIN_CATEGORIES
}

async function choose(
  search: Search,
  wish: Wish,
): Promise<{ chosen: ChosenCategory[]; rated: Relevance[] | null }> {
  const goal = wish.goal ?? ''
  const { vocabulary, all, roles } = await search.reading((index) => ({
    vocabulary: index.vocabulary(),
    all: namedCategories(wish, goal, index.vocabulary()),
    roles:
      wish.goal === null
        ? null
        : (rolesFor(index.vocabulary(), plainly(wish.goal)) ??
          // "My grandson (14 months) stays with us": who it is for tells what it is for.
          rolesFor(index.vocabulary(), impliedBy(wish.query).join(', '))),
  }))
  const named = await withItems(search, wish, all)
  if (named.length > MAX_CATEGORIES) {
    const kept = named.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_CATEGORIES)
    return { chosen: named.filter((one) => kept.includes(one)), rated: null }
  }
  if (wish.goal === null) return { chosen: named, rated: null }
  // "First trip ever" is when a tent is used; of what people take on trips nothing was asked for.
  const isOccasion = !roles?.some(({ category }) => named.some(({ slug }) => slug === category))
  if (wish.isList && isOccasion) return { chosen: named, rated: null }
  if (roles) {
    const needed = roles.filter(({ need }) => need >= (wish.budget === null ? NEEDED : SPARE))
    const chosen = [...named]
    for (const role of [...needed, ...roles])
      if (
        chosen.length < (needed.includes(role) ? MAX_CATEGORIES : MIN_CATEGORIES) &&
        isOpen(role.category, chosen, wish)
      )
        chosen.push(inRole(wish, goal, role, vocabulary))
    return { chosen, rated: null }
  }
  // Beside what is named, words of no known goal are the story around it.
  if (named.length > 0 && !wish.asksForMore) return { chosen: named, rated: null }
  const rated = await rateCategories(search, plainly(wish.goal))
  if (!rated.some(({ score }) => score >= NEAR_BEST)) return { chosen: named, rated }
  const best = rated[0]?.score ?? 0
  const least = best * KEEP_FROM
  const most = Math.min(MAX_CATEGORIES, named.length + MOST_INFERRED)
  const chosen = [...named]
  for (const one of rated) {
    if (one.score < least || one.score <= 0 || chosen.length >= most) break
    if (isFree(one, chosen, wish)) chosen.push(inferred(wish, goal, one, { share: one.score / best }))
  }
  return { chosen, rated }
}

/** What is asked for in other words is of the category that is nearest to them, if one is near. */
async function withItems(search: Search, wish: Wish, named: ChosenCategory[]): Promise<ChosenCategory[]> {
  const all = [...named]
  for (const item of wish.items) {
    const known = await search.reading((index) => rolesFor(index.vocabulary(), item) ?? [])
    const needOf = (slug: string) => known.find(({ category }) => category === slug)?.need ?? 0
    const [best] = (await rateCategories(search, item))
      .filter((one) => isFree(one, all, wish))
      .map((one) => ({ ...one, score: one.score * (1 + OF_GOAL * needOf(one.slug)) }))
      .sort((a, b) => b.score - a.score)
    if (best && best.score >= NEAR_ITEM)
      all.push({
        ...inferred(wish, '', best, { share: 1 }),
        ...{ query: item, weight: 1, named: true, pointed: false },
      })
  }
  return all
}

function namedCategories(wish: Wish, goal: string, vocabulary: Vocabulary): ChosenCategory[] {
  return wish.things.flatMap(({ category, quantity, wish: words, makers, emphasis, maxCents: each }) => {
    const label = vocabulary.categories.find(({ slug }) => slug === category)?.label
    if (label === undefined || wish.excluded.includes(category)) return []
    const level = emphasis && LEVEL[emphasis]
    // What is said of one thing is not meant of the others.
    const apart = wish.things.some(
      (thing) =>
        impliedBy(thing.wish).length > 0 || (/ for /.test(thing.wish) && wordsOf(thing.wish).some(isPerson)),
    )
    const implied = impliedBy(apart && !/ (?:him|her|them)$/.test(words) ? words : wish.query)
    const grown = implied.map((word) => (word === 'toddler' && !isForChildren(label) ? 'kid' : word))
    const query = [level, words, ...grown, purpose(wish, label, goal)].filter(Boolean).join(' ')
    const weight = emphasis ? EMPHASIS[emphasis] : 1
    return [
      {
        ...{ slug: category, label, role: label, quantity, query, weight, named: true },
        modest: emphasis === 'less',
        pointed: ownWords(words, label).length > 0,
        makers,
        ...bounds(wish, [...new Set([...ownWords(words, label), ...grown])]),
        maxCents: each === null ? null : each * quantity,
      },
    ]
  })
}

/** They have toddlers' models; of other things there are kids' ones. */
function isForChildren(label: string): boolean {
  return /\b(?:baby|car seat|stroller|crib|mattress)/i.test(label)
}

/** Not left out, not chosen yet, and no second one of a kind (robot vacuums beside cordless ones). */
function isFree({ slug, head }: Relevance, chosen: readonly ChosenCategory[], wish: Wish): boolean {
  if (wish.excluded.includes(slug) || chosen.some((one) => one.slug === slug)) return false
  return chosen.every(({ label }) => headOf(label) !== head)
}

function isOpen(slug: string, chosen: readonly ChosenCategory[], { excluded }: Wish): boolean {
  return !excluded.includes(slug) && !chosen.some((one) => one.slug === slug)
}

function inRole(
  wish: Wish,
  goal: string,
  { role, thing, need, category }: Role,
  vocabulary: Vocabulary,
): ChosenCategory {
  const label = vocabulary.categories.find(({ slug }) => slug === category)?.label ?? category
  // Twins sit in a seat each.
  const twins = /\btriplets\b/i.test(wish.query) ? 3 : /\btwins\b/i.test(wish.query) ? 2 : 1
  const isSeat = /\b(?:car seat|crib)s?\b/i.test(label)
  const one = inferred(wish, goal, { slug: category, label }, { share: 0, thing })
  const quantity = isSeat ? twins : one.quantity
  return { ...one, role, quantity, weight: need * INFERRED.most, pointed: ownWords(thing, label).length > 0 }
}

const MEASURE =
  /(?:at (?:least|most) )?\d[\d.,]*[\s-]?\p{L}*(?: (?:wide|long|tall|high|deep|thick|or (?:more|less|better)))?/giu

/** What the shopper says of the thing beside its name: "quiet" of a quiet blender. */
function ownWords(words: string, label: string): string[] {
  const known = new Set(wordsOf(label).map(stem))
  return wordsOf(words.replace(MEASURE, ' ')).filter((word) => {
    const { term, stop } = factsOf(word)
    return (
      word.length > 2 &&
      !stop &&
      !COUNTED.has(word) &&
      !isOpinion(word) &&
      !known.has(term) &&
      !PLACES.has(term)
    )
  })
}

function inferred(
  wish: Wish,
  goal: string,
  { slug, label }: Pick<Relevance, 'slug' | 'label'>,
  { share, thing = label.toLowerCase() }: { share: number; thing?: string },
): ChosenCategory {
  const modest = wish.restIsBasic
  const query = [modest && LEVEL.less, thing, purpose(wish, label, goal)].filter(Boolean).join(' ')
  const quantity = isPerPerson(label) ? wish.people : 1
  const weight = INFERRED.least + (INFERRED.most - INFERRED.least) * Math.min(1, Math.max(0, share))
  return {
    ...{ slug, label, role: label, quantity, query, weight, modest },
    ...{ named: false, pointed: false, maxCents: wish.eachCents && wish.eachCents * quantity },
    ...bounds(wish),
  }
}

/** What holds for every line. */
function bounds(
  { manner, demands, avoid, arriveInDays }: Wish,
  own: readonly string[] = [],
): Pick<ChosenCategory, 'wanted' | 'avoid' | 'arriveInDays'> {
  return {
    wanted: [
      ...own,
      ...manner,
      ...demands.filter((phrase) => !/^(?:no|not|without|nothing)\b/i.test(phrase)),
    ],
    avoid,
    arriveInDays,
  }
}

/** For whom and what for. How many must fit in matters more than the occasion, which would drown it. */
function purpose({ people, audience }: Wish, label: string, goal: string): string {
  if (people > 1 && !isPerPerson(label)) return `for ${people} people`
  const said = audience
    .filter((one) => !/\d|couple|family|group|party|team/.test(one))
    .map((one) => `for ${one}`)
  return [...said, ...(goal ? [`for ${goal}`] : [])].join(' ')
}

type Relevance = {
  slug: string
  label: string
  /** The word for what it is; categories that share it stand in for each other. */
  head: string
  score: number
}

const FOUND = 100
const BEST_OF_CATEGORY = 3

/** How well each category serves a goal that no table knows, by the products that a search for it finds. Best first. */
export async function rateCategories(search: Search, query: string): Promise<Relevance[]> {
  const found = await search.candidates({ query, limit: FOUND })
  // Without vectors only the order tells.
  const byOrder = found.every(({ similarity }) => similarity === 0)
  const nearness = new Map(
    found.map((one, at) => [one, byOrder ? 1 - at / found.length : one.similarity] as const),
  )
  return Map.groupBy(found, ({ product }) => product.category.slug)
    .values()
    .map((products) => {
      const { slug, label } = products[0]?.product.category ?? { slug: '', label: '' }
      const near = products
        .map((one) => nearness.get(one) ?? 0)
        .sort((a, b) => b - a)
        .slice(0, BEST_OF_CATEGORY)
      const score = near.reduce((sum, one) => sum + one, 0) / BEST_OF_CATEGORY
      return { slug, label, head: headOf(label), score }
    })
    .toArray()
    .sort((a, b) => b.score - a.score || byText(a.slug, b.slug))
}

/** The last word of the label. */
function headOf(label: string): string {
  return wordsOf(label).map(termOf).at(-1) ?? ''
}
