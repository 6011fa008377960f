/**
 * A written document as HTML. The documents are read on code hosts too, so headings get the ids that those give them and
 * the links between documents keep working here. What scrolls (code, tables) can be reached by keyboard and has a name.
 * Markup inside a document is shown as text, and pictures are left out: neither is used.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import { webUrl } from '../safe.ts'

/** Where a link of a document leads: an address of this site, or a file that has no page. */
export type Target = { href: string } | { file: string }
export type Heading = { id: string; text: string }
export type WrittenGuide = { html: string; headings: Heading[] }

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image')
const { escapeHtml } = markdown.utils
const SCHEME = /^[a-z][a-z0-9+.-]*:/i

export function writeGuide(source: string, resolve: (link: string) => Target): WrittenGuide {
  const tokens = markdown.parse(source, {})
  const idOf = createIds()
  const headings: Heading[] = []
  let part = ''
  let [tables, blocks] = [0, 0]
  for (const [at, token] of tokens.entries()) {
    if (token.children) token.children = rewriteLinks(token.children, resolve)
    if (token.type === 'heading_open') {
      part = textOf(tokens[at + 1])
      token.attrSet('id', idOf(part))
      if (token.tag === 'h2') headings.push({ id: String(token.attrGet('id')), text: part })
    } else if (token.type === 'th_open') headColumn(tokens, at)
    else if (token.type === 'table_open') token.meta = { name: named('Table', ++tables, part) }
    else if (token.type === 'fence' || token.type === 'code_block')
      token.meta = { name: named('Example', ++blocks, part) }
  }
  const body = withoutTitle(tokens)
  return { html: markdown.renderer.render(body, markdown.options, {}), headings }
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

/** A corner without a word is no heading of anything. */
function headColumn(tokens: Token[], at: number): void {
  const [open, words, close] = tokens.slice(at, at + 3)
  if (words?.content) open?.attrSet('scope', 'col')
  else for (const token of [open, close]) if (token) token.tag = 'td'
}

function named(kind: string, number: number, part: string): string {
  return part === '' ? `${kind} ${number}` : `${kind} ${number}: ${part}`
}

/** The page has its own heading. */
function withoutTitle(tokens: Token[]): Token[] {
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1')
  return at < 0 ? tokens : tokens.toSpliced(at, 3)
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
}

/** Letters, digits, hyphens and underscores; spaces become hyphens; the second of a name gets -1, the third -2. */
function createIds(): (text: string) => string {
  const given = new Map<string, number>()
  return (text) => {
    const base = text
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let id = base
    while (given.has(id)) {
      const count = (given.get(base) ?? 0) + 1
      given.set(base, count)
      id = `${base}-${count}`
    }
    given.set(id, 0)
    return id
  }
}

/** Links lie in no other link, so each ends at the next end. */
function rewriteLinks(children: Token[], resolve: (link: string) => Target): Token[] {
  const kept: Token[] = []
  let file: string | null = null
  let from = 0
  for (const token of children) {
    if (token.type === 'link_open') {
      const target = targetOf(String(token.attrGet('href') ?? ''), resolve)
      file = 'file' in target ? target.file : null
      from = kept.length
      if ('file' in target) continue
      token.attrSet('href', target.href)
      if (SCHEME.test(target.href)) token.attrSet('rel', 'noopener')
    } else if (token.type === 'link_close' && file !== null) {
      kept.push(...fileAsText(kept.splice(from), file))
      file = null
      continue
    }
    kept.push(token)
  }
  return kept
}

/** What stands alone as the name of the file is said once. */
function fileAsText(words: Token[], file: string): Token[] {
  const said = words.map(({ content }) => content).join('')
  const code = leaf('code_inline', 'code', file)
  if (file === said || file.endsWith(`/${said}`)) return [code]
  return [...words, leaf('text', '', ' ('), code, leaf('text', '', ')')]
}

function leaf(type: string, tag: string, content: string): Token {
  return Object.assign(new MarkdownIt.Token(type, tag, 0), { content })
}

function targetOf(link: string, resolve: (link: string) => Target): Target {
  if (!SCHEME.test(link)) return resolve(link)
  const address = webUrl(link)
  return address === null ? { file: link } : { href: address }
}

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
