/** `souk catalog`: the operator tidies products and categories, one or thousands at a time. */

import fs from 'node:fs'
import {
  deleteCategory,
  editCategory,
  mergeCategories,
  setCategoryHidden,
} from '../catalog/manage-categories.service.ts'
import {
  archiveProducts,
  deleteProducts,
  editProduct,
  hideProducts,
  listTwins,
  type ManageContext,
  type Managed,
  type MergeHooks,
  mergeProducts,
  moveProducts,
  showProducts,
} from '../catalog/manage-products.service.ts'
import { listRates, parseRate, setRates } from '../catalog/rates.service.ts'
import { type Chosen, parseSlug, previewSelection, type Selection } from '../catalog/select-products.ts'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { counted } from '../lib/words.ts'
import { MERGE_HOOKS } from '../org-hooks.ts'
import { readArguments, say, showUsage } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const OPERATOR = { kind: 'operator', id: null } as const

type CatalogAsk = {
  ctx: ManageContext & { mergeHooks: MergeHooks }
  /** What follows the command's name. */
  names: string[]
  values: ReturnType<typeof parse>['values']
}

function parse(args: string[]) {
  return readArguments(args, {
    texts: ['to', 'move-to', 'file', 'category', 'source', 'import'],
    flags: ['force', 'dry-run'],
  })
}

/** Answered with how the command is used. */
class UsageError extends Error {}

/** Texts, whatever they look like: the title of a book may be 1984. The others are written as JSON. */
const TEXTS = new Set([
  ...['title', 'brand', 'brand_domain', 'category', 'slug', 'label', 'model', 'description'],
  ...['verdict', 'released', 'gtin', 'mpn', 'sku'],
])

/** An empty value takes away what is there. */
function parseFields(said: string[]): Record<string, unknown> {
  const fields = said.map((entry): [string, unknown] => {
    const at = entry.indexOf('=')
    if (at < 1) throw new UsageError(`"${entry}" is not FIELD=VALUE`)
    const [name, value] = [entry.slice(0, at).trim(), entry.slice(at + 1)]
    if (value.trim() === '') return [name, null]
    return [name, TEXTS.has(name) ? value : parsed(value)]
  })
  return Object.fromEntries(fields)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

async function categoryCommand({ ctx, names, values }: CatalogAsk): Promise<number> {
  const [verb, slug, ...rest] = names
  if (slug === undefined) throw new UsageError('give an action and a category')
  const by = OPERATOR
  if (verb === 'edit' && rest.length > 0) {
    const edited = await editCategory(ctx, { by, slug, fields: categoryFields(rest) })
    say(edited.changed ? `Changed: /c/${edited.slug}` : 'Nothing to change: it already has these values.')
    return 0
  }
  const [into, ...more] = rest
  if (verb === 'merge' && into !== undefined && more.length === 0)
    return merged(await mergeCategories(ctx, { by, slug, into }), into)
  if (rest.length > 0) throw new UsageError(`"${names.join(' ')}" is not understood`)
  if (verb === 'hide' || verb === 'show') {
    const changed = await setCategoryHidden(ctx, { by, slug, hide: verb === 'hide' })
    const done = verb === 'hide' ? 'hidden, with its products' : 'shown'
    say(changed !== null ? `The category ${slug} is ${done}` : 'Nothing to change.')
    return 0
  }
  if (verb === 'delete') {
    const { 'move-to': moveTo } = values
    if (moveTo !== undefined) return merged(await mergeCategories(ctx, { by, slug, into: moveTo }), moveTo)
    await deleteCategory(ctx, { by, slug })
    say(`The category ${slug} is deleted`)
    return 0
  }
  throw new UsageError(`"${names.join(' ')}" is not understood`)

  function merged(moved: number, target: string): number {
    say(
      `${counted(moved, 'product')} moved to ${target}; the category ${slug} is deleted and its addresses redirect`,
    )
    return 0
  }
}

/** "Home > Kitchen" is two names; an empty text is no description. */
function categoryFields(said: string[]): Record<string, unknown> {
  const { path, description, ...fields } = parseFields(said)
  return {
    ...fields,
    ...(path !== undefined && { path: pathOf(path) }),
    ...(description !== undefined && { description: description ?? '' }),
  }
}

function pathOf(path: unknown): unknown {
  if (path === null) return []
  return typeof path === 'string' ? path.split('>').map((name) => name.trim()) : path
}

const HELP = `usage: npm run souk -- catalog edit SLUG FIELD=VALUE …
       npm run souk -- catalog move WHICH --to CATEGORY
       npm run souk -- catalog hide | show | archive | delete WHICH
       npm run souk -- catalog merge SLUG INTO
       npm run souk -- catalog twins
       npm run souk -- catalog category edit SLUG FIELD=VALUE … | merge SLUG INTO | hide SLUG | show SLUG
                                        | delete SLUG [--move-to SLUG]
       npm run souk -- catalog rates [CODE=DOLLARS …]

WHICH selects products; combine options to narrow the selection:
  SLUG …              these products
  --file FILE         the slugs in a file, one per line
  --category SLUG     all products of a category
  --source NAME       all products of a source: the name its files are imported under
  --import BATCH      all products an import wrote (see npm run souk -- import list)
  --dry-run           count them, list the first ten and change nothing

  edit      FIELD is a field of the import file: title, brand, price, slug, category …; FIELD= clears it
  hide      hides products from everyone outside right away; show undoes it
  archive   marks products as discontinued: pages stay, lists put them last, agents' searches leave them out
  delete    deletes for good. A product with claims, offers, requests or saves is kept and listed; --force deletes those
            too. A product that had quote requests is hidden instead, and its page says it was removed.
            Later files of its source skip it, unless imported with --restore-deleted
  merge     merges the first product into the second, with everything attached to it; old addresses redirect
  twins     lists products with the same brand and title, which may be duplicates
  rates     shows or sets US dollars per unit of a currency

examples:
  npm run souk -- catalog edit acme-kettle title="Acme Kettle 2" price=49
  npm run souk -- catalog edit acme-kettle 'specs={"Volume": "1.7 l"}' gtin=
  npm run souk -- catalog hide --source old-shop --dry-run
  npm run souk -- catalog move --category misc --to kitchen
  npm run souk -- catalog merge acme-kettle-copy acme-kettle
  npm run souk -- catalog category delete misc --move-to kitchen
`

const FIRST = 10
const SHOWN = 50

const COMMANDS: Record<string, (ask: CatalogAsk) => Promise<number>> = {
  edit,
  move: (ask) => onChosen(ask, 'moved', (selection) => moveTo(ask, selection)),
  hide: (ask) => onChosen(ask, 'hidden', (selection) => hideProducts(ask.ctx, { by: OPERATOR, selection })),
  show: (ask) => onChosen(ask, 'shown', (selection) => showProducts(ask.ctx, { by: OPERATOR, selection })),
  archive: (ask) =>
    onChosen(ask, 'archived', (selection) => archiveProducts(ask.ctx, { by: OPERATOR, selection })),
  delete: remove,
  merge,
  twins,
  category: categoryCommand,
  rates,
}

export async function catalogCommand(config: Config, args: string[]): Promise<number> {
  const { values, positionals } = parse(args)
  const [verb = '', ...names] = positionals
  const command = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined
  if (values.help || !command) return showUsage(HELP, values)
  try {
    return await withDatabase(config, ({ db }) =>
      command({ ctx: { db, clock: systemClock, mergeHooks: MERGE_HOOKS }, names, values }),
    )
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`souk: ${error.message}\n\n${HELP}`)
    return 2
  }
}

async function edit({ ctx, names: [named, ...said] }: CatalogAsk): Promise<number> {
  if (named === undefined || said.length === 0) throw new UsageError('edit takes a slug and FIELD=VALUE')
  const fields = parseFields(said)
  const { slug, category, changed, notes } = await editProduct(ctx, {
    by: OPERATOR,
    slug: parseSlug(named),
    fields,
  })
  for (const { field, problem } of notes) say(`  ${field ?? 'it'} ${problem}`)
  say(changed ? `Changed: /p/${category}/${slug}` : 'Nothing to change: it already has these values.')
  return 0
}

function moveTo({ ctx, values: { to } }: CatalogAsk, selection: Selection): Promise<Managed> {
  if (to === undefined) throw new UsageError('choose a category with --to CATEGORY')
  return moveProducts(ctx, { by: OPERATOR, selection, to })
}

async function onChosen(
  ask: CatalogAsk,
  done: string,
  work: (selection: Selection) => Promise<Managed>,
): Promise<number> {
  const { selection, isWhole } = await chosen(ask)
  if (selection === null) return isWhole ? 0 : 1
  const { changed, unchanged } = await work(selection)
  const others = unchanged > 0 ? `, ${unchanged.toLocaleString('en-US')} unchanged` : ''
  say(`${counted(changed, 'product')} ${done}${others}`)
  return isWhole ? 0 : 1
}

async function remove(ask: CatalogAsk): Promise<number> {
  const { selection, isWhole } = await chosen(ask)
  if (selection === null) return isWhole ? 0 : 1
  const { deleted, hidden, kept } = await deleteProducts(ask.ctx, {
    by: OPERATOR,
    selection,
    force: ask.values.force,
  })
  for (const slug of hidden.slice(0, SHOWN))
    say(`  ${slug} is hidden, because it had quote requests; its page says it was removed`)
  for (const { slug, why } of kept.slice(0, SHOWN)) say(`  ${slug} was kept: ${why}`)
  if (kept.length > SHOWN) say(`  … and ${kept.length - SHOWN} more were kept`)
  if (kept.length > 0)
    say('Hide them, merge them into another product, or use --force to delete everything attached to them.')
  const also = [
    ...(hidden.length > 0 ? [`, ${hidden.length} hidden`] : []),
    ...(kept.length > 0 ? [`, ${kept.length} kept`] : []),
  ]
  say(`${counted(deleted, 'product')} deleted${also.join('')}`)
  return kept.length === 0 && isWhole ? 0 : 1
}

async function merge({ ctx, names }: CatalogAsk): Promise<number> {
  const [from, into, ...more] = names
  if (from === undefined || into === undefined || more.length > 0)
    throw new UsageError('merge takes two slugs')
  const { slug, category } = await mergeProducts(ctx, {
    by: OPERATOR,
    from: parseSlug(from),
    into: parseSlug(into),
  })
  say(`Merged: /p/${category}/${slug}`)
  return 0
}

async function twins({ ctx }: CatalogAsk): Promise<number> {
  const { total, twins: found } = await listTwins(ctx, { limit: SHOWN })
  for (const { title, brand, slugs } of found)
    say(`${[brand, title].filter(Boolean).join(' · ')}: ${slugs.join(', ')}`)
  if (total > found.length) say(`… and ${total - found.length} more`)
  say(
    total === 0
      ? 'No two products have the same brand and title.'
      : 'To merge two of them: catalog merge SLUG INTO',
  )
  return 0
}

async function rates({ ctx, names }: CatalogAsk): Promise<number> {
  const given = Object.fromEntries(names.map(parseRate))
  const known = names.length > 0 ? await setRates(ctx, { by: OPERATOR, rates: given }) : await listRates(ctx)
  const lines = Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [currency, { rate, at }] of lines) say(`1 ${currency} = ${rate} USD, since ${at.slice(0, 10)}`)
  if (lines.length === 0) say('No rates yet. Set one with: catalog rates EUR=1.08')
  return 0
}

/** Null for nothing to do; not whole when slugs were named that no product has. */
async function chosen(ask: CatalogAsk): Promise<{ selection: Selection | null; isWhole: boolean }> {
  const { ctx, names, values } = ask
  const named = [...names, ...(values.file === undefined ? [] : readSlugs(values.file))].map(parseSlug)
  const isNamed = names.length > 0 || values.file !== undefined
  const selection: Selection = {
    ...(isNamed && { slugs: [...new Set(named)] }),
    ...(values.category !== undefined && { category: values.category }),
    ...(values.source !== undefined && { source: values.source }),
    ...(values.import !== undefined && { importId: values.import }),
  }
  if (Object.keys(selection).length === 0) throw new UsageError('choose the products')
  const { total, first } = await previewSelection(ctx, selection, { shown: FIRST })
  const missing = (selection.slugs?.length ?? total) - total
  if (missing > 0) say(`${counted(missing, 'slug')} matched no product`)
  if (values['dry-run']) {
    say(`${counted(total, 'product')}${total > 0 ? ':' : ''}`)
    for (const { category, slug } of first satisfies Chosen[]) say(`  ${category}/${slug}`)
    if (total > first.length) say(`  … and ${(total - first.length).toLocaleString('en-US')} more`)
  }
  return { selection: values['dry-run'] ? null : selection, isWhole: missing <= 0 }
}

/** One a line; a line that begins with # is a remark. */
function readSlugs(file: string): string[] {
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
