/**
 * What is compared is said in the address and nowhere else, so a comparison can be sent, kept and gone back to. Products
 * are named in the forms people and pages use: `<category>/<slug>`, the bare slug, several with commas, and whatever
 * somebody pasted that holds the address of a product's page.
 */
import { shorten } from '../../lib/text.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { COMPARE_PATH } from '../components/compare-bar.tsx'

export const MAX_COMPARED = 4
/** More names than this are not looked up: nobody compares so many, and each is a question to the database. */
const MAX_NAMES = 12
const MAX_NAME_SHOWN = 80
const PRODUCT_PAGE = /\/p\/([a-z0-9-]+\/[a-z0-9-]+)/

export type Asked = {
  /** As they were given, each once, in their order. */
  names: string[]
  differencesOnly: boolean
  /** What to look for, to add it; null when nobody asked. */
  add: string | null
  /** Look for it in all categories, also when all that is compared is of one. */
  anywhere: boolean
}

export function readAsked(query: URLSearchParams): Asked {
  const names = query
    .getAll('p')
    .flatMap((given) => given.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return {
    names: [...new Set(names)].slice(0, MAX_NAMES),
    differencesOnly: query.get('differences') === '1',
    add: query.get('add')?.trim().slice(0, MAX_QUERY) ?? null,
    anywhere: query.get('anywhere') === '1',
  }
}

/** The slug in an address that was pasted, or the text as it is. */
export function namedIn(text: string): string {
  return PRODUCT_PAGE.exec(text)?.[1] ?? text
}

/** What was asked for and is none, short enough to be said back. */
export function shownName(name: string): string {
  return shorten(name, MAX_NAME_SHOWN)
}

/** Slugs hold nothing that an address must escape, so the slash between them stays readable. */
export function comparePath(
  slugs: string[],
  { differencesOnly = false, more = {} }: { differencesOnly?: boolean; more?: Record<string, string> } = {},
): string {
  const rest = new URLSearchParams({ ...(differencesOnly && { differences: '1' }), ...more }).toString()
  const query = [...slugs.map((slug) => `p=${slug}`), ...(rest ? [rest] : [])].join('&')
  return query === '' ? COMPARE_PATH : `${COMPARE_PATH}?${query}`
}
