/** Parts of a sentence: where they end, their words as text, and the things that are named together. */
import { foldAt, isGlued, isHyphen, isWord, type Range, type Token } from '../search/understand/tokens.ts'

/** Further away, words speak of something else. */
export const REACH = 8

export function pauses(tokens: readonly Token[], at: number): boolean {
  const spaced = isHyphen(tokens, at) && !isGlued(tokens, at) && isWord(tokens, at - 1)
  return /^[.;:!?()–—]$/.test(foldAt(tokens, at)) || spaced
}

export function clauseStart(tokens: readonly Token[], to: number, least = 0): number {
  let from = to
  while (from > least && to - from < REACH && !pauses(tokens, from - 1) && foldAt(tokens, from - 1) !== ',')
    from--
  return from
}

/** "The tent, which we have", "mic: have one", "tent, check": such a mark ends nothing. */
export function clauseEnd(tokens: readonly Token[], from: number, most = tokens.length): number {
  let to = from
  if (
    foldAt(tokens, to) === ':' ||
    (foldAt(tokens, to) === ',' && /^(?:which|check|done|sorted)$/.test(foldAt(tokens, to + 1)))
  )
    to++
  while (to < most && to - from < REACH && !pauses(tokens, to) && foldAt(tokens, to) !== ',') to++
  return to
}

/** A sum of money is what is had, so what stands behind it is what it is for. */
export function textOf(tokens: readonly Token[], { from, to }: Range, taken?: Uint8Array): string {
  return tokens
    .slice(from, to)
    .map(({ fold }, offset) => (taken?.[from + offset] ? 'for' : fold.replace(/’/g, "'")))
    .join(' ')
}

const MOST_BETWEEN = 3

/** Things with nothing but a few words and "and" or a comma between them, unless `parts` says that those part them. */
export function groupsOf<T extends Range>(
  tokens: readonly Token[],
  things: readonly T[],
  parts: (between: Range) => boolean,
): Array<Range & { things: T[] }> {
  const groups: Array<Range & { things: T[] }> = []
  for (const thing of things) {
    const last = groups.at(-1)
    const between = last ? tokens.slice(last.to, thing.from) : []
    const joined =
      /^(?:and|plus|&|\+|,|\/|or|nor)$/.test(between[0]?.fold ?? '') &&
      between.filter(({ kind }) => kind === 'word').length <= MOST_BETWEEN &&
      between.every(({ kind, fold }) => kind === 'word' || /^[,&+/-]$/.test(fold))
    if (last && joined && !parts({ from: last.to, to: thing.from })) {
      last.things.push(thing)
      last.to = thing.to
    } else groups.push({ from: thing.from, to: thing.to, things: [thing] })
  }
  return groups
}

/** "Keyboard, mouse not needed" is said of the mouse; with "and" it would be of both. */
export function saidBehind<T extends Range>(tokens: readonly Token[], { things }: { things: T[] }): T[] {
  const [first, last] = [things.at(-2), things.at(-1)]
  const joined =
    first && last && tokens.slice(first.to, last.from).some(({ fold }) => /^(?:and|plus|&|\+)$/.test(fold))
  return joined ? things : things.slice(-1)
}
