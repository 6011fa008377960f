/**
 * What a sentence says of the things it names, clause by clause. Things named one after the other share what is said of them.
 * Cues before a thing ("we kept the", "splurge on") or behind it ("is still fine", "comes first") tell that it is there
 * already or not wanted, or how much it matters. Negations are read as search reads them; only those that name a category
 * leave one out, the others ("no wires") belong to the thing they describe.
 */
import { findNegations, looksLikeAdjective } from '../search/understand/negation.ts'
import { foldAt, isGlued, isHyphen, isWord, type Range, type Token } from '../search/understand/tokens.ts'
import type { Mention } from './mentions.ts'
import { CHEAP, CHOICE } from './wish-words.ts'

/** Further away, words speak of something else. */
const REACH = 8

function pauses(tokens: readonly Token[], at: number): boolean {
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
    (/^[,?(]$/.test(foldAt(tokens, to)) && /^(?:which|check|done|sorted)$/.test(foldAt(tokens, to + 1))) ||
    (foldAt(tokens, to) === '(' && /^(?:have|got|own|owned|already|there)$/.test(foldAt(tokens, to + 1)))
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
function groupsOf<T extends Range>(
  tokens: readonly Token[],
  things: readonly T[],
  parts: (between: Range) => boolean,
): Array<Range & { things: T[] }> {
  const groups: Array<Range & { things: T[] }> = []
  for (const thing of things) {
    const last = groups.at(-1)
    const between = last ? withoutBrackets(tokens.slice(last.to, thing.from)) : []
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

/** "The stroller (a gift) and the seat". */
function withoutBrackets(tokens: readonly Token[]): Token[] {
  const [from, to] = ['(', ')'].map((mark) => tokens.findIndex(({ fold }) => fold === mark))
  return from === undefined || to === undefined || from < 0 || to < from
    ? [...tokens]
    : [...tokens.slice(0, from), ...tokens.slice(to + 1)]
}

/** "Keyboard, mouse not needed" is said of the mouse; with "and" it would be of both. */
function saidBehind<T extends Range>(tokens: readonly Token[], { things }: { things: T[] }): T[] {
  const [first, last] = [things.at(-2), things.at(-1)]
  const joined =
    first && last && tokens.slice(first.to, last.from).some(({ fold }) => /^(?:and|plus|&|\+)$/.test(fold))
  return joined ? things : things.slice(-1)
}

/**
 * Before a thing the last of these decides: it is left out by `out`, and wanted or unknown by the other. Others give, pay and
 * bring now or later; what the shopper gets by himself is there only once he has it.
 */
const BEFORE = cues({
  in: [
    // Not owned, though it sounds like it.
    "what(?:'s| is| we| i)(?: still)? (?:left|lack|open|missing|need)(?: is| are)?",
    "(?:never|not|don't|doesn't|didn't|must|should|to|that|which|can|could|would|may|will|who) (?:have|has|had|own|got|keep)",
    '(?:that|which)(?: must| should| can| could| may| will)? \\p{L}+',
    "(?:have|has|had|got) to|haven't|hasn't|hadn't|been (?:wanting|looking|eyeing|meaning)",
    'replac\\p{L}+|st[oe]le|stolen|lost|broke|ate|chewed|sold|kill(?:ed|s)|ruined|gave away|threw (?:out|away)|asked for',
    'needs?|wants?|lacks?|missing|buy|buying|gets?|getting|looking|like|requires?|pick|find|add|for|so|but|with',
  ],
  out: [
    '(?:was|were|been|got) (?:given|gifted|handed|lent|left)(?: down)?',
    "already|have|has|had|got|owns?|owned|owning|bought|ordered|kept|keep(?:s|ing)?|inherit(?:s|ed)?|borrow(?:s|ed|ing)?|won|found|picked up|there(?:'s| is| are)|(?:i|we|you|they)'?ve|(?:re)?us(?:e|es|ing) (?:my|our|his|her|the)|reus(?:e|ing)|stick(?:ing)? with",
    '(?:\\p{L}+(?:s|ed)|left|gave|given|sent|lent|brought|bought|got) (?:me|us|him|her|them)|lends?|lent|brings?|brought|left(?! (?:- )?hand)|donat\\p{L}+|suppl(?:y|ies|ied)|provid\\p{L}+|(?:pay|pays|paid|paying|cover|covers|covered)(?: for)?',
    '(?<!(?:i|we|you|dogs?|cats?|kids|girls|boys|children|twins) )(?:is|are|will) (?:be )?(?:get|buy|bring|giv|lend|mak|build|send|pay)(?:e|ing|t?ting)?(?: (?:me|us|him|her|them|for))?',
    // "Must fit in a suitcase" tells of a place.
    '(?:fits?|fitting|goes?) (?:in|into|inside|on|onto|under)',
    "minus|skip|leav(?:e|ing) out|without the|except(?:ing)?|excluding|(?:apart|aside) from|other than|besides|(?:don't|dont|do not|won't|no) need(?: for)?|forget(?: about)?|scratch|never ?mind|hates?|(?:not interested|no interest) in|(?:don't|dont|do not|never) (?:worry about|bother with|use|wear)",
    "(?:i'm|i am|we're|are|is|he's|she's|they're|all) (?:good|set|fine|happy|okay|ok|covered|sorted) (?:on|with|for)|covered for",
  ],
})
const BE =
  '(?:(?:is|are|was|were|has|have|had|been|being|both|all|still|already|just|will be|from \\p{L}+) )*'
/** Of participles that tell of what is there. */
const NOT_THERE =
  '(?:need|requir|want|preferr|expir|us|suppos|allow|limit|capp|pric|shar|recommend|appreciat|ask|miss|destroy|damag|crack|ruin)ed'
const BEHIND_OUT = new RegExp(
  `^(?:: |, which |[,?(] )?(?:(?:have|got|own|owned|there)$|(?:\\p{L}+ ){0,6}already|${BE}(?:here|sorted|covered|done|taken care of|kept|on loan|(?:bought|paid|given|lent|sent|left|built|made) (?:by|for|from|to)|an? (?:present|gift)|(?:given|provided|supplied|paid|bought|lent) (?:for )?(?:by|to)|in place|at hand|built in|built into|comes? (?:from|with|along)|on (?:the|its|their) way|stays?|staying|exists?|survived|excluded|not that|(?:have|got) (?:one|it|those|that|them)|leave (?:it|that|those|them) out)|(?:is|are|was|were|has|have|had|been) (?:(?:been|being|already|all|just|both) )*(?:bought|paid|given|lent|(?!${NOT_THERE})\\p{L}{3,}ed)|(?:is|are) (?:already )?there|already there|there already|(?:no|check|done|sorted|covered)$|(?:will|can|may) stay|(?:is|are|sits?|stands?|lies|hangs?) (?:still |already )?(?:(?:on|in|at|under) (?:the|my|our|his|her|their|its|a)|here|there|right)|(?:sits?|stands?|lies|hangs?) (?:on|in|at|under)|from (?:(?:my|our|his|her)(?! (?:budget|money|savings))|(?:an?|the) (?:friend|neighbou?r|rental|library))|(?:that |which )?(?:my|our|his|her) (?:\\p{L}+ ){1,2}?(?:gives?|gave|lends?|lent|brings?|brought|bought|sends?|sent|handed|passed|makes?|made|builds?|built)|(?:i|we|you|he|she|they)(?:'re| are|'m| am|'s| is| can)? (?:borrow\\p{L}*|good on|good for|set for|set on)|(?:i'm|we're|he's|she's) (?:good|set|fine|covered|happy|content|okay|ok)|(?:isn't|is not|aren't|are not|not) (?:needed|required|necessary)|(?:i|we) (?:both |also |already |still )*(?:have|own|got|kept|keep)(?! (?:to|been|for))|(?:i|we)'?ve)(?![\\p{L}'])`,
  'u',
)
const MINE_OUT =
  /^(?:is |are |still )?(?:fine|ok|okay|good|great|enough|new|perfect|works?|working|stays|does)(?!\p{L})/u
const BEHIND_WANTED = new RegExp(
  `^${BE}(?:has |have )?(?:(?:but|and) (?:it|they|that) )?(?:has |have )?(?:just )?(?:expired|broken?|broke down|died|dead|dying|lost|stolen|missing|yes|never had)(?!\\p{L})`,
  'u',
)
/** Of what is there and is to be replaced. */
export const BROKEN =
  /(?<!\p{L})(?:expired|broken?|died|dead|dying|lost|stolen|stole|took|ate|chewed|broke|kill(?:s|ed|ing)|replac(?:e|es|ing)|too|bad|awful|dull|blunt|useless|ruined|shot|falling|terrible|small|tiny|slow|old|needs?|hurts?|worn|fell|gone)(?!\p{L})/u

function cues({ in: wanted, out }: { in: string[]; out: string[] }): RegExp {
  return new RegExp(
    `(?<![\\p{L}'])(?:${wanted.slice(0, -1).join('|')}|(?<out>${out.join('|')})|${wanted.at(-1)})(?![\\p{L}'])`,
    'gu',
  )
}

const LIKEWISE = /^(?:too|also|as well)(?!\p{L})/u

/** Whether the words behind a name speak of whose it is, so that they are no part of it: "knives exist". */
export function saysWhose(tokens: readonly Token[], at: number, most?: number): boolean {
  const behind = textOf(tokens, { from: at, to: clauseEnd(tokens, at, most) })
  return BEHIND_OUT.test(behind) || BEHIND_WANTED.test(behind)
}

export function findLeftOut(
  query: string,
  tokens: readonly Token[],
  taken: Uint8Array,
  mentions: readonly Mention[],
  isProductWord: (word: string) => boolean,
  /** Categories of which it says what they may cost. */
  wanted: ReadonlySet<string>,
): { slugs: string[]; ranges: Range[] } {
  const ranges: Range[] = []
  const within = ({ from, to }: Range) => mentions.filter((one) => one.from >= from && one.to <= to)
  for (const range of findNegations(query, tokens, taken, isProductWord)) {
    const [first] = within(range)
    // "No numpad and a mouse": once something else is unwanted, a name behind it is a thing of its own.
    const listed = tokens.slice(range.from, first?.from).some(({ fold }) => /^(and|&|,)$/.test(fold))
    if (first && !listed) ranges.push({ from: range.from, to: range.to })
  }
  const groups = groupsOf(
    tokens,
    mentions,
    (between) => BEFORE_ANY.test(textOf(tokens, between)) || saysWhose(tokens, between.from, between.to),
  )
  let end = 0
  for (const [place, group] of groups.entries()) {
    if (group.things.every(({ slug }) => wanted.has(slug))) continue
    const left = leftBefore(tokens, taken, end, group.from)
    // "A headset on his desk already": that it stands on another thing says nothing of that.
    const next = groups[place + 1]
    const isPlace =
      next &&
      /^(?:on|in|at|under|by) (?:\p{L}+ )?$/u.test(`${textOf(tokens, { from: group.to, to: next.from })} `)
    const to = clauseEnd(tokens, group.to, isPlace ? next.to + REACH : next?.from)
    const is = /['’]s$/.test(foldAt(tokens, group.to - 1)) ? 'is ' : ''
    const behind = is + textOf(tokens, { from: group.to, to }, taken)
    const mine = [1, 2].some((step) => /^(?:my|our)$/.test(foldAt(tokens, group.from - step)))
    const says: boolean =
      BEHIND_OUT.test(behind) ||
      (mine && MINE_OUT.test(behind)) ||
      (LIKEWISE.test(behind) && saysSoBefore(tokens, group.from))
    const out: boolean = !BEHIND_WANTED.test(behind) && (left !== null || says)
    const behindOf = saidBehind(tokens, group)[0]?.from ?? group.from
    // "The stroller (a gift)": the brackets tell more of it.
    const closed =
      foldAt(tokens, group.to) === '('
        ? tokens.findIndex(({ fold }, at) => at > group.to && fold === ')')
        : -1
    const last = Math.max(group.to, closed + 1)
    if (out)
      ranges.push(left === null ? { from: behindOf, to: Math.max(to, closed + 1) } : { from: left, to: last })
    end = group.to
  }
  return {
    slugs: [...new Set(ranges.flatMap(within).flatMap(({ slug, others }) => [slug, ...others]))],
    ranges,
  }
}

const BEFORE_ANY = new RegExp(BEFORE.source, 'u')

/** "The bed is there, desk too": the clause before says it. */
function saysSoBefore(tokens: readonly Token[], at: number): boolean {
  if (foldAt(tokens, at - 1) !== ',') return false
  const words = textOf(tokens, { from: clauseStart(tokens, at - 1), to: at - 1 }).split(' ')
  return words.some((_, from) => BEHIND_OUT.test(words.slice(from).join(' '))) || words.includes('too')
}

/** Where the words begin that leave out what stands at `to`, or null. */
function leftBefore(tokens: readonly Token[], taken: Uint8Array, end: number, to: number): number | null {
  let from = clauseStart(tokens, to, end)
  // "Got: desk, chair", "we have a crib, a stroller": the words before lead the list.
  const isLed =
    foldAt(tokens, from - 1) === ':' && /^(?:got|have|has|own|already)$/.test(foldAt(tokens, from - 2))
  const isNext = foldAt(tokens, from - 1) === ',' && to - from === 1 && /^an?$/.test(foldAt(tokens, from))
  if (isLed) from -= 2
  else if (isNext && from - 1 > end) from = clauseStart(tokens, from - 1, end)
  const text = textOf(tokens, { from, to }, taken)
  const cue = [...text.matchAll(BEFORE)].at(-1)
  if (!cue?.groups?.out) return null
  return from + text.slice(0, cue.index).split(' ').length - 1
}

export type Stress = {
  emphasis: 'more' | 'less'
  cue: Range
  /** Categories that it speaks of. */
  of: string[]
}

/** Before a thing. Negations stand first, so that "don't care about" is not "care about". */
const STRESS_BEFORE = stressCues(
  `(?<!(?:don't|dont|not|never) )(?:save|less|little|not much|(?:go|be|get|stay) (?:cheap|easy|basic)|skimp|economi[sz]e)(?: \\p{L}+)? on|than on|any old|(?:don't|dont|not|never|no need to) (?:waste|blow|spend)(?: \\p{L}+){0,2} on|(?:don't|dont|do not|not) (?:really )?care (?:much )?about`,
  String.raw`(?:don't|dont|not|never) (?:go |be |get )?(?:cheap|skimp|save) on|prioriti[sz]e|(?:most|more|mostly|splurg\p{L}*|focus|all out|skimp|big|compromise|mainly|(?:most|bulk) of (?:it|(?:the|my|our) (?:money|budget))) (?:on|in|into|to|towards?|goes (?:to|into|on))|(?:invest|spend)(?: \p{L}+){0,2} (?:in|on)|(?:put|money)(?: \p{L}+){0,3} (?:in|into|towards?)|care (?:most |more )?about|treat \p{L}+ to|best possible|money (?:goes )?into|put most into|(?:most important|priority|what (?:matters|counts)(?: most)?)(?: thing)?(?: to \p{L}+)? is|especially|above all|mostly the`,
)
const STRESS_BEHIND = stressCues(
  String.raw`(?:doesn't|does not|don't|not) (?:really )?(?:matter|care|count)|will do|would do|(?:is|will be|be) enough|is fine|whatever(?! \p{L})|whatever's (?:okay|ok|fine)|okay|ok|or other|nothing fancy|(?:isn't|is not|aren't|are not|less|not) (?:\p{L}+ )?(?:important|critical|a priority)|(?:doesn't|does not|don't|needn't|need not) (?:need to |have to )?be (?:\p{L}+ ){0,2}(?:fancy|good|great|expensive|best|anything|special|perfect)|(?:just|only) (?:has to|needs? to)|(?:is|are) secondary|don't care|(?:can|may) be (?:cheap|basic|simple|anything)|cheap as`,
  '(?:be|is) the star|(?:where|what) (?:most|i|we|the (?:money|bulk))(?: of)?(?:\\P{L}+\\p{L}+){0,5}|(?:really|very|seriously) good one|money can buy|matters?|counts?|care about|important|priority|comes? first|first|over (?:everything|all)|before (?:everything|all)|(?:must|should|has to|needs to) (?:be )?(?:the )?(?:best|top|great|perfect|excellent|blow)|may cost a lot|top notch|compromise on|above all',
)

function stressCues(less: string, more: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}'])(?:(?<less>${less})|(?<more>${more}))(?!\p{L})`, 'gu')
}

/** Whether such words stand behind a name, which they are no part of: "headset whatever's okay". */
export function saysHowMuch(tokens: readonly Token[], at: number): boolean {
  const text = textOf(tokens, { from: at, to: at + 4 })
  const word = foldAt(tokens, at)
  return new RegExp(`^${STRESS_BEHIND.source}`, 'u').test(text) || CHEAP.has(word) || looksLikeAdjective(word)
}

export function findStresses(tokens: readonly Token[], mentions: readonly Mention[]): Stress[] {
  const groups = groupsOf(
    tokens,
    mentions,
    (between) =>
      tokens
        .slice(between.from, between.to)
        .some(({ fold }) => CHEAP.has(fold) || CHOICE.has(fold) || fold === '(') ||
      new RegExp(STRESS_BEFORE.source, 'u').test(textOf(tokens, between)),
  )
  return clausesOf(tokens).flatMap((clause) => {
    const inside = groups.filter(({ from, to }) => from < clause.to && to > clause.from)
    const read = (pattern: RegExp) =>
      [...textOf(tokens, clause).matchAll(pattern)].map((found) => {
        const from = clause.from + textOf(tokens, clause).slice(0, found.index).split(' ').length - 1
        const cue = { from, to: from + found[0].split(' ').length }
        return { cue, emphasis: found.groups?.['less'] ? ('less' as const) : ('more' as const) }
      })
    const ahead = read(STRESS_BEFORE).flatMap(({ cue, emphasis }): Stress[] => {
      const among = inside.length > 0 ? inside : foldAt(tokens, clause.to) === ':' ? groups : []
      const first = among.find(({ from }) => from >= cue.to)?.things[0]
      return first ? [{ emphasis, cue, of: [first.slug, ...first.others] }] : []
    })
    const behind = read(STRESS_BEHIND).flatMap(({ cue, emphasis }): Stress[] => {
      if (ahead.some((other) => other.cue.from < cue.to && cue.from < other.cue.to)) return []
      const pronoun = /^(?:they|it|that|these|those|this)$/.test(foldAt(tokens, clause.from))
      const inBrackets = foldAt(tokens, clause.from - 1) === '('
      const among = inside.length > 0 ? inside : pronoun || inBrackets ? groups : []
      const last = among.findLast(({ to }) => to <= cue.from)
      const of = last ? saidBehind(tokens, last).flatMap(({ slug, others }) => [slug, ...others]) : []
      return last ? [{ emphasis, cue, of }] : []
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
