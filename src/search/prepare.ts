/**
 * Reads a query once for all that follows: what it means, its words as the index knows them, and its vectors. Products
 * also say what they do without, so the vector keeps the negations; a second one leaves them out.
 */
import { awaitLater } from '../lib/background.ts'
import { type Catalog, wholeCatalog } from './catalog.ts'
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { type Reading, readLanguage } from './languages/read-language.ts'
import type { QueryTerm } from './lexical/lexical-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import { stemsOf, tokenize } from './lexical/tokenize.ts'
import { anySize } from './measures/measure-table.ts'
import { productCalled } from './obey.ts'
import type { RankQuery } from './rank/rank.ts'
import type { Tuning } from './tuning.ts'
import { isGerund } from './understand/negation.ts'
import type { Size } from './understand/sizes.ts'
import { cutQuery } from './understand/tokens.ts'
import { type Understood, understand } from './understand/understand.ts'

/** The query in English, and what it means. */
export function readQuery(index: CatalogIndex, asked: string): { reading: Reading; understood: Understood } {
  const reading = readLanguage(cutQuery(asked), (term) => index.words.documents(term))
  return { reading, understood: understand(reading.english, index.vocabulary()) }
}

/**
 * `embed` is null when only words can be compared. `meanwhile` is called with the query as words alone tell it, while the
 * embedder works.
 */
export async function prepareQuery(
  index: CatalogIndex,
  asked: string,
  embed: ((text: string) => Promise<Float32Array>) | null,
  tuning: Tuning = index.tuning,
  meanwhile: (query: RankQuery) => void = () => {},
): Promise<RankQuery> {
  return prepareIn(wholeCatalog(index), asked, embed, tuning, meanwhile)
}

/** The same in a catalog that may have to be asked for what it holds. `meanwhile` is called while the query is embedded. */
export async function prepareIn(
  catalog: Catalog,
  asked: string,
  embed: ((text: string) => Promise<Float32Array>) | null,
  tuning?: Tuning,
  meanwhile: (query: RankQuery) => void = () => {},
): Promise<RankQuery> {
  // Awaited only where it must be: an index in memory may change in between.
  const read = catalog.read((index) => readSaid(index, asked))
  const { said, plain, ...meant } = read instanceof Promise ? await read : read
  // Asked for before the words are looked up: the embedder works in another thread meanwhile.
  const vectors = embed
    ? awaitLater(Promise.all([embed(said), plain === null ? null : embed(plain)]))
    : [null, null]
  const words = catalog.read((index) => readWords(index, { said, ...meant }, tuning ?? index.tuning))
  const query = words instanceof Promise ? await words : words
  if (embed) meanwhile(query)
  const [vector, plainVector] = await vectors
  return { ...query, vector: vector ?? null, plainVector: plainVector ?? null }
}

type Said = ReturnType<typeof readSaid>

/** What is meant, and in which words it is looked for: with negations, and without if there are any. */
function readSaid(index: CatalogIndex, asked: string) {
  const { reading, understood: read } = readQuery(index, asked)
  const understood = asThing(index, withOwnSizes(index, read))
  const said = understood.textWithNegations || reading.english
  const plain = understood.text && understood.text !== said ? understood.text : null
  return { reading, understood, said, plain }
}

function readWords(
  index: CatalogIndex,
  { reading, understood, said }: Omit<Said, 'plain'>,
  tuning: Tuning,
): RankQuery {
  const terms = toQueryTerms(said, index.words, { more: tuning.synonymsOf })
  return {
    understood,
    terms,
    head: headOf(index, understood, terms),
    thing: headOf(index, understood, terms, OF_SIZE),
    anything: asksForAnything(reading.english, understood, terms),
    unreadable: reading.unknownScript,
    vector: null,
    plainVector: null,
  }
}

const ANYTHING = new Set(
  tokenize(
    'anything something stuff thing gift present idea nice good great cool best deal product item',
  ).map(({ term }) => term),
)

/** Nothing but limits and orders was said, or words that any product answers. Signs alone say nothing at all. */
function asksForAnything(asked: string, { text }: Understood, terms: readonly QueryTerm[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(asked)) return asked.trim() === ''
  return text === '' || terms.every(({ term, weight }) => weight < 1 || ANYTHING.has(term))
}

/** A size of something else ("on a 1000 W inverter") demands nothing; the specs know what things have ("tank", "room"). */
function withOwnSizes(index: CatalogIndex, understood: Understood): Understood {
  const isOwn = ({ of }: Size) => of === undefined || index.measures.isNamed(of)
  return understood.sizes.every(isOwn) ? understood : { ...understood, sizes: understood.sizes.filter(isOwn) }
}

/** "Like X but quieter" asks for the thing that X is: its category, and what its title says beside maker and model. */
function asThing(index: CatalogIndex, understood: Understood): Understood {
  const { reference, text, textWithNegations, categories } = understood
  const known = reference && productCalled(index, reference.name)
  if (!known) return understood
  const names = new Set(tokenize(`${known.brand ?? ''} ${known.model ?? ''}`).map(({ term }) => term))
  const [first = ''] = known.title.split(/[,(]/)
  const thing = first
    .split(/\s+/)
    .filter((word) => tokenize(word).every(({ term }) => !names.has(term) && !/^\d+$/.test(term)))
    .join(' ')
  const isNamed = categories.length > 0
  return {
    ...understood,
    text: isNamed ? text : `${thing} ${text}`.trim(),
    textWithNegations: isNamed ? textWithNegations : `${thing} ${textWithNegations}`.trim(),
    categories: isNamed ? categories : [known.category.slug],
    sizes: [...understood.sizes, ...comparedWith(index, known, text)],
  }
}

/** What a comparative measures, by its stem: "quieter" is fewer decibels. */
const COMPARATIVES: ReadonlyMap<string, Pick<Size, 'dimension' | 'comparison' | 'words'>> = new Map(
  (
    [
      ['quieter', 'sound', 'lt', 'noise'],
      ['louder', 'sound', 'gt', 'noise volume'],
      ['lighter', 'mass', 'lt', 'weight'],
      ['heavier', 'mass', 'gt', 'weight'],
      ['brighter', 'lumen', 'gt', 'brightness light'],
      ['narrower', 'length', 'lt', 'width'],
      ['wider', 'length', 'gt', 'width'],
      ['taller', 'length', 'gt', 'height'],
      ['thinner', 'length', 'lt', 'thickness depth'],
    ] as const
  ).map(([word, dimension, comparison, words]) => [word, { dimension, comparison, words: stemsOf(words) }]),
)

/** The sizes that a product other than the known one must have; none where it does not state its own. */
function comparedWith(index: CatalogIndex, known: IndexedProduct, text: string): Size[] {
  return text.split(/[^\p{L}]+/u).flatMap((word) => {
    const asked = COMPARATIVES.get(word.toLowerCase())
    if (!asked) return []
    const own = index.measures.judge(anySize(asked.dimension, asked.words))(known).stated
    if (!own) return []
    const bounds =
      asked.comparison === 'lt'
        ? { low: Number.NEGATIVE_INFINITY, high: own.low * (1 - LEAST_STEP) }
        : { low: own.high * (1 + LEAST_STEP), high: Number.POSITIVE_INFINITY }
    return [{ ...anySize(asked.dimension, asked.words), ...asked, ...bounds, phrase: word }]
  })
}
const LEAST_STEP = 1e-6

/** What follows one of these says more about the thing and does not name it. */
const THING_ENDS =
  /\s(?:for|with|without|that|which|to|in|from|by|at|who|when|while|during|as|but|and|or|on|of)\s|[,.;:(]/i
const OFTEN_FINAL = 0.2
/** They stand behind the thing that they are a size of: "t-shirt size M". */
const OF_SIZE = new Set(tokenize('size sizes sized xs s m l xl xxl xxxl').map(({ term }) => term))

/** The last word of the first phrase that titles use as a name, but for `others`: "bag" of "laptop bag for women". */
function headOf(
  index: CatalogIndex,
  { text, brands, sizes }: Understood,
  terms: readonly QueryTerm[],
  others: ReadonlySet<string> = new Set(),
): number {
  const unsized = sizes.reduce((left, size) => left.replace(size.phrase, ' , '), text)
  const [phrase = ''] = unsized.replace(/^[\s,]+/, '').split(THING_ENDS)
  const makers = new Set(brands.flatMap((brand) => tokenize(brand).map(({ term }) => term)))
  const isNoName = (term: string) => /\d/.test(term) || makers.has(term) || others.has(term)
  // "Vac weighing five pounds": such a word names a thing only where titles use it.
  const isDone = (term: string, surface: string) =>
    isGerund(surface) && index.kinds.numberOf(term) === undefined
  const said = new Set(
    tokenize(phrase).flatMap(({ term, surface, stop }) =>
      isNoName(term) || stop || isDone(term, surface) ? [] : [term],
    ),
  )
  let head = -1
  let sure = false
  for (const { term, weight, group } of terms) {
    if (weight !== 1 || !said.has(term)) continue
    const number = index.kinds.numberOf(term)
    // A word that no title knows may be the name of a thing that is not there.
    const names = number === undefined || index.kinds.finality(number) >= OFTEN_FINAL
    if (names || !sure) head = group
    if (names) sure = true
  }
  return head
}
