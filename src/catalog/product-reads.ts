/**
 * How often agents read each product, for its producers. Counted in memory and written behind the answers, all that
 * gathered since the last time in one statement; a count that is lost with its node is missed by nobody.
 */
import type { Db } from '../db/database.ts'
import type { ReadFace } from '../db/tables.tools.ts'
import type { Job } from '../jobs/runner.ts'
import { defineSweep } from '../jobs/sweep.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { addReads, type CountedReads, deleteReadsBefore } from './product-reads.queries.ts'

export type ProductRead = {
  productId: string
  face: ReadFace
  /** What the client calls itself. */
  agent: string
}

export type ProductReads = {
  count(read: ProductRead): void
  /** Resolves when what was counted so far is written or given up. */
  settled(): Promise<void>
}

const GATHER_MS = 1_000
const MOST_WAITING = 50_000
const MAX_AGENT = 60
const DAY_MS = 86_400_000
const KEPT_DAYS = 400

export function createProductReads(
  ctx: { db: Db; clock: Clock; log: Log },
  { mostWaiting = MOST_WAITING }: { mostWaiting?: number } = {},
): ProductReads {
  let waiting = new Map<string, CountedReads>()
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(async () => {
      const counted = [...waiting.values()]
      waiting = new Map()
      try {
        if (counted.length > 0) await addReads(ctx.db, counted)
      } catch (error) {
        ctx.log.warn({ err: error }, 'reads of products could not be counted')
        dropped += counted.reduce((sum, { reads }) => sum + reads, 0)
      }
      if (dropped > 0) ctx.log.warn({ reads: dropped }, 'reads of products are missing from the counts')
      dropped = 0
    })
    return writing
  }

  return {
    count({ productId, face, agent: name }) {
      const agent = agentName(name)
      const day = dayOf(ctx.clock.now())
      const key = `${productId} ${day} ${face} ${agent}`
      const known = waiting.get(key)
      if (known) known.reads++
      else if (waiting.size >= mostWaiting) dropped++
      else waiting.set(key, { productId, day, face, agent, reads: 1 })
      timer ??= setTimeout(write, GATHER_MS).unref()
    },
    settled: write,
  }
}

/** What PostgreSQL's text cannot hold is out of it too: one such name would take its neighbours with it. */
function agentName(name: string): string {
  return shorten(cleanLine(name.slice(0, 1_000).toWellFormed()), MAX_AGENT) || 'unknown'
}

/** A UTC day, YYYY-MM-DD. */
function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Longer than a year, so that a season can be compared with the last one. */
export function createProductReadsSweep(ctx: { db: Db; clock: Clock }): Job {
  return defineSweep({
    kind: 'sweep-product-reads',
    every: 'day',
    clockOf: ctx.db,
    async run() {
      const before = new Date(ctx.clock.now().getTime() - KEPT_DAYS * DAY_MS)
      return { reads: await deleteReadsBefore(ctx.db, dayOf(before)) }
    },
  })
}
