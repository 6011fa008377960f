/**
 * When two numbers mean the same product; pure. The number under the bar code is one number, written with more or fewer
 * zeros in front (GS1 General Specifications 3.3: a GTIN-12 is the GTIN-13 with a zero before it). A maker's own number
 * is written by shops in other letters, and with or without its hyphens. One rule for claims, proposals and imports.
 */
export type ProductNumbers = { gtin: string | null; mpn: string | null }

const GTIN_LENGTHS = [8, 12, 13, 14]
const LONGEST_GTIN = 14

/** The same for all ways to write one GTIN. */
export function gtinKey(gtin: string): string {
  return gtin.padStart(LONGEST_GTIN, '0')
}

/** All ways to write it, for looking it up where it is kept as it was stated. */
export function gtinForms(gtin: string): string[] {
  const digits = gtin.replace(/^0+/, '')
  return GTIN_LENGTHS.filter((length) => length >= digits.length).map((length) =>
    digits.padStart(length, '0'),
  )
}

/** The same for all ways to write one part number of one brand. */
export function mpnKey(mpn: string): string {
  const folded = mpn.normalize('NFKC').toLowerCase()
  // A number of marks alone has nothing else to be told by.
  return folded.replace(/[\s\-_./]/g, '') || folded
}

export function isSameGtin(a: string | null | undefined, b: string | null | undefined): boolean {
  return bothSame(a, b, gtinKey)
}

export function isSameMpn(a: string | null | undefined, b: string | null | undefined): boolean {
  return bothSame(a, b, mpnKey)
}

/** The first number that both have and that is not the same: variants of one model share a title, not their numbers. */
export function differingNumber(
  known: ProductNumbers,
  stated: { [Name in keyof ProductNumbers]?: string | null | undefined },
): keyof ProductNumbers | null {
  if (known.gtin && stated.gtin && !isSameGtin(known.gtin, stated.gtin)) return 'gtin'
  if (known.mpn && stated.mpn && !isSameMpn(known.mpn, stated.mpn)) return 'mpn'
  return null
}

/** False where one is not known. */
function bothSame(
  a: string | null | undefined,
  b: string | null | undefined,
  key: (text: string) => string,
): boolean {
  return a != null && b != null && key(a) === key(b)
}
