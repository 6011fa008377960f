/**
 * No regular expression of the product can be made to work without end: none explodes, and what takes the square of its
 * input is given here with the reason why that input is short. Work is counted in steps of a matcher, never in time.
 */
import { expect, test } from 'vitest'
import { projectRoot } from '../src/lib/paths.ts'
import { worstGrowth } from './regexes.attack.ts'
import { regexesOf, writtenRegexes } from './regexes.collect.ts'

/** File and expression → why what it reads is short, or cannot have the form that is slow. */
const SHORT: Record<string, Record<string, string>> = {
  'src/catalog/drawing.ts': {
    '((?:\\d[\\d.,]*\\s*[x×]\\s*)*\\d[\\d.,]*)[\\s-]*word(?![a-df-z])': 'a spec has at most 300 characters',
  },
  'src/curator/answer-question.ts': {
    '[?!.\\s]+$': 'a question has at most 200 characters',
  },
  'src/search/spec-values.ts': {
    '^\\D*[\\d.,]*\\d(?:\\s*(?:[-–—~]|to)\\s*[\\d.,]*\\d)?\\s*-?\\s*([^\\s\\d,;()]+)?':
      'a spec has at most 300 characters',
    '\\(([^)]*)\\)': 'a spec has at most 300 characters',
  },
  'src/accounts/mail.transport.ts': { '^.*@|>.*$': 'the sender that the operator set' },
  'src/accounts/passwords.ts': { '=+$': 'base64 of our own bytes, which ends in two of them at most' },
  'src/bundles/check-texts.ts': {
    ':\\/\\/|\\bwww\\b|\\bhttps?\\b|\\bmailto\\b|\\bjavascript\\b|[\\p{L}\\p{N}-]{2,}\\.\\p{L}{2,}':
      'a text of more than 900 characters is refused before',
  },
  'src/bundles/goal.ts': {
    "(?: (?:and|plus|a|an|the|also|with|of|it|it's))+\\s*$": 'a wish has at most 1,000 characters',
  },
  'src/bundles/read-wish.ts': {
    '(?<=^|[,.;:!?]|\\b(?:and|need|want|get))[^,.;:!?]*[\\s,.;…-]*(?:\\b(?:no,? wait|wait,? no|no,? sorry|actually,? (?:no|just|only)|scratch that|forget (?:it|that)|correction|make that)\\b|(?<=[,.…-] ?)\\bsorry(?=,? an?\\b))[,.:]?':
      'a wish has at most 1,000 characters',
  },
  'src/bundles/write-plan.ts': { '[.\\s]+$': 'phrases of more than 60 characters are passed over' },
  'src/catalog/import-files.service.ts': { '(\\.[a-z]+)*$': 'the name of a file, cut at 100 characters' },
  'src/catalog/import/record.ts': {
    '^(.*?)[._\\s-]*(?:in[._\\s-]*)?(?:cents|minor(?:[._\\s-]*units?)?)$':
      'longer names of fields are passed over',
  },
  'src/catalog/import-keys.ts': {
    '(\\.[a-z]{2,6})+$': 'the name of a file, cut at 255 characters',
    '([\\s._-]+\\(?\\d+\\)?)+$': 'the name of a file, cut at 255 characters',
  },
  'src/catalog/import/money.ts': { '\\s*[-–—]\\s*|\\s+to\\s+': 'longer texts are no price' },
  'src/catalog/product-input.ts': { '\\/.*$': 'bounded by the length of an address' },
  'src/catalog/profile.ts': { '^-+|-+$': 'runs were made one hyphen just before' },
  'src/catalog/submissions-review.service.ts': { '-+$': 'a slug of at most 80 characters' },
  'src/catalog/upsert.service.ts': { '-+$': 'a slug of at most 80 characters' },
  'src/catalog/variants.ts': {
    '(\\s+[-–—|/]\\s+|\\s*[,(/)]\\s*)': 'a title of at most 200 characters, without runs of spaces',
  },
  'src/config.ts': { '\\/+$': 'an address that the operator set' },
  'src/http/client-ip.ts': { '%.*$': 'a header has no line breaks, so the rest of it always matches' },
  'src/lib/money.ts': { '\\B(?=(\\d{3})+$)': 'the digits of a number' },
  'src/lib/text.ts': { '^-+|-+$': 'runs were made one hyphen just before' },
  'src/orgs/ucp-profile.ts': { '\\/+$': 'longer addresses are passed over' },
  'src/rfq/quote.schema.ts': {
    '"(?:[^"\\\\]|\\\\.)*"(\\s*:)?|[[\\]{}]': 'valid JSON: no quote without its end',
  },
  'src/search/lexical/tokenize.ts': { '0+$': 'four digits' },
  'src/web/dashboard/attempts/readable.ts': {
    '"(?:[^"\\\\]|\\\\.)*"|[{}[\\],:]|[^\\s{}[\\],:"]+': 'valid JSON: no quote without its end',
  },
}

const written = writtenRegexes(projectRoot, ['src', 'producer-kit'])
const growths = new Map<string, ReturnType<typeof worstGrowth>>()
for (const { source, flags } of written) {
  const known = `/${source}/${flags}`
  if (!growths.has(known)) growths.set(known, worstGrowth({ source, flags }))
}
const slow = written.flatMap((one) => {
  const growth = growths.get(`/${one.source}/${one.flags}`)
  return growth ? [{ ...one, ...growth, file: one.where.replace(/:\d+$/, '') }] : []
})

test('no regular expression takes more than the square of what it reads', () => {
  expect(written.length).toBeGreaterThan(500)
  expect(slow.filter(({ degree }) => degree > 2.3)).toEqual([])
})

test('one that takes the square of what it reads only reads what is short', () => {
  expect(slow.filter(({ file, source }) => SHORT[file]?.[source] === undefined)).toEqual([])
})

test('and no excuse is given for one that needs none', () => {
  const excused = Object.entries(SHORT).flatMap(([file, reasons]) =>
    Object.keys(reasons).map((source) => `${file} ${source}`),
  )
  expect(
    excused.filter((excuse) => !slow.some(({ file, source }) => `${file} ${source}` === excuse)),
  ).toEqual([])
})

test.each([
  [Infinity, /(a+)+$/],
  [Infinity, /^(?:a|a)*$/],
  [Infinity, /^(?:[a-z]+\s?)+$/],
  [Infinity, /(?:\d+,?)*;/],
  [Infinity, /^(?:(?:ab)+c?)*$/],
  [Infinity, /^(?:.?.?)*!$/],
  [3, /\s*,?\s*$/],
  [3, /^\s*\w*\d*\w*!/],
  [2, /\s+$/],
  [2, /^x.*,.*;/],
  [2, /=+;/],
  [2, /x(?=.*y)/g],
])('an expression of degree %d is known for what it is: %s', (degree, regex) => {
  const found = worstGrowth(regex)?.degree ?? 1
  if (degree === Infinity) expect(found).toBe(Infinity)
  else expect(Math.abs(found - degree)).toBeLessThan(0.35)
})

test.each([
  /^\s+/,
  /[^a]+/g,
  /(?<!\s)\s+$/,
  /^(?:a|b)*$/,
  /^[a-z]+(?:-[a-z]+)*$/,
  /=+;/y,
  /^(?:[^"\\]|\\.)*$/,
  /a{1,30}b/,
])('one that looks at each character a few times is let through: %s', (regex) =>
  expect(worstGrowth(regex)).toBeNull(),
)

test('expressions are found wherever they are written, put together from pieces or not', () => {
  const code = [
    'const PART = String.raw`\\d+`',
    'const a: RegExp = /x/u',
    "const b = (t: string) => t.split(/y/).join('/no/')",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a program as it is written
    "const c = new RegExp(`^${PART}-${process.argv[2]}` + '$', 'i')",
    'const d = 6 / 3 / 1 // /not one/',
  ].join('\n')
  expect(regexesOf('some.ts', code)).toEqual([
    { where: 'some.ts:2', source: 'x', flags: 'u' },
    { where: 'some.ts:3', source: 'y', flags: '' },
    { where: 'some.ts:4', source: '^\\d+-word$', flags: 'i' },
  ])
})
