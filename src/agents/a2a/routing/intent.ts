/** What the turns of phrase of a message amount to. Pure, so that each rule can be read and tested by itself. */
import type { Signal } from './signals.ts'

type Said = ReadonlySet<Signal>

/** Asks for quotes: in so many words, or by asking what sellers would charge. */
export function isQuote(said: Said): boolean {
  if (said.has('quote')) return true
  if (said.has('where')) return said.has('price_asc') || said.has('best-price')
  return said.has('sellers') && (said.has('price') || said.has('best-price') || said.has('offer'))
}

/** Together with a product and a quantity, a place or a date, a request for a quote. */
export function mayOrder(said: Said): boolean {
  return said.has('price') || said.has('order') || said.has('need') || said.has('sellers')
}

/** Dates of the message lie behind us: "what got cheaper this week", not "delivered this week". */
export function looksBack(said: Said): boolean {
  if (said.has('change') || said.has('since')) return true
  return said.has('period') && said.has('changeable') && !isQuote(said) && !said.has('order')
}

/** "Since Monday" makes a question about something that can change one about what did. */
export function isChange(said: Said, dated: boolean, hasSubject: boolean): boolean {
  if (said.has('quote')) return false
  if (said.has('change')) return true
  const moved = said.has('changeable') || said.has('price') || said.has('offer') || said.has('newest')
  return looksBack(said) && moved && (dated || hasSubject) && !said.has('need')
}

/** Looks for something that is not named yet. */
export function isSeeking(said: Said): boolean {
  return said.has('need') || said.has('alike')
}
