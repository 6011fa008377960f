/** The categories of a file and what each comes to: one of ours, or a new one, beside ours that may be meant. */
import { sha256 } from '../lib/crypto.ts'
import { inTime } from '../lib/in-time.ts'
import type { Category } from './catalog.schema.ts'
import { listCategories } from './catalog.service.ts'
import { findCategoryNames } from './import-categories.queries.ts'
import { createCategoryChooser } from './import-categories.ts'
import type { CatalogLook, FileRules, ImportFile } from './import-files.schema.ts'
import type { FilesContext } from './import-files.service.ts'

/** Nobody waits longer for a guess. */
const LIKELY_MS = 10_000

/** Says of categories that would be new which of ours holds such products; kept with the look, so it is found out once. */
export async function addLikely(ctx: FilesContext, { rules }: ImportFile, look: CatalogLook): Promise<void> {
  const chooser = await chooserOf(ctx, rules, await listCategories(ctx))
  const fresh = look.categories.filter(({ path }) => chooser.find(placeOf(path)) === null)
  const titles = fresh.map((category) => category.titles ?? [])
  for (const category of look.categories) delete category.titles
  if (fresh.length === 0 || !ctx.categoriesLike) return
  try {
    const asked = ctx.categoriesLike(titles)
    const found = await inTime(asked, LIKELY_MS, () => new Error('comparing categories takes too long'))
    fresh.forEach((category, at) => {
      category.likely = found[at] ?? undefined
    })
  } catch (error) {
    ctx.log.warn({ err: error }, 'categories of a file could not be compared')
  }
}

async function chooserOf(ctx: FilesContext, rules: FileRules, categories: readonly Category[]) {
  return createCategoryChooser(categories, { map: rules.categories }, await findCategoryNames(ctx.db))
}

function placeOf(path: readonly string[]) {
  return { category: path.at(-1) ?? '', categoryPath: path.slice(0, -1) }
}

/** What a category of the file comes to. `key` names it in forms. */
export type CategoryChoice = {
  key: string
  path: string[]
  rows: number
  /** Null: it would be made. */
  ours: Category | null
  /** Whether somebody said so. */
  isMapped: boolean
  /** Called alike. */
  near: Category[]
  /** Holds products that mean the like. */
  likely: Category | null
}

/** New ones first, then by their rows. */
export async function choicesOf(
  ctx: FilesContext,
  { rules }: ImportFile,
  look: CatalogLook,
): Promise<{ choices: CategoryChoice[]; categories: Category[] }> {
  const categories = await listCategories(ctx)
  const bySlug = new Map(categories.map((category) => [category.slug, category]))
  const chooser = await chooserOf(ctx, rules, categories)
  const choices = look.categories.map(({ path, rows, likely }): CategoryChoice => {
    const ours = chooser.find(placeOf(path))
    const slugs = ours ? [] : chooser.near(path.at(-1) ?? '').slice(0, 3)
    const near = slugs.flatMap((slug) => bySlug.get(slug) ?? [])
    const isMapped = Object.hasOwn(rules.categories, theirName(path))
    const like = ours || likely === undefined ? null : (bySlug.get(likely) ?? null)
    return { key: keyOf(path), path, rows, ours, isMapped, near, likely: like }
  })
  choices.sort((a, b) => Number(a.ours !== null) - Number(b.ours !== null) || b.rows - a.rows)
  return { choices, categories }
}

export function theirName(path: readonly string[]): string {
  return path.join(' > ')
}

/** Short, because a path may be as long as a page. */
export function keyOf(path: readonly string[]): string {
  return sha256(JSON.stringify(path)).toString('hex').slice(0, 12)
}
