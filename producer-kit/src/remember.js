/**
 * The same RFQ may come twice: the service tries once more after a broken connection, and again after a restart.
 * This memory gives it the first answer again, also while that is still being worked out, so that a price never
 * changes between two tries. It is one process's memory and bounded: the oldest is forgotten first.
 */

/** @import { Answer, Rfq, RfqHandlerOptions } from '../index.d.ts' */

/**
 * @param {RfqHandlerOptions['remember']} option
 * @param {() => number} now
 * @returns {(rfq: Rfq, work: () => Promise<{ answer: Answer, failed: boolean }>) => Promise<Answer>}
 */
export function createMemory(option, now) {
  if (!option) return async (_rfq, work) => (await work()).answer
  const { max = 1_000, forMs = 3_600_000 } = option === true ? {} : option
  /** @type {Map<string, { at: number, answer: Promise<Answer> }>} */
  const known = new Map()

  return async (rfq, work) => {
    const key = keyOf(rfq)
    const before = known.get(key)
    if (before) {
      const answer = await before.answer
      if (now() - before.at < forMs && !isOver(answer, now())) return answer
    }
    const working = work()
    const entry = { at: now(), answer: working.then(({ answer }) => answer) }
    known.delete(key)
    known.set(key, entry)
    for (const oldest of known.keys()) {
      if (known.size <= max) break
      known.delete(oldest)
    }
    // A failure is not an answer to keep: the next try may go well.
    if ((await working).failed && known.get(key) === entry) known.delete(key)
    return await entry.answer
  }
}

/**
 * All that an answer depends on, not the id alone: whoever reuses an id for another product gets another answer.
 * @param {Rfq} rfq
 */
function keyOf({ rfqId, productSlug, quantity, deliveryRegion, deadline }) {
  return JSON.stringify([rfqId, productSlug, quantity, deliveryRegion, deadline])
}

/**
 * @param {Answer} answer
 * @param {number} now
 */
function isOver({ offer_expires_at }, now) {
  return offer_expires_at !== '' && Date.parse(offer_expires_at) <= now
}
