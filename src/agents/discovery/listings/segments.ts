/**
 * The catalog cut in segments: category by category as the home page has them, each at slugs that are chosen by
 * themselves. So every node has the same segments for the same catalog, and a change concerns one segment. On
 * changes it only marks; the next reader has the marks settled, which costs a few small reads of one moment. What every
 * listing made of a segment is kept with the segment, and with it which products are in there: one that was removed or
 * moved away is found where it was. Offers that start or end by the clock are the pieces' own affair: they know until
 * when they hold.
 */
import {
  type CategorySummary,
  countCategories,
  getCuts,
  getPlaces,
  type ProductPlace,
  type SlugRange,
} from '../../../catalog/catalog.service.ts'
import type { ChangeEvent } from '../../../catalog/changes.follower.ts'
import type { Db } from '../../../db/database.ts'
import type { CatalogOverview, Listing } from './listing.ts'
import type { Piece } from './pieces.ts'
import { type ReadContext, readInTime } from './read-in-time.ts'

export type Segment = SlugRange & {
  /** Grows with every change of what is in it. */
  version: number
  pieces: Map<Listing, Piece>
}

type CategorySegments = { category: CategorySummary; segments: readonly Segment[] }

/** Replaced as a whole, never changed: a holder of one may go through it in peace. */
export type Shape = { overview: CatalogOverview; groups: readonly CategorySegments[] }

type Segments = {
  mark(events: ChangeEvent[]): void
  /** The shape after everything marked so far. Not while a piece is being made (see `findTouched`). */
  settle(): Promise<Shape>
  /** The shape while nothing is marked, for which nobody has to wait; null when there is something to settle. */
  settled(): Shape | null
  /** As it was settled last; null before that. */
  shape(): Shape | null
}

type Marks = {
  everything: boolean
  products: Set<string>
  /** Those of them that may be new, gone, somewhere else or at another price. */
  shifted: Set<string>
  /** Where something of that kind was announced. */
  categories: Set<string>
  labels: Set<string>
}

type Seen = {
  everything: boolean
  /** Categories that are counted and cut again. */
  affected: ReadonlySet<string>
  places: ProductPlace[]
  touched: Segment[]
  categories: CategorySummary[]
  cuts: Map<string, string[]>
}

/** Of a product that is where it was, as dear as it was. */
const IN_PLACE: ReadonlySet<ChangeEvent['aspect']> = new Set(['offers', 'availability', 'discontinued'])
/** Up to this, looking for each is faster than asking a set about everything there is. */
const FEW = 16

/** Beyond this, looking at each product costs more than making everything again. */
const MOST_PRODUCTS = 5_000

export function createSegments(reads: ReadContext, every: number): Segments {
  let marks = noMarks()
  let shape: Shape | null = null
  let settling = false

  function settled(): Shape | null {
    const { everything, products, categories } = marks
    return settling || everything || products.size > 0 || categories.size > 0 ? null : shape
  }

  /** Reads what the marks make necessary, and changes nothing. */
  async function look(ctx: { db: Db }, taken: Marks): Promise<Seen> {
    if (taken.everything || shape === null)
      return {
        everything: true,
        affected: new Set(),
        places: [],
        touched: [],
        categories: await countCategories(ctx, null),
        cuts: await getCuts(ctx, { categoryIds: null, every }),
      }
    const { groups, overview } = shape
    const products = [...taken.products]
    const places = products.length === 0 ? [] : await getPlaces(ctx, products)
    const touched = findTouched(groups, products)
    const shifted = taken.shifted.size === 0 ? [] : [...places, ...touched, ...findUnknown(groups)]
    const affected = new Set([...taken.categories, ...shifted.map(({ categoryId }) => categoryId)])
    const same = { everything: false, affected, places, touched }
    if (affected.size === 0) return { ...same, categories: overview.categories, cuts: new Map() }
    return {
      ...same,
      categories: await countCategories(ctx, { before: overview.categories, changed: affected }),
      cuts: await getCuts(ctx, { categoryIds: [...affected], every }),
    }
  }

  function bringUp({ everything, affected, places, touched, categories, cuts }: Seen, labels: Set<string>) {
    const known = new Map(shape?.groups.map(({ category, segments }) => [category.id, segments]))
    const groups = categories.map((category) => {
      const before = known.get(category.id) ?? []
      const keep = before.length > 0 && !everything && !affected.has(category.id)
      return { category, segments: keep ? before : cutAt(category.id, cuts.get(category.id) ?? [], before) }
    })
    const byCategory = new Map(groups.map(({ category, segments }) => [category.id, segments]))
    const here = places.flatMap((place) => segmentOf(byCategory.get(place.categoryId) ?? [], place) ?? [])
    const relabelled = [...labels].flatMap((id) => byCategory.get(id) ?? [])
    const stale = everything
      ? groups.flatMap(({ segments }) => segments)
      : [...here, ...touched, ...relabelled]
    for (const segment of new Set(stale)) segment.version++
    const productCount = categories.reduce((sum, category) => sum + category.productCount, 0)
    return { overview: { categories, productCount }, groups }
  }

  return {
    mark(events) {
      for (const { aspect, productId, categoryId } of events) {
        // New vectors change what is found, not what is shown.
        if (aspect === 'embedded') continue
        if (productId !== null) marks.products.add(productId)
        else if (categoryId !== null) marks.labels.add(categoryId)
        if (productId !== null && IN_PLACE.has(aspect)) continue
        if (productId !== null) marks.shifted.add(productId)
        if (categoryId !== null) marks.categories.add(categoryId)
      }
      if (marks.products.size > MOST_PRODUCTS) marks = { ...noMarks(), everything: true }
    },
    async settle() {
      const known = settled()
      if (known) return known
      const taken = marks
      marks = noMarks()
      settling = true
      try {
        const seen = await readInTime(reads, (ctx) => look(ctx, taken))
        shape = bringUp(seen, taken.labels)
        return shape
      } catch (error) {
        marks = merge(taken, marks)
        throw error
      } finally {
        settling = false
      }
    },
    settled,
    shape: () => shape,
  }
}

function noMarks(): Marks {
  return {
    everything: false,
    products: new Set(),
    shifted: new Set(),
    categories: new Set(),
    labels: new Set(),
  }
}

function merge(a: Marks, b: Marks): Marks {
  return {
    everything: a.everything || b.everything,
    products: a.products.union(b.products),
    shifted: a.shifted.union(b.shifted),
    categories: a.categories.union(b.categories),
    labels: a.labels.union(b.labels),
  }
}

/** Segments that are as they were stay the same, with all that was made of them. */
function cutAt(categoryId: string, cuts: string[], before: readonly Segment[]): Segment[] {
  const known = new Map(before.map((segment) => [`${segment.from} ${segment.to ?? ''}`, segment]))
  const starts = ['', ...cuts]
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? null
    return known.get(`${from} ${to ?? ''}`) ?? { categoryId, from, to, version: 0, pieces: new Map() }
  })
}

function segmentOf(segments: readonly Segment[], { slug }: ProductPlace): Segment | undefined {
  return segments.findLast(({ from }) => from <= slug)
}

/**
 * Where these products are shown until now. A piece that is being made at this moment would be missed, with a product in
 * it that has just been removed: that is why pieces and marks take turns.
 */
function findTouched(groups: readonly CategorySegments[], products: string[]): Segment[] {
  if (products.length === 0) return []
  const keys = new Set(products.map(memberKey))
  const shown = (members: Uint32Array) =>
    keys.size <= FEW
      ? keys.values().some((key) => members.includes(key))
      : members.some((key) => keys.has(key))
  const shows = ({ pieces }: Segment) => pieces.values().some(({ members }) => shown(members))
  return groups.flatMap(({ segments }) => segments.filter(shows))
}

/** Nobody has looked what is in there since it last changed, so a product that moved away from there is not missed. */
function findUnknown(groups: readonly CategorySegments[]): Segment[] {
  const known = ({ version, pieces }: Segment) => pieces.values().some((piece) => piece.version === version)
  return groups.flatMap(({ segments }) => segments.filter((segment) => !known(segment)))
}

/** The random end of an id, in four bytes: two products that share it are both made again, and no harm is done. */
export function memberKey(productId: string): number {
  return Number.parseInt(productId.slice(-8), 16)
}
