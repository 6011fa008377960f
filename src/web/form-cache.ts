/**
 * A cache of rendered forms by address. An entry lasts until something it shows changes, or until `validUntil`. Bounded
 * by bytes; unread entries are evicted first. A form rendered while a change arrived is served but not kept.
 */
import type { Prepared } from '../http/prepared.ts'
import type { Clock } from '../lib/clock.ts'

export type CachedForm = {
  prepared: Prepared
  /** Ids of the products and categories whose change makes it stale. */
  dependsOn: string[]
  validUntil?: Date | null
}

export type FormCache = {
  get(key: string): Prepared | undefined
  /** Concurrent calls share one `make`. */
  getOrMake(key: string, make: () => Promise<CachedForm | null>): Promise<Prepared | null>
  invalidate(ids: Iterable<string>): void
  clear(): void
}

/** Compressed variants are made later, but counted from the start. */
const VARIANT_ALLOWANCE = 1.7

export function createFormCache(clock: Clock, maxBytes = 128 * 1024 * 1024): FormCache {
  const entries = new Map<string, CachedForm & { bytes: number; used: boolean }>()
  const keysById = new Map<string, Set<string>>()
  const underWay = new Map<string, Promise<Prepared | null>>()
  let totalBytes = 0
  let generation = 0

  function remove(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    totalBytes -= entry.bytes
    for (const id of entry.dependsOn) {
      const keys = keysById.get(id)
      keys?.delete(key)
      if (keys?.size === 0) keysById.delete(id)
    }
  }

  function keep(key: string, form: CachedForm): void {
    const bytes =
      Math.round((form.prepared.variants.get('identity')?.body.length ?? 0) * VARIANT_ALLOWANCE) + 1_000
    remove(key)
    entries.set(key, { ...form, bytes, used: false })
    totalBytes += bytes
    for (const id of form.dependsOn) {
      const keys = keysById.get(id) ?? new Set()
      keysById.set(id, keys.add(key))
    }
    evict()
  }

  /** Oldest first. An entry read since the last pass gets another round, which is cheaper than moving it on each read. */
  function evict(): void {
    for (const [key, entry] of entries) {
      if (totalBytes <= maxBytes) return
      if (entry.used) {
        entry.used = false
        entries.delete(key)
        entries.set(key, entry)
      } else remove(key)
    }
  }

  async function make(key: string, work: () => Promise<CachedForm | null>): Promise<Prepared | null> {
    const begun = generation
    const form = await work()
    if (form && begun === generation) keep(key, form)
    return form?.prepared ?? null
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (!entry) return undefined
      if (entry.validUntil && entry.validUntil <= clock.now()) {
        remove(key)
        return undefined
      }
      entry.used = true
      return entry.prepared
    },
    async getOrMake(key, work) {
      const ready = this.get(key)
      if (ready) return ready
      // Shared only within one generation: after a change, the next reader must not get the older page.
      const joint = `${generation} ${key}`
      const making = underWay.get(joint) ?? make(key, work).finally(() => underWay.delete(joint))
      underWay.set(joint, making)
      return making
    },
    invalidate(ids) {
      generation++
      for (const id of ids) for (const key of [...(keysById.get(id) ?? [])]) remove(key)
    },
    clear() {
      generation++
      for (const key of [...entries.keys()]) remove(key)
    },
  }
}
