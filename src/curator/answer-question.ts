/**
 * A shopper's question about one product, answered by what its profile states and nothing else. A question with a yes or
 * a no is judged as a must-have. Any question gets the statements nearest to it in meaning, as quotes.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import type { Understood } from '../search/understand/understand.ts'
import { checkMustHaves, readMustHaves, statementsOf } from './curator.must-have.ts'

export type Answered = {
  /** `open` for a question that a yes or a no does not answer. */
  verdict: 'yes' | 'no' | 'not_stated' | 'open'
  /** Statements of the profile, each with where it stands; the first one decides a yes or a no. */
  evidence: string[]
}

export type AnswerDeps = {
  understand: (text: string) => Understood
  /** Null when no embedder answers. */
  embed: (text: string) => Promise<Float32Array | null>
}

const ASKS_YES_OR_NO = /^(?:does|do|did|is|are|was|can|could|will|would|has|have)\b/i
/** What a question says around the thing it asks for. */
const AROUND =
  /^(?:(?:does|do|did|is|are|was|can|could|will|would|has|have)\s+)?(?:(?:it|this|that|these|they|you|i|one|the\s+\w+)\s+)?(?:(?:still|also|even|really)\s+)?(?:(?:have|has|come|comes|work|works|run|runs|support|supports|include|includes|need|needs|require|requires|use|uses|be\s+used|be)\b\s*)?(?:(?:with|for|on|in|as|a|an|any|the)\s+(?!out\b))*/i
const QUOTED = /^[A-Z][a-z ]+: /
const LISTED = /^(?:Specs|Best for|Not for): /
const MOST_QUOTES = 2
/** Below this a statement is about something else. */
const NEAR = 0.42

export async function answerQuestion(
  profile: ProductProfile,
  question: string,
  { understand, embed }: AnswerDeps,
): Promise<Answered> {
  const text = question.trim().replace(/[?!.\s]+$/, '')
  const near = await nearest(profile, text, embed)
  if (!ASKS_YES_OR_NO.test(text)) return { verdict: near.length > 0 ? 'open' : 'not_stated', evidence: near }
  const [check] = checkMustHaves(profile, readMustHaves([text.replace(AROUND, '')], understand), {
    understand,
  })
  const evidence = check?.evidence ?? null
  if (!check || evidence === null || check.met === 'not_stated' || !QUOTED.test(evidence))
    return { verdict: 'not_stated', evidence: near }
  // A sentence may use the words for something else ("for those who leave pods behind"), so it is quoted, not judged.
  if (!LISTED.test(evidence)) return { verdict: 'open', evidence: [evidence] }
  return { verdict: check.met === 'says_so' ? 'yes' : 'no', evidence: [evidence] }
}

async function nearest(profile: ProductProfile, text: string, embed: AnswerDeps['embed']): Promise<string[]> {
  const asked = await embed(text)
  if (asked === null) return []
  const statements = statementsOf(profile).filter((one) => one.text.trim() !== '' && one.source !== 'Title')
  const scored = await Promise.all(
    statements.map(async (statement) => {
      const vector = await embed(statement.text)
      return { statement, score: vector === null ? 0 : dot(asked, vector) }
    }),
  )
  return scored
    .filter(({ score }) => score >= NEAR)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_QUOTES)
    .map(({ statement }) => `${statement.source}: ${statement.text}`)
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
}
