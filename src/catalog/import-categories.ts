/**
 * Categories that come with a file. A row names a path, "Home > Kitchen > Kettles"; the category that it means is one that
 * the operator mapped it to, one of the same name, or a new one. What is new is made with the rows that need it.
 */

import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import type { Tx } from '../db/database.ts'
import { parseJson } from '../lib/bounded-json.ts'
import { sha256 } from '../lib/crypto.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { shorten, slugify } from '../lib/text.ts'
import type { Category } from './catalog.schema.ts'
import { insertCategory } from './categories.queries.ts'
import { slugsNear, UNCATEGORIZED } from './category-index.ts'
import { detectDelimiter } from './import/delimited.ts'
import { categoryPath } from './import/values.ts'
import type { CategoryCount } from './import-files.schema.ts'
import { keepCreated } from './imports.queries.ts'
import type { InputProblem, ProductInput } from './product-input.ts'
import { insertChanges } from './upsert.queries.ts'

/** A file whose every row has a category of its own has named none. */
const MOST_NEW = 2_000
const MAX_LABEL = 100

export type CategoryRules = {
  /** Theirs to ours: a whole path or its last name, to the slug of a category. */
  map?: Readonly<Record<string, string>>
  /** False refuses rows of categories that are not there. */
  makeNew?: boolean
}

/** Two columns, theirs and ours, or a JSON object. */
export function readCategoryMap(text: string): Record<string, string> {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  if (trimmed.startsWith('{')) {
    const parsed = z.record(z.string(), z.string()).safeParse(parseJson(trimmed))
    if (parsed.success) return parsed.data
    throw new AppError('invalid', 'the category map must be an object of texts: {"Bracelet": "jewelry"}')
  }
  const pairs: string[][] = parse(trimmed, {
    delimiter: detectDelimiter(trimmed),
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  })
  return Object.fromEntries(
    pairs.map(([theirs = '', ours = '']) => [theirs, ours]).filter(([, ours]) => ours !== ''),
  )
}

type Place = Pick<ProductInput, 'category' | 'categoryPath'>
type TitledPlace = Place & { facts: { title: string } }

/** Of a new category, for telling what it holds. */
const MOST_TITLES = 10

const folded = (names: readonly string[]) => names.map((name) => slugify(name) || name.trim()).join(' > ')

export function createCategoryChooser(
  known: readonly Category[],
  { map = {}, makeNew = true }: CategoryRules,
  called: ReadonlyArray<{ names: string[]; categoryId: string }> = [],
) {
  const bySlug = new Map<string, Category>()
  const byPath = new Map<string, Category>()
  const byName = new Map<string, Array<{ category: Category; isPlaced: boolean }>>()
  const mapped = new Map(
    Object.entries(map).map(([theirs, ours]) => [folded(categoryPath(theirs) ?? [theirs]), ours]),
  )
  const counts = new Map<string, CategoryCount>()
  const titles = new Map<string, string[]>()
  let made = 0

  const name = (category: Category, names: readonly string[], ...others: string[]) => {
    const path = folded(names)
    if (!byPath.has(path)) byPath.set(path, category)
    for (const one of new Set([slugify(names.at(-1) ?? ''), ...others])) {
      const known = byName.get(one) ?? []
      if (known.some((other) => other.category.id === category.id)) continue
      byName.set(one, [...known, { category, isPlaced: names.length > 1 }])
    }
  }
  const add = (category: Category) => {
    bySlug.set(category.slug, category)
    name(category, [...category.path, category.label], category.slug)
  }
  for (const category of known) add(category)
  const byId = new Map(known.map((category) => [category.id, category]))
  for (const { names, categoryId } of called) {
    const category = byId.get(categoryId)
    if (category) name(category, names)
  }

  /** A category that nobody placed is meant by its name wherever the name stands. */
  function named({ category, categoryPath: above }: Place): Category | null {
    const own = slugify(category)
    const candidates = [...(byName.get(own) ?? []), ...(byName.get(`${own}s`) ?? [])]
    const free = candidates.find(({ isPlaced }) => !isPlaced)
    return (free ?? (above.length === 0 && candidates.length === 1 ? candidates[0] : null))?.category ?? null
  }

  function find(place: Place): Category | null {
    const path = folded([...place.categoryPath, place.category])
    const ours = mapped.get(path) ?? mapped.get(folded([place.category]))
    if (ours !== undefined) return bySlug.get(slugify(ours)) ?? null
    return byPath.get(path) ?? named(place)
  }

  const near = (text: string) => slugsNear(text, bySlug.keys())

  function draft({ category: label, categoryPath: path }: Place, taken: (slug: string) => boolean) {
    const hash = sha256(folded([...path, label]))
      .toString('hex')
      .slice(0, 8)
    const slugs = [
      slugify(label),
      slugify([path.at(-1) ?? '', label].join(' ')),
      slugify(`${slugify(label).slice(0, 60)} ${hash}`),
    ]
    const slug = slugs.find((one) => one !== '' && !taken(one)) ?? `category-${hash}`
    return { id: newId(), slug, label: shorten(label, MAX_LABEL), description: '', path }
  }

  return {
    /** The category that a row means as things are; null for one that would be made. */
    find,
    /** The slugs of categories that are called alike. */
    near,
    /** Makes what the rows of a batch need; `keep` is called when they are written for good. */
    async prepare(tx: Tx, places: readonly Place[], { importId, now }: { importId: string; now: Date }) {
      const fresh = new Map<string, Category>()
      const unknown = new Map(
        makeNew
          ? places
              .filter((place) => !find(place))
              .map((place) => [folded([...place.categoryPath, place.category]), place])
          : [],
      )
      for (const [path, asked] of unknown) {
        const tooMany = made + fresh.size >= MOST_NEW
        const place = tooMany ? { category: UNCATEGORIZED, categoryPath: [] } : asked
        const taken = (slug: string) =>
          bySlug.has(slug) || [...fresh.values()].some((one) => one.slug === slug)
        const known = find(place) ?? fresh.get(folded([place.category]))
        const { category, isNew } = known
          ? { category: known, isNew: false }
          : await insertCategory(tx, draft(place, taken), now)
        fresh.set(path, category)
        if (!isNew) continue
        await keepCreated(tx, importId, [category.id], 'category')
        const { slug, label, description } = category
        const after = { slug, label, description }
        await insertChanges(
          tx,
          [{ productId: null, categoryId: category.id, aspect: 'text', before: null, after }],
          now,
        )
      }
      const categoryOf = (input: Place): Category | { problem: InputProblem } => {
        const category = find(input) ?? fresh.get(folded([...input.categoryPath, input.category]))
        if (category) return category
        const suggested = near(input.category)
        return {
          problem: {
            field: 'category',
            problem: `there is no category "${shorten(input.category, 60)}"`,
            fix:
              suggested.length > 0
                ? `did you mean ${suggested.join(' or ')}?`
                : 'use a category of the catalog, or add it with --categories FILE',
          },
        }
      }
      const keep = (inputs: readonly TitledPlace[]) => {
        for (const category of fresh.values()) {
          if (bySlug.has(category.slug)) continue
          add(category)
          made++
          const { slug, label, path } = category
          counts.set(slug, { slug, label, path, rows: 0, isNew: true })
        }
        for (const input of inputs) {
          const category = categoryOf(input)
          if ('problem' in category) continue
          const { slug, label, path } = category
          const count = counts.get(slug) ?? { slug, label, path, rows: 0, isNew: false }
          counts.set(slug, { ...count, rows: count.rows + 1 })
          const some = count.isNew ? (titles.get(slug) ?? []) : null
          if (some && some.length < MOST_TITLES) titles.set(slug, [...some, input.facts.title])
        }
      }
      return { categoryOf, keep }
    },
    counts: (): CategoryCount[] => [...counts.values()],
    /** Some titles of each category that is new, by its slug. */
    titles: (): ReadonlyMap<string, readonly string[]> => titles,
  }
}

export type CategoryChooser = ReturnType<typeof createCategoryChooser>
