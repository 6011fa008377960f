/**
 * Which products a message names. A product is named by its slug or address, by its part number, or by the words of its
 * brand and model; that its topic is mentioned is not enough. Candidates come from the keyword index, which forgives
 * spelling, and are then held against the message word by word, because "Skein 2" and "Skein 3" are as near to an
 * index as they are far apart for a buyer.
 */
import { type CatalogIndex, type IndexedProduct, stemsOf } from '../../../search/catalog-index.ts'
import type { LexicalIndex } from '../../../search/lexical/lexical-index.ts'
import { toQueryTerms } from '../../../search/lexical/query-terms.ts'
import { STOP_WORDS } from '../../../search/lexical/tokenize.ts'
import { compactName, isProductWord, lexiconOf, termOf } from '../../../search/understand/names.ts'
import { type Range, type Token, tokenize } from '../../../search/understand/tokens.ts'
import { type Aligned, alignName, type Starts, startsOf } from './align-name.ts'
import { contentAt } from './content.ts'
import { MOST_NAMED, type Named } from './find-slug.ts'
import type { Message } from './message.ts'

export type ProductsFound = {
  /** In the order of the message. */
  named: Named[]
  /** Products that one reference fits equally well; empty if there are none. */
  ambiguous: IndexedProduct[]
  /** The reference was only a brand and a kind of thing ("Tarnhollow tents"): enough to choose from, no name. */
  loose: boolean
  /** Close to what was named, which itself does not exist. */
  near: IndexedProduct[]
  /** The words of the reference that fits several or none; what stands before them may count it. */
  reference: Range | null
  /** Where a product is named once more. */
  again: Range[]
}
export type FindOptions = {
  /** Named by slug or address. */
  exact: readonly Named[]
  /** Categories the message speaks of, best first. */
  categories: readonly string[]
  /** Tokens that show what the message is about, as opposed to what it is about it. */
  signals: readonly Range[]
  /** The message asks about a product, so a lesser hint suffices. */
  asked: boolean
}

const CANDIDATES = 60
/** Each is a scan of the dictionary. One message has as many as one query, however many products it names. */
const MOST_CORRECTED = 12
const MOST_ALIKE = 8
const SAME = 0.3
/** A whole name wins over one that only begins so: the Sift over the Sift Pet. */
const PARTIAL = 0.6
/** A model right behind its brand. */
const BESIDE = 0.4
/** A word that more of the products use is no name by itself. */
const EVERYDAY_SHARE = 0.012

type Judged = Named & {
  conflict: boolean
  brandOnly: boolean
  /** Tokens that name it, and those that tell it from its maker's other products. */
  used: number[]
  core: number[]
}

/** What is the same for every candidate. */
type Judging = FindOptions & { said: readonly string[]; content: readonly number[]; starts: Starts }

export function findProducts(index: CatalogIndex, message: Message, options: FindOptions): ProductsFound {
  const { exact } = options
  const open = message.taken.slice()
  for (const { span } of exact) open.fill(1, span.from, span.to)
  const named: Named[] = [...exact]
  let ambiguous: IndexedProduct[] = []
  let near: IndexedProduct[] = []
  let loose = false
  let reference: Range | null = null
  const again: Range[] = []
  const words = correctingOnce(index.words)
  for (let round = 0; round < MOST_NAMED && named.length < MOST_NAMED; round++) {
    const judged = judgeAll(index, words, { ...message, taken: open }, options)
    const best = judged.find(({ conflict }) => !conflict)
    const missed = judged.filter(({ conflict, brandOnly }) => conflict && !brandOnly)
    // A brand or half a name beside a whole one describes it; only a sure name is one more product.
    if (named.length > 0 && !best?.sure) break
    if (!best || (best.brandOnly && missed.length > 0)) {
      near = missed.map(({ product }) => product)
      // "Skein 3": the number that no product has is part of the name too.
      reference = missed[0] ? { from: missed[0].span.from, to: missed[0].span.to + 1 } : null
      break
    }
    const rivals = judged.filter(
      (one) =>
        !one.conflict && best.score - one.score < SAME && one.core.some((at) => best.core.includes(at)),
    )
    if (rivals.length > 1) {
      ambiguous = rivals.map(({ product }) => product)
      loose = best.brandOnly
      reference = best.span
      break
    }
    const to = titleEnd(best, message.tokens, open)
    // A slug beside the title of the same product names it once.
    const span = { ...best.span, to }
    if (named.some(({ product }) => product.id === best.product.id)) again.push(span)
    else named.push({ ...best, span })
    for (const at of best.used) open[at] = 1
    open.fill(1, Math.max(...best.used), to)
  }
  named.sort((a, b) => a.span.from - b.span.from)
  return {
    named,
    ambiguous: ambiguous.slice(0, MOST_ALIKE),
    loose,
    near: near.slice(0, MOST_ALIKE),
    reference,
    again,
  }
}

/** A name may go on as the title does: those words name nothing else. */
function titleEnd({ product, used, span }: Judged, tokens: readonly Token[], taken: Uint8Array): number {
  const { stems, title } = namesOf(product)
  // "Skein 2: 2": the name has its 2 already.
  const spent = new Set(used.map((at) => tokens[at]?.value ?? null))
  let to = span.to
  for (let at = Math.max(...used) + 1; at < tokens.length && !taken[at]; at++) {
    const { kind, fold, value } = tokens[at] as Token
    const number = kind === 'number' && !spent.has(value) && title.some((word) => word.value === value)
    const word =
      kind === 'word' &&
      fold.length > 1 &&
      (stems.has(termOf(fold)) || title.some((one) => one.fold === fold))
    if (number || word) to = Math.max(to, at + 1)
    else if (kind !== 'mark') break
  }
  return to
}

/** The same index, which looks a misspelled word up once and only so many of them: each round asks for most words again. */
function correctingOnce(words: LexicalIndex): LexicalIndex {
  const known = new Map<string, ReturnType<LexicalIndex['near']>>()
  const near: LexicalIndex['near'] = (word, limit) => {
    const found = known.get(word) ?? (known.size < MOST_CORRECTED ? words.near(word, limit) : [])
    if (known.size < MOST_CORRECTED) known.set(word, found)
    return found
  }
  return Object.create(words, { near: { value: near } }) as LexicalIndex
}

/** Every candidate that the message may name, best first. */
function judgeAll(
  index: CatalogIndex,
  lexical: LexicalIndex,
  message: Message,
  options: FindOptions,
): Judged[] {
  const { tokens, taken, text } = message
  const words = tokens.flatMap((token, at) => (taken[at] ? [] : [text.slice(token.start, token.end)]))
  if (words.length === 0) return []
  const spelled = tokens
    .map((token, at) => (taken[at] ? ' ' : `${token.glued ? '' : ' '}${text.slice(token.start, token.end)}`))
    .join('')
  const said = tokens.map(({ fold }) => compactName(fold))
  const content = contentAt(message, options.signals)
  const starts = startsOf(tokens, taken)
  const { slots } = lexical.search(toQueryTerms(spelled, lexical), CANDIDATES)
  return [...slots]
    .flatMap((slot) => {
      const product = index.at(slot)
      const judged = product && judge(index, product, message, { ...options, said, content, starts })
      return judged ? [judged] : []
    })
    .sort((a, b) => b.score - a.score || (a.product.slug < b.product.slug ? -1 : 1))
}

function judge(
  index: CatalogIndex,
  product: IndexedProduct,
  message: Message,
  options: Judging,
): Judged | null {
  const { tokens, taken } = message
  const { said, starts } = options
  const isKnown = (word: string) => index.words.has(termOf(word))
  const part = product.mpn ? alignWhole(product.mpn, { tokens, said, taken }) : null
  if (part)
    return {
      product,
      span: part,
      score: 50,
      sure: true,
      conflict: false,
      brandOnly: false,
      used: part.at,
      core: part.at,
    }
  const own = namesOf(product)
  const brand = alignName(own.brand, tokens, taken, { isKnown, starts, head: true })
  const model = alignModel(own.model, tokens, taken, { brand, isKnown, starts })
  const named = [...(brand?.at ?? []), ...(model?.at ?? [])]
  if (named.length === 0) return null
  const content = options.content.filter((at) => !named.includes(at))
  const described = content.filter((at) => own.stems.has(termOf(tokens[at]?.fold ?? ''))).length
  const rest = content.length - described
  const words = model?.words ?? 0
  const score =
    (brand ? 2 - brand.typos * 0.2 : 0) +
    (model ? model.weight - (words < model.of ? PARTIAL : 0) - model.typos * 0.3 : 0) +
    (brand && model && model.at[0] === (brand.at.at(-1) ?? 0) + 1 ? BESIDE : 0) +
    0.5 * described
  const span = { from: Math.min(...named), to: Math.max(...named) + 1 }
  // "Nightglass 1080p" goes on as its title does.
  const stray = model?.stray ?? null
  const conflict = stray !== null && !own.title.some(({ value }) => value === stray)
  const judged = { product, span, score, conflict, used: named, core: model?.at ?? named }
  if (brand && model) return { ...judged, sure: true, brandOnly: false }
  if (model) {
    const believed = isBelieved(index, product, message, model, { ...options, rest })
    return believed ? { ...judged, sure: believed === 'sure', brandOnly: false } : null
  }
  // The brand and what kind of thing it is: only an answer when it was asked for and all the rest fits.
  const fits = options.asked && rest === 0 && described > 0
  return fits ? { ...judged, sure: false, brandOnly: true } : null
}

/** A model's name without its brand: the less it looks like a name, the more must speak for it. */
function isBelieved(
  index: CatalogIndex,
  product: IndexedProduct,
  { tokens }: Message,
  model: Aligned,
  { categories, asked, rest }: FindOptions & { rest: number },
): 'sure' | 'likely' | null {
  const spoken = model.at.map((at) => tokens[at] as Token)
  const letters = spoken.filter(({ kind }) => kind === 'word')
  if (letters.length === 0) return null
  const whole = model.words === model.of
  const otherTopic = categories.length > 0 && !categories.includes(product.category.slug)
  const capital = letters.every(({ upper }) => upper) && model.at.some((at) => at > 0) && !isShouting(tokens)
  const numbered = spoken.some(({ kind }) => kind === 'number')
  if (whole && capital && (numbered || letters.length > 1)) return 'sure'
  const lexicon = lexiconOf(index.vocabulary())
  const everyday = letters.every(({ fold }) => {
    const share = lexicon.vocabulary.documentShare?.(termOf(fold)) ?? 0
    return STOP_WORDS.has(fold) || isProductWord(lexicon, fold) || share > EVERYDAY_SHARE
  })
  if (otherTopic) return null
  // "pocket coffee grinder" describes one, whatever may be called Pocket.
  const described = everyday && !capital && !numbered && letters.length === 1
  if (described && !asked) return null
  if (rest === 0) return whole || !everyday ? 'likely' : null
  if (!asked) return whole && (capital || numbered) && !everyday ? 'likely' : null
  return capital || !everyday || (whole && numbered) ? 'likely' : null
}

/** The model's words where they make most of it; beside its brand if they stand in several places. */
function alignModel(
  model: readonly Token[],
  tokens: readonly Token[],
  taken: Uint8Array,
  { brand, isKnown, starts }: { brand: Aligned | null; isKnown(word: string): boolean; starts: Starts },
): Aligned | null {
  const open = taken.slice()
  for (const at of brand?.at ?? []) open[at] = 1
  return alignName(model, tokens, open, { isKnown, starts, after: brand?.at.at(-1) ?? null })
}

/** A part number is one only when it is all there. */
function alignWhole(
  name: string,
  { tokens, said, taken }: { tokens: readonly Token[]; said: readonly string[]; taken: Uint8Array },
): (Range & { at: number[] }) | null {
  const key = compactName(name)
  if (key.length < 4) return null
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from] || said[from]?.[0] !== key[0]) continue
    let run = ''
    for (let to = from; to < tokens.length && !taken[to] && run.length < key.length; to++) {
      run += said[to] ?? ''
      // Marks may stand inside it, but not more of them than letters.
      if (to - from > key.length * 2) break
      if (run === key && !(tokens[to + 1]?.glued && tokens[to + 1]?.kind !== 'mark'))
        return { from, to: to + 1, at: Array.from({ length: to + 1 - from }, (_, step) => from + step) }
      if (!key.startsWith(run)) break
    }
  }
  return null
}

type Names = { brand: Token[]; model: Token[]; title: Token[]; stems: ReadonlySet<string> }

const names = new WeakMap<IndexedProduct, Names>()

/** Kept as long as the product: the same candidates come again with every message about their category. */
function namesOf(product: IndexedProduct): Names {
  const known = names.get(product)
  if (known) return known
  const made = {
    brand: nameWords(product.brand ?? ''),
    model: nameWords(product.model ?? ''),
    title: nameWords(product.title),
    stems: new Set(stemsOf(`${product.title} ${product.category.label}`)),
  }
  names.set(product, made)
  return made
}

function nameWords(name: string): Token[] {
  return tokenize(name).filter(({ kind }) => kind === 'word' || kind === 'number')
}

function isShouting(tokens: readonly Token[]): boolean {
  const words = tokens.filter(({ kind }) => kind === 'word')
  return words.filter(({ upper }) => upper).length > words.length * 0.7 && words.length > 3
}
