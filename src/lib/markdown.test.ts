/** Judged by a real Markdown parser, with HTML and tables on: escaped text must come back as itself. */
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { mdLink, mdParagraphs, mdTable, mdText, mdUrl } from './markdown.ts'

const markdown = new MarkdownIt({ html: true, linkify: false })

function parse(source: string): { tags: string[]; text: string; attributes: Record<string, string>[] } {
  const tags: string[] = []
  const attributes: Record<string, string>[] = []
  let text = ''
  const parser = new Parser({
    onopentag: (name, given) => {
      tags.push(name)
      attributes.push(given)
    },
    ontext: (data) => {
      text += data
    },
  })
  parser.end(markdown.render(source))
  return { tags, text, attributes }
}

const mark = fc.constantFrom(
  '*',
  '_',
  '`',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '#',
  '# ',
  '- ',
  '+ ',
  '1. ',
  '1) ',
  '|',
  '\\',
  '~~',
  '&amp;',
  '&',
  '!',
  '![',
  '](',
  '<b>',
  '</b>',
  '<!--',
  '```',
  '---',
  '===',
  '> ',
  '\t',
  '\n',
  '    ',
  'x',
  'word',
  ' ',
  'é',
  'http://a.example',
  ':',
  ':-',
  '$',
  '"',
)
const hostile = fc.array(mark, { maxLength: 20 }).map((parts) => parts.join(''))
const folded = (text: string) => text.replace(/\s+/g, ' ').trim()

describe('Markdown from text that is not ours', () => {
  test('renders as one paragraph of exactly that text, whatever it contains', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { tags, text: shown } = parse(mdText(text))
        expect(folded(shown)).toBe(folded(text))
        expect(tags).toEqual(folded(text) === '' ? [] : ['p'])
      }),
      { numRuns: 1_000 },
    )
  })

  test('cannot leave its table cell', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const { tags, text } = parse(mdTable(['A', 'B'], [[mdText(a), mdText(b)]]))
        expect(tags).toEqual(['table', 'thead', 'tr', 'th', 'th', 'tbody', 'tr', 'td', 'td'])
        expect(folded(text)).toBe(folded(`A B ${folded(a)} ${folded(b)}`))
      }),
      { numRuns: 1_000 },
    )
  })

  test('cannot leave its heading, its list item or its bold text', () => {
    fc.assert(
      fc.property(
        hostile.filter((text) => folded(text) !== ''),
        (text) => {
          expect(parse(`## ${mdText(text)}`).tags).toEqual(['h2'])
          expect(parse(`- **Theme:** ${mdText(text)}`).tags).toEqual(['ul', 'li', 'strong'])
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('paragraphs stay paragraphs', () => {
    expect(parse(mdParagraphs('one\n\n# two\n\n- three')).tags).toEqual(['p', 'p', 'p'])
  })

  test('a link leads where it says, whatever the address contains', () => {
    fc.assert(
      fc.property(hostile, hostile, (text, tail) => {
        const url = `https://shop.example/${tail}`
        const { tags, attributes } = parse(`x ${mdLink(text, url)}`)
        expect(tags).toEqual(['p', 'a'])
        expect(Object.keys(attributes[1] ?? {})).toEqual(['href'])
        expect(attributes[1]?.href?.startsWith('https://shop.example/')).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('an ordinary address is left alone', () => {
    expect(mdUrl('https://shop.example/a-b/c.html?d=1&e=%20#f')).toBe(
      'https://shop.example/a-b/c.html?d=1&e=%20#f',
    )
  })

  test('what cannot stand in an address is encoded', () => {
    expect(mdUrl('https://shop.example/a\0b\u2028c\u0085d')).toBe(
      'https://shop.example/a%00b%E2%80%A8c%C2%85d',
    )
  })

  test('ordinary product text stays readable', () => {
    expect(mdText('10.0 x 12.2 in (2 x 4.5 qt), 170-400 °F: $79!')).toBe(
      '10.0 x 12.2 in (2 x 4.5 qt), 170-400 °F: $79!',
    )
  })
})
