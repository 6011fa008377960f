/**
 * Names as models really send them: a product by `product_slug` where a tool takes `slug`, with its category in the slug,
 * by the address of its page or by its title. One pass before the schema is asked, the same for all tools; what can only
 * be meant one way is put as the schema wants it, what several products may be is refused with their names, and the rest
 * is left as it is. A call that is right already costs one look into the index.
 */
import { type NamesContext, readyIndex, resolveCategory, resolveProduct } from '../../search/resolve-name.ts'
import type { JsonSchema } from './offered.ts'

type Arguments = Record<string, unknown>
export type Naming = (ctx: NamesContext, given: Arguments) => Arguments | Promise<Arguments>

/** Whatever stands in them is a product. */
const PRODUCT = [
  'product_slug',
  'slug',
  'product',
  'product_id',
  'product_url',
  'product_title',
  'product_name',
]
/** May be of something else in a tool that writes. */
const PERHAPS_PRODUCT = ['url', 'id', 'title', 'name']
const CATEGORY = ['category_slug', 'category_name']
const OTHERS: Record<string, string[]> = {
  request_id: ['task_id', 'rfq_id', 'id'],
  offer_id: ['offer', 'id'],
  query: ['q'],
}
const LISTS = ['compare', 'also']
const SIMPLE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export function createNaming(
  { properties = {}, required = [] }: JsonSchema,
  { writes = false } = {},
): Naming {
  const takes = (name: string) => Object.hasOwn(properties, name)
  const isPair = takes('slug') && takes('category')
  const single = takes('product_slug') ? 'product_slug' : takes('id') && required.includes('id') ? 'id' : null
  const product = isPair ? 'slug' : single
  const lists = LISTS.filter(takes)
  const productNames = (writes ? PRODUCT : [...PRODUCT, ...PERHAPS_PRODUCT]).filter((name) => !takes(name))
  const aliases = [
    ...(product === null ? [] : [[product, productNames] as const]),
    ...(takes('category') ? [['category', CATEGORY] as const] : []),
    ...Object.entries(OTHERS).flatMap(([name, others]) =>
      takes(name) ? [[name, others.filter((other) => !takes(other))] as const] : [],
    ),
  ]

  function renamed(given: Arguments): Arguments {
    let changed = given
    for (const [name, others] of aliases) {
      if (isGiven(changed[name])) continue
      const [other, ...more] = others.filter((one) => isGiven(changed[one]))
      if (other === undefined || more.length > 0) continue
      const { [other]: value, ...rest } = changed
      changed = { ...rest, [name]: value }
    }
    return changed
  }

  async function put(ctx: NamesContext, given: Arguments): Promise<Arguments> {
    const changed = { ...given }
    if (typeof changed.category === 'string' && !changed.category.includes('/'))
      changed.category = await categoryOf(ctx, changed.category)
    if (takes('categories') && Array.isArray(changed.categories))
      changed.categories = await Promise.all(
        changed.categories.map((one) => (typeof one === 'string' ? categoryOf(ctx, one) : one)),
      )
    if (isPair) await putPair(ctx, changed)
    else if (single !== null) await putSingle(ctx, changed, single)
    for (const name of lists) await putList(ctx, changed, name)
    return changed
  }

  async function putPair(ctx: NamesContext, changed: Arguments): Promise<void> {
    const { category, slug } = changed
    const name = isGiven(slug) ? slug : category
    if (typeof name !== 'string' || (!isGiven(slug) && !name.includes('/'))) return
    const within = isGiven(slug) && typeof category === 'string' && category !== '' ? category : null
    const place = await resolveProduct(ctx, lastPart(name, within), {
      ...{ field: 'slug', category: within, exact: writes },
    })
    if (place) Object.assign(changed, place)
  }

  async function putSingle(ctx: NamesContext, changed: Arguments, name: string): Promise<void> {
    // The address or the whole slug of a product, where words are expected.
    const isNamed = isGiven(changed[name])
    const wish = !isNamed && takes('query') && isAddress(changed.query) ? changed.query : changed[name]
    if (typeof wish !== 'string') return
    const place = await resolveProduct(ctx, wish, { field: name, exact: writes && isNamed })
    if (place) changed[name] = `${place.category}/${place.slug}`
  }

  async function putList(ctx: NamesContext, changed: Arguments, name: string): Promise<void> {
    const given = changed[name]
    if (!Array.isArray(given)) return
    changed[name] = await Promise.all(
      given.map(async (one, at) => {
        const place =
          typeof one === 'string' ? await resolveProduct(ctx, one, { field: `${name}.${at}` }) : null
        return place ? `${place.category}/${place.slug}` : one
      }),
    )
  }

  const namesSomething = product !== null || lists.length > 0 || takes('category') || takes('categories')
  return (ctx, given) => {
    const changed = renamed(given)
    if (!namesSomething || isPlain(ctx, changed)) return changed
    return put(ctx, changed)
  }

  /** Everything that names something does so as the index knows it. */
  function isPlain(ctx: NamesContext, given: Arguments): boolean {
    const { category, slug } = given
    if (lists.some((name) => isGiven(given[name])) || isGiven(given.categories)) return false
    if (product !== null && !isPair)
      return !isGiven(given[product]) && !(takes('query') && isAddress(given.query)) && !isGiven(category)
    const index = readyIndex(ctx)
    if (!index) return !isPair
    if (!isPair) return !isGiven(category) || index.categoryNumber(String(category)) !== undefined
    if (typeof slug !== 'string' || !SIMPLE.test(slug) || index.fetched) return false
    const slot = index.findBySlug(slug)
    return slot !== undefined && index.at(slot)?.category.slug === category
  }
}

async function categoryOf(ctx: NamesContext, name: string): Promise<string> {
  if (readyIndex(ctx)?.categoryNumber(name) !== undefined) return name
  return (await resolveCategory(ctx, name)) ?? name
}

/** A slug may repeat its category. */
function lastPart(name: string, within: string | null): string {
  return within !== null && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(name) ? name.slice(name.indexOf('/') + 1) : name
}

function isAddress(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^\s*(?:https?:\/\/|souk:\/\/|\/p\/)\S+\s*$|^\s*[a-z0-9-]+\/[a-z0-9-]+\s*$/.test(text)
  )
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
