/**
 * A known product that the wish is measured by: "cheaper than the Kestwick Air 13", "similar to X but quieter", "X dupe".
 * Only a name of the catalog counts, so "something like a beanbag" stays plain words. The name leaves the text, which
 * is then about the thing that is looked for and not about that one product.
 */
import { brandAt, isProductWord, type Lexicon, modelAt, type NameFound, termOf } from './names.ts'
import { looksLikeAdjective, STOPS } from './negation.ts'
import { foldAt, isWord, type Phrases, phraseAt, phrases, type Range, type Token, wordSet } from './tokens.ts'
import { unitAt } from './units.ts'

export type Relation = 'cheaper' | 'instead' | 'like'
export type Reference = { relation: Relation; name: string }
/**
 * `name` is where the product's words stand; `brand` is set when they are no more than a brand; `taken` is what leaves
 * the text.
 */
export type ReferenceFound = Range & {
  relation: Relation
  name: Range
  brand: NameFound | null
  taken: Range[]
}

const BEFORE: Phrases<Relation> = phrases<Relation>([
  [
    'cheaper',
    'cheaper than|less expensive than|more affordable than|costs less than|cost less than|costing less than|less than|lower priced than|priced below|priced lower than|cheaper alternative to|cheaper alternatives to|cheaper version of|cheap alternative to|cheap alternatives to|budget alternative to|budget version of|affordable alternative to|affordable alternatives to',
  ],
  [
    'instead',
    'alternative to|alternatives to|alternative for|alternatives for|substitute for|replacement for|to replace|replacing|instead of|in place of|rather than|upgrade from|upgrade over',
  ],
  [
    'like',
    'something like|anything like|similar to|like|same as|comparable to|equivalent to|equivalent of|along the lines of|dupe for|dupe of|dupes for|knockoff of|as good as|in the style of',
  ],
])
const BEHIND: Phrases<Relation> = phrases<Relation>([
  ['like', 'dupe|dupes|knockoff|knockoffs|knock off|clone|clones|lookalike|look alike|equivalent'],
  ['instead', 'alternative|alternatives|replacement|substitute'],
])
const LEADS = wordSet('the a an my our his her their that this those old current existing broken trusty')
const OWNERS = wordSet('my our his her their')
const MAX_LEADS = 4
/** "I like X" is no comparison, "nothing like X" the opposite of one. */
const NOT_BEHIND = wordSet("i we would i'd we'd not nothing isn't don't doesn't do really also you they")
const CHEAPER: Phrases<true> = phrases<true>([
  [true, 'cheaper|less expensive|more affordable|costs less|not more expensive|no more expensive'],
])
const COSTS = wordSet('costs cost does is price')

export function findReference(
  tokens: readonly Token[],
  taken: Uint8Array,
  lexicon: Lexicon,
): ReferenceFound | null {
  // Looking for a name at every word costs more than looking for these words once.
  const behind = tokens.some((_, at) => phraseAt(BEHIND, tokens, at) !== null)
  for (let index = 0; index < tokens.length; index++) {
    if (taken[index]) continue
    const found =
      readBefore(tokens, taken, index, lexicon) ?? (behind ? readBehind(tokens, taken, index, lexicon) : null)
    if (found) return found
  }
  return null
}

/** "cheaper than the X", "replacement for my X" */
function readBefore(
  tokens: readonly Token[],
  taken: Uint8Array,
  index: number,
  lexicon: Lexicon,
): ReferenceFound | null {
  const cue = phraseAt(BEFORE, tokens, index)
  if (!cue || NOT_BEHIND.has(foldAt(tokens, index - 1))) return null
  let at = cue.to
  while (at < cue.to + MAX_LEADS && LEADS.has(foldAt(tokens, at))) at++
  const name = readName(tokens, taken, at, lexicon)
  if (!name || !endsName(tokens, name.to, lexicon)) return null
  // A shopper who replaces a product may want the same brand again.
  if (name.brand && cue.meaning === 'instead' && OWNERS.has(foldAt(tokens, at - 1))) return null
  const less = lessEnd(tokens, name.to)
  const relation = less === null ? cue.meaning : 'cheaper'
  const costs = relation === 'cheaper' && COSTS.has(foldAt(tokens, name.to))
  const range = { from: index, to: less ?? (costs ? name.to + 1 : name.to) }
  return { ...range, relation, name: { from: at, to: name.to }, brand: name.brand, taken: [range] }
}

/** "X dupe", "X alternatives"; "X replacement filter" is a part. */
function readBehind(
  tokens: readonly Token[],
  read: Uint8Array,
  index: number,
  lexicon: Lexicon,
): ReferenceFound | null {
  const name = readName(tokens, read, index, lexicon)
  if (!name) return null
  // "X headphones dupe": the kind stays in the text.
  let at = name.to
  while (at < name.to + 2 && isThing(tokens, at, lexicon)) at++
  const cue = phraseAt(BEHIND, tokens, at)
  if (!cue || (isWord(tokens, cue.to) && !STOPS.has(foldAt(tokens, cue.to)))) return null
  const named = { from: index, to: name.to }
  const taken = [named, { from: at, to: cue.to }]
  return { from: index, to: cue.to, relation: cue.meaning, name: named, brand: name.brand, taken }
}

function readName(
  tokens: readonly Token[],
  taken: Uint8Array,
  at: number,
  lexicon: Lexicon,
): { to: number; brand: NameFound | null } | null {
  const brand = brandAt(tokens, taken, at, lexicon, false)
  const model = modelAt(tokens, taken, brand?.to ?? at, lexicon, brand !== null)
  if (model) return { to: model.to, brand: null }
  if (!brand) return null
  const unknown = unknownModelEnd(tokens, taken, brand.to)
  return unknown === null ? { to: brand.to, brand } : { to: unknown, brand: null }
}

/** "Air 13" behind a brand is a model, whether the catalog has it or not; "13 inch" is a size. */
export function unknownModelEnd(tokens: readonly Token[], taken: Uint8Array, start: number): number | null {
  for (let at = start; at < start + 3 && !taken[at]; at++) {
    if (tokens[at]?.kind === 'number') return unitAt(tokens, at + 1) ? null : at + 1
    if (!isWord(tokens, at) || STOPS.has(foldAt(tokens, at))) return null
  }
  return null
}

/** A part may follow a name ("X charger"): then that is what is looked for. */
function endsName(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const word = foldAt(tokens, at)
  if (!isWord(tokens, at) || STOPS.has(word) || COSTS.has(word)) return true
  return /^(and|or)$/.test(word) || isThing(tokens, at, lexicon) || looksLikeAdjective(word)
}

function isThing(tokens: readonly Token[], at: number, lexicon: Lexicon): boolean {
  const word = foldAt(tokens, at)
  return isProductWord(lexicon, word) || lexicon.vocabulary.kinds?.isHead(termOf(word)) === true
}

/** Where "but cheaper" ends, as in "like the X but cheaper". */
function lessEnd(tokens: readonly Token[], at: number): number | null {
  const but = foldAt(tokens, at) === ',' ? at + 1 : at
  if (!/^(but|only|and)$/.test(foldAt(tokens, but))) return null
  return phraseAt(CHEAPER, tokens, but + 1)?.to ?? null
}
