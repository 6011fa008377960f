/**
 * What a plan is to be after edits, before products are chosen for it. Each line says what fills it: a product that must
 * (kept, or named by an edit), one that it has and should stay, or none yet. Pure: the same plan, edits and catalog give
 * the same draft. An edit that cannot be is refused with its number, and nothing of the others holds.
 */

import { MAX_CATEGORIES } from '../bundles/bundles.schema.ts'
import { costOf } from '../bundles/grade.ts'
import { canonicalSlug } from '../catalog/profile.ts'
import { type AppError, type ErrorDetails, invalid } from '../lib/errors.ts'
import { formatUsd } from '../lib/money.ts'
import type { IndexedProduct } from '../search/catalog-index.ts'
import type { AsideLine, LineWish, ProductOf, StoredPlan } from './kept.ts'
import type { Edit } from './plans.schema.ts'

export type DraftLine = {
  wish: LineWish
  kept: boolean
  /** Id of the product that fills it, whatever else changes. */
  must: string | null
  /** Id of the product that it has. */
  has: string | null
  declined: string[]
  /** An edit speaks of it. */
  named: boolean
}

export type Draft = { budgetCents: number | null; lines: DraftLine[]; aside: AsideLine[] }

export type EditCatalog = {
  productOf: ProductOf
  /** By `<category>/<slug>` or a slug alone, which belongs to one product. */
  findProduct(slug: string): IndexedProduct | null
  /** By slug or label; null for an unknown one. */
  findCategory(name: string): { slug: string; label: string } | null
  /** What is near to an unknown name. */
  nearCategories(name: string): string[]
  /** How a line for this category is filled, as the wish goes. */
  wishFor(category: string): LineWish
}

export function applyEdits(plan: StoredPlan, edits: readonly Edit[], catalog: EditCatalog): Draft {
  const start: Draft = {
    budgetCents: plan.budgetCents,
    aside: plan.aside,
    lines: plan.lines.map(({ wish, kept, declined, line }) => {
      // What is gone, or no longer made, cannot stay.
      const product = line.product === null ? null : catalog.productOf(line.product)
      const has = product && !product.discontinued ? product.id : null
      return { wish, kept: kept && has !== null, must: kept ? has : null, has, declined, named: false }
    }),
  }
  const draft = edits.reduce((draft, edit, at) => applyEdit(draft, edit, catalog, `edits.${at}`), start)
  if (draft.lines.length > MAX_CATEGORIES)
    throw refused('edits', `a plan has at most ${MAX_CATEGORIES} lines; remove one first`, {
      max: MAX_CATEGORIES,
    })
  if (draft.lines.length === 0)
    throw refused('edits', 'a plan needs at least one line; delete the plan if you no longer need it')
  requireAffordable(draft, catalog)
  return draft
}

function applyEdit(draft: Draft, edit: Edit, catalog: EditCatalog, at: string): Draft {
  const { lines, aside } = draft
  if (edit.kind === 'budget') return { ...draft, budgetCents: edit.cents }
  if (edit.kind === 'add') return addLine(draft, edit.what, catalog, `${at}.add`)
  const line = findLine(lines, edit.line, catalog, `${at}.${edit.kind === 'quantity' ? 'line' : edit.kind}`)
  const change = (changed: Partial<DraftLine>): Draft => ({
    ...draft,
    lines: lines.map((one) => (one === line ? { ...one, ...changed, named: true } : one)),
  })
  if (edit.kind === 'remove') {
    const gone: AsideLine = { wish: line.wish, product: line.has, at: lines.indexOf(line), why: 'removed' }
    return { ...draft, lines: lines.filter((one) => one !== line), aside: [...aside, gone] }
  }
  if (edit.kind === 'quantity') return change({ wish: { ...line.wish, quantity: edit.quantity } })
  if (edit.kind === 'keep') {
    if (edit.off) return change({ kept: false, must: null })
    if (line.has === null)
      throw refused(`${at}.keep`, `${line.wish.label} has no product to keep; use replace to choose one`)
    return change({ kept: true, must: line.has })
  }
  if (edit.with === null) {
    const declined = line.has === null ? line.declined : [...line.declined, line.has]
    return change({ must: null, has: null, declined: [...new Set(declined)] })
  }
  const product = requireProduct(edit.with, catalog, `${at}.with`)
  if (product.category.slug !== line.wish.slug)
    throw refused(
      `${at}.with`,
      `${canonicalSlug({ category: product.category.slug, slug: product.slug })} is not in ${line.wish.slug}; remove this line and add that one`,
    )
  const declined = line.declined.filter((id) => id !== product.id)
  return change({ must: product.id, has: product.id, declined })
}

function addLine(draft: Draft, what: string, catalog: EditCatalog, field: string): Draft {
  const category = what.includes('/') ? null : catalog.findCategory(what)
  const product = category ? null : catalog.findProduct(what)
  if (what.includes('/') || (product && !category)) requireProduct(what, catalog, field)
  const { slug, label } = category ?? product?.category ?? unknownCategory(what, catalog, field)
  if (draft.lines.some(({ wish }) => wish.slug === slug))
    throw refused(field, `the plan has a line for ${label}; use replace or quantity to change it`)
  const before = draft.aside.find(({ wish }) => wish.slug === slug)
  const had = before?.product ? catalog.productOf(before.product) : null
  const line: DraftLine = {
    // What is added by name counts as asked for, also where it had been our idea.
    wish: { ...(before?.wish ?? catalog.wishFor(slug)), named: true },
    kept: false,
    must: product?.id ?? null,
    has: product?.id ?? (had && !had.discontinued ? had.id : null),
    declined: [],
    named: true,
  }
  return {
    ...draft,
    lines: draft.lines.toSpliced(before?.at ?? draft.lines.length, 0, line),
    aside: draft.aside.filter((one) => one !== before),
  }
}

/** By its category; or by its product or label, where these mean one line. */
function findLine(
  lines: readonly DraftLine[],
  name: string,
  { productOf }: EditCatalog,
  field: string,
): DraftLine {
  const said = name.toLowerCase()
  const exact = lines.find(({ wish }) => wish.slug === said)
  if (exact) return exact
  const meant = lines.filter(({ wish, has }) => {
    const product = has === null ? null : productOf(has)
    const names = product ? [product.slug, canonicalSlug({ category: wish.slug, slug: product.slug })] : []
    return [...names, wish.label.toLowerCase(), wish.role.toLowerCase()].includes(said)
  })
  if (meant.length === 1 && meant[0]) return meant[0]
  const valid = (meant.length > 1 ? meant : lines).map(({ wish }) => wish.slug)
  const why = meant.length > 1 ? `${name} can mean several lines` : `the plan has no line ${name}`
  throw refused(field, `${why}; its lines are ${valid.join(', ')}`, { valid })
}

function requireProduct(slug: string, { findProduct }: EditCatalog, field: string): IndexedProduct {
  const product = findProduct(slug)
  if (!product) throw refused(field, `there is no product ${slug}`)
  if (product.discontinued)
    throw refused(field, `${slug} is discontinued; choose a product that is still made`)
  return product
}

function unknownCategory(name: string, { nearCategories }: EditCatalog, field: string): never {
  const valid = nearCategories(name)
  throw refused(field, `there is no category or product ${name}`, valid.length > 0 ? { valid } : {})
}

/** What must stay has to fit: the budget then holds for all that may change. */
function requireAffordable({ budgetCents, lines }: Draft, { productOf }: EditCatalog): void {
  if (budgetCents === null) return
  const fixed = lines.flatMap(({ wish, must }) => {
    const product = must === null ? null : productOf(must)
    const costCents = product && costOf(product, wish.quantity)
    return product && costCents !== null ? [{ title: product.title, costCents }] : []
  })
  const alone = fixed.find(({ costCents }) => costCents > budgetCents)
  const budget = formatUsd(budgetCents)
  if (alone)
    throw refused(
      'edits',
      `${alone.title} costs ${formatUsd(alone.costCents)}, more than your ${budget} budget; raise the budget or choose another product`,
    )
  const sum = fixed.reduce((sum, { costCents }) => sum + costCents, 0)
  if (sum > budgetCents)
    throw refused(
      'edits',
      `what you keep costs ${formatUsd(sum)} together, more than your ${budget} budget; raise the budget or let one of them change`,
    )
}

function refused(field: string, message: string, details: ErrorDetails = {}): AppError {
  return invalid(field, `${field}: ${message}`, details)
}
