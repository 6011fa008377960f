/** Any mixture of what means something to Markdown, tables, spreadsheets or JSON, as every text of a product. */
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, test } from 'vitest'
import { hostileProfile, SITE } from '../../../../test/listings.ts'
import { GOOGLE_FEED, OPENAI_FEED } from './feeds.ts'
import { createLlmsTxt, LLMS_FULL } from './llms.ts'

const PIECES = [
  ...['<', '>', '&', '"', "'", '`', '*', '_', '~', '|', '#', '\\', '=', '+', '-', '@', ',', ':', ';', '!'],
  ...['[', ']', '(', ')', '](', '![', '<b>', '</b>', '<!--', '-->', '&#60;', '&amp;lt;', ']]>', '"""', '\\"'],
  ...['\n', '\r', '\t', '\n\n', '\u2028', '\u0085', '\u0000', '\u200d', '\u202e', '\ud800', '\ufeff'],
  ...['x', ' ', '1. ', '- ', '> ', '1,200', 'é', '👩‍👩‍👧', '\uff1d', 'https://evil.example/'],
]
const hostileText = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 20 })
  .map((pieces) => pieces.join(''))

test('no mixture makes more or less of a line of llms.txt than one item with one link', () => {
  const markdown = new MarkdownIt({ html: true })
  const llmsTxt = createLlmsTxt([])
  fc.assert(
    fc.property(hostileText, (text) => {
      const tokens = markdown.parse(llmsTxt.entry(SITE, hostileProfile(text)), {})
      expect(tokens.map(({ type }) => type)).toEqual([
        'bullet_list_open',
        'list_item_open',
        'paragraph_open',
        'inline',
        'paragraph_close',
        'list_item_close',
        'bullet_list_close',
      ])
      const kinds = (tokens[3]?.children ?? []).map(({ type }) => type)
      const marks = kinds.filter((type) => type !== 'text' && type !== 'text_special')
      expect(marks).toEqual(['link_open', 'link_close'])
    }),
    { numRuns: 500 },
  )
})

test('no mixture adds a heading or a rule to llms-full.txt, or takes one away', () => {
  const markdown = new MarkdownIt({ html: true })
  const outline = (text: string) =>
    markdown
      .parse(LLMS_FULL.entry(SITE, hostileProfile(text)), {})
      .flatMap(({ type, tag }) => (type === 'heading_open' || type === 'hr' ? [tag] : []))
  const harmless = outline('harmless')
  expect(harmless.slice(0, 2)).toEqual(['h3', 'h4'])
  expect(harmless.filter((tag) => tag === 'hr')).toHaveLength(1)
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(outline(text)).toEqual(harmless)
      expect(outline(`x${text}`)).toEqual(harmless)
    }),
    { numRuns: 300 },
  )
})

test('no mixture moves a cell of google.tsv or makes a formula of one', () => {
  const head = GOOGLE_FEED.head(SITE, { categories: [], productCount: 1 })
  fc.assert(
    fc.property(hostileText, (text) => {
      const written = head + GOOGLE_FEED.entry(SITE, hostileProfile(text))
      const [columns = [], cells = [], ...more] = parse(written, { delimiter: '\t' })
      expect(more).toEqual([])
      const row = new Map(columns.map((column, at) => [column, cells[at] ?? '']))
      expect(row.get('link')).toBe('https://souk.test/p/traps/trap')
      expect(row.get('price')).toBe('6.00 USD')
      expect(row.get('gtin')).toBe('4006381333931')
      for (const value of cells) expect(value).not.toMatch(/^\s*[=+\-@\uff1d]/)
    }),
    { numRuns: 500 },
  )
})

test('no mixture breaks a line of products.jsonl', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const line = OPENAI_FEED.entry(SITE, hostileProfile(text))
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u)
      expect(JSON.parse(line)).toMatchObject({ item_id: 'trap', price: '6.00 USD', sale_price: '4.00 USD' })
    }),
    { numRuns: 500 },
  )
})
