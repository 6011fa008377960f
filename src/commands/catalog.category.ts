/** `souk catalog category`: edit, merge, hide, show and delete categories. */
import {
  deleteCategory,
  editCategory,
  mergeCategories,
  setCategoryHidden,
} from '../catalog/manage-categories.service.ts'
import { counted } from '../lib/words.ts'
import { type CatalogAsk, OPERATOR, parseFields, UsageError } from './catalog.ask.ts'

export async function categoryCommand({ ctx, names, values, say }: CatalogAsk): Promise<number> {
  const [verb, slug, ...rest] = names
  if (slug === undefined) throw new UsageError('say what to do with which category')
  const by = OPERATOR
  if (verb === 'edit' && rest.length > 0) {
    const edited = await editCategory(ctx, { by, slug, fields: categoryFields(rest) })
    say(edited.changed ? `Changed: /c/${edited.slug}` : 'It says so already: nothing to change.')
    return 0
  }
  const [into, ...more] = rest
  if (verb === 'merge' && into !== undefined && more.length === 0)
    return merged(await mergeCategories(ctx, { by, slug, into }), into)
  if (rest.length > 0) throw new UsageError(`"${names.join(' ')}" is not understood`)
  if (verb === 'hide' || verb === 'show') {
    const changed = await setCategoryHidden(ctx, { by, slug, hide: verb === 'hide' })
    const done = verb === 'hide' ? 'hidden, with its products' : 'shown'
    say(changed ? `The category ${slug} is ${done}` : 'It was so already.')
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
      `${counted(moved, 'product')} moved to ${target}; the category ${slug} is gone, its addresses lead on`,
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
