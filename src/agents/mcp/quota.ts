/**
 * 500 requests a UTC day for each person, exact over all nodes and without a write for each. A node takes units in
 * blocks that belong to it alone: one unit for an unhurried caller, more the faster they come, fewer the nearer the
 * end. What a node does not use soon it gives back, so that the last units are found wherever the next request goes;
 * a node that dies, or never hears whether its units were taken back, loses its caller at most one block.
 */
import type pg from 'pg'
import { type Db, isConnectionLost } from '../../db/database.ts'
import type { Job } from '../../jobs/runner.ts'
import { defineSweep } from '../../jobs/sweep.ts'
import { inBackground } from '../../lib/background.ts'
import { type Clock, DAY_MS, isoDay } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { deleteDaysBefore, findTaken, giveUnitsBack, isUnknownPerson, takeUnits } from './quota.queries.ts'

export const REQUESTS_A_DAY = 500
const LARGEST_BLOCK = 125
const GROWTH = 8
/** A block is at most this part of what is left. */
const SHARE = 4
const HURRIED_MS = 1_000
const IDLE_MS = 2_000
const SWEEP_MS = 1_000

/** `resetAt`: Unix seconds of the next UTC midnight. */
export type Standing = { remaining: number; resetAt: number }
export type Spent = Standing & { allowed: boolean; retryAfterSeconds: number }

export type ToolQuota = {
  /** Counts one request; null when there is no such person any more. */
  spend(userId: string): Spent | null | Promise<Spent | null>
  /**
   * What is left, counting nothing. `fromMemory` is for when the database does not answer. Another node's block counts as
   * used while that node holds it, which is two seconds at most after the last request there.
   */
  standing(userId: string, options?: { fromMemory?: boolean }): Standing | Promise<Standing>
  /** For a caller who is nobody yet. */
  untouched(): Spent
  /** Gives everything back that is not used. */
  stop(): Promise<void>
}

type Account = {
  day: number
  /** This node's own, ready to be spent. */
  left: number
  /** Not taken by any node, when last looked. */
  untaken: number
  block: number
  takenAt: number
  usedAt: number
  taking: Promise<void> | null
}

export function createToolQuota(ctx: { db: Db; pool: pg.Pool; clock: Clock; log: Log }): ToolQuota {
  const { db, pool, clock, log } = ctx
  const accounts = new Map<string, Account>()
  const timer = setInterval(
    () => inBackground(log, 'returning unused requests', giveBackIdle(performance.now() - IDLE_MS)),
    SWEEP_MS,
  )
  timer.unref()

  const today = () => Math.floor(clock.now().getTime() / DAY_MS)

  function accountOf(userId: string): Account {
    const day = today()
    const known = accounts.get(userId)
    if (known?.day === day) return known
    const fresh = { day, left: 0, untaken: REQUESTS_A_DAY, block: 0, takenAt: 0, usedAt: 0, taking: null }
    accounts.set(userId, fresh)
    return fresh
  }

  async function take(userId: string, account: Account): Promise<void> {
    const now = performance.now()
    const hurried = account.block > 0 && now - account.takenAt < HURRIED_MS
    let block = hurried ? Math.min(account.block * GROWTH, LARGEST_BLOCK) : 1
    const day = dayText(account.day)
    for (;;) {
      block = Math.max(1, Math.min(block, Math.floor(account.untaken / SHARE)))
      const taken = await takeUnits(pool, { userId, day, block, max: REQUESTS_A_DAY })
      // When the answer came, not when it was asked for: a slow database must not look like a patient caller.
      account.takenAt = performance.now()
      if (taken !== null) {
        account.left += block
        account.untaken = REQUESTS_A_DAY - taken
        account.block = block
        return
      }
      account.untaken = Math.max(0, REQUESTS_A_DAY - (await findTaken(db, { userId, day })))
      if (account.untaken === 0) return
    }
  }

  function spent(account: Account): Spent {
    account.usedAt = performance.now()
    account.left--
    return answer(account, true)
  }

  function answer(
    { left, untaken, day }: Pick<Account, 'left' | 'untaken' | 'day'>,
    allowed: boolean,
  ): Spent {
    const resetAt = ((day + 1) * DAY_MS) / 1000
    return {
      allowed,
      remaining: Math.max(0, left) + untaken,
      resetAt,
      retryAfterSeconds: Math.max(1, Math.ceil(resetAt - clock.now().getTime() / 1000)),
    }
  }

  const untouched = (day: number) => answer({ day, left: 0, untaken: REQUESTS_A_DAY }, true)

  async function takeAndSpend(userId: string, account: Account): Promise<Spent | null> {
    while (account.left <= 0) {
      const usedUp = account.untaken === 0
      if (usedUp && performance.now() - account.takenAt < HURRIED_MS) return answer(account, false)
      account.taking ??= take(userId, account).finally(() => {
        account.taking = null
      })
      try {
        await account.taking
      } catch (error) {
        if (isUnknownPerson(error)) return null
        throw error
      }
    }
    return spent(account)
  }

  async function giveBackIdle(usedBefore: number): Promise<void> {
    const day = today()
    const idle = [...accounts].filter(([, { usedAt, taking }]) => usedAt <= usedBefore && !taking)
    for (const [userId] of idle) accounts.delete(userId)
    const unused = idle.filter(([, account]) => account.left > 0 && account.day === day)
    if (unused.length === 0) return
    try {
      await giveUnitsBack(
        db,
        unused.map(([userId, { left: units }]) => ({ userId, day: dayText(day), units })),
      )
    } catch (error) {
      if (mayHaveHappened(error)) {
        log.warn({ err: error }, 'unused requests may not have been returned to the daily quota')
        return
      }
      log.warn({ err: error }, 'unused requests could not be returned to the daily quota yet')
      for (const [userId, account] of unused) {
        const current = accounts.get(userId)
        if (current?.day === account.day) current.left += account.left
        else if (!current) accounts.set(userId, account)
      }
    }
  }

  return {
    spend(userId) {
      const account = accountOf(userId)
      return account.left > 0 ? spent(account) : takeAndSpend(userId, account)
    },
    standing(userId, { fromMemory = false } = {}) {
      const day = today()
      const known = accounts.get(userId)
      if (known?.day === day && known.block > 0) return answer(known, true)
      if (fromMemory) return untouched(day)
      return findTaken(db, { userId, day: dayText(day) }).then((taken) =>
        answer({ day, left: 0, untaken: Math.max(0, REQUESTS_A_DAY - taken) }, true),
      )
    },
    untouched: () => untouched(today()),
    async stop() {
      clearInterval(timer)
      await giveBackIdle(Number.POSITIVE_INFINITY)
    },
  }
}

/**
 * The statement was on its way when the connection broke. A database that hung still carries it out when it goes on: giving
 * the same units back again would then let somebody have more than the day allows.
 */
function mayHaveHappened(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const neverSent = /^(ECONNREFUSED|ENOENT)$/.test(code) || /when trying to connect/.test(message)
  return isConnectionLost(error) && !neverSent
}

function dayText(day: number): string {
  return isoDay(new Date(day * DAY_MS))
}

/** Forgets, once a day over all nodes, how often people called on days that are over. */
const KEPT_MS = 7 * 86_400_000

export function createToolSweep({ db, clock }: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'tools.sweep',
    every: 'day',
    clockOf: db,
    async run() {
      const day = isoDay(new Date(clock.now().getTime() - KEPT_MS))
      return { days: await deleteDaysBefore(db, day) }
    },
  })
}
