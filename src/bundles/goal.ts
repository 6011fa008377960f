/**
 * What it is all for: the words of the sentence that nothing else has claimed, without those that only lead to them ("I am
 * looking for"). People it is for are told apart, unless they are all there is: "everything for a newborn" is about a newborn.
 */
import type { AudienceFound } from '../search/understand/audience.ts'
import { type Range, sliceRange, type Token, wordSet } from '../search/understand/tokens.ts'
import { mannerOf } from './roles.ts'
import { isPerson, wordsOf } from './wish-words.ts'

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
  isList: boolean,
): { goal: string | null; audience: string[]; items: string[] } {
  const taken = new Uint8Array(tokens.length)
  for (const { from, to } of spoken) taken.fill(1, from, to)
  const found = itemsIn(query, tokens, taken).slice(0, MOST_ITEMS)
  // One alone is what the sentence tells of: "a reading nook".
  const items = isList || found.length > 1 ? found : []
  for (const { from, to } of items) taken.fill(1, from, to)
  const apart = taken.slice()
  for (const { from, to } of audience) apart.fill(1, from, to)
  const free = audience.filter(({ from, to }) => !taken.subarray(from, to).includes(1))
  const goal = textOf(query, tokens, apart)
  const told = { items: items.map(({ text }) => text) }
  if (goal !== null) return { goal, audience: free.map((one) => one.audience), ...told }
  return { goal: textOf(query, tokens, taken), audience: [], ...told }
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

/** Behind these a name tells more of something else: "for a festival". */
const LEADS_ON = wordSet('for in on at with to of from by is as like')
const NO_ITEM = wordSet('brand maker bit lot few while year day week weekend month')
const MOST_WORDS = 7
/** Each costs a search. */
const MOST_ITEMS = 4

/** What is asked for without the name of a category: "something for music", "a work light". */
function itemsIn(
  query: string,
  tokens: readonly Token[],
  taken: Uint8Array,
): Array<Range & { text: string }> {
  return tokens.flatMap((token, at) => {
    const isOpen = /^(?:something|anything)$/.test(token.fold)
    const isLed = /^(?:a|an|some)$/.test(token.fold) && !LEADS_ON.has(tokens[at - 1]?.fold ?? '')
    let to = at + 1
    const ends = () => taken[to] === 1 || breaks(tokens[to]) || tokens[to]?.fold === 'and'
    while (to < tokens.length && to <= at + MOST_WORDS && !ends()) to++
    const text = sliceRange(query, tokens, { from: at + 1, to })
    // What is a goal through and through is none of its items: "a home office".
    const isItem =
      isOpen ||
      (isLed &&
        mannerOf(text).length > 0 &&
        !wordsOf(text).some((word) => isPerson(word) || NO_ITEM.has(word)))
    return text && !taken[at] && isItem ? [{ from: at, to, text: text.replace(/^(?:for|to) /, '') }] : []
  })
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
