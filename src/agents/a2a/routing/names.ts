/**
 * Which products a message names: by slug or address, by part number, or by the words of brand and model; that its topic is
 * mentioned is not enough. Candidates come from the keyword index, which forgives spelling, and are then held against the
 * message word by word. Numbers are never forgiven: "Skein 3" is another product than Skein 2, or none.
 */
import type { CatalogIndex, IndexedProduct } from '../../../search/catalog-index.ts'
import { editDistance } from '../../../search/lexical/dictionary.ts'
import type { LexicalIndex } from '../../../search/lexical/lexical-index.ts'
import { toQueryTerms } from '../../../search/lexical/query-terms.ts'
import { STOP_WORDS, stemsOf } from '../../../search/lexical/tokenize.ts'
import { compactName, isProductWord, lexiconOf, termOf } from '../../../search/understand/names.ts'
import { type Range, sliceRange, type Token, tokenize } from '../../../search/understand/tokens.ts'
import { type Message, take } from './message.ts'

/** `sure`: the brand with a word of the model, a slug, a part number; nothing else can be meant. */
type Named = { product: IndexedProduct; span: Range; sure: boolean }
export type ProductsFound = {
  /** In the order of the message. */
  named: Named[]
  /** Products that one reference fits equally well. */
  ambiguous: IndexedProduct[]
  /** The reference was only a brand and a kind of thing ("Tarnhollow tents"). */
  loose: boolean
  /** Close to what was named, which itself does not exist. */
  near: IndexedProduct[]
  /** The words that name products, fitting ones or not. */
  spans: Range[]
}
/** `content` are the words about the thing itself; who asks about a product (`asked`) needs to give a lesser hint. */
type Options = {
  exact: readonly Named[]
  categories: readonly string[]
  content: readonly number[]
  asked: boolean
}
type Judged = Named & { score: number; conflict: boolean; brandOnly: boolean; used: number[]; core: number[] }

const CANDIDATES = 60
/** Each is a scan of the dictionary. */
const MOST_CORRECTED = 12
const MOST_NAMED = 12
const MOST_ALIKE = 8
const SAME = 0.3
/** A word that more of the products use is no name by itself. */
const EVERYDAY_SHARE = 0.012
const INSIDE = /^[-‐‑–.'’/()"“”+]$/

/** Runs of characters that are a slug or an address. */
export function findExact(index: CatalogIndex, { text, tokens, taken }: Message): Named[] {
  const named: Named[] = []
  for (let from = 0; from < tokens.length && named.length < MOST_NAMED; from++) {
    let to = from + 1
    while (tokens[to]?.glued) to++
    const run = sliceRange(text, tokens, { from, to }).toLowerCase()
    for (const part of taken[from] ? [] : run.split(/[^a-z0-9/_.-]+/)) {
      const words = part.replace(/\.(?:json|md|html|jsonld)?[.,]{0,9}$/, '').split('/')
      const slot = index.findBySlug(words.findLast(Boolean) ?? '')
      const product = slot === undefined ? null : index.at(slot)
      if (product && !named.some((known) => known.product.id === product.id))
        named.push({ product, span: { from, to }, sure: true })
    }
    from = to - 1
  }
  return named
}

export function findProducts(index: CatalogIndex, message: Message, options: Options): ProductsFound {
  const named = [...options.exact]
  const open = take(message.taken.slice(), ...named.map(({ span }) => span))
  const spans = named.map(({ span }) => span)
  const found: ProductsFound = { named, ambiguous: [], loose: false, near: [], spans }
  const words = correctingOnce(index.words)
  for (let round = 0; round < MOST_NAMED && named.length < MOST_NAMED; round++) {
    const judged = judgeAll({ index, words, options, message: { ...message, taken: open } })
    const best = judged.find(({ conflict }) => !conflict)
    const missed = judged.filter(({ conflict, brandOnly }) => conflict && !brandOnly)
    // A brand or half a name beside a whole one describes it; only a sure name is one more product.
    if (named.length > 0 && !best?.sure) break
    if (!best || (best.brandOnly && missed.length > 0)) {
      found.near = missed.slice(0, MOST_ALIKE).map(({ product }) => product)
      // The number that no product has is part of the name too.
      if (missed[0]) spans.push({ from: missed[0].span.from, to: missed[0].span.to + 1 })
      break
    }
    const close = judged.filter(({ conflict, score }) => !conflict && best.score - score < SAME)
    const rivals = close.filter(({ core }) => core.some((at) => best.core.includes(at)))
    spans.push(best.span)
    found.loose = best.brandOnly && rivals.length > 1
    if (rivals.length > 1) found.ambiguous = rivals.slice(0, MOST_ALIKE).map(({ product }) => product)
    if (rivals.length > 1) break
    if (!named.some(({ product }) => product.id === best.product.id)) named.push(best)
    for (const at of best.used) open[at] = 1
    // The name goes on as its title does: those words name nothing else.
    const { stems } = namesOf(best.product)
    const goesOn = (at: number) => !open[at] && stems.has(termOf(message.tokens[at]?.fold ?? ''))
    while (goesOn(best.span.to)) open[best.span.to++] = 1
  }
  named.sort((a, b) => a.span.from - b.span.from)
  return found
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

type Field = {
  index: CatalogIndex
  words: LexicalIndex
  message: Message
  options: Options
  /** Where names may begin: a long message is not walked again for every name. */
  starts?: Map<string, number[]>
}
const startOf = ({ fold, value }: Token) => (value === null ? (fold[0] ?? '') : String(value))

function judgeAll(field: Field): Judged[] {
  const { tokens, taken, text } = field.message
  const free = [...tokens.keys()].filter((at) => !taken[at])
  const said = free.map(
    (at) => (tokens[at]?.glued ? '' : ' ') + sliceRange(text, tokens, { from: at, to: at + 1 }),
  )
  const query = toQueryTerms(said.join(''), field.words)
  const named = free.filter((at) => tokens[at]?.kind === 'word' || tokens[at]?.kind === 'number')
  const starts = Map.groupBy(named, (at) => startOf(tokens[at] as Token))
  return [...(named.length === 0 ? [] : field.words.search(query, CANDIDATES).slots)]
    .flatMap((slot) => {
      const product = field.index.at(slot)
      return product ? (judge(product, { ...field, starts }) ?? []) : []
    })
    .sort((a, b) => b.score - a.score || (a.product.slug < b.product.slug ? -1 : 1))
}

function judge(product: IndexedProduct, field: Field): Judged | null {
  const { tokens, taken } = field.message
  const part = product.mpn ? partAt(compactName(product.mpn), field.message) : null
  const own = { product, conflict: false, brandOnly: false, sure: true }
  if (part) return { ...own, ...part, score: 50, core: part.used }
  const names = namesOf(product)
  const brand = align(names.brand, field, taken, { head: true })
  const rest = taken.slice()
  for (const at of brand?.at ?? []) rest[at] = 1
  const model = align(names.model, field, rest, { after: brand?.at.at(-1) })
  const used = [...(brand?.at ?? []), ...(model?.at ?? [])]
  if (used.length === 0) return null
  const others = field.options.content.filter((at) => !taken[at] && !used.includes(at))
  const described = others.filter((at) => names.stems.has(termOf(tokens[at]?.fold ?? ''))).length
  const ofModel = model ? model.weight - (model.words < names.model.length ? 0.6 : 0) - model.typos * 0.3 : 0
  const score = (brand ? 2 - brand.typos * 0.2 : 0) + ofModel + 0.5 * described
  const span = { from: Math.min(...used), to: Math.max(...used) + 1 }
  // "Nightglass 1080p" goes on as its title does.
  const conflict = model?.stray != null && !names.title.some(({ value }) => value === model.stray)
  const judged = { ...own, span, score, conflict, used, core: model?.at ?? used }
  if (brand && model) return judged
  const unfit = others.length - described
  const kind = field.options.asked && unfit === 0 && described > 0
  if (!model) return kind ? { ...judged, sure: false, brandOnly: true } : null
  const believed = isBelieved(product, model, field, unfit)
  return believed ? { ...judged, sure: believed === 'sure' } : null
}

/** A model's name without its brand: the less it looks like a name, the more must speak for it. */
function isBelieved(
  product: IndexedProduct,
  model: Aligned,
  { index, message, options }: Field,
  unfit: number,
) {
  const { tokens } = message
  const spoken = model.at.map((at) => tokens[at] as Token)
  const letters = spoken.filter(({ kind }) => kind === 'word')
  const whole = model.words === namesOf(product).model.length
  const capital = letters.every(({ upper }) => upper) && model.at.some((at) => at > 0)
  const numbered = spoken.length > letters.length
  if (letters.length === 0) return null
  if (whole && capital && (numbered || letters.length > 1)) return 'sure'
  if (options.categories.length > 0 && !options.categories.includes(product.category.slug)) return null
  const lexicon = lexiconOf(index.vocabulary())
  const everyday = letters.every(({ fold }) => {
    const share = lexicon.vocabulary.documentShare?.(termOf(fold)) ?? 0
    return STOP_WORDS.has(fold) || isProductWord(lexicon, fold) || share > EVERYDAY_SHARE
  })
  // "pocket coffee grinder" describes one, whatever may be called Pocket.
  if (everyday && !capital && !numbered && letters.length === 1 && !options.asked) return null
  const told = unfit === 0 ? whole || !everyday : options.asked ? capital || !everyday : false
  return told || (whole && (capital || numbered) && (options.asked || !everyday)) ? 'likely' : null
}

/** A part number is one only when it is all there. */
function partAt(key: string, { tokens, taken }: Message): { span: Range; used: number[] } | null {
  for (let from = 0; key.length >= 4 && from < tokens.length; from++) {
    let run = ''
    for (let to = from; to < tokens.length && to < from + 2 * key.length && !taken[to]; to++) {
      run += compactName(tokens[to]?.fold ?? '')
      if (run === '' || !key.startsWith(run)) break
      const ends = !tokens[to + 1]?.glued || tokens[to + 1]?.kind === 'mark'
      const used = Array.from({ length: to + 1 - from }, (_, step) => from + step)
      if (run === key && ends) return { span: { from, to: to + 1 }, used }
    }
  }
  return null
}

type Aligned = { at: number[]; words: number; typos: number; weight: number; stray: number | null }

/** The words of a name, in order and side by side, where most of them are; beside `after` if there are several places. */
function align(
  name: readonly Token[],
  field: Field,
  taken: Uint8Array,
  { head = false, after = -2 }: { head?: boolean; after?: number },
): Aligned | null {
  let best: { found: Aligned; rank: number } | null = null
  for (const from of new Set(name.flatMap((word) => field.starts?.get(startOf(word)) ?? []))) {
    const found = taken[from]
      ? null
      : alignAt(name, from, { ...field, message: { ...field.message, taken } }, head)
    if (!found) continue
    const rank =
      found.weight - found.typos * 0.1 - (found.stray === null ? 0 : 0.5) + (from === after + 1 ? 0.01 : 0)
    if (!best || rank > best.rank) best = { found, rank }
  }
  return best?.found ?? null
}

function alignAt(name: readonly Token[], from: number, field: Field, head: boolean): Aligned | null {
  const { tokens, taken } = field.message
  const at: number[] = []
  const found = new Set<number>()
  let [place, typos] = [from, 0]
  for (let word = 0; word < name.length; word++) {
    // "blockparty" for Block Party
    const both = tokens[place]?.fold === `${name[word]?.fold}${name[word + 1]?.fold}`
    const hit = taken[place] ? null : both ? { typos: 0 } : hitAt(name[word], tokens[place], field.index)
    if (!hit && at.length === 0 && head) return null
    if (!hit) continue
    at.push(place++)
    found.add(word)
    if (both) found.add(++word)
    typos += hit.typos
    for (let marks = 0; marks < 4 && INSIDE.test(tokens[place]?.fold ?? ''); marks++) place++
  }
  const isWord = (word: number) => name[word]?.kind === 'word' && (name[word]?.fold.length ?? 0) > 1
  // "18V" is half of many names; only a name of nothing but letters and numbers ("F-90") is told by them, if whole.
  const whole = found.size === name.length && found.size > 1 && !name.some((_, word) => isWord(word))
  if (at[0] !== from || !([...found].some(isWord) || whole)) return null
  const numbered = [...found].some((word) => name[word]?.kind === 'number')
  const weight = [...found].reduce((sum, word) => sum + (isWord(word) ? 3 : 1), 0)
  const stray =
    numbered || taken[place] || place - (at.at(-1) ?? 0) > 2 ? null : (tokens[place]?.value ?? null)
  return { at, words: found.size, typos, weight, stray }
}

function hitAt(
  own: Token | undefined,
  token: Token | undefined,
  index: CatalogIndex,
): { typos: number } | null {
  if (!own || !token || own.kind !== token.kind || startOf(own) !== startOf(token)) return null
  const said = token.fold
  if (own.kind === 'number' || [own.fold, `${own.fold}s`, `${own.fold}'s`].includes(said)) return { typos: 0 }
  const allowed = own.fold.length >= 8 ? 2 : own.fold.length >= 5 ? 1 : 0
  const typos = allowed === 0 || index.words.has(termOf(said)) ? 9 : editDistance(said, own.fold, allowed)
  return typos <= allowed ? { typos } : null
}

type Names = { brand: Token[]; model: Token[]; title: Token[]; stems: ReadonlySet<string> }
const known = new WeakMap<IndexedProduct, Names>()

/** Kept as long as the product: the same candidates come again with every message about their category. */
function namesOf(product: IndexedProduct): Names {
  const before = known.get(product)
  if (before) return before
  const words = (name: string | null) =>
    tokenize(name ?? '').filter(({ kind }) => /^(?:word|number)$/.test(kind))
  const { title, category } = product
  const stems = new Set(stemsOf(`${title} ${category.label}`))
  const names = { brand: words(product.brand), model: words(product.model), title: words(title), stems }
  known.set(product, names)
  return names
}
