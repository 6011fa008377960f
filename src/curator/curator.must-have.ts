/**
 * Whether a profile says what a shopper must have. Plain rules over what is written, and nothing is guessed: one statement
 * of the profile (a spec, a use, a sentence, what reviewers praise) holds all the words and affirms them, or denies them,
 * or the profile is silent. Measures are compared with specs of the same unit, prices with the price. Pure.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { priceRange } from '../catalog/profile.ts'
import { lacksOf } from '../search/absence.ts'
import { tokenize } from '../search/lexical/tokenize.ts'
import type { Size } from '../search/understand/sizes.ts'
import type { Understood } from '../search/understand/understand.ts'

export const VERDICTS = ['says_so', 'not_stated', 'contradicts'] as const
export type Met = (typeof VERDICTS)[number]
export type MustHaveCheck = { wish: string; met: Met; evidence: string | null }
/** A wish as it was understood, read once for all products. */
export type MustHave = { wish: string; understood: Understood }

type Understand = (text: string) => Understood
type Part = { met: Met; evidence: string | null }
type Statement = {
  source: string
  text: string
  terms: Set<string>
  denies: () => string[]
  against: boolean
}

const NOT_STATED: Part = { met: 'not_stated', evidence: null }

export function readMustHaves(wishes: readonly string[], understand: Understand): MustHave[] {
  return wishes.map((wish) => ({ wish, understood: understand(wish) }))
}

export function checkMustHaves(
  profile: ProductProfile,
  wanted: readonly MustHave[],
  understand: Understand,
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
      ...measured(profile, sizes, words, understand).map((part) =>
        part.met === 'not_stated' && sizes.every(({ comparison }) => comparison === 'eq')
          ? saidOutright(profile, statements, wish)
          : part,
      ),
    ]
    const rest = sizes.length > 0 ? [] : termsOf(words)
    if (rest.some((way) => way.length > 0)) parts.push(checkWords(profile, statements, rest))
    return { wish, ...together(parts) }
  })
}

/** All parts of a wish must hold; one that is denied denies it. */
function together(parts: readonly Part[]): Part {
  const worst =
    parts.find(({ met }) => met === 'contradicts') ?? parts.find(({ met }) => met === 'not_stated')
  return worst ?? parts[0] ?? NOT_STATED
}

function statementsOf(profile: ProductProfile): Statement[] {
  const { specs, bestFor, notFor, title, verdict, description, themes } = profile
  const of = (source: string, text: string, lacks: Partial<ProductProfile>, against = false): Statement => ({
    source,
    text,
    terms: new Set(tokenize(text).map(({ term }) => term)),
    denies: () => lacksOf({ title: '', description: null, verdict: null, bestFor: [], specs: [], ...lacks }),
    against,
  })
  const sentences = (source: string, text: string | null) =>
    (text ?? '').split(/(?<=[.!?;])\s+/).map((sentence) => of(source, sentence, { description: sentence }))
  return [
    ...specs.map((spec) => of('Specs', `${spec.name}: ${spec.value}`, { specs: [spec] })),
    ...notFor.map((use) => of('Not for', use, {}, true)),
    ...bestFor.map((use) => of('Best for', use, { bestFor: [use] })),
    ...sentences('Title', title),
    ...sentences('Verdict', verdict),
    ...sentences('Description', description),
    ...themes.flatMap(({ theme, sentiment, summary }) => {
      if (sentiment === 'positive')
        return [of('Reviewers praise', [theme, summary].filter(Boolean).join(': '), { description: summary })]
      return sentiment === 'negative' ? [of('Reviewers criticize', theme, {}, true)] : []
    }),
  ]
}

/** The first statement that holds all the words decides. */
function checkWords(profile: ProductProfile, statements: readonly Statement[], ways: string[][]): Part {
  for (const statement of statements) {
    const way = ways.find((terms) => terms.every((term) => statement.terms.has(term)))
    if (!way) continue
    const denied = statement.against || statement.denies().some((term) => way.includes(term))
    return { met: denied ? 'contradicts' : 'says_so', evidence: evidenceOf(statement) }
  }
  // "Brushless" holds no word "brush" and denies it all the same.
  const lacks = lacksOf(profile)
  const denied = ways.some((terms) => terms.every((term) => lacks.includes(term)))
  return denied ? { met: 'contradicts', evidence: 'The profile says it does not have this.' } : NOT_STATED
}

/** "32 GB RAM" may stand in a sentence, or in a spec of another name. */
function saidOutright(profile: ProductProfile, statements: readonly Statement[], wish: string): Part {
  const part = checkWords(profile, statements, termsOf(wish))
  return part.met === 'says_so' ? part : NOT_STATED
}

/** "No microphone": met by what says it does without; a product that affirms it contradicts. */
function checkLack(
  profile: ProductProfile,
  statements: readonly Statement[],
  { words, kind }: Understood['negated'][number],
): Part {
  const ways = termsOf(words.join(' '))
  if (ways.every((terms) => terms.length === 0)) return NOT_STATED
  const { met, evidence } = checkWords(profile, statements, ways)
  if (met === 'contradicts') return { met: 'says_so', evidence }
  // "Won't slip" is also said by those that speak of slipping: only a thing that is there contradicts.
  return met === 'says_so' && kind === 'lack' ? { met: 'contradicts', evidence } : NOT_STATED
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

/** A spec that the wish names must reach the measure; without a name, any spec of the unit may, and none need. */
function measured(
  { specs }: ProductProfile,
  sizes: readonly Size[],
  words: string,
  understand: Understand,
): Part[] {
  if (sizes.length === 0) return []
  const name = termsOf(words).flat()
  const isNamed = (text: string) => tokenize(text).some(({ term }) => name.includes(term))
  return sizes.map((wanted) => {
    const found = specs.flatMap((spec) => {
      const values = understand(spec.value).sizes.flatMap(({ unit, value }) =>
        unit === wanted.unit ? [value] : [],
      )
      return values.length > 0 ? [{ spec, named: isNamed(spec.name), fits: reaches(values, wanted) }] : []
    })
    const named = found.filter((one) => one.named)
    // Words that name no spec say what the measure is of: a spec of another thing does not answer for it.
    const asked = name.length > 0 ? named : found
    const good = asked.find(({ fits }) => fits)
    const decided = good ?? named[0]
    if (!decided) return NOT_STATED
    const { spec } = decided
    return { met: good ? 'says_so' : 'contradicts', evidence: `Specs: ${spec.name}: ${spec.value}` }
  })
}

function reaches(values: readonly number[], { value, comparison }: Size): boolean {
  if (comparison === 'gt') return values.some((one) => one >= value)
  return comparison === 'lt' ? values.every((one) => one <= value) : values.includes(value)
}

/** "Wi-Fi" is looked for as two words and as one. */
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
