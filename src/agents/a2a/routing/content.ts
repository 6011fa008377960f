/** What a message says of the thing itself, once the turns of phrase and the small talk are put aside. */
import { STOP_WORDS } from '../../../search/lexical/tokenize.ts'
import { isHyphen, type Range } from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'
import { LIST_TALK, SMALL_TALK } from './signals.ts'

/** Places of the words that are neither taken nor idle. */
export function contentAt({ tokens, taken }: Message, signals: readonly Range[]): number[] {
  const inSignal = new Uint8Array(tokens.length)
  for (const { from, to } of signals) inSignal.fill(1, from, to)
  return tokens.flatMap(({ kind, fold }, at) => {
    if (kind !== 'word' || taken[at] || inSignal[at]) return []
    const bare = fold.replace(/'(s|re|d|ve|ll|m)$/, '')
    const tail = fold.length === 1 && !isHyphen(tokens, at + 1)
    const idle = [STOP_WORDS, SMALL_TALK, LIST_TALK].some((set) => set.has(fold) || set.has(bare))
    return idle || tail ? [] : [at]
  })
}
