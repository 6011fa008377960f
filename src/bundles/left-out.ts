/**
 * What the shopper has already or does not want: "I already have a laptop", "no chair needed", "everything except a desk".
 * Things named one after the other share what the words nearest to them say: those before ("we kept the"), else those
 * behind ("is still fine"). Negations are read as search reads them; only those that name a category leave one out, the
 * others ("no wires") belong to the thing they describe.
 */
import { findNegations } from '../search/understand/negation.ts'
import { foldAt, type Range, type Token } from '../search/understand/tokens.ts'
import { clauseEnd, clauseStart, groupsOf, REACH, saidBehind, textOf } from './clauses.ts'
import type { Mention } from './mentions.ts'

/**
 * Before a thing the last of these decides: it is left out by `out`, and wanted or unknown by the other. Others give, pay and
 * bring now or later; what the shopper gets by himself is there only once he has it.
 */
const BEFORE = cues({
  in: [
    // Not owned, though it sounds like it.
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
    '(?<!(?:i|we|you) )(?:is|are|will) (?:be )?(?:get|buy|bring|giv|lend|mak|build|send|pay)(?:e|ing|t?ting)?(?: (?:me|us|him|her|them|for))?',
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
  `^(?:: |, which |, )?(?:(?:\\p{L}+ ){0,6}already|${BE}(?:here|sorted|covered|done|taken care of|kept|on loan|(?:bought|paid|given|lent|sent|left|built|made) (?:by|for|from|to)|an? (?:present|gift)|(?:given|provided|supplied|paid|bought|lent) (?:for )?(?:by|to)|in place|at hand|built in|built into|comes? from|stays?|staying|exists?|survived|excluded|not that|(?:have|got) (?:one|it|those|that|them)|leave (?:it|that|those|them) out)|(?:is|are|was|were|has|have|had|been) (?:(?:been|being|already|all|just|both) )*(?:bought|paid|given|lent|(?!${NOT_THERE})\\p{L}{3,}ed)|(?:is|are) (?:already )?there|already there|there already|(?:no|check|done|sorted|covered)$|(?:will|can|may) stay|(?:is|are|sits?|stands?|lies|hangs?) (?:still |already )?(?:(?:on|in|at|under) (?:the|my|our|his|her|their|its|a)|here|there|right)|(?:sits?|stands?|lies|hangs?) (?:on|in|at|under)|from (?:my|our|his|her)(?! (?:budget|money|savings))|(?:i|we|you|he|she|they)(?:'re| are|'m| am|'s| is| can)? (?:borrow\\p{L}*|good on|good for|set for|set on)|(?:i'm|we're|he's|she's) (?:good|set|fine|covered|happy|content|okay|ok)|(?:isn't|is not|aren't|are not|not) (?:needed|required|necessary)|(?:i|we|you) (?:both |also |already |still )*(?:have|own|got|kept|keep)(?! (?:to|been|for))|(?:i|we)'?ve)(?![\\p{L}'])`,
  'u',
)
const MINE_OUT =
  /^(?:is |are |still )?(?:fine|ok|okay|good|great|enough|new|perfect|works?|working|stays|does)(?!\p{L})/u
const BEHIND_WANTED = new RegExp(
  `^${BE}(?:has |have )?(?:(?:but|and) (?:it|they|that) )?(?:has |have )?(?:just )?(?:expired|broken?|broke down|died|dead|dying|lost|stolen|missing|yes|never had)(?!\\p{L})`,
  'u',
)
function cues({ in: wanted, out }: { in: string[]; out: string[] }): RegExp {
  return new RegExp(
    `(?<![\\p{L}'])(?:${wanted.slice(0, -1).join('|')}|(?<out>${out.join('|')})|${wanted.at(-1)})(?![\\p{L}'])`,
    'gu',
  )
}

const LIKEWISE = /^(?:too|also|as well)(?!p{L})/

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
    if (out) ranges.push(left === null ? { from: behindOf, to } : { from: left, to: group.to })
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
