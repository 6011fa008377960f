/**
 * What matters to the shopper and what does not: "the chair comes first", "don't skimp on the car seat", "mouse and headset
 * whatever's okay". A cue speaks of the thing it stands beside in its clause, or through a pronoun or a colon of the one
 * before or behind.
 */
import { looksLikeAdjective } from '../search/understand/negation.ts'
import { foldAt, type Range, type Token } from '../search/understand/tokens.ts'
import { groupsOf, pauses, saidBehind, textOf } from './clauses.ts'
import type { Mention } from './mentions.ts'
import { CHEAP, CHOICE } from './wish-words.ts'

export type Stress = {
  emphasis: 'more' | 'less'
  cue: Range
  /** Categories that it speaks of. */
  of: string[]
}

/** Before a thing. Negations stand first, so that "don't care about" is not "care about". */
const BEFORE = cues(
  `(?<!(?:don't|dont|not|never) )(?:save|less|little|not much|(?:go|be|get|stay) (?:cheap|easy|basic)|skimp|economi[sz]e)(?: \\p{L}+)? on|than on|any old|(?:don't|dont|do not|not) (?:really )?care (?:much )?about`,
  String.raw`(?:don't|dont|not|never) (?:go |be |get )?(?:cheap|skimp|save) on|prioriti[sz]e|(?:most|more|mostly|splurg\p{L}*|focus|all out|skimp|big|compromise|mainly|(?:most|bulk) of (?:it|(?:the|my|our) (?:money|budget))) (?:on|in|into|to|towards?|goes (?:to|into|on))|(?:invest|spend)(?: \p{L}+){0,2} (?:in|on)|(?:put|money)(?: \p{L}+){0,3} (?:in|into|towards?)|care (?:most |more )?about|treat \p{L}+ to|best possible|money (?:goes )?into|put most into|(?:most important|priority|what (?:matters|counts)(?: most)?)(?: thing)?(?: to \p{L}+)? is|especially|above all|mostly the`,
)
const BEHIND = cues(
  String.raw`(?:doesn't|does not|don't|not) (?:really )?(?:matter|care|count)|will do|would do|(?:is|will be|be) enough|is fine|whatever(?! \p{L})|whatever's (?:okay|ok|fine)|okay|ok|or other|nothing fancy|(?:isn't|is not|aren't|are not|less|not) (?:\p{L}+ )?(?:important|critical|a priority)|(?:doesn't|does not|don't|needn't|need not) (?:need to |have to )?be (?:\p{L}+ ){0,2}(?:fancy|good|great|expensive|best|anything|special|perfect)|(?:just|only) (?:has to|needs? to)|(?:is|are) secondary|don't care|(?:can|may) be (?:cheap|basic|simple|anything)|cheap as`,
  '(?:be|is) the star|(?:where|what) (?:most|i|we|the (?:money|bulk))(?: of)?(?:\\P{L}+\\p{L}+){0,5}|(?:really|very|seriously) good one|money can buy|matters?|counts?|care about|important|priority|comes? first|first|(?:must|should|has to|needs to) (?:be )?(?:the )?(?:best|top|great|perfect|excellent|blow)|may cost a lot|top notch|compromise on|above all',
)

function cues(less: string, more: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}'])(?:(?<less>${less})|(?<more>${more}))(?!\p{L})`, 'gu')
}

/** Whether such words stand behind a name, which they are no part of: "headset whatever's okay". */
export function saysHowMuch(tokens: readonly Token[], at: number): boolean {
  const text = textOf(tokens, { from: at, to: at + 4 })
  const word = foldAt(tokens, at)
  return new RegExp(`^${BEHIND.source}`, 'u').test(text) || CHEAP.has(word) || looksLikeAdjective(word)
}

export function findStresses(tokens: readonly Token[], mentions: readonly Mention[]): Stress[] {
  const groups = groupsOf(
    tokens,
    mentions,
    (between) =>
      tokens.slice(between.from, between.to).some(({ fold }) => CHEAP.has(fold) || CHOICE.has(fold)) ||
      new RegExp(BEFORE.source, 'u').test(textOf(tokens, between)),
  )
  return clausesOf(tokens).flatMap((clause) => {
    const inside = groups.filter(({ from, to }) => from < clause.to && to > clause.from)
    const read = (pattern: RegExp) =>
      [...textOf(tokens, clause).matchAll(pattern)].map((found) => {
        const from = clause.from + textOf(tokens, clause).slice(0, found.index).split(' ').length - 1
        const cue = { from, to: from + found[0].split(' ').length }
        return { cue, emphasis: found.groups?.['less'] ? ('less' as const) : ('more' as const) }
      })
    const ahead = read(BEFORE).flatMap(({ cue, emphasis }): Stress[] => {
      const next = groups.find(({ from }) => from >= cue.to)
      const reached =
        inside.length > 0
          ? inside.find(({ from }) => from >= cue.to)
          : foldAt(tokens, clause.to) === ':'
            ? next
            : undefined
      const first = reached?.things[0]
      return first ? [{ emphasis, cue, of: [first.slug, ...first.others] }] : []
    })
    const behind = read(BEHIND).flatMap(({ cue, emphasis }): Stress[] => {
      if (ahead.some((other) => other.cue.from < cue.to && cue.from < other.cue.to)) return []
      const pronoun = /^(?:they|it|that|these|those|this)$/.test(foldAt(tokens, clause.from))
      const inBrackets = foldAt(tokens, clause.from - 1) === '('
      const last = (inside.length > 0 ? inside : pronoun || inBrackets ? groups : []).findLast(
        ({ to }) => to <= cue.from,
      )
      if (last)
        return [
          { emphasis, cue, of: saidBehind(tokens, last).flatMap(({ slug, others }) => [slug, ...others]) },
        ]
      return []
    })
    return [...ahead, ...behind]
  })
}

function clausesOf(tokens: readonly Token[]): Range[] {
  const clauses: Range[] = []
  let from = 0
  for (let at = 0; at <= tokens.length; at++) {
    if (at < tokens.length && !pauses(tokens, at) && foldAt(tokens, at) !== ',') continue
    if (at > from) clauses.push({ from, to: at })
    from = at + 1
  }
  return clauses
}
