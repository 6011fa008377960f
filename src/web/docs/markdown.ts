/**
 * Markdown as HTML: the descriptions of the API, and guides. Guides are read on code hosts too, so headings get the ids
 * that code hosts give them, and links between guides keep working here. What scrolls (code, tables) takes keyboard focus
 * and has a name. Markup inside a guide is shown as text, and images are left out; no guide uses either.
 */
import { raw } from 'hono/html'
import MarkdownIt, { type Token } from 'markdown-it'
import { webUrl } from '../safe.ts'

/** Where a link leads: an address of this site, or a file that has no page. */
export type Target = { href: string } | { file: string }
/** A heading, and the text up to the next one. */
export type Section = { id: string; level: string; title: string; text: string }

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image')
const { escapeHtml } = markdown.utils
const SCHEME = /^[a-z][a-z0-9+.-]*:/i

type Links = { resolve(link: string): Target; close: string }

export function writeGuide(source: string, resolve: (link: string) => Target) {
  const tokens = markdown.parse(source, {})
  const idOf = createIds()
  const sections: Section[] = []
  let [tables, blocks] = [0, 0]
  for (const [at, token] of tokens.entries()) {
    const section = sections.at(-1)
    if (token.type === 'heading_open') {
      const title = textOf(tokens[at + 1])
      const id = idOf(title)
      token.attrSet('id', id)
      sections.push({ id, level: token.tag, title, text: '' })
    } else if (token.type === 'th_open') headColumn(tokens, at)
    else if (token.type === 'table_open') token.meta = { name: named('Table', ++tables, section) }
    else if (token.type === 'fence' || token.type === 'code_block')
      token.meta = { name: named('Example', ++blocks, section) }
    if (section && token.content && tokens[at - 1]?.type !== 'heading_open')
      section.text += `${token.children ? textOf(token) : token.content} `
  }
  const env: Links = { resolve, close: '' }
  return { html: markdown.renderer.render(withoutTitle(tokens), markdown.options, env), sections }
}

/** A description of the API. `inline` leaves out the paragraphs around its words. */
export function writeWords(text: string, { inline = false } = {}) {
  const env: Links = { resolve: (href) => ({ href }), close: '' }
  return raw(inline ? markdown.renderInline(text, env) : markdown.render(text, env))
}

/** The title and the first paragraph, as plain text. */
export function readOpening(source: string): { title: string | null; opening: string } {
  const tokens = markdown.parse(source, {})
  const after = (type: string, tag: string) => {
    const at = tokens.findIndex((token) => token.type === type && token.tag === tag)
    return at < 0 ? null : textOf(tokens[at + 1])
  }
  return { title: after('heading_open', 'h1'), opening: after('paragraph_open', 'p') ?? '' }
}

/** An empty corner cell heads no column. */
function headColumn(tokens: Token[], at: number): void {
  const [open, words, close] = tokens.slice(at, at + 3)
  if (words?.content) open?.attrSet('scope', 'col')
  else for (const token of [open, close]) if (token) token.tag = 'td'
}

function named(kind: string, number: number, section: Section | undefined): string {
  return section ? `${kind} ${number}: ${section.title}` : `${kind} ${number}`
}

/** The page has a heading of its own. */
function withoutTitle(tokens: Token[]): Token[] {
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1')
  return at < 0 ? tokens : tokens.toSpliced(at, 3)
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
}

/** Keeps letters, digits, hyphens and underscores; spaces become hyphens; a repeated id gets -1, then -2. */
function createIds(): (text: string) => string {
  const given = new Set<string>()
  return (text) => {
    const base = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let id = base
    for (let count = 1; given.has(id); count++) id = `${base}-${count}`
    given.add(id)
    return id
  }
}

function targetOf(link: string, { resolve }: Links): Target {
  if (!SCHEME.test(link)) return resolve(link)
  const address = webUrl(link)
  return address === null ? { file: link } : { href: address }
}

/** A link to a file without a page becomes its words and the file's name; the name alone when the words are that. */
markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
  const links = env as Links
  const [link, words] = tokens.slice(at, at + 2)
  const target = targetOf(String(link?.attrGet('href') ?? ''), links)
  if ('href' in target) {
    link?.attrSet('href', target.href)
    if (SCHEME.test(target.href)) link?.attrSet('rel', 'noopener')
    links.close = '</a>'
    return self.renderToken(tokens, at, options)
  }
  const name = `<code>${escapeHtml(target.file)}</code>`
  const same = words?.content && `/${target.file}`.endsWith(`/${words.content}`)
  if (same) words.content = ''
  links.close = same ? name : ` (${name})`
  return ''
}
markdown.renderer.rules.link_close = (_tokens, _at, _options, env) => (env as Links).close

const nameOf = (token: Token | undefined): string => escapeHtml(String(token?.meta?.name ?? ''))

const writeCode = (tokens: Token[], at: number): string => {
  const code = escapeHtml((tokens[at]?.content ?? '').replace(/\n$/, ''))
  return `<div class="docs-block"><section tabindex="0" aria-label="${nameOf(tokens[at])}"><pre>${code}</pre></section></div>\n`
}

markdown.renderer.rules.fence = writeCode
markdown.renderer.rules.code_block = writeCode
markdown.renderer.rules.table_open = (tokens, at) => {
  const name = nameOf(tokens[at])
  return `<section class="guide-table" tabindex="0" aria-label="${name}"><table><caption class="hidden">${name}</caption>\n`
}
markdown.renderer.rules.table_close = () => '</table></section>\n'
