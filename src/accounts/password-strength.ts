/**
 * Which passwords are accepted: 10 to 128 characters of any kind, unless they are easy to guess. Rules of composition
 * are left out on purpose; they make passwords worse. The estimator and its word lists take a tenth of a second to
 * load, so that happens when the first password is chosen, not when the service starts.
 */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { normalForm } from './passwords.ts'

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 128
/** Below this many guesses (10^8) the estimator calls a password guessable. */
const SCORE_WANTED = 3
/** The estimate's cost grows with the square of the length; a beginning that is hard to guess is enough. */
const JUDGED_LENGTH = 32
const TIP = 'Four or five random words work well.'

let loading: Promise<ZxcvbnFactory> | undefined

async function load(): Promise<ZxcvbnFactory> {
  const [core, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')])
  return new core.ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
}

export type PasswordOwner = { email: string; name: string }

/** Null when the password will do, else what is wrong with it, for the person who chose it. */
export async function passwordProblem(chosen: string, owner: PasswordOwner): Promise<string | null> {
  // As it is hashed: what looks odd in full-width letters is signed in with by the plain ones.
  const password = normalForm(chosen)
  const length = [...password].length
  if (length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters. ${TIP}`
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters.`
  const own = ownWords(owner)
  if (isMostly(password, own)) return `This is mostly your own name or email. ${TIP}`
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  const { score, sequence, feedback } = (await loading).check(password.slice(0, JUDGED_LENGTH), own)
  if (score >= SCORE_WANTED) return null
  const patterns = new Set(sequence.map(({ pattern }) => pattern))
  return `${reason(patterns, String(feedback.warning ?? ''))} ${TIP}`
}

function reason(patterns: Set<string>, warning: string): string {
  if (/^top|common$/i.test(warning)) return 'This is one of the most common passwords, or close to one.'
  if (patterns.has('repeat')) return 'This repeats itself, so it is easy to guess.'
  if (patterns.has('sequence')) return 'Sequences like "abcdef" or "123456" are easy to guess.'
  if (patterns.has('spatial')) return 'Keys next to each other are easy to guess.'
  if (patterns.has('date') || patterns.has('regex')) return 'Dates and years are easy to guess.'
  return 'This is easy to guess.'
}

function ownWords({ email, name }: PasswordOwner): string[] {
  const words = [email, ...email.split(/[@.+_-]+/), name, ...name.split(/\s+/), 'souk']
  return [...new Set(words.map((word) => word.toLowerCase()).filter((word) => word.length >= 3))]
}

function isMostly(password: string, words: string[]): boolean {
  const rest = words
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase())
  return rest.replace(/[^\p{L}]/gu, '').length < 3 && rest.length < password.length / 2
}
