/**
 * Whether a profile says what a shopper must have. Plain rules over what is written, and nothing is guessed: one statement
 * of the profile (a spec, a use, a sentence, what reviewers say) holds all the words, or what shoppers call them, and
 * affirms them, or denies them, or the profile is silent. Measures are compared with the spec that states them, prices
 * with the price. What is found is quoted. Pure.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { priceRange } from '../catalog/profile.ts'
import { lacksOf } from '../search/absence.ts'
import { tokenize } from '../search/lexical/tokenize.ts'
import { formsOf } from '../search/measures/attributes.ts'
import type { SizeJudgement } from '../search/measures/measure-table.ts'
import type { Size } from '../search/understand/sizes.ts'
import type { Understood } from '../search/understand/understand.ts'
import { coreWords, NOT_SAID_BY, OPPOSITES } from './must-have.words.ts'

export const VERDICTS = ['says_so', 'not_stated', 'contradicts'] as const
export type Met = (typeof VERDICTS)[number]
export type MustHaveCheck = { wish: string; met: Met; evidence: string | null }
/** A wish as it was understood, read once for all products. */
export type MustHave = { wish: string; understood: Understood }
/** How wishes and specs are read; `judge` knows which spec of a category states a measure, where there is an index. */
export type Reader = {
  understand(text: string): Understood
  judge?: (profile: ProductProfile, size: Size) => SizeJudgement | null
}

type Part = { met: Met; evidence: string | null }
type Statement = {
  source: string
  text: string
  /** Of the spec alone. */
  name: string
  terms: Set<string>
  denies: () => string[]
  against: boolean
}
/** The forms of each word that must stand in one statement; a form may be several stems. */
type Way = string[][][]

const NOT_STATED: Part = { met: 'not_stated', evidence: null }
/** "Best for: avoiding nonstick coatings" */
const AVOIDS = /\b(?:avoid\w*|averse|allerg\w+|sensitiv\w+)\b/i
/** "Neither drawer takes a whole chicken." */
const SAYS_NO = /\b(?:no|not|never|neither|nor|cannot|hardly|without)\b|n['’]t\b/i

export function readMustHaves(wishes: readonly string[], understand: Reader['understand']): MustHave[] {
  return wishes.map((wish) => ({ wish, understood: understand(wish) }))
}

export function checkMustHaves(
  profile: ProductProfile,
  wanted: readonly MustHave[],
  reader: Reader,
): MustHaveCheck[] {
  if (wanted.length === 0) return []
  const statements = statementsOf(profile)
  return wanted.map(({ wish, understood }) => {
    const { sizes, negated, budget } = understood
    const said = [...sizes, ...negated, ...(budget ? [budget] : [])].map(({ phrase }) => phrase)
    const words = said.reduce((left, phrase) => left.replace(phrase, ' '), wish)
    const parts = [
      ...(budget ? [checkPrice(profile, budget)] : []),
      ...negated.map((negation) => checkLack(profile, statements, negation)),
      ...measured(profile, { wish, sizes, words }, reader).map((part) =>
        part.met === 'not_stated' && sizes.every(({ comparison }) => comparison === 'eq')
          ? saidOutright(profile, statements, wish)
          : part,
      ),
    ]
    const plain = sizes.length === 0 && !budget ? readPlainBound(words) : null
    if (plain) parts.push(checkPlainBound(profile, plain))
    const rest = sizes.length > 0 || plain ? [] : waysOf(words, { besides: parts.length > 0 })
    if (rest.length > 0) parts.push(checkWords(profile, statements, withoutKind(rest, profile)))
    return { wish, ...together(parts) }
  })
}

/** All parts of a wish must hold; one that is denied denies it. */
function together(parts: readonly Part[]): Part {
  const worst =
    parts.find(({ met }) => met === 'contradicts') ?? parts.find(({ met }) => met === 'not_stated')
  return worst ?? parts[0] ?? NOT_STATED
}

export function statementsOf(profile: ProductProfile): Statement[] {
  const { specs, bestFor, notFor, title, verdict, description, themes } = profile
  const of = (source: string, text: string, lacks: Partial<ProductProfile>, more = {}): Statement => ({
    source,
    text,
    name: '',
    terms: new Set(tokenize(text).map(({ term }) => term)),
    denies: () => lacksOf({ title: '', description: null, verdict: null, bestFor: [], specs: [], ...lacks }),
    against: false,
    ...more,
  })
  const against = { against: true }
  const sentences = (source: string, text: string | null) =>
    (text ?? '').split(/(?<=[.!?;])\s+/).map((sentence) => of(source, sentence, { description: sentence }))
  return [
    ...specs.map((spec) =>
      of('Specs', `${spec.name}: ${spec.value}`, { specs: [spec] }, { name: spec.name }),
    ),
    ...notFor.map((use) => of('Not for', use, {}, against)),
    ...bestFor.map((use) => of('Best for', use, { bestFor: [use] }, { against: AVOIDS.test(use) })),
    ...sentences('Title', title),
    ...sentences('Verdict', verdict),
    ...sentences('Description', description),
    ...themes.flatMap(({ theme, sentiment, summary }) => {
      if (sentiment === 'positive')
        return [of('Reviewers praise', [theme, summary].filter(Boolean).join(': '), { description: summary })]
      if (sentiment !== 'negative') return []
      const no = summary !== null && SAYS_NO.test(summary) ? [of(`Reviewers say`, summary, {}, against)] : []
      return [of('Reviewers criticize', theme, {}, against), ...no]
    }),
  ]
}

/** The first statement that holds all the words decides; a spec of that name comes before one that only mentions it. */
function checkWords(profile: ProductProfile, statements: readonly Statement[], ways: readonly Way[]): Part {
  const found = statements.flatMap((statement) => {
    const way = ways.find((one) => holds(statement.terms, one))
    return way ? [{ statement, way }] : []
  })
  const named = found.find(({ statement, way }) => {
    const terms = new Set(tokenize(statement.name).map(({ term }) => term))
    return way.some((forms) => forms.some((form) => form.every((stem) => terms.has(stem))))
  })
  const [first] = named ? [named] : found
  if (first) {
    const { statement, way } = first
    const lacks = new Set(statement.denies())
    const denied = statement.against || way.some((forms) => forms.some((form) => isIn(lacks, form)))
    if (denied) return { met: 'contradicts', evidence: evidenceOf(statement) }
    // Said in the very words, or in such as mean no less.
    const meant = way.every((forms) =>
      forms.some((form, at) => isIn(statement.terms, form) && (at === 0 || !isWeaker(forms, form))),
    )
    if (meant) return { met: 'says_so', evidence: evidenceOf(statement) }
  }
  const opposed = oppositeOf(statements, ways)
  if (opposed) return { met: 'contradicts', evidence: evidenceOf(opposed) }
  // "Brushless" holds no word "brush" and denies it all the same.
  const lacks = new Set(lacksOf(profile))
  const denied = ways.some((way) => way.every((forms) => forms.some((form) => isIn(lacks, form))))
  return denied ? { met: 'contradicts', evidence: 'The profile says it does not have this.' } : NOT_STATED
}

function holds(terms: ReadonlySet<string>, way: Way): boolean {
  return way.every((forms) => forms.some((form) => isIn(terms, form)))
}

function isIn(terms: ReadonlySet<string>, form: readonly string[]): boolean {
  return form.every((stem) => terms.has(stem))
}

/** What resists water need not be waterproof. */
function isWeaker([own]: string[][], form: readonly string[]): boolean {
  return NOT_SAID_BY.get(own?.join(' ') ?? '')?.includes(form.join(' ')) ?? false
}

/** A spec, or else the title, that says the product is the other of two: "Motor: Brushed" of a wish for brushless. */
function oppositeOf(statements: readonly Statement[], ways: readonly Way[]): Statement | undefined {
  const others = ways.flatMap((way) => way.flatMap(([own]) => OPPOSITES.get(own?.join(' ') ?? '') ?? []))
  return statements.find(
    ({ source, terms }) =>
      (source === 'Specs' || source === 'Title') && others.some((other) => isIn(terms, other)),
  )
}

/** What a dog bed is for need not say "dog" again: its category does. */
function withoutKind(ways: readonly Way[], { category }: ProductProfile): Way[] {
  const own = new Set(tokenize(category.label).map(({ term }) => term))
  const shorter = ways.map((way) => way.filter((forms) => !forms.some((form) => isIn(own, form))))
  return [...ways, ...shorter.filter((way, at) => way.length > 0 && way.length < (ways[at]?.length ?? 0))]
}

type PlainBound = { terms: string[]; value: number; atLeast: boolean }

const PLAIN_BOUND =
  /^(.*?)\b(?:(at least|minimum(?: of)?|over|above|more than)|(?:at most|maximum(?: of)?|under|below|less than))\s+(\d[\d,]*(?:\.\d+)?)\s*(.*)$/i

/** "CRI of at least 90", "at least 12 buttons": a number that counts in no unit. */
function readPlainBound(words: string): PlainBound | null {
  const [, before = '', more, digits, after = ''] = PLAIN_BOUND.exec(words) ?? []
  const terms = (termsOf(coreWords(`${before} ${after}`))[0] ?? []).filter((term) => !/^\d/.test(term))
  if (digits === undefined || terms.length === 0) return null
  return { terms, value: Number(digits.replaceAll(',', '')), atLeast: more !== undefined }
}

function checkPlainBound({ specs }: ProductProfile, { terms, value, atLeast }: PlainBound): Part {
  for (const { name, value: text } of specs) {
    const stated = new Set(tokenize(`${name} ${text}`).map(({ term }) => term))
    const number = /\d[\d,]*(?:\.\d+)?/.exec(text)?.[0]
    if (number === undefined || !terms.every((term) => stated.has(term))) continue
    const found = Number(number.replaceAll(',', ''))
    const fits = atLeast ? found >= value : found <= value
    return { met: fits ? 'says_so' : 'contradicts', evidence: `Specs: ${name}: ${text}` }
  }
  return NOT_STATED
}

/** "32 GB RAM" may stand in a sentence, or in a spec of another name. */
function saidOutright(profile: ProductProfile, statements: readonly Statement[], wish: string): Part {
  const part = checkWords(profile, statements, waysOf(wish))
  return part.met === 'says_so' ? part : NOT_STATED
}

/** "No microphone": met by what says it does without; a product that affirms it contradicts. */
function checkLack(
  profile: ProductProfile,
  statements: readonly Statement[],
  { words, kind }: Understood['negated'][number],
): Part {
  const ways = waysOf(words.join(' '))
  if (ways.length === 0) return NOT_STATED
  // What has no coating has no nonstick coating.
  const whole = statements.find((one) => one.source === 'Specs' && deniesName(one, words.at(-1) ?? ''))
  if (whole) return { met: 'says_so', evidence: evidenceOf(whole) }
  const { met, evidence } = checkWords(profile, statements, ways)
  if (met === 'contradicts') return { met: 'says_so', evidence }
  const proof = statements.find(({ terms }) =>
    ways.some((way) => way.every((forms) => isProof(terms, forms))),
  )
  if (proof) return { met: 'says_so', evidence: evidenceOf(proof) }
  // "Won't slip" is also said by those that speak of slipping: only a thing that is there contradicts. What is free of
  // something may speak of it too, but not in a spec.
  const isThere = kind === 'lack' || (kind === 'free' && evidence?.startsWith('Specs: '))
  return met === 'says_so' && isThere ? { met: 'contradicts', evidence } : NOT_STATED
}

/** "Rustproof", "rust-resistant", "rust-free" */
function isProof(terms: ReadonlySet<string>, [own = []]: string[][]): boolean {
  const word = own.join('')
  return (
    ['proof', 'resist', 'fre'].some((end) => terms.has(`${word}${end}`)) ||
    (isIn(terms, own) && terms.has('resist'))
  )
}

function deniesName({ name, denies }: Statement, word: string): boolean {
  const [[[own = []] = []] = []] = waysOf(word)
  const terms = new Set(tokenize(name).map(({ term }) => term))
  return own.length > 0 && isIn(terms, own) && isIn(new Set(denies()), own)
}

function checkPrice(
  profile: ProductProfile,
  { minCents, maxCents }: NonNullable<Understood['budget']>,
): Part {
  const [low, high] = [profile.priceLowCents, profile.priceHighCents]
  if (low === null || high === null) return NOT_STATED
  const fits = low <= (maxCents ?? Number.POSITIVE_INFINITY) && high >= (minCents ?? 0)
  return { met: fits ? 'says_so' : 'contradicts', evidence: `Price: ${priceRange(profile)}` }
}

/** "Oven safe to 450 °F", "holds 20 kg": what reaches more will do. */
const REACHES = /\b(?:to|up to|holds?|supports?|carr(?:y|ies)|rated)\s+(?:\S+\s+){0,2}$/i

/** A spec that the wish names must reach the measure; without a name, the spec that states such measures here. */
function measured(
  profile: ProductProfile,
  { wish, sizes, words }: { wish: string; sizes: readonly Size[]; words: string },
  { understand, judge }: Reader,
): Part[] {
  if (sizes.length === 0) return []
  const name = tokenize(coreWords(words)).flatMap(({ term, stop }) => (stop ? [] : [term]))
  const isNamed = (text: string) => tokenize(text).some(({ term }) => name.includes(term))
  return sizes.map((asked): Part => {
    const reaches = asked.comparison === 'eq' && REACHES.test(wish.slice(0, wish.indexOf(asked.phrase)))
    const wanted: Size = reaches ? { ...asked, comparison: 'gt' } : asked
    const found = profile.specs.flatMap((spec) => {
      const values = understand(spec.value).sizes.flatMap(({ unit, value }) =>
        unit === wanted.unit ? [value] : [],
      )
      return values.length > 0 ? [{ spec, named: isNamed(spec.name), fits: fitsIn(values, wanted) }] : []
    })
    const named = found.filter((one) => one.named)
    // The category knows which of its specs is meant: "under 2 kg" is not about the charger.
    const meant = name.length === 0 ? (judge?.(profile, wanted) ?? null) : null
    if (meant && meant.verdict !== 'silent') return judged(profile, wanted, meant)
    // Words that name no spec say what the measure is of: a spec of another thing does not answer for it.
    const candidates = name.length > 0 ? named : found
    const good = candidates.find(({ fits }) => fits)
    const decided = good ?? named[0]
    if (decided) {
      const evidence = `Specs: ${decided.spec.name}: ${decided.spec.value}`
      return { met: good ? 'says_so' : 'contradicts', evidence }
    }
    return judged(profile, wanted, judge?.(profile, wanted) ?? null)
  })
}

/** What a product has of its own and also takes. */
const CARRIED = new Set(['mass', 'length'])

/** Which spec is meant is then known from the other products of the category: "under 2 kg" is about a laptop's weight. */
function judged({ specs, title }: ProductProfile, wanted: Size, judgement: SizeJudgement | null): Part {
  const { verdict, stated } = judgement ?? { verdict: 'silent', stated: null }
  if (!stated || verdict === 'silent') return NOT_STATED
  // Without a word for it, a large measure may be of something else: 20 lb may be what it must carry.
  const isClear = wanted.comparison === 'lt' || wanted.words.length > 0 || !CARRIED.has(wanted.dimension)
  if (verdict === 'denied' && !isClear) return NOT_STATED
  const spec = specs.find(({ name }) => name === stated.name)
  const evidence = spec ? `Specs: ${spec.name}: ${spec.value}` : `Title: ${title}`
  return { met: verdict === 'said' ? 'says_so' : 'contradicts', evidence }
}

function fitsIn(values: readonly number[], { value, comparison }: Size): boolean {
  if (comparison === 'gt') return values.some((one) => one >= value)
  return comparison === 'lt' ? values.every((one) => one <= value) : values.includes(value)
}

/**
 * The ways a wish can be said: all its words, or those that carry its meaning ("works on induction"); "Wi-Fi" is looked
 * for as two words and as one. `besides`: something else of the wish was read already, and words that ask for nothing
 * ("works") ask for nothing more.
 */
function waysOf(text: string, { besides = false } = {}): Way[] {
  const texts = besides ? [coreWords(text)] : [...new Set([text, coreWords(text)])]
  const ways = texts.flatMap((one) => termsOf(one)).filter((terms) => terms.length > 0)
  return ways.map((terms) => terms.map((term) => formsOf(term).map((form) => form.split(' '))))
}

function termsOf(text: string): string[][] {
  const tokens = tokenize(text).filter(({ stop }) => !stop)
  const words = tokens.filter(({ kind }) => kind === 'word')
  const joined = tokens.filter(({ kind }) => kind === 'joined')
  const inJoined = (position: number) =>
    joined.some((one) => position >= one.position && position < one.position + one.span)
  const apart = words.map(({ term }) => term)
  if (joined.length === 0) return [apart]
  return [apart, [...words.filter(({ position }) => !inJoined(position)), ...joined].map(({ term }) => term)]
}

function evidenceOf({ source, text }: Statement): string {
  return `${source}: ${text}`
}
