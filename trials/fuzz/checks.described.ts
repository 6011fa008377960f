/** Answers of described operations are held to the published description, by the same check that every test's answers pass. */
import { Breach, type Checker } from '../../test/described.ts'
import type { Answer, Attempt } from './attempt.ts'
import { type Finding, finding, isBelowTheApp, isOfTheHost, one, shape } from './checks.forms.ts'

/** Too many, too much to do, and what the parser refuses: told everywhere alike, and described once for all. */
const NOT_DESCRIBED = new Set([0, 429, 431, 503])

export function createDescriptionCheck(checker: Checker) {
  return async (attempt: Attempt, answer: Answer): Promise<Finding | null> => {
    const { method, path, raw, body } = attempt
    if (raw || NOT_DESCRIBED.has(answer.status)) return null
    if (isBelowTheApp(attempt, answer) || isOfTheHost(attempt, answer)) return null
    if (one(answer, 'content-encoding') !== undefined) return null
    const operation = checker.find(method, path.split('?', 1)[0] ?? '')
    if (!operation) return null
    try {
      await checker.check(operation, {
        method,
        status: answer.status,
        headers: { get: (name) => one(answer, name.toLowerCase()) ?? null },
        sent: async () => (body === null ? null : new TextDecoder().decode(body)),
        read: async () => answer.body.toString('utf8'),
      })
      return null
    } catch (error) {
      if (!(error instanceof Breach)) throw error
      const [what = ''] = error.message.split('\n', 1)
      return finding('not as described', shape(what.replace(/^.*?answered /, '')))
    }
  }
}
