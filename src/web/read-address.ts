/** The addresses of the public reads, and content negotiation. */
import { SORTS, type Sort } from '../search/search.schema.ts'
import { pageNumber } from './kit/paging.tsx'
import { hasNarrowing, type ReadAddress as ReadSearch, readAddress } from './search/address.ts'

export type Form = 'html' | 'md' | 'json'

export const MEDIA_TYPES: Record<Form, string> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/ld+json; charset=utf-8',
}

export type ReadAddress =
  | { kind: 'product'; category: string; slug: string; form: Form | null }
  | { kind: 'category'; category: string; form: Form | null }
  | { kind: 'offers'; category: string | null; slug: string; form: 'json' }

const PATH = /^\/(?:p\/([a-z0-9-]+)\/([a-z0-9-]+)|c\/([a-z0-9-]+))(?:\.(md|json))?\/?$/
const OFFERS_PATH = /^\/offers\/(?:([a-z0-9-]+)\/)?([a-z0-9-]+)\.json\/?$/

export function parseReadPath(path: string): ReadAddress | null {
  const match = PATH.exec(path)
  if (!match) return parseOffersPath(path)
  const [, category, slug, categoryPage, extension] = match
  const form = (extension ?? null) as Form | null
  if (categoryPage !== undefined)
    return form === 'json' ? null : { kind: 'category', category: categoryPage, form }
  return category !== undefined && slug !== undefined ? { kind: 'product', category, slug, form } : null
}

function parseOffersPath(path: string): ReadAddress | null {
  const [, category = null, slug] = OFFERS_PATH.exec(path) ?? []
  return slug === undefined ? null : { kind: 'offers', category, slug, form: 'json' }
}

/** The form for an address without extension: the highest `q`, the first on a tie, HTML by default. */
export function negotiate(accept: string | undefined, offered: readonly Form[]): Form {
  if (!accept) return 'html'
  const wants: Record<string, Form> = {
    'text/html': 'html',
    'text/markdown': 'md',
    'application/ld+json': 'json',
  }
  let best: { form: Form; quality: number } = { form: 'html', quality: 0 }
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const form = wants[type]
    if (!form || !offered.includes(form)) continue
    const quality = Number(
      /^\s*q=([\d.]+)/.exec(parameters.find((parameter) => /^\s*q=/.test(parameter)) ?? 'q=1')?.[1] ?? 1,
    )
    if (quality > best.quality) best = { form, quality }
  }
  return best.form
}

export type ListView = { sort: Sort; page: number }

/** Without words there is no match: `relevance` is what buyers like best. */
export const FIRST_PAGE: ListView = { sort: 'relevance', page: 1 }

/** Invalid values mean the first page in the default order. */
export function readListView(query: URLSearchParams): ListView {
  const sort = SORTS.find((name) => name === query.get('sort')) ?? FIRST_PAGE.sort
  const page = pageNumber(query.get('page') ?? undefined)
  return sort === FIRST_PAGE.sort && page === FIRST_PAGE.page ? FIRST_PAGE : { sort, page }
}

/** The address of a category's page; `narrowed` when it filters, or has a filter that cannot be read. */
export function readCategoryAddress(
  category: string,
  query: URLSearchParams,
): ReadSearch & { narrowed: boolean } {
  const { address: read, typed } = readAddress(query)
  const { sort, page } = readListView(query)
  const shown = sort === FIRST_PAGE.sort ? null : sort
  const address = { ...read, q: '', category, sort: shown, page, ignore: [], bundle: false }
  return { address, typed, narrowed: hasNarrowing(address) || Object.keys(typed.errors).length > 0 }
}
