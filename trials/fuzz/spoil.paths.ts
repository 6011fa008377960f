/** Paths and queries with encodings that mean nothing, too much, or something else to the next reader. */
import type { Dice } from './attempt.ts'
import { nastyText } from './values.ts'

/** Only what an HTTP client sends: a request line has no blanks. */
const sendable = (text: string) =>
  text.replace(/[^\u0021-\u00ff]/g, (one) => encodeURIComponent(one.isWellFormed() ? one : '\ufffd'))

export function queryText(dice: Dice): string {
  if (dice.chance(0.25))
    return dice.pick(['%', '%zz', '%00', '%ff', '%c0%af', '%ed%a0%80', '+', '&&=', '#', '%u0041', '%F0%9F'])
  return encodeText(nastyText(dice).text.slice(0, 3_000))
}

/** As encodeURIComponent, also for what is no text. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

export function spoilPath(dice: Dice, path: string): string {
  const [before = '', query] = path.split('?', 2)
  const parts = before.split('/')
  const at = 1 + dice.below(Math.max(1, parts.length - 1))
  const changed = dice.pick<() => string>([
    () => `${before}/`,
    () => `${before}//`,
    () => `/${before}`,
    () => before.replaceAll('/', '//'),
    () => `${before}/.`,
    () => `${before}/../${parts.at(-1)}`,
    () => `${before}%2e%2e%2f`,
    () => `${before}%00`,
    () => `${before}%`,
    () => `${before}%zz`,
    () => `${before}%ff%fe`,
    () => `${before}%c0%ae`,
    () => before.toUpperCase(),
    () => `${before};a=b`,
    () => `${before}.json`,
    () => `${before}.md`,
    () => `${before}${'/a'.repeat(500)}`,
    () => parts.toSpliced(at, 1, encodeText(nastyText(dice).text.slice(0, 2_000))).join('/'),
    () =>
      parts
        .toSpliced(
          at,
          1,
          dice.pick(['%2F', '..', '.', '%2e', '*', ':id', '__proto__', 'x'.repeat(4_000), '%ed%a0%80']),
        )
        .join('/'),
  ])()
  return sendable(query === undefined ? changed : `${changed}?${query}`)
}
