/**
 * Remembers what was searched and what was answered, behind the answer: entries are gathered for a moment and written
 * together. An answer that is asked for again is written once and named after that. When the database cannot keep up or
 * does not answer, entries are dropped and counted, never waited for.
 */

import type { Db } from '../db/database.ts'
import type { SearchFace } from '../db/tables.search.ts'
import { inBackground } from '../lib/background.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { type AnswerEntry, type AskingEntry, type Impressions, insertQueries } from './query-log.queries.ts'

export type QueryEntry = Omit<AskingEntry, 'answerId'> & Omit<AnswerEntry, 'id' | 'at'>

export type QueryLog = {
  add(entry: QueryEntry): void
  /** Resolves when what was added so far is written or given up. */
  settled(): Promise<void>
}

const GATHER_MS = 200
const MOST_WAITING = 20_000
const PIECE = 1_000
/** An answer is written anew after this time, so that old answers can be swept without looking who names them. */
export const ANSWER_NAMED_MS = 24 * 60 * 60 * 1000

export function createQueryLog(ctx: { db: Db; log: Log }): QueryLog {
  const waiting: QueryEntry[] = []
  /** By the list of results, which the answer cache keeps as one and the same array. */
  const written = new WeakMap<string[], Map<SearchFace, { id: string; at: Date }>>()
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()
  let coming: Promise<void> | null = null

  async function writePiece(piece: QueryEntry[]): Promise<void> {
    const fresh = new Map<string[], Map<SearchFace, AnswerEntry>>()
    const answers: AnswerEntry[] = []
    const askings = piece.map((entry) => {
      const { id, at, sessionId, ms, ...answer } = entry
      const { productIds, face } = answer
      const known = written.get(productIds)?.get(face)
      if (known && at.getTime() - known.at.getTime() < ANSWER_NAMED_MS)
        return { id, at, sessionId, ms, answerId: known.id }
      const faces = fresh.get(productIds) ?? new Map<SearchFace, AnswerEntry>()
      const named = faces.get(face) ?? { ...answer, id: newId(), at }
      if (!faces.has(face)) answers.push(named)
      fresh.set(productIds, faces.set(face, named))
      return { id, at, sessionId, ms, answerId: named.id }
    })
    await insertQueries(ctx.db, { answers, askings, shown: countShown(piece) })
    // Only now: an answer that could not be written must come along with its next asking.
    for (const { productIds, face, id, at } of answers)
      written.set(productIds, (written.get(productIds) ?? new Map()).set(face, { id, at }))
  }

  async function writeWaiting(): Promise<void> {
    const taken = waiting.splice(0)
    for (let at = 0; at < taken.length; at += PIECE) {
      const piece = taken.slice(at, at + PIECE)
      try {
        await writePiece(piece)
      } catch (error) {
        dropped += piece.length
        ctx.log.warn({ err: error }, 'searches could not be logged')
      }
    }
    if (dropped > 0) ctx.log.warn({ searches: dropped }, 'some searches were not logged')
    dropped = 0
  }

  /** What comes while a turn is written has the next one: otherwise a waiter would wait as long as there is traffic. */
  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (coming) return coming
    coming = last.then(() => {
      coming = null
      return writeWaiting()
    })
    last = coming
    return coming
  }

  return {
    add(entry) {
      if (waiting.length >= MOST_WAITING) {
        dropped++
        return
      }
      waiting.push(entry)
      timer ??= setTimeout(() => inBackground(ctx.log, 'logging searches', write()), GATHER_MS)
    },
    settled: write,
  }
}

/** By product and UTC day. Remembered answers share their list, so most of a busy moment is counted list by list. */
function countShown(piece: readonly QueryEntry[]): Impressions[] {
  const lists = new Map<string, Map<string[], number>>()
  for (const { at, productIds } of piece) {
    const day = at.toISOString().slice(0, 10)
    const ofDay = lists.get(day) ?? new Map<string[], number>()
    lists.set(day, ofDay.set(productIds, (ofDay.get(productIds) ?? 0) + 1))
  }
  return [...lists].flatMap(([day, ofDay]) => {
    const times = new Map<string, number>()
    for (const [productIds, asked] of ofDay)
      for (const id of new Set(productIds)) times.set(id, (times.get(id) ?? 0) + asked)
    return [...times].map(([productId, n]) => ({ productId, day, times: n }))
  })
}
