/**
 * Tells a thing that the product must not be ("vacuum that isn't a robot", "backpack, not a duffel") from a part that it
 * must lack ("without wheels"). The words of the negation decide most of it; the rest is asked of the catalog, which
 * knows by its titles what things are called. "No pod machine" is a kind when such things are what is looked for.
 */
import { compactName, isProductWord, type Lexicon, termOf } from './names.ts'
import { looksLikeAdjective, type NegationFound, type ScopeItem } from './negation.ts'
import { foldAt, type Range, sliceRange, type Token, wordSet } from './tokens.ts'

export type ExcludedKind = { phrase: string; words: string[] }
export type KindFound = ExcludedKind & Range & { article: string }
export type Sorted = { kinds: KindFound[]; negations: NegationFound[] }

const SORTS = wordSet('kind kinds sort sorts type types style styles shape shapes one ones version versions')

/** `categories` are those of the thing that is wanted. */
export function sortOutKinds(
  query: string,
  tokens: readonly Token[],
  negations: readonly NegationFound[],
  lexicon: Lexicon,
  categories: readonly string[],
): Sorted {
  const sorted: Sorted = { kinds: [], negations: [] }
  for (const negation of negations) {
    const kinds = negation.items.filter((item) => isKind(tokens, item, negation, lexicon, categories))
    for (const item of kinds) {
      const article = isNamedOutright(tokens, item, lexicon) ? articleFor(item) : ''
      const words = isSort(item) ? item.words.slice(0, -1) : item.words
      const { from, to } = negation.items.length === 1 ? negation : item
      sorted.kinds.push({ phrase: sliceRange(query, tokens, item), words, from, to, article })
    }
    const gone = new Set(kinds.filter((item) => isNamedOutright(tokens, item, lexicon)))
    const words = gone.size === 0 ? negation.words : wordsOf(negation.items.filter((item) => !gone.has(item)))
    if (words.length > 0) sorted.negations.push({ ...negation, words })
  }
  return sorted
}

function isKind(
  tokens: readonly Token[],
  item: ScopeItem,
  { sense, kind }: NegationFound,
  lexicon: Lexicon,
  categories: readonly string[],
): boolean {
  if (kind === 'free' || sense === 'have') return false
  if (isSort(item) || isNamedByQuality(tokens, item)) return true
  const term = headOf(item)
  if (sense === 'open') {
    if (categories.length === 0) return item.words.length > 1 && isThing(lexicon, item)
    return categories.some((slug) => isKindOf(lexicon, term, slug))
  }
  if (isThing(lexicon, item)) return true
  if (looksLikeAdjective(item.words.at(-1) ?? '')) return false
  const { documentShare, kinds } = lexicon.vocabulary
  if (hasArticle(tokens, item) || kinds?.inTitles(term)) return true
  // "in-ear" is a sort of thing even where only specs say it.
  return item.words.at(-1)?.includes('-') === true && (documentShare?.(term) ?? 0) > 0
}

/** A single word without an article ("not leather") may be a part or a material too, and stays a lack. */
function isNamedOutright(tokens: readonly Token[], item: ScopeItem, lexicon: Lexicon): boolean {
  if (isSort(item) || hasArticle(tokens, item) || isProductWord(lexicon, item.words.at(-1) ?? '')) return true
  return item.words.length > 1 && isThing(lexicon, item)
}

/** "I don't want a portable": behind an article a quality names a thing. */
function isNamedByQuality(tokens: readonly Token[], item: ScopeItem): boolean {
  return hasArticle(tokens, item) && item.words.length === 1 && item.words.every(looksLikeAdjective)
}

/** "the oven kind", "a folding one": the words before say which. */
function isSort({ words }: ScopeItem): boolean {
  return words.length > 1 && SORTS.has(words.at(-1) ?? '')
}

function headOf({ words }: ScopeItem): string {
  return termOf(compactName(words.at(-1) ?? ''))
}

/** Labels or titles call something by its last word. */
function isThing(lexicon: Lexicon, item: ScopeItem): boolean {
  const head = item.words.at(-1) ?? ''
  return isProductWord(lexicon, head) || lexicon.vocabulary.kinds?.isHead(headOf(item)) === true
}

/** A thing of this category goes by that word. */
function isKindOf({ vocabulary, stems }: Lexicon, term: string, category: string): boolean {
  return vocabulary.kinds?.isHead(term, category) === true || stems.get(term)?.get(category) === 1
}

function hasArticle(tokens: readonly Token[], { from }: ScopeItem): boolean {
  return /^(a|an|another|one)$/.test(foldAt(tokens, from - 1))
}

function articleFor({ words }: ScopeItem): string {
  if (/[^s]s$/.test(words.at(-1) ?? '')) return ''
  return /^[aeiou]/.test(words[0] ?? '') ? 'an ' : 'a '
}

function wordsOf(items: readonly ScopeItem[]): string[] {
  return items.flatMap(({ words }) => words)
}
