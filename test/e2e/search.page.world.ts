/** A page of results as its reader meets it: words, cards, links and fields, taken from the HTML by a parser. */
import type { Hono } from 'hono'
import { Parser } from 'htmlparser2'
import type { HttpEnv } from '../../src/http/env.ts'

type Link = { href: string; text: string; rel: string | undefined }
export type Shown = {
  status: number
  headers: Headers
  html: string
  text: string
  title: string
  h1: string
  /** Of the cards that fit, in order. */
  slugs: string[]
  /** Of the cards that only come closest. */
  nearest: string[]
  queryIds: string[]
  links: Link[]
  inputs: Array<Record<string, string>>
}

export const address = (query: Record<string, string>) => `/search?${new URLSearchParams(query)}`

export async function openSearch(app: Hono<HttpEnv>, path: string): Promise<Shown> {
  const response = await app.request(path, { headers: { accept: 'text/html' } })
  const html = await response.text()
  const shown = { slugs: [], nearest: [], queryIds: [], links: [], inputs: [] } as Pick<
    Shown,
    'slugs' | 'nearest' | 'queryIds' | 'links' | 'inputs'
  >
  const texts: Record<string, string> = {}
  const within: string[] = []
  let text = ''
  let cards: 'slugs' | 'nearest' = 'slugs'
  let link: Link | null = null
  const parser = new Parser({
    onopentag(name, attributes) {
      within.push(name)
      if (name === 'a') {
        link = { href: attributes.href ?? '', text: '', rel: attributes.rel }
        shown.links.push(link)
      }
      if (attributes.id === 'closest') cards = 'nearest'
      if (name === 'input') shown.inputs.push(attributes)
      if (attributes['data-slug'] !== undefined) {
        shown[cards].push(attributes['data-slug'])
        shown.queryIds.push(attributes['data-query-id'] ?? '')
      }
    },
    ontext(part) {
      text += part
      if (link) link.text += part
      for (const name of within) texts[name] = (texts[name] ?? '') + part
    },
    onclosetag(name) {
      within.splice(within.lastIndexOf(name), 1)
      if (name === 'a') link = null
      if (/^(?:p|li|h\d|label|button|summary)$/.test(name)) text += ' '
    },
  })
  parser.end(html)
  const tidy = (part = '') => part.replace(/\s+/g, ' ').trim()
  for (const one of shown.links) one.text = tidy(one.text)
  const { status, headers } = response
  return { status, headers, html, text: tidy(text), title: tidy(texts.title), h1: tidy(texts.h1), ...shown }
}

export const value = ({ inputs }: Shown, name: string) => inputs.find((input) => input.name === name)?.value
export const hrefOf = ({ links }: Shown, text: string | RegExp) => {
  const found = links.find((link) => (typeof text === 'string' ? link.text === text : text.test(link.text)))
  if (!found) throw new Error(`no link ${text} among ${links.map((link) => link.text).join(' | ')}`)
  return found.href
}
/** As the page says it. */
export const totalOf = ({ text }: Shown) => Number(/(\d+) products?\b(?! in)/.exec(text)?.[1] ?? Number.NaN)
