/**
 * Access tokens that were just looked up, so that a busy agent does not cost a question to the database at each call. A
 * node forgets all of them whenever any is revoked anywhere (the database tells all nodes), and each after two
 * seconds at the latest, should a node have missed the news. Expiry is exact.
 */
import type { AccessTokenActor } from '../accounts/actor.ts'
import { findLiveToken, type TokenContext } from './tokens.service.ts'

const REMEMBERED_MS = 2_000
const MOST = 10_000

type Entry = { actor: AccessTokenActor; expiresAt: number; forgetAt: number }

type RememberedTokens = {
  find(token: string): Promise<AccessTokenActor | null>
  /** At once from memory; undefined when it has to be looked up. */
  peek(token: string): AccessTokenActor | undefined
  forget(): void
}

export function createRememberedTokens(ctx: TokenContext): RememberedTokens {
  const entries = new Map<string, Entry>()
  /** What was being read when the news came may be what the news is about. */
  let news = 0

  function peek(token: string): AccessTokenActor | undefined {
    const entry = entries.get(token)
    if (!entry) return undefined
    if (performance.now() < entry.forgetAt && ctx.clock.now().getTime() < entry.expiresAt) return entry.actor
    entries.delete(token)
    return undefined
  }

  /** The first in the map are the oldest. */
  function makeRoom(): void {
    const now = performance.now()
    for (const [token, { forgetAt }] of entries) {
      if (forgetAt > now && entries.size < MOST) return
      entries.delete(token)
    }
  }

  return {
    peek,
    async find(token) {
      const known = peek(token)
      if (known) return known
      const before = news
      const found = await findLiveToken(ctx, token)
      if (!found) return null
      if (before === news) {
        makeRoom()
        const forgetAt = performance.now() + REMEMBERED_MS
        entries.set(token, { actor: found.actor, expiresAt: found.expiresAt.getTime(), forgetAt })
      }
      return found.actor
    },
    forget() {
      news++
      entries.clear()
    },
  }
}
