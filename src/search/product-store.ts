/**
 * The facts of products, by slot, outside the JavaScript heap: each product's in one record of bytes, in the form in which
 * they are saved; of a large catalog most are in files. Ids and slugs are in memory, since they are compared by the
 * thousand. What a search looks at becomes an object when it is first asked for; the latest are kept. Two tables of
 * numbers find a slot by a product's id or slug.
 */
import { growTo } from './lexical/segments.ts'
import { createRecords, type SavedRecords } from './stored/records.ts'
import { createGroupKeys, type LeavingPart, type Part } from './stored/saved.ts'
import type { PackedVariants } from './variant-match.ts'

/** What is the same as long as the slot is the product's. */
export type Facts = {
  id: string
  slug: string
  title: string
  brand: string | null
  model: string | null
  mpn: string | null
  verdict: string | null
  bestFor: string[]
  priceLowCents: number | null
  priceHighCents: number | null
  rating: number | null
  reviewCount: number | null
  released: string | null
  discontinued: boolean
  lacks: string[]
  notFor: string[]
  titleWords: readonly number[]
  measures: readonly number[]
  shortSpecs: string
  variants: PackedVariants | null
}

export type ProductStore = {
  /** Slots given out. */
  readonly slots: number
  readonly size: number
  /** In the next slot; found by its id and its slug from now on. */
  add(facts: Facts): number
  /** It is found no more, and its facts are not read again. */
  drop(slot: number): void
  /** Null when they are in a file that does not hold what was written. */
  read(slot: number): Facts | null
  idAt(slot: number): string
  slugAt(slot: number): string
  /** Less than 0 when the first slot's slug comes before that of the second; makes nothing on the way. */
  compareSlugs(a: number, b: number): number
  slotOf(id: string): number | undefined
  findBySlug(slug: string): number | undefined
  save(): SavedProducts
  parts(): Part[]
  /** Those that need not stay in memory when they are in files. */
  fullParts(): LeavingPart[]
  bytes(): number
}

export type SavedProducts = {
  slots: number
  size: number
  keys: string[]
  facts: SavedRecords
  ids: SavedTable
  slugs: SavedTable
}
type SavedTable = { slots: Uint32Array; hashes: Uint32Array; used: number; held: number }

/** Slots whose names, id and slug, lie in one run of bytes. */
const GROUP = 32_768
/** Before the names: how long the id is, and the slug. */
const HEAD = 4
/** Some two megabytes of facts. */
const FACTS_EACH = 2048

type Group = { bytes: Buffer; ends: Uint32Array }
type SavedGroup = { bytes: Uint8Array; ends: Uint32Array }

export function createProductStore(saved?: SavedProducts, onDamage: () => void = () => {}): ProductStore {
  const groups: Group[] = []
  const records = createRecords(FACTS_EACH, saved?.facts, onDamage)
  const keys = createGroupKeys(GROUP, saved?.keys)
  let slots = saved?.slots ?? 0
  let size = saved?.size ?? 0
  const ids = createSlotTable(idBytes, saved?.ids)
  const slugs = createSlotTable(slugBytes, saved?.slugs)

  function groupOf(slot: number): Group {
    const at = Math.floor(slot / GROUP)
    groups[at] ??= { bytes: Buffer.alloc(1 << 16), ends: new Uint32Array(GROUP + 1) }
    return groups[at]
  }

  /** Asked for slot after slot when sellers are filtered by, so it makes nothing on the way. */
  function idAt(slot: number): string {
    const { bytes, ends } = groupOf(slot)
    const from = ends[slot % GROUP] as number
    const end = from + HEAD + ((bytes[from] as number) | ((bytes[from + 1] as number) << 8))
    return bytes.toString('utf8', from + HEAD, end)
  }

  function compareSlugs(a: number, b: number): number {
    const [one, other] = [groupOf(a), groupOf(b)]
    let at = slugStart(one, a)
    let beside = slugStart(other, b)
    const end = at + slugLength(one, a)
    const besideEnd = beside + slugLength(other, b)
    for (; at < end && beside < besideEnd; at++, beside++) {
      const difference = (one.bytes[at] as number) - (other.bytes[beside] as number)
      if (difference !== 0) return difference
    }
    return end - at - (besideEnd - beside)
  }

  function idBytes(slot: number): Buffer {
    const { bytes, ends } = groupOf(slot)
    const from = ends[slot % GROUP] as number
    return bytes.subarray(from + HEAD, from + HEAD + bytes.readUInt16LE(from))
  }

  function slugBytes(slot: number): Buffer {
    const group = groupOf(slot)
    const from = slugStart(group, slot)
    return group.bytes.subarray(from, from + slugLength(group, slot))
  }

  function add(facts: Facts): number {
    const slot = slots++
    const id = Buffer.from(facts.id)
    const slug = Buffer.from(facts.slug)
    records.add([Buffer.from(JSON.stringify(pack(facts)))])
    const head = Buffer.alloc(HEAD)
    head.writeUInt16LE(id.length, 0)
    head.writeUInt16LE(slug.length, 2)
    const group = groupOf(slot)
    let end = group.ends[slot % GROUP] as number
    for (const part of [head, id, slug]) {
      group.bytes = withSpace(group.bytes, end + part.length)
      group.bytes.set(part, end)
      end += part.length
    }
    group.ends[(slot % GROUP) + 1] = end
    if (slot % GROUP === GROUP - 1) group.bytes = bufferOver(new Uint8Array(group.bytes.subarray(0, end)))
    keys.touch(slot)
    ids.set(id, slot)
    slugs.set(slug, slot)
    size++
    return slot
  }

  function drop(slot: number): void {
    const slug = slugBytes(slot)
    if (slugs.get(slug) === slot) slugs.delete(slug)
    ids.delete(idBytes(slot))
    records.drop(slot)
    size--
  }

  return {
    get slots() {
      return slots
    },
    get size() {
      return size
    },
    add,
    drop,
    read(slot) {
      const record = records.read(slot)
      if (!record) return null
      const facts = unpack(JSON.parse(record.toString()) as Packed)
      return { id: idBytes(slot).toString(), slug: slugBytes(slot).toString(), ...facts }
    },
    idAt,
    slugAt: (slot) => slugBytes(slot).toString(),
    compareSlugs,
    slotOf: (id) => ids.get(Buffer.from(id)),
    findBySlug: (slug) => slugs.get(Buffer.from(slug)),
    save: () => ({
      slots,
      size,
      keys: keys.list(slots),
      facts: records.save(),
      ids: ids.save(),
      slugs: slugs.save(),
    }),
    parts: () => [
      ...records.parts(),
      ...keys.list(slots).map((key, at): Part => {
        const count = Math.min(GROUP, slots - at * GROUP)
        return {
          key,
          save() {
            const { bytes, ends } = groupOf(at * GROUP)
            // Not as a buffer, which has a form of its own in JSON.
            const saved = new Uint8Array(bytes.buffer, bytes.byteOffset, ends[count])
            return { bytes: saved, ends: ends.subarray(0, count + 1) }
          },
          load(saved) {
            const { bytes, ends } = saved as SavedGroup
            groups[at] = { bytes: bufferOver(bytes), ends: roomyEnds(ends) }
          },
        }
      }),
    ],
    fullParts: records.full,
    bytes: () =>
      groups.reduce(
        (sum, { bytes }) => sum + bytes.length + GROUP * 4,
        ids.bytes() + slugs.bytes() + records.bytes(),
      ),
  }
}

function slugStart({ bytes, ends }: Group, slot: number): number {
  const from = ends[slot % GROUP] as number
  return from + HEAD + ((bytes[from] as number) | ((bytes[from + 1] as number) << 8))
}

function slugLength({ bytes, ends }: Group, slot: number): number {
  const from = ends[slot % GROUP] as number
  return (bytes[from + 2] as number) | ((bytes[from + 3] as number) << 8)
}

function bufferOver({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function withSpace(bytes: Buffer, length: number): Buffer {
  if (length <= bytes.length) return bytes
  return bufferOver(growTo(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), length))
}

function roomyEnds(ends: Uint32Array): Uint32Array {
  const all = new Uint32Array(GROUP + 1)
  all.set(ends)
  return all
}

type Packed = ReturnType<typeof pack>

/** In an order, without names; numbers that JSON cannot write are texts. */
function pack(facts: Facts) {
  const { variants } = facts
  return [
    facts.title,
    facts.brand,
    facts.model,
    facts.mpn,
    facts.verdict,
    facts.bestFor,
    facts.priceLowCents,
    facts.priceHighCents,
    facts.rating,
    facts.reviewCount,
    facts.released,
    facts.discontinued,
    facts.lacks,
    facts.notFor,
    facts.titleWords,
    facts.measures.map((value): number | string => (Number.isFinite(value) ? value : String(value))),
    facts.shortSpecs,
    variants && [[...variants.terms], [...variants.sets], [...variants.orderable], variants.labels],
  ] as const
}

function unpack(packed: Packed): Omit<Facts, 'id' | 'slug'> {
  const [title, brand, model, mpn, verdict, bestFor, priceLowCents, priceHighCents, rating, ...more] = packed
  const [reviewCount, released, discontinued, lacks, notFor, titleWords, measures, shortSpecs, variants] =
    more
  return {
    title,
    brand,
    model,
    mpn,
    verdict,
    bestFor,
    priceLowCents,
    priceHighCents,
    rating,
    reviewCount,
    released,
    discontinued,
    lacks,
    notFor,
    titleWords,
    measures: measures.map(Number),
    shortSpecs,
    variants: variants && {
      terms: Uint32Array.from(variants[0] as number[]),
      sets: Uint32Array.from(variants[1] as number[]),
      orderable: Uint32Array.from(variants[2] as number[]),
      labels: variants[3] as string,
    },
  }
}

type SlotTable = {
  get(key: Buffer): number | undefined
  /** In place of the slot that had the key. */
  set(key: Buffer, slot: number): void
  delete(key: Buffer): void
  save(): SavedTable
  bytes(): number
}

const EMPTY = 0xffffffff
const GONE = 0xfffffffe

/** Open addressing; `keyOf` says what key the slot was put under. */
function createSlotTable(keyOf: (slot: number) => Buffer, saved?: SavedTable): SlotTable {
  let slots = saved?.slots ?? new Uint32Array(1024).fill(EMPTY)
  let hashes = saved?.hashes ?? new Uint32Array(1024)
  /** Places that are not empty, those of deleted keys included; and keys that are there. */
  let used = saved?.used ?? 0
  let held = saved?.held ?? 0

  /** Where the key is; -1 when it is nowhere. */
  function find(key: Buffer, hash: number): number {
    const mask = slots.length - 1
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = slots[at] as number
      if (slot === EMPTY) return -1
      if (slot !== GONE && hashes[at] === hash && keyOf(slot).equals(key)) return at
    }
  }

  function put(slot: number, hash: number): void {
    const mask = slots.length - 1
    let at = hash & mask
    while (slots[at] !== EMPTY) at = (at + 1) & mask
    slots[at] = slot
    hashes[at] = hash
  }

  function enlarge(): void {
    const [oldSlots, oldHashes] = [slots, hashes]
    const room = held * 2 > slots.length ? slots.length * 2 : slots.length
    slots = new Uint32Array(room).fill(EMPTY)
    hashes = new Uint32Array(room)
    oldSlots.forEach((slot, at) => {
      if (slot < GONE) put(slot, oldHashes[at] as number)
    })
    used = held
  }

  return {
    get(key) {
      const at = find(key, hashOf(key))
      return at < 0 ? undefined : slots[at]
    },
    set(key, slot) {
      const hash = hashOf(key)
      const at = find(key, hash)
      if (at >= 0) {
        slots[at] = slot
        return
      }
      held++
      used++
      put(slot, hash)
      if (used * 3 > slots.length * 2) enlarge()
    },
    delete(key) {
      const at = find(key, hashOf(key))
      if (at < 0) return
      slots[at] = GONE
      held--
    },
    save: () => ({ slots, hashes, used, held }),
    bytes: () => slots.byteLength + hashes.byteLength,
  }
}

/** FNV-1a, stirred once more because the table looks at the low bits only. */
function hashOf(key: Buffer): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ (key[at] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
