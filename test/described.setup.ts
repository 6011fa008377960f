/** Runs before each test file: what a test fetches from a real server is held against the published description. */
import { afterAll, afterEach } from 'vitest'
import { checkedFetch, forgetServers, takeBreaches } from './described.hook.ts'

// Made once: this file runs again for each test file, in a worker that keeps its globals.
globalThis.fetch = checkedFetch
forgetServers()

function throwBreach(): void {
  const [first] = takeBreaches()
  if (first !== undefined) throw first
}

afterEach(throwBreach)
// Registered before any of the file's own, so it runs after them: what they asked for counts as well.
afterAll(throwBreach)
