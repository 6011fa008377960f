/**
 * Documents at addresses that strangers name. Anybody can make us fetch one, so fetches are bounded in number, those of one
 * address that come together are one, and the outcome is remembered: a good one for 5 minutes, a bad one for 1.
 */
import type { Clock } from './clock.ts'

const GOOD_MS = 5 * 60_000
const BAD_MS = 60_000
const MAX_REMEMBERED = 1_000
/** At once: in all, and from one host, so that nobody can make us flood it. */
const MAX_FETCHES = 256
const MAX_FETCHES_OF_HOST = 4

type RememberedFetches<Outcome> = {
  /** Remembered, or on its way; null when it would have to be fetched. */
  known(url: string): Outcome | Promise<Outcome> | null
  /** What is known, else fetched. Throws `tooMany` when there are too many at once. */
  find(url: string): Outcome | Promise<Outcome>
}

export function createRememberedFetches<Outcome>(deps: {
  clock: Clock
  read(url: string): Promise<Outcome>
  isGood(outcome: Outcome): boolean
  tooMany(): Error
}): RememberedFetches<Outcome> {
  const { clock, read, isGood, tooMany } = deps
  const remembered = new Map<string, { outcome: Outcome; until: number }>()
  const fetching = new Map<string, Promise<Outcome>>()

  function known(url: string): Outcome | Promise<Outcome> | null {
    const found = remembered.get(url)
    if (found && found.until > clock.now().getTime()) return found.outcome
    return fetching.get(url) ?? null
  }

  function start(url: string): Promise<Outcome> {
    const { host } = new URL(url)
    const fromHost = [...fetching.keys()].filter((other) => new URL(other).host === host).length
    if (fetching.size >= MAX_FETCHES || fromHost >= MAX_FETCHES_OF_HOST) throw tooMany()
    const work = read(url)
      .then((outcome) => {
        remember(url, outcome)
        return outcome
      })
      .finally(() => fetching.delete(url))
    fetching.set(url, work)
    return work
  }

  function remember(url: string, outcome: Outcome): void {
    const until = clock.now().getTime() + (isGood(outcome) ? GOOD_MS : BAD_MS)
    // Put back at the end, so that the first is the one whose fetch is longest ago.
    remembered.delete(url)
    remembered.set(url, { outcome, until })
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  return { known, find: (url) => known(url) ?? start(url) }
}
