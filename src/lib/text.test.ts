import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { cleanLine, cleanText, printable, SLUG, shorten, slugify } from './text.ts'

describe('cleaning text from outside', () => {
  test.each([
    ['plain text with 5 < 6 and 7 > 3 & co', 'plain text with 5 < 6 and 7 > 3 & co'],
    ['<p>Two</p><p>paragraphs</p>', 'Two\n\nparagraphs'],
    ['bold <b>and</b> <i>more</i>', 'bold and more'],
    ['x<script>alert(1)</script>y', 'xy'],
    ['a<style>b{}</style>c', 'ac'],
    ['Fish &amp; chips &#x2014; &quot;fresh&quot;', 'Fish & chips — "fresh"'],
    ['&lt;img src=x onerror=alert(1)&gt;hi', 'hi'],
    ['&amp;lt;b&amp;gt;deep&amp;lt;/b&amp;gt;', 'deep'],
    ['</script><img onerror=alert(1)>Kettle', 'Kettle'],
    ['pay\u202Egnp.exe', 'paygnp.exe'],
    ['zero\u200Bwidth\uFEFF and\u00AD soft', 'zerowidth and soft'],
    ['tag\u{E0041}\u{E0042}s', 'tags'],
    ['nul\u0000 bell\u0007', 'nul bell'],
    ['a\u200Db', 'ab'],
    ['👩\u200D🍳 cook', '👩\u200D🍳 cook'],
    ['  many   spaces\t\tand\r\n\r\n\r\n\r\nlines ', 'many spaces and\n\nlines'],
    ['lone \uD800 surrogate', 'lone \uFFFD surrogate'],
  ])('%j becomes %j', (dirty, clean) => expect(cleanText(dirty)).toBe(clean))

  test('cleaning what is clean changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), htmlLike()), (text) => {
        const once = cleanText(text)
        expect(cleanText(once)).toBe(once)
        const line = cleanLine(text)
        expect(cleanLine(line)).toBe(line)
      }),
      { numRuns: 1_000 },
    )
  })

  test('the short way for text that is already clean gives what the long way gives', () => {
    const almost = fc.array(
      fc.constantFrom('a', 'é', ' ', '&', '<', 'b>', '\u00ad', '\u00a0', '’', '\u2028', 'ﬁ', '…', '°'),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(
        almost.map((parts) => parts.join('')),
        (text) => {
          // A leading control character is removed by the long way and keeps the short way from being taken.
          expect(cleanText(text)).toBe(cleanText(`\u0000${text}`))
          expect(cleanLine(text)).toBe(cleanLine(`\u0000${text}`))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('no tag and no invisible character survives', () => {
    fc.assert(
      fc.property(htmlLike(), (text) => {
        const clean = cleanText(text)
        expect(clean).not.toMatch(/<[a-z/!?][^<>]*>/i)
        expect(clean).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069\ufeff]|(?!\n)\p{Cc}/u)
      }),
      { numRuns: 1_000 },
    )
  })
})

function htmlLike() {
  const piece = fc.constantFrom(
    '<b>',
    '</b>',
    '<script>',
    '</script>',
    '<',
    '>',
    '&lt;',
    '&gt;',
    '&amp;',
    '&#60;',
    '\u202e',
    '\u200b',
    'x',
    ' ',
    '\n',
    '"',
    '<!--',
    '-->',
    '<img src=x onerror=1>',
    'é',
    '\u0000',
    '&',
  )
  return fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
}

describe('slugs and cuts', () => {
  test.each([
    ['Ovenbird Crisp 4', 'ovenbird-crisp-4'],
    ['Café Crème & Co.', 'cafe-creme-and-co'],
    ["Baker's  Choice!", 'bakers-choice'],
    ['Gießkanne für Łódź', 'giesskanne-fur-lodz'],
    ['日本語', ''],
  ])('%j gives %j', (title, slug) => expect(slugify(title)).toBe(slug))

  test('a slug is well formed or empty, whatever comes in', () => {
    fc.assert(fc.property(anyText(), (text) => slugify(text) === '' || SLUG.test(slugify(text))))
  })

  test('a cut is never over the limit and never splits a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.integer({ min: 2, max: 40 }),
        (text, max) => {
          expect(shorten(text, max).length).toBeLessThanOrEqual(max)
          expect(shorten(text.toWellFormed(), max).isWellFormed()).toBe(true)
        },
      ),
    )
  })
})

describe("somebody's words on a terminal", () => {
  test.each([
    ['Grüße, 薬缶 🍵', 'Grüße, 薬缶 🍵'],
    ['a\u001b[2Jb', 'a\\u001b[2Jb'],
    ['one\ttwo\nthree\u2028', 'one\\u0009two\\u000athree\\u2028'],
    ['pay\u202egnp', 'pay\\u202egnp'],
    ['c1 \u009b31m del \u007f', 'c1 \\u009b31m del \\u007f'],
    ['tag \u{e0041} half \ud800', 'tag \\udb40\\udc41 half \\ud800'],
  ])('%j is printed as %j', (text, shown) => expect(printable(text)).toBe(shown))

  test('nothing that moves, hides or turns is left, and JSON says the same', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})
