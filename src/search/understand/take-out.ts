/**
 * Takes phrases out of a query and leaves text that still reads: small words that only led to a phrase go with it
 * ("headphones that …", "with …"), and so do the marks that closed it. What is left is a part of the query, in order.
 */
import { foldAt, isGlued, isWord, type Range, type Token, wordSet } from './tokens.ts'

const DANGLING = wordSet(
  `that that's it's i'm which is are has have having with and but or for in at of costs costing cost priced price it i my a needs uses
  requires contains - , ; : & ( –`,
)
/** Marks that may open a text; any other at its start only joined what is gone. */
const OPENING = /^[#+<>~"“'‘(]$/
const CLOSING = /^["'”’)]$/
const NO_SPACE_BEFORE = /^[,;:.!?)]$/

export function takeOut(query: string, tokens: readonly Token[], ranges: readonly Range[]): string {
  if (ranges.length === 0) return query.trim().replace(/\s+/g, ' ')
  const gone = new Uint8Array(tokens.length)
  for (const { from, to } of ranges) gone.fill(1, from, to)
  for (const { from, to } of ranges) {
    for (let at = from - 1; at >= 0 && !gone[at] && DANGLING.has(foldAt(tokens, at)); at--) {
      // The "in" of "burn-in" joins nothing.
      if (isGlued(tokens, at) && isWord(tokens, at)) break
      gone[at] = 1
    }
    if (joinsNothing(tokens, to)) gone[to] = 1
  }
  let text = ''
  for (const [index, token] of tokens.entries()) {
    if (!gone[index] && isIdle(token, text, gone[index - 1] === 1)) gone[index] = 1
    if (gone[index]) continue
    const space = text !== '' && (!token.glued || gone[index - 1]) && !NO_SPACE_BEFORE.test(token.fold)
    text += (space ? ' ' : '') + query.slice(token.start, token.end)
  }
  return text
}

/** "chair [without wheels] but with armrests" */
function joinsNothing(tokens: readonly Token[], index: number): boolean {
  const word = foldAt(tokens, index)
  return word === 'but' || (word === 'and' && foldAt(tokens, index + 1) === 'with')
}

function isIdle(token: Token, text: string, afterGone: boolean): boolean {
  if (token.kind !== 'mark') return text === '' && token.fold === 'and'
  return (text === '' && !OPENING.test(token.fold)) || (token.glued && afterGone && CLOSING.test(token.fold))
}
