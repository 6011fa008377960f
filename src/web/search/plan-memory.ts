/**
 * Recent plans, so that going back, sorting or reloading shows the same plan without using another of the day's. A plan
 * in progress is shared too. Kept in this node's memory; a forgotten plan is made again.
 */
import type { BundleResponse } from '../../bundles/bundles.schema.ts'
import type { Clock } from '../../lib/clock.ts'

/** Null if there is nothing to plan. */
type PlanMade = BundleResponse | null
type Asked = { userId: string; query: string }

export type PlanMemory = {
  find(asked: Asked): Promise<PlanMade> | null
  /** Null and failed plans are not remembered. */
  findOrMake(asked: Asked, make: () => Promise<PlanMade>): Promise<PlanMade>
}

export const REMEMBERED_MS = 10 * 60_000
const MOST = 500

export function createPlanMemory(clock: Clock, most = MOST): PlanMemory {
  const known = new Map<string, { at: number; plan: Promise<PlanMade> }>()

  function find(asked: Asked): Promise<PlanMade> | null {
    const kept = known.get(keyOf(asked))
    if (!kept) return null
    if (clock.now().getTime() - kept.at < REMEMBERED_MS) return kept.plan
    known.delete(keyOf(asked))
    return null
  }

  function keep(asked: Asked, plan: Promise<PlanMade>): void {
    const key = keyOf(asked)
    const entry = { at: clock.now().getTime(), plan }
    known.set(key, entry)
    const forget = () => {
      if (known.get(key) === entry) known.delete(key)
    }
    plan.then((made) => made ?? forget(), forget)
    if (known.size <= most) return
    const [oldest] = known.keys()
    if (oldest !== undefined) known.delete(oldest)
  }

  return {
    find,
    findOrMake(asked, make) {
      const found = find(asked)
      if (found) return found
      const plan = make()
      keep(asked, plan)
      return plan
    },
  }
}

/** Ids contain no space, so keys of different users cannot collide. */
function keyOf({ userId, query }: Asked): string {
  return `${userId} ${query.toLowerCase()}`
}
