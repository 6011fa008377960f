/**
 * Reads and writes the address of a comparison. It holds the whole comparison, so that people can share and bookmark it.
 * A product is named by `<category>/<slug>`, by its slug, or by any text with a link to its page; commas separate several.
 */
import { shorten } from '../../lib/text.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'

export const MAX_COMPARED = 4
/** Further names are ignored, because each costs a query. */
const MAX_NAMES = 12
const MAX_NAME_SHOWN = 80
const PRODUCT_PAGE = /\/p\/([a-z0-9-]+\/[a-z0-9-]+)/

export type Asked = ReturnType<typeof readAsked>

export function readAsked(query: URLSearchParams) {
  const names = query
    .getAll('p')
    .flatMap((given) => given.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return {
    /** As given, without duplicates. */
    names: [...new Set(names)].slice(0, MAX_NAMES),
    differencesOnly: query.get('differences') === '1',
    /** The search for a product to add; null if there is none. */
    add: query.get('add')?.trim().slice(0, MAX_QUERY) ?? null,
    /** Search all categories, even if all compared products share one. */
    anywhere: query.get('anywhere') === '1',
  }
}

/** The slug in a pasted link, or the text itself. */
export function namedIn(text: string): string {
  return PRODUCT_PAGE.exec(text)?.[1] ?? text
}

/** An unknown name, short enough to repeat. */
export function shownName(name: string): string {
  return shorten(name, MAX_NAME_SHOWN)
}

/** Slugs need no escaping, so the slash stays readable. */
export function comparePath(
  slugs: string[],
  { differencesOnly = false, more = {} }: { differencesOnly?: boolean; more?: Record<string, string> } = {},
): string {
  const rest = new URLSearchParams({ ...(differencesOnly && { differences: '1' }), ...more }).toString()
  const query = [...slugs.map((slug) => `p=${slug}`), ...(rest ? [rest] : [])].join('&')
  return query === '' ? COMPARE_PATH : `${COMPARE_PATH}?${query}`
}
