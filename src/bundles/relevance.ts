/**
 * How well each category serves a goal, judged from the catalog alone. By meaning: the goal beside the category's picture and
 * beside its nearest products. By words: how much of the keyword index's answer falls into it. Then a second look from the
 * categories that came first: what resembles them, and what their products speak of (texts about desks mention monitors and
 * laptops), because people who furnish an office name neither.
 */
import type { CatalogIndex } from '../search/catalog-index.ts'
import { toQueryTerms } from '../search/lexical/query-terms.ts'
import type { Search } from '../search/search.service.ts'
import { andThen, type MaybePromise } from '../search/vectors/meaning-index.ts'
import { meanOf } from '../search/vectors/memory-meaning.ts'
import type { Hits } from '../search/vectors/vector-index.ts'
import { type CategoryPicture, categoryPictures, dot, plainPictures, unit } from './category-pictures.ts'

export type Relevance = {
  slug: string
  label: string
  head: string
  score: number
  /** By the goal's own words and meaning, before the second look; comparable between goals. */
  direct: number
}

const NEAREST = 150
const BEST_OF_CATEGORY = 3
const WORD_HITS = 80
/** Of the direct score: the picture and the nearest products, what sets the category apart, the words. */
const WEIGHTS = { near: 0.6, own: 0.4, words: 0.08 }
const LEADERS = 3
const RESEMBLES = 0.15
const SPOKEN_OF = 0.35
const MOST_SPOKEN_OF = 0.4
/** How many of those behind the leaders are looked for in their texts. */
const LOOKED_FOR = 24

const MAX_PARTS = 3
/** A part out of its sentence says less than the whole. */
const PART = 0.8

/** Best first. A goal of several parts ("a quiet office and somewhere to nap") is served by what serves any of them. */
export async function rateCategories(search: Search, text: string): Promise<Relevance[]> {
  const parts = text.split(/, | and | & | \+ /).filter((part) => part.trim() !== '')
  const whole = await rate(search, text)
  if (parts.length < 2) return whole
  const best = new Map(whole.map((one) => [one.slug, one]))
  for (const part of parts.slice(0, MAX_PARTS))
    for (const one of await rate(search, part)) {
      const known = best.get(one.slug)
      if (known && one.score * PART > known.score)
        best.set(one.slug, {
          ...one,
          score: one.score * PART,
          direct: Math.max(known.direct, one.direct * PART),
        })
    }
  return [...best.values()].sort(byScore)
}

async function rate(search: Search, text: string): Promise<Relevance[]> {
  const index = search.index()
  const vector = await search.embed(text)
  const words = shareOfWords(index, text)
  const drawn = await search.byMeaning(() => categoryPictures(index))
  const pictures = drawn ?? plainPictures(index)
  const near = vector && drawn && (await search.byMeaning(() => nearness(index, drawn, vector)))
  const direct = (one: CategoryPicture) => {
    const byWords = words.get(one.number) ?? 0
    if (!vector || !near) return byWords
    return (
      WEIGHTS.near * (near.get(one.number) ?? 0) +
      WEIGHTS.own * dot(vector, one.own) +
      WEIGHTS.words * byWords
    )
  }
  const rated = pictures
    .map((picture) => ({ picture, direct: direct(picture) }))
    .sort((a, b) => b.direct - a.direct || (a.picture.slug < b.picture.slug ? -1 : 1))
  const leaders = rated.slice(0, LEADERS).filter(({ direct }) => direct > 0)
  const looked = new Set(rated.slice(LEADERS, LEADERS + LOOKED_FOR).map(({ picture }) => picture))
  const leading = leaders.map(({ picture }) => picture)
  const resembles = resemblanceTo(leaders, index.meaning.dims)
  return rated
    .map(({ picture, direct }) => {
      const { slug, label, head } = picture
      const spoken = looked.has(picture) ? Math.min(MOST_SPOKEN_OF, shareSpokenOf(leading, picture)) : 0
      return {
        slug,
        label,
        head,
        direct,
        score: direct + RESEMBLES * resembles(picture) + SPOKEN_OF * spoken,
      }
    })
    .sort(byScore)
}

function byScore(a: Relevance, b: Relevance): number {
  return b.score - a.score || (a.slug < b.slug ? -1 : 1)
}

/** Half the whole category, half its best products; one that has none among the nearest is as far as the last of them. */
function nearness(
  index: CatalogIndex,
  pictures: readonly CategoryPicture[],
  vector: Float32Array,
): MaybePromise<Map<number, number>> {
  return andThen(index.meaning.nearest('short', vector, NEAREST), (hits) =>
    nearnessOf(index, pictures, vector, hits),
  )
}

function nearnessOf(
  index: CatalogIndex,
  pictures: readonly CategoryPicture[],
  vector: Float32Array,
  { slots, scores }: Hits,
): Map<number, number> {
  const best = new Map<number, number[]>()
  for (const [place, slot] of slots.entries()) {
    const category = index.columns.category[slot] ?? 0
    const list = best.get(category) ?? []
    if (list.length < BEST_OF_CATEGORY) list.push(scores[place] ?? 0)
    best.set(category, list)
  }
  const last = scores.at(-1) ?? 0
  return new Map(
    pictures.map(({ number, mean }) => {
      const list = best.get(number) ?? []
      const sum = list.reduce((total, score) => total + score, last * (BEST_OF_CATEGORY - list.length))
      return [number, 0.5 * dot(vector, mean) + (0.5 * sum) / BEST_OF_CATEGORY]
    }),
  )
}

/** 1 for the category that holds most of what the words find. */
function shareOfWords(index: CatalogIndex, text: string): Map<number, number> {
  const { slots, scores } = index.words.search(toQueryTerms(text, index.words), WORD_HITS)
  const sums = new Map<number, number>()
  for (const [place, slot] of slots.entries()) {
    const category = index.columns.category[slot] ?? 0
    sums.set(category, (sums.get(category) ?? 0) + (scores[place] ?? 0))
  }
  const most = Math.max(...sums.values(), Number.MIN_VALUE)
  return new Map([...sums].map(([category, sum]) => [category, sum / most]))
}

/** To the leaders, itself left out: one that only happens to lead resembles none of the others. */
function resemblanceTo(
  leaders: ReadonlyArray<{ picture: CategoryPicture; direct: number }>,
  dims: number,
): (one: CategoryPicture) => number {
  const leadWithout = (one: CategoryPicture | null) => {
    const others = leaders.filter(({ picture }) => picture !== one)
    return unit(
      meanOf(
        others.map(({ picture, direct }) => picture.own.map((value) => value * direct)),
        dims,
      ),
    )
  }
  const all = leadWithout(null)
  const apart = new Map(leaders.map(({ picture }) => [picture, leadWithout(picture)]))
  return (one) => dot(apart.get(one) ?? all, one.own)
}

/** The share of the leaders' products that speak of a category; a baby monitor's text says "monitor" of itself. */
function shareSpokenOf(leaders: readonly CategoryPicture[], other: CategoryPicture): number {
  const speaking = leaders.filter(({ head }) => head !== other.head)
  const shares = speaking.map(({ number }) => other.spokenOfBy().get(number) ?? 0)
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
}
