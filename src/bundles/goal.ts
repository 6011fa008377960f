/**
 * What it is all for: the words of the sentence that nothing else has claimed, without those that only lead to them ("I am
 * looking for"). People it is for are told apart, unless they are all there is: "everything for a newborn" is about a newborn.
 */
import type { AudienceFound } from '../search/understand/audience.ts'
import { looksLikeAdjective } from '../search/understand/negation.ts'
import {
  foldAt,
  isGlued,
  isWord,
  type Range,
  sliceRange,
  type Token,
  wordSet,
} from '../search/understand/tokens.ts'
import { knowsGoal, mannerOf } from './roles.ts'
import { isPerson, plainly, wordsOf } from './wish-words.ts'

/** They carry no goal by themselves; inside one ("work from home") they stay. */
const IDLE = wordSet(
  `a an the i we you me us my our your i'm im i'd we're am is are be need needs want wants would like looking look for to
  find get getting buy buying build building make making help please pls thanks hi hello hey recommend recommendation
  suggest show what which with and or of in on at it its some any all do does can could should have has got that this
  complete full whole entire good best great nice new budget total together undr rest there here just so if but as under
  around about plan shopping shop up out also too max now really way one put stuff things gear pieces items money spend
  already own everything training going planning plus avoid avoiding skip`,
)

/** What was said of a thing beside its name: its place among the things. */
export type Told = { of: number; text: string }

/** `paid`: the sums. What stands behind one is what it is for. */
export function goalText(
  query: string,
  tokens: readonly Token[],
  {
    spoken,
    paid,
    things,
  }: {
    spoken: readonly Range[]
    paid: readonly Range[]
    things: ReadonlyArray<Range & { described: boolean }>
  },
  audience: readonly AudienceFound[],
): { goal: string | null; audience: string[]; items: string[]; tails: Told[]; ofAll: string } {
  const taken = new Uint8Array(tokens.length)
  for (const { from, to } of [...spoken, ...paid, ...things]) taken.fill(1, from, to)
  const found = itemsIn(query, tokens, taken).slice(0, MOST_ITEMS)
  // One alone is what the sentence tells of: "a reading nook".
  const items = things.length > 0 || found.length > 1 ? found : []
  for (const { from, to } of items) taken.fill(1, from, to)
  const apart = taken.slice()
  for (const { from, to } of audience) apart.fill(1, from, to)
  const free = audience.filter(({ from, to }) => !taken.subarray(from, to).includes(1))
  const sums = new Set(paid.map(({ to }) => to))
  const read = (claimed: Uint8Array) => readPieces(query, tokens, claimed, sums, things)
  const alone = read(apart)
  const whole = read(taken)
  // "What do we need for a baby?" is about the baby.
  const isAbout =
    things.length === 0 && !knowsGoal(plainly(alone.goal ?? '')) && knowsGoal(plainly(whole.goal ?? ''))
  const told =
    alone.goal === null || isAbout
      ? { ...whole, audience: [] }
      : { ...alone, audience: free.map((one) => one.audience) }
  return { ...told, items: items.map(({ text }) => text) }
}

/** These begin what is wanted; what stands before is the story around it. */
const WANTS =
  /(?<!\p{L})(?:(?:wants?|like|love|plan|try|tries|ready|starts?|begins?|decided|learns?|signed up|going|help \p{L}+) to|needs?|set(?:ting)? up|into|becomes?|upgrade|equip|furnish|starting)(?!\p{L})/u

/** "And I want", "while she naps": another clause begins. */
const TELLS_ON = /^(?:and|but|so|while|because|since|although) (?:i|we|he|she|they|it|my|our|wants?)(?:'|$)/

type Piece = Range & { text: string; wanted: number }

/**
 * The pieces that nothing else has claimed. Where some name a known goal, only those of them count that say most plainly
 * what is wanted: "for the kitchen" behind a sum, or "want to get fit", before "the baby is six months old".
 */
function readPieces(
  query: string,
  tokens: readonly Token[],
  taken: Uint8Array,
  sums: ReadonlySet<number>,
  things: ReadonlyArray<Range & { described: boolean }>,
): { goal: string | null; tails: Told[]; ofAll: string } {
  const pieces: Piece[] = []
  for (let at = 0; at < tokens.length; ) {
    let end = at
    const ends = () =>
      taken[end] ||
      tokens[end]?.kind === 'sign' ||
      breaks(tokens[end]) ||
      (end > at && TELLS_ON.test(`${foldAt(tokens, end)} ${foldAt(tokens, end + 1)}`))
    while (end < tokens.length && !ends()) end++
    const piece = trimmed(tokens, at, end)
    const text = sliceRange(query, tokens, piece).toLowerCase().replace(/\s+/g, ' ')
    const before = sliceRange(query, tokens, { from: at, to: piece.to }).toLowerCase()
    const paidFor = sums.has(at) && foldAt(tokens, at) === 'for'
    if (text)
      pieces.push({ from: at, to: end, text, wanted: paidFor ? PAID_FOR : WANTS.test(before) ? 1 : 0 })
    at = end + 1
  }
  const said = (piece: Piece) => sliceRange(query, tokens, piece)
  const isOfAll = (piece: Piece) => OF_ALL.test(said(piece)) || OF_ALL.test(foldAt(tokens, piece.from - 1))
  const tails = pieces.flatMap((piece) => {
    const of = things.findLastIndex(({ to }) => to <= piece.from)
    const between = tokens.slice(things[of]?.to ?? 0, piece.from).map(({ fold }) => fold)
    const isNext = of >= 0 && between.every((fold) => /^[,(–—-]$/.test(fold))
    const text = said(piece).replace(IDLE_END, '').trim()
    // Behind a comma a noun is another thing.
    const isMore = things[of]?.described
      ? /^(?:and|or) (?:another|some|any|an?|one)\b|^(?:plus|also|another)\b/i
      : /^(?:and|plus|or|also|another|some|any)\b/i
    const isOwn =
      (!between.includes(',') && !isMore.test(text)) ||
      /^(?:\d|(?:not|with|which|that|in)\b)/i.test(text) ||
      looksLikeAdjective(wordsOf(text)[0] ?? '')
    return isNext && isOwn && !isOfAll(piece) && !knowsGoal(plainly(text)) && !STORY.test(text)
      ? [{ of, text, piece }]
      : []
  })
  const own = new Set(tails.map(({ piece }) => piece))
  const isDenied = (piece: Piece) =>
    /^\s*(?:no|not|without|never)\s/i.test(said(piece)) && knowsGoal(plainly(piece.text))
  const rest = pieces.filter((piece) => !own.has(piece) && !isDenied(piece))
  const known = rest.filter(({ text }) => knowsGoal(plainly(text)))
  const most = Math.max(0, ...known.map(({ wanted }) => wanted))
  const told =
    most > 0
      ? rest.filter((one) =>
          known.includes(one)
            ? one.wanted === most || (most < PAID_FOR && isShort(one))
            : one.wanted > 0 || isShort(one),
        )
      : rest
  const first = things[0]?.from ?? Infinity
  const leads = ({ to }: Piece) =>
    to <= first && !tokens.slice(to, first).some(({ fold }) => /^[.!?]$/.test(fold))
  const ofAll = told.filter((piece) => things.length === 0 || isOfAll(piece) || leads(piece))
  return {
    goal: told.length > 0 ? told.map(({ text }) => text).join(', ') : null,
    tails: tails.map(({ of, text }) => ({ of, text })),
    ofAll: ofAll.map(({ text }) => text).join(', '),
  }
}

/** It holds for everything, wherever it stands. */
const OF_ALL =
  /(?<!\p{L})(?:all|everything|every|anything|none|nothing|each|both|only|must|ha(?:s|ve) to|just as|equally|likewise|same)(?!\p{L})/iu
const IDLE_END = /(?: (?:and|plus|a|an|the|also|with|of|it|it's))+\s*$/i
/** It tells of people. */
const STORY = /^\s*(?:and |but |so |because |as )?(?:i|we|you|he|she|they|my|our|his|her|their)(?![\p{L}])/iu

function isShort({ text }: Piece): boolean {
  return wordsOf(text).length <= MOST_MANNER
}

const MOST_MANNER = 3
const PAID_FOR = 2
/** Behind these an article opens what is asked for; behind any other word it tells more of something else. */
const LEADS_TO_ITEM = /^(?:and|plus|also|then|needs?|wants?|get|buy|add|&|\+|[,;:.!?()-])?$/
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
    const isLed =
      /^(?:a|an|some|any)$/.test(token.fold) &&
      (taken[at - 1] === 1 || LEADS_TO_ITEM.test(foldAt(tokens, at - 1)))
    let to = at + 1
    const ends = () => taken[to] === 1 || breaks(tokens[to]) || tokens[to]?.fold === 'and'
    while (to < tokens.length && to <= at + MOST_WORDS && !ends()) to++
    const text = sliceRange(query, tokens, { from: at + 1, to })
    // What is a goal through and through is none of its items: "a home office".
    const isThing = mannerOf(text).length > 0 && !isGoal(text) && !isPerson(wordsOf(text).at(-1) ?? '')
    return text &&
      !taken[at] &&
      foldAt(tokens, to) !== ':' &&
      ((isOpen && !looksLikeAdjective(text)) || (isLed && isThing))
      ? [{ from: at, to, text: text.replace(/^(?:for|to) /, '') }]
      : []
  })
}

/** "A small office": its last word is a goal, not a thing of it. */
function isGoal(text: string): boolean {
  return knowsGoal(wordsOf(text).at(-1) ?? '')
}

function breaks(token: Token | undefined): boolean {
  return token?.kind === 'mark' && /^[,;:.!?()+&/]$/.test(token.fold)
}

function trimmed(tokens: readonly Token[], from: number, to: number): Range {
  const isIdle = (at: number) => {
    // "10k"
    if (tokens[at]?.kind === 'number' && isGlued(tokens, at + 1) && isWord(tokens, at + 1)) return false
    return tokens[at]?.kind !== 'word' || IDLE.has(foldAt(tokens, at))
  }
  let first = from
  let last = to
  while (first < last && isIdle(first)) first++
  while (last > first && isIdle(last - 1)) last--
  return { from: first, to: last }
}
