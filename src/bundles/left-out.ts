/**
 * What the shopper has already or does not want: "I already have a laptop", "no chair needed", "everything except a desk".
 * Negations are read as search reads them; only those that name a category leave one out, the others ("no wires") belong to
 * the thing they describe.
 */
import { findNegations } from '../search/understand/negation.ts'
import {
  foldAt,
  isGlued,
  isWord,
  type Phrases,
  phraseAt,
  type Range,
  type Token,
} from '../search/understand/tokens.ts'
import type { Mention } from './mentions.ts'
import {
  isCaredFor,
  LEFT_OUT,
  NO_OWNER_BEFORE,
  NOT_NEEDED,
  OWNED_ENDS,
  POSSESSION,
  phraseList,
} from './wish-words.ts'

/** How far ahead the next owned thing of a list may be named. */
const NEXT_OWNED = 4
const PERSONAL = /^(i|we|i've|we've|ive)$/

export function findLeftOut(
  query: string,
  tokens: readonly Token[],
  taken: Uint8Array,
  mentions: readonly Mention[],
  isProductWord: (word: string) => boolean,
): { slugs: string[]; ranges: Range[] /** What is owned but names no category. */; owned: Range[] } {
  const ranges: Range[] = []
  const owned: Range[] = []
  const within = ({ from, to }: Range) => mentions.filter((one) => one.from >= from && one.to <= to)
  for (const range of findNegations(query, tokens, taken, isProductWord)) {
    const [first] = within(range)
    // "No numpad and a mouse": once something else is unwanted, a name behind it is a thing of its own.
    const listed = tokens.slice(range.from, first?.from).some(({ fold }) => /^(and|&|,)$/.test(fold))
    if (first && !listed) ranges.push({ from: range.from, to: range.to })
  }
  for (const { from, to } of mentions) {
    const behind = phraseAt(NOT_NEEDED, tokens, to)
    if (behind) ranges.push({ from, to: behind.to })
  }
  for (const range of [...ownedBefore(tokens, mentions), ...caredFor(tokens, mentions)]) ranges.push(range)
  for (let at = 0; at < tokens.length; at++) {
    const skip = phraseAt(LEFT_OUT, tokens, at)
    const owns = skip ?? (isOwning(tokens, at) ? phraseAt(POSSESSION, tokens, at) : null)
    if (!owns) continue
    const range = { from: at, to: endOfOwned(tokens, taken, owns.to, mentions) }
    if (within(range).length > 0) ranges.push(range)
    else if (foldAt(tokens, at) === 'already') owned.push(range)
    at = Math.max(owns.to, range.to) - 1
  }
  return {
    slugs: [...new Set(ranges.flatMap(within).flatMap(({ slug, others }) => [slug, ...others]))],
    ranges,
    owned,
  }
}

/** Said before it. */
const NOT_BOUGHT: Phrases<true> = phraseList(
  `don't need|dont need|do not need|won't need|no need for|other than|apart from|aside from|except for|except|excluding|without the`,
)

/** "PC and desk are sorted", "my running shoes stay". */
function caredFor(tokens: readonly Token[], mentions: readonly Mention[]): Range[] {
  const found: Range[] = []
  let from = 0
  for (let at = 0; at <= tokens.length; at++) {
    if (at < tokens.length && !/^[,;.!?:()–—-]$/.test(foldAt(tokens, at))) continue
    const inside = mentions.filter((one) => one.from >= from && one.to <= at)
    const cued = tokens.slice(from, at).some((_, offset) => isCaredFor(tokens, from + offset))
    const before = tokens
      .slice(from, at)
      .findIndex((_, offset) => phraseAt(NOT_BOUGHT, tokens, from + offset))
    if (before >= 0) {
      if (inside.some((one) => one.from > from + before)) found.push({ from: from + before, to: at })
    } else if (inside.length > 0 && cued) found.push({ from, to: at })
    from = at + 1
  }
  return found
}

const STAYS = /^(?:fine|ok|okay|good|great|enough|new|perfect|works|working|stays|does)$/

/** "Monitor and laptop I already have", "my desk is fine". */
function ownedBefore(tokens: readonly Token[], mentions: readonly Mention[]): Range[] {
  const found: Range[] = []
  for (const [place, { from, to }] of mentions.entries()) {
    const mine =
      /^(?:my|our)$/.test(foldAt(tokens, from - 1)) || /^(?:my|our)$/.test(foldAt(tokens, from - 2))
    const verb = /^(?:is|are|still)$/.test(foldAt(tokens, to)) ? to + 1 : to
    if (mine && STAYS.test(foldAt(tokens, verb))) found.push({ from: from - 1, to: verb + 1 })
    const owner = /^(?:i|we|i've|we've)$/.test(foldAt(tokens, to))
    const owns = owner ? (phraseAt(POSSESSION, tokens, to) ?? phraseAt(POSSESSION, tokens, to + 1)) : null
    if (
      !owns ||
      (isWord(tokens, owns.to) &&
        !OWNED_ENDS.has(foldAt(tokens, owns.to)) &&
        foldAt(tokens, owns.to) !== 'already')
    )
      continue
    let first = place
    while (
      /^(?:and|,|&)$/.test(foldAt(tokens, (mentions[first]?.from ?? 0) - 1)) &&
      mentions[first - 1]?.to === (mentions[first]?.from ?? 0) - 1
    )
      first--
    found.push({ from: mentions[first]?.from ?? from, to: owns.to })
  }
  return found
}

/** "I have a desk" or ", have a desk": somebody, or nobody else, stands before. */
function isOwning(tokens: readonly Token[], at: number): boolean {
  const before = foldAt(tokens, at - 1)
  // "I have to buy", "got to have".
  if ([1, 2].some((step) => foldAt(tokens, at + step) === 'to')) return false
  if (NO_OWNER_BEFORE.has(before)) return false
  const word = foldAt(tokens, at)
  return (
    word === 'already' ||
    PERSONAL.test(word) ||
    PERSONAL.test(before) ||
    before === 'already' ||
    !isWord(tokens, at - 1)
  )
}

function endOfOwned(
  tokens: readonly Token[],
  taken: Uint8Array,
  from: number,
  mentions: readonly Mention[],
): number {
  const namesSoon = (at: number) => mentions.some((one) => one.from >= at && one.from < at + NEXT_OWNED)
  let at = from
  for (; at < tokens.length && !taken[at]; at++) {
    const { kind, fold } = tokens[at] as Token
    if (OWNED_ENDS.has(fold)) break
    if (fold === ',' ? !namesSoon(at + 1) : kind === 'mark' && !isGlued(tokens, at + 1)) break
  }
  return at
}
