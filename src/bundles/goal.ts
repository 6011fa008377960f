/**
 * What it is all for: the words of the sentence that nothing else has claimed, without those that only lead to them ("I am
 * looking for"). People it is for are told apart, unless they are all there is: "everything for a newborn" is about a newborn.
 */
import type { AudienceFound } from '../search/understand/audience.ts'
import { type Range, type Token, wordSet } from '../search/understand/tokens.ts'

/** They carry no goal by themselves; inside one ("work from home") they stay. */
const IDLE = wordSet(
  `a an the i we you me us my our your i'm im i'd we're am is are be need needs want wants would like looking look for to
  find get getting buy buying build building make making help please pls thanks hi hello hey recommend recommendation
  suggest show what which with and or of in on at it its some any all do does can could should have has got that this
  complete full whole entire good best great nice new budget total together undr rest there here just so if but as under
  around about plan shopping shop up out also too max now really way one put stuff things gear pieces items money spend
  already own everything training going planning`,
)

export function goalText(
  query: string,
  tokens: readonly Token[],
  spoken: readonly Range[],
  audience: readonly AudienceFound[],
): { goal: string | null; audience: string[] } {
  const taken = new Uint8Array(tokens.length)
  for (const { from, to } of spoken) taken.fill(1, from, to)
  const apart = taken.slice()
  for (const { from, to } of audience) apart.fill(1, from, to)
  const free = audience.filter(({ from, to }) => !taken.subarray(from, to).includes(1))
  const goal = textOf(query, tokens, apart)
  if (goal !== null) return { goal, audience: free.map((one) => one.audience) }
  return { goal: textOf(query, tokens, taken), audience: [] }
}

function textOf(query: string, tokens: readonly Token[], taken: Uint8Array): string | null {
  const pieces: string[] = []
  for (let at = 0; at < tokens.length; ) {
    let end = at
    while (end < tokens.length && !taken[end] && tokens[end]?.kind !== 'sign' && !breaks(tokens[end])) end++
    const piece = trimmed(tokens, at, end)
    const first = tokens[piece.from]
    const last = tokens[piece.to - 1]
    if (first && last && piece.to > piece.from) pieces.push(query.slice(first.start, last.end))
    at = end + 1
  }
  return pieces.length > 0 ? pieces.join(', ').toLowerCase().replace(/\s+/g, ' ') : null
}

function breaks(token: Token | undefined): boolean {
  return token?.kind === 'mark' && /^[,;:.!?()+&/]$/.test(token.fold)
}

function trimmed(tokens: readonly Token[], from: number, to: number): Range {
  const isIdle = (token: Token | undefined) => token?.kind !== 'word' || IDLE.has(token.fold)
  let first = from
  let last = to
  while (first < last && isIdle(tokens[first])) first++
  while (last > first && isIdle(tokens[last - 1])) last--
  return { from: first, to: last }
}
