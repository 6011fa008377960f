/**
 * Gathers what many requests have to write within a moment into few writes, one after another. Requests at the same time
 * often go to the same producers: writing by themselves they would wait for each other's rows, each with a connection
 * in hand. Where a batch fails, each request is written alone, so that only the one at fault hears of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLost } from '../db/database.ts'

export type Gatherer<Item> = {
  /** Resolves when it is stored. */
  add(item: Item): Promise<void>
}

type Entry<Item> = { item: Item; resolve(): void; reject(error: unknown): void }

export function createGatherer<Item extends { rfqId: string }>(options: {
  gatherMs: number
  /** A batch is closed when it weighs this much, so that no statement grows without bound. */
  maxWeight: number
  weigh(item: Item): number
  write(items: Item[]): Promise<void>
}): Gatherer<Item> {
  const { gatherMs, maxWeight, weigh, write } = options
  let waiting: Entry<Item>[] = []
  let busy = false

  async function run(): Promise<void> {
    busy = true
    await sleep(gatherMs)
    while (waiting.length > 0) await store(takeBatch())
    busy = false
  }

  function takeBatch(): Entry<Item>[] {
    let weight = 0
    const over = waiting.findIndex(({ item }) => {
      weight += weigh(item)
      return weight > maxWeight
    })
    const batch = over === -1 ? waiting : waiting.slice(0, Math.max(1, over))
    waiting = waiting.slice(batch.length)
    return batch
  }

  async function store(batch: Entry<Item>[]): Promise<void> {
    try {
      await write(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      const requests = [...Map.groupBy(batch, ({ item }) => item.rfqId).values()]
      if (requests.length > 1 && !isConnectionLost(error)) for (const one of requests) await store(one)
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        // Failures go to the entries.
        if (!busy) run().catch(() => {})
      }),
  }
}
