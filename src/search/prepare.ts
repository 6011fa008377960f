/**
 * Reads a query once for all that follows: what it means, its words as the index knows them, and its vectors. Products
 * also say what they do without, so the vector keeps the negations; a second one leaves them out.
 */
import { awaitLater } from '../lib/background.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { type Reading, readLanguage } from './languages/read-language.ts'
import type { QueryTerm } from './lexical/lexical-index.ts'
import { toQueryTerms } from './lexical/query-terms.ts'
import { tokenize } from './lexical/tokenize.ts'
import { productCalled } from './obey.ts'
import type { RankQuery } from './rank/query.ts'
import { cutQuery } from './understand/cut-query.ts'
import { type Understood, understand } from './understand/understand.ts'

/** The query in English, and what it means. */
export function readQuery(index: CatalogIndex, asked: string): { reading: Reading; understood: Understood } {
  const reading = readLanguage(cutQuery(asked), (term) => index.words.documents(term))
  return { reading, understood: understand(reading.english, index.vocabulary()) }
}

/** `embed` is null when only words can be compared. */
export async function prepareQuery(
  index: CatalogIndex,
  asked: string,
  embed: ((text: string) => Promise<Float32Array>) | null,
): Promise<RankQuery> {
  const { reading, understood: read } = readQuery(index, asked)
  const understood = asThing(index, read)
  const said = understood.textWithNegations || reading.english
  const plain = understood.text && understood.text !== said ? understood.text : null
  // Asked for before the words are looked up: the embedder works in another thread meanwhile.
  const vectors = embed
    ? awaitLater(Promise.all([embed(said), plain === null ? null : embed(plain)]))
    : [null, null]
  const terms = toQueryTerms(said, index.words)
  const [vector, plainVector] = await vectors
  const head = headOf(index, understood, terms)
  return {
    understood,
    terms,
    head,
    anything: understood.textWithNegations === '' || terms.every(asksForAnything),
    unreadable: reading.unknownScript,
    vector: vector ?? null,
    plainVector: plainVector ?? null,
  }
}

const ANYTHING = new Set(
  tokenize(
    'anything something stuff thing gift present idea nice good great cool best deal product item',
  ).map(({ term }) => term),
)

function asksForAnything({ term, weight }: QueryTerm): boolean {
  return weight < 1 || ANYTHING.has(term)
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
  }
}

/** What follows one of these says more about the thing and does not name it. */
const THING_ENDS =
  /\s(?:for|with|without|that|which|to|in|from|by|at|who|when|as|but|and|or|on|of)\s|[,.;:(]/i
const OFTEN_FINAL = 0.2

/** The last word of the first phrase that titles use as a name: "bag" of "laptop bag for women". */
function headOf(
  index: CatalogIndex,
  { text, brands, sizes }: Understood,
  terms: readonly QueryTerm[],
): number {
  const unsized = sizes.reduce((left, size) => left.replace(size.phrase, ' , '), text)
  const [phrase = ''] = unsized.replace(/^[\s,]+/, '').split(THING_ENDS)
  const makers = new Set(brands.flatMap((brand) => tokenize(brand).map(({ term }) => term)))
  const said = new Set(
    tokenize(phrase).flatMap(({ term, stop }) => (stop || /\d/.test(term) || makers.has(term) ? [] : [term])),
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
