/**
 * Cleans text that comes from outside, once, when it is written: what is stored is plain text that reads the same
 * everywhere. Markup is dropped, characters that hide or reorder text are removed, white space is folded.
 * Cleaning what is clean changes nothing. Output is still escaped where it comes out; this is not that defence.
 */
import { Parser } from 'htmlparser2'

/** Controls, format and private-use characters, and letters that draw nothing; joiners are looked at one by one. */
const INVISIBLE =
  /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}]|[\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}]|\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d/gu
/** Everything that has no picture: controls, format and unknown characters, halves of one, ends of lines. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu
const JOINERS = /[\u200c\u200d]+/g
const LAST_LATIN = 0x24f
const MARKUP = /<\/?[a-z!?][^<>]*>|&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});/i
const BLOCK_TAGS = new Set(
  'p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article blockquote pre hr'.split(' '),
)
const SILENT_TAGS = new Set(
  'script style template noscript iframe object svg math head title textarea'.split(' '),
)
const MAX_UNWRAPPING = 5
/** Words of Latin letters and ordinary punctuation with single spaces: nothing to clean, and nearly all text is such. */
const ALREADY_CLEAN =
  /^[!-%'-;=-~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027]+(?: [!-%'-;=-~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027]+)*$/

/** One line of plain text. */
export function cleanLine(text: string): string {
  if (ALREADY_CLEAN.test(text)) return text
  return cleanText(text).replace(/\s+/g, ' ')
}

/** Plain text that may have paragraphs. */
export function cleanText(text: string): string {
  if (ALREADY_CLEAN.test(text)) return text
  let current = tidy(text.toWellFormed())
  // Markup may be wrapped in entities more than once ("&amp;lt;b&amp;gt;"): unwrap until nothing is left to find.
  for (let round = 0; round < MAX_UNWRAPPING && MARKUP.test(current); round++)
    current = tidy(dropMarkup(current))
  return MARKUP.test(current) ? tidy(current.replace(/[<>&]/g, ' ')) : current
}

function tidy(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(INVISIBLE, '')
    .replace(JOINERS, keepJoiner)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .normalize('NFC')
    .trim()
}

/** Joiners shape words in Persian and Hindi and families of emoji; next to a Latin letter they only hide. */
function keepJoiner(run: string, at: number, whole: string): string {
  const before = whole.charCodeAt(at - 1)
  const after = whole.charCodeAt(at + run.length)
  return before > LAST_LATIN && after > LAST_LATIN ? run.charAt(0) : ''
}

function dropMarkup(html: string): string {
  let text = ''
  let silent = 0
  const parser = new Parser(
    {
      onopentag(name) {
        if (SILENT_TAGS.has(name)) silent++
        else if (BLOCK_TAGS.has(name)) text += '\n'
      },
      onclosetag(name) {
        if (SILENT_TAGS.has(name)) silent = Math.max(0, silent - 1)
        else if (BLOCK_TAGS.has(name)) text += '\n'
      },
      ontext(data) {
        if (silent === 0) text += data
      },
    },
    { decodeEntities: true },
  )
  parser.end(html)
  return text
}

/** Cuts at a word where one is near, and shows that it was cut. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const room = text
    .slice(0, max - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')
  const space = room.lastIndexOf(' ')
  return `${(space > max * 0.8 ? room.slice(0, space) : room).trimEnd()}…`
}

/**
 * Somebody's words for a terminal or a line of a table: what would move the cursor, end the line or turn the reading
 * direction is shown as its escape. JSON stays JSON that says the same.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** By code units: the same on every machine, whatever its language. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Lower-case letters that are no plain letter with a mark, as they are written without their alphabet. */
export const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
  ð: 'd',
}

/** "Ovenbird Crisp 4" → "ovenbird-crisp-4"; empty when nothing of the text can be kept. */
export function slugify(text: string, max = 80): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđłħıþð]/g, (letter) => PLAIN_LETTERS[letter] ?? '')
    .replace(/&/g, ' and ')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, max)
    .replace(/^-+|-+$/g, '')
}

export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
