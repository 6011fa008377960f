/**
 * Brings text to one spelling before it is cut into words: lower case, no accents, plain quotes and dashes.
 * Both documents and queries go through here, so "Déjà-Vu™" and "deja-vu" meet. Nearly all catalog text is
 * ASCII, which needs lower-casing only.
 */

const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** NFKD would spell these out as letters of the word before them. */
const TRADE_SIGNS = /[™℠®©]/g
const ODD = /[ßæœøđłħıþð‐‑‒–—−’‘ʼ′“”„″×⁄]/g
const PLAIN: Record<string, string> = {
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
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  // A dash between words separates them even when it is set without spaces.
  '—': ' ',
  '−': '-',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '′': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '″': '"',
  '×': 'x',
  '⁄': '/',
}

export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return (
    text
      .replace(TRADE_SIGNS, ' ')
      // "1½" must not become "11/2".
      .replace(/(\d)([¼½¾⅐-⅞])/g, '$1 $2')
      .toLowerCase()
      .replace(/″/g, '"')
      .normalize('NFKD')
      .replace(MARKS, '')
      .toLowerCase()
      .replace(ODD, (sign) => PLAIN[sign] ?? ' ')
  )
}
