/**
 * Values that have broken programs before, each with a name for the table. None of them holds a word that the checks look
 * for in answers (checks.ts), because many answers repeat what was asked.
 */
import type { Dice } from './attempt.ts'

export type Named<T> = { name: string; make(dice: Dice): T }

/** Would run, if a page took it for its own; seen as it stands in a page, it is a finding. */
export const MARKUP = '"><img src=x onerror=soukfuzz()>'
/** Would be a header of its own, if an answer took it as one. */
export const INJECTED_HEADER = 'x-souk-injected'

const HUNDRED_KB = 100 * 1024

export const STRINGS: ReadonlyArray<Named<string>> = [
  { name: 'string empty', make: () => '' },
  { name: 'string blank', make: (dice) => dice.pick([' ', '\t\n', '\u00a0', '\u3000\u2003']) },
  { name: 'string long', make: (dice) => 'x'.repeat(dice.pick([61, 201, 256, 1_001, 5_000])) },
  {
    name: 'string 100 KB',
    make: (dice) =>
      dice.chance(0.1) ? dice.pick(['a', 'é ', '<']).repeat(HUNDRED_KB / 2) : 'y '.repeat(900),
  },
  {
    name: 'string lone surrogate',
    make: (dice) => dice.pick(['\ud800', 'a\udfffb', '\ude00\ud83d', 'lamp\ud83d']),
  },
  { name: 'string NUL', make: (dice) => dice.pick(['\u0000', 'a\u0000b', 'lamp\u0000']) },
  {
    name: 'string control',
    make: (dice) => dice.pick(['\u0001\u0002', '\u001b[31m', '\u007f', '\u0085', '\u2028\u2029']),
  },
  {
    name: 'string right-to-left',
    make: (dice) => dice.pick(['\u202egpj.exe', '\u200fabc', '\u2066a\u2069', 'שלום']),
  },
  {
    name: 'string zero-width',
    make: (dice) => dice.pick(['\u200b', 'a\u200db\ufeff', '\u2060\u200c', '\u00ad']),
  },
  { name: 'string emoji', make: (dice) => dice.pick(['👩‍👩‍👧‍👦', '🏳️‍🌈 desk', '🇺🇸🇺🇸', '😀'.repeat(61)]) },
  { name: 'string combining', make: (dice) => `a${'\u0301'.repeat(dice.pick([1, 50, 500]))}` },
  {
    name: 'string folding',
    make: (dice) => dice.pick(['ﬁﬂ', 'İSTANBUL', 'ß', 'Ⅷ', '½', '\ufdfa'.repeat(50)]),
  },
  {
    name: 'string SQL',
    make: (dice) =>
      dice.pick([
        `' or '1'='1`,
        `'; drop table offers; --`,
        `\\'; select 1`,
        `%_%`,
        `$1`,
        `$$;$$`,
        `"a"."b"`,
      ]),
  },
  {
    name: 'string HTML',
    make: (dice) =>
      dice.pick([MARKUP, `${MARKUP} lamp`, `</script>${MARKUP}`, `javascript:soukfuzz()`, `&lt;b&gt;&#0;`]),
  },
  {
    name: 'string CRLF',
    make: (dice) =>
      dice.pick(['a\r\nb', `a\r\n${INJECTED_HEADER}: 1`, `%0d%0a${INJECTED_HEADER}:%201`, '\n\n', '\r']),
  },
  {
    name: 'string template',
    make: (dice) => dice.pick(['$'.concat('{1+1}'), '{{7*7}}', '%s%n%d', '{}', '$&', '\\u0000', '%00', '%']),
  },
  {
    name: 'string Markdown',
    make: (dice) =>
      dice.pick(['[a](javascript:x)', '```', '# '.repeat(500), '|'.repeat(300), '!['.repeat(500)]),
  },
  {
    name: 'string path',
    make: (dice) => dice.pick(['../../etc/hosts', '..%2f..%2f', '/', 'a/b/c/d', '.', '..', 'con']),
  },
  {
    name: 'string URL',
    make: (dice) =>
      dice.pick([
        'http://',
        'https://127.0.0.1:1/',
        'https://[::1]/',
        'http://localhost:1/x',
        'https://a:b@shop-1.trial.example/',
        'https://shop-1.trial.example:99999/',
        'https://\u202e.example/',
        'ftp://shop-1.trial.example/a',
        'data:text/html,x',
        'https://xn--a.example/',
        `https://shop-1.trial.example/${'a'.repeat(3_000)}`,
        '//shop-1.trial.example',
        'https:\\\\shop-1.trial.example',
        'https://0x7f.1/',
      ]),
  },
  {
    name: 'string date',
    make: (dice) =>
      dice.pick([
        '0000-00-00T00:00:00Z',
        '2026-02-30T00:00:00Z',
        '9999-12-31T23:59:59Z',
        '+275760-09-13T00:00:00Z',
        '-271821-04-20T00:00:00Z',
        '2026-01-01',
        '2026-01-01T00:00:00+23:59',
        '2026-01-01T24:00:00Z',
        '1969-12-31T23:59:59.999Z',
        '0001-01-01T00:00:00Z',
        'now',
        'infinity',
      ]),
  },
  {
    name: 'string number',
    make: (dice) =>
      dice.pick(['NaN', 'Infinity', '-1', '1e3', '0x10', '１２', '1,000', ' 5 ', '1_000', '+5']),
  },
  {
    name: 'string boolean',
    make: (dice) => dice.pick(['true', 'false', 'null', 'undefined', 'on']),
  },
  {
    name: 'string id',
    make: (dice) =>
      dice.pick([
        '00000000-0000-0000-0000-000000000000',
        'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
        '{01990000-0000-7000-8000-000000000000}',
        '01990000000070008000000000000000',
        '01990000-0000-7000-8000-00000000000g',
        '0',
        '-1',
      ]),
  },
  {
    name: 'string name of a property',
    make: (dice) => dice.pick(['__proto__', 'constructor', 'toString', 'hasOwnProperty']),
  },
]

/** What JSON.stringify cannot write is put in its place after it (json.ts). */
export const NUMBERS: ReadonlyArray<Named<string>> = [
  {
    name: 'number huge',
    make: (dice) => dice.pick(['1e308', '9007199254740993', '9223372036854775808', '1e21', '2147483648']),
  },
  { name: 'number beyond', make: (dice) => dice.pick(['1e400', '-1e400', '1e99999']) },
  { name: 'number negative', make: (dice) => dice.pick(['-1', '-2147483649', '-0.01', '-9007199254740993']) },
  { name: 'number minus zero', make: () => '-0' },
  {
    name: 'number fraction',
    make: (dice) =>
      dice.pick(['0.1', '1.005', '0.30000000000000004', '1e-7', '5e-324', '2.999999999999999999']),
  },
  { name: 'number zero', make: () => '0' },
  {
    name: 'number large',
    make: (dice) =>
      dice.pick(['51', '101', '1001', '65536', '16777217', '99999999.99', '92233720368547758.07']),
  },
  {
    name: 'number not JSON',
    make: (dice) => dice.pick(['NaN', 'Infinity', '01', '1.', '.5', '0x10', '+1', '1_0']),
  },
]

/** As a text, where there are only texts: queries, forms, headers. */
export function nastyText(dice: Dice): { name: string; text: string } {
  if (dice.chance(0.2)) {
    const { name, make } = dice.pick(NUMBERS)
    return { name, text: make(dice) }
  }
  const { name, make } = dice.pick(STRINGS)
  return { name, text: make(dice) }
}
