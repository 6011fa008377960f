/**
 * The index against a plain scan. Where it promises the exact answer, its own float32 scores are the measure,
 * to the bit; that those are right is checked against sums in double precision.
 */
import fs from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import wabt from 'wabt'
import { makeProducts } from '../../bench/search/products.ts'
import { createVectorIndex, type Hits, type VectorIndex } from '../../src/search/vectors/vector-index.ts'

function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

/** Near enough to normal, and cheap: millions are asked for. */
const BELLS = Float32Array.from({ length: 2 ** 16 }, (_, at) => {
  const random = numbersFrom(at * 3)
  return random() + random() + random() - 1.5
})
const bell = (random: () => number) => BELLS[Math.floor(random() * BELLS.length)] ?? 0

/** In place: forty thousand are made, and loops make them in a fraction of the time. */
function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length > 0) for (let dim = 0; dim < vector.length; dim++) vector[dim] = (vector[dim] ?? 0) / length
  return vector
}

function randomVector(dims: number, random: () => number): Float32Array {
  const vector = new Float32Array(dims)
  for (let dim = 0; dim < dims; dim++) vector[dim] = bell(random)
  return unit(vector)
}

function blurred(vector: Float32Array, spread: number, random: () => number): Float32Array {
  const noise = (spread / Math.sqrt(vector.length)) * 2
  const near = new Float32Array(vector.length)
  for (let dim = 0; dim < near.length; dim++) near[dim] = (vector[dim] ?? 0) + noise * bell(random)
  return unit(near)
}

/** Vectors around shared centres. */
function clustered(dims: number, centres: number, spread: number, random: () => number) {
  const middles = Array.from({ length: centres }, () => randomVector(dims, random))
  return () => blurred(middles[Math.floor(random() * centres)] ?? new Float32Array(dims), spread, random)
}

/** Mixtures of shared topics that all lean one way, as some models' vectors do. */
function leaning(dims: number, topics: number, spread: number, lean: number, random: () => number) {
  const common = randomVector(dims, random)
  const parts = Array.from({ length: topics }, () => randomVector(dims, random))
  return () => {
    const mixed = new Float32Array(dims)
    for (const part of parts) {
      const weight = bell(random)
      for (let dim = 0; dim < dims; dim++) mixed[dim] = (mixed[dim] ?? 0) + weight * (part[dim] ?? 0)
    }
    const near = blurred(unit(mixed), spread, random)
    for (let dim = 0; dim < dims; dim++) near[dim] = (near[dim] ?? 0) + lean * (common[dim] ?? 0)
    return unit(near)
  }
}

function filled(dims: number, vectors: Iterable<Float32Array>, heldUpTo?: number): VectorIndex {
  const index = createVectorIndex({ dims, heldUpTo })

  for (const vector of vectors) index.add(vector)
  return index
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let dim = 0; dim < a.length; dim++) sum += (a[dim] ?? 0) * (b[dim] ?? 0)
  return sum
}

const slotsOf = (hits: Hits) => Array.from(hits.slots)
const range = (count: number) => Array.from({ length: count }, (_, slot) => slot)

/** What the promise says: every slot that may be found, by score, equal scores by slot. */
function bestOf(
  index: VectorIndex,
  query: Float32Array,
  k: number,
  mayFind: (slot: number) => boolean,
): Hits {
  const ranked = range(index.size)
    .filter(mayFind)
    .map((slot) => ({ slot, score: index.score(query, slot) }))
    .sort((a, b) => b.score - a.score || a.slot - b.slot)
    .slice(0, k)
  return {
    slots: Uint32Array.from(ranked, ({ slot }) => slot),
    scores: Float32Array.from(ranked, ({ score }) => score),
  }
}

function recall(found: Hits, wanted: Hits): number {
  const slots = new Set(found.slots.subarray(0, wanted.slots.length))
  return wanted.slots.filter((slot) => slots.has(slot)).length / wanted.slots.length
}

describe('the kernel', () => {
  it('is what its source compiles to', async () => {
    const source = fs.readFileSync(new URL('../../src/search/vectors/kernel.wat', import.meta.url), 'utf8')
    const compiled = (await wabt())
      .parseWat('kernel.wat', source, { simd: true, relaxed_simd: true })
      .toBinary({}).buffer
    expect(
      Buffer.from(compiled).equals(
        fs.readFileSync(new URL('../../src/search/vectors/kernel.wasm', import.meta.url)),
      ),
    ).toBe(true)
  })
})

describe('a vector index', () => {
  const cases = fc.record({
    seed: fc.integer(),
    dims: fc.constantFrom(16, 32, 48, 112, 384, 512),
    count: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 41, max: 800 })),
    k: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 13, max: 900 })),
    kind: fc.constantFrom('random', 'clustered', 'duplicates', 'spikes', 'with zeros'),
    removed: fc.constantFrom(0, 0.1, 0.9, 1),
    allowed: fc.constantFrom(undefined, 0, 0.02, 0.5, 1),
    maskLength: fc.constantFrom(0.5, 1, 1.5),
    heldUpTo: fc.constantFrom(0, 300, undefined),
  })

  it('finds exactly the best that are allowed and not removed, whatever the vectors, the mask and k', () => {
    fc.assert(
      fc.property(cases, ({ seed, dims, count, k, kind, removed, allowed, maskLength, heldUpTo }) => {
        const random = numbersFrom(seed)
        const near = clustered(dims, 3, 0.05, random)
        const vectors = range(count).map((slot): Float32Array => {
          if (kind === 'clustered') return near()
          if (kind === 'with zeros' && random() < 0.3) return new Float32Array(dims)
          const vector = randomVector(dims, kind === 'duplicates' ? numbersFrom(slot % 4) : random)
          if (kind === 'spikes') vector[Math.floor(random() * dims)] = 3 * random()
          return kind === 'spikes' ? unit(vector) : vector
        })
        const index = filled(dims, vectors, heldUpTo)
        const gone = new Set(range(count).filter(() => random() < removed))
        for (const slot of gone) index.remove(slot)
        const mask =
          allowed === undefined
            ? undefined
            : Uint8Array.from({ length: Math.ceil(count * maskLength) }, () =>
                random() < allowed ? 1 + Math.floor(random() * 255) : 0,
              )
        const query = random() < 0.2 ? new Float32Array(dims) : randomVector(dims, random)

        // What an earlier search left behind must not show.
        index.search(query, 3, new Uint8Array(count).fill(1))
        const found = index.search(query, k, mask)
        const mayFind = (slot: number) => !gone.has(slot) && (mask === undefined || (mask[slot] ?? 0) > 0)
        expect(found).toEqual(bestOf(index, query, k, mayFind))
        for (const [rank, slot] of found.slots.entries())
          expect(found.scores[rank]).toBeCloseTo(dot(query, vectors[slot] ?? query), 5)
      }),
      { numRuns: 60 },
    )
  })

  it('scores all slots at once as each alone, also after vectors were replaced and as it grows', () => {
    const random = numbersFrom(21)
    const index = filled(
      64,
      range(400).map(() => randomVector(64, random)),
      500,
    )
    const queries = range(3).map(() => randomVector(64, random))
    const compare = () => {
      for (const query of [...queries, ...queries]) {
        const slots = Uint32Array.from(range(index.size))
        const alone = Float32Array.from(slots, (slot) => index.score(query, slot))
        expect(index.scores(query, slots)).toEqual(alone)
        expect(index.search(query, 20)).toEqual(bestOf(index, query, 20, () => true))
      }
    }
    compare()
    for (const slot of [0, 7, 399]) index.set(slot, randomVector(64, random))
    compare()
    for (let added = 0; added < 90; added++) index.add(randomVector(64, random))
    compare()
    for (let added = 0; added < 90; added++) index.add(randomVector(64, random))
    compare()
  })

  it('is exact for 20,000 vectors that lie close together', () => {
    const random = numbersFrom(11)
    const near = clustered(64, 5, 0.3, random)
    const index = filled(
      64,
      range(20_000).map(() => near()),
    )
    for (let run = 0; run < 5; run++) {
      const query = near()
      expect(index.search(query, 300)).toEqual(bestOf(index, query, 300, () => true))
    }
  })

  it('finds the best even where rounding hides it as well as it can', () => {
    const query = unit(new Float32Array(16).fill(1).with(0, 0))
    // With the largest value at 127 levels, 0.501 of a level counts as 1 and 0.499 as nothing.
    const seemsGood = new Float32Array(16).fill(0.501 / 127).with(0, 1)
    const isBetter = new Float32Array(16)
      .fill(0.499 / 127)
      .with(0, 1)
      .with(1, 1 / 127)
    const index = filled(16, [seemsGood, seemsGood, seemsGood, isBetter, seemsGood])
    expect(slotsOf(index.search(query, 1))).toEqual([3])
  })

  it('keeps every vector in place while the memory grows, and answers as one made large enough', () => {
    const random = numbersFrom(5)
    const vectors = range(5000).map(() => randomVector(32, random))
    const growing = createVectorIndex({ dims: 32 })
    const roomy = createVectorIndex({ dims: 32, capacity: 5000 })
    const sizes = new Set<number>()
    const roomyBytes = roomy.bytes()
    for (const [slot, vector] of vectors.entries()) {
      expect(growing.add(vector)).toBe(slot)
      roomy.add(vector)
      sizes.add(growing.bytes())
      if (slot % 700 === 0)
        expect(slotsOf(growing.search(vectors[slot >> 1] ?? vector, 1))).toEqual([slot >> 1])
    }
    expect(sizes.size).toBeGreaterThan(4)
    expect(roomy.bytes()).toBe(roomyBytes)
    for (const slot of [0, 1023, 1024, 4999]) {
      const query = vectors[slot] ?? new Float32Array(32)
      expect(growing.score(query, slot)).toBeCloseTo(1, 6)
      expect(growing.search(query, 50)).toEqual(roomy.search(query, 50))
    }
  })

  it('finds all slots and no others at every size on the way up', () => {
    const random = numbersFrom(8)
    const query = randomVector(16, random)
    const index = createVectorIndex({ dims: 16 })
    for (let size = 1; size < 16_000; size += 777) {
      while (index.size < size) index.add(randomVector(16, random))
      expect(index.search(query, size + 100).slots.toSorted()).toEqual(Uint32Array.from(range(size)))
      index.search(query, 10)
    }
  })

  it('does not lose the best to overflow in its widest form', () => {
    const along = new Float32Array(8192).fill(1 / Math.sqrt(8192))
    const against = along.map((value) => -value)
    const index = filled(8192, [against, along, against, along, against, against])
    expect(slotsOf(index.search(along, 2))).toEqual([1, 3])
    expect(slotsOf(index.search(against, 1))).toEqual([0])
  })

  it('refuses what it cannot hold, and is unharmed by it', () => {
    for (const dims of [0, 8, 20, -16, 16.5, 8208])
      expect(() => createVectorIndex({ dims })).toThrow('multiple of 16')
    const good = unit(Float32Array.from({ length: 16 }, (_, dim) => dim))
    const index = filled(16, [good])
    expect(() => index.add(new Float32Array(32))).toThrow('Expected 16 dimensions, got 32')
    expect(() => index.add(good.with(3, Number.NaN))).toThrow('Expected a vector of length 1')
    expect(() => index.add(good.with(3, Infinity))).toThrow('Expected a vector of length 1')
    expect(() => index.search(new Float32Array(8), 1)).toThrow('Expected 16 dimensions, got 8')
    expect(() => index.search(good, 1.5)).toThrow('k must be a whole number')
    for (const slot of [-1, 1, 0.5]) {
      expect(() => index.remove(slot)).toThrow(`No slot ${slot}`)
      expect(() => index.score(good, slot)).toThrow(`No slot ${slot}`)
    }
    expect(index.size).toBe(1)
    expect(index.add(good)).toBe(1)
    expect(slotsOf(index.search(good, 5))).toEqual([0, 1])
  })
})

describe('a vector index too large for a full scan', () => {
  const count = 20_500
  const random = numbersFrom(21)
  const near = clustered(384, 400, 0.7, random)
  let index: VectorIndex

  beforeAll(() => {
    index = filled(384, Iterator.from({ next: () => ({ done: false, value: near() }) }).take(count))
  })

  it('still finds 98 of the best 100', () => {
    const queries = range(8).map(() => near())
    const recalls = queries.map((query) =>
      recall(
        index.search(query, 200),
        bestOf(index, query, 100, () => true),
      ),
    )
    expect(Math.min(...recalls)).toBeGreaterThanOrEqual(0.95)
    expect(recalls.reduce((sum, each) => sum + each) / recalls.length).toBeGreaterThanOrEqual(0.98)
  })

  it.each([0.02, 0.2, 0.6])(
    'finds k of the allowed and nothing else when a share of %d is allowed',
    (share) => {
      const mask = Uint8Array.from({ length: count }, () => (random() < share ? 1 : 0))
      const query = near()
      const found = index.search(query, 250, mask)
      expect(found.slots.length).toBe(250)
      expect(found.slots.every((slot) => mask[slot] === 1)).toBe(true)
      expect(
        recall(
          found,
          bestOf(index, query, 100, (slot) => mask[slot] === 1),
        ),
      ).toBeGreaterThanOrEqual(0.95)
    },
  )

  it('is exact among the allowed when they are few', () => {
    const mask = Uint8Array.from({ length: count }, () => (random() < 0.2 ? 1 : 0))
    const query = near()
    expect(index.search(query, 100, mask)).toEqual(bestOf(index, query, 100, (slot) => mask[slot] === 1))
  })

  it('answers the same question in the same way', () => {
    const query = near()
    const first = index.search(query, 200)
    index.search(near(), 10)
    expect(index.search(query, 200)).toEqual(first)
  })

  it('never finds a removed slot again, and fills its place', () => {
    const query = near()
    const before = index.search(query, 100)
    for (const slot of before.slots) {
      index.remove(slot)
      index.remove(slot)
    }
    const after = index.search(query, 100, new Uint8Array(count).fill(1))
    expect(after.slots.length).toBe(100)
    expect(after.slots.some((slot) => before.slots.includes(slot))).toBe(false)
    expect(slotsOf(index.search(query, 100))).toEqual(slotsOf(after))
    expect(index.size).toBe(count)
  })

  it('finds 98 of the best 100 when all vectors lean one way', () => {
    const mixture = leaning(256, 32, 0.5, 3, random)
    const large = filled(
      256,
      range(20_500).map(() => mixture()),
    )
    const recalls = range(6).map(() => {
      const query = mixture()
      return recall(
        large.search(query, 200),
        bestOf(large, query, 100, () => true),
      )
    })
    expect(recalls.reduce((sum, each) => sum + each) / recalls.length).toBeGreaterThanOrEqual(0.98)
  })

  it('answers after any changes as one that was filled with what they left', () => {
    const changed = filled(
      384,
      range(count).map((slot) => index.vector(slot)),
    )
    const gone = new Set<number>()
    for (let change = 0; change < 6000; change++) {
      const slot = Math.floor(random() * changed.size)
      const chance = random()
      if (chance < 0.6) changed.set(slot, near())
      else if (chance < 0.9) changed.add(near())
      else changed.remove(gone.add(slot) && slot)
    }
    const { centre, signedAt } = changed.save()
    const none = { size: 0, keys: [], live: new Uint8Array(0), longest: 0, largestError: 0 }
    const fresh = createVectorIndex({
      dims: 384,
      saved: { ...none, signedAt, centre: centre?.slice() ?? null },
    })
    for (const slot of range(changed.size)) fresh.add(changed.vector(slot))
    for (const slot of gone) fresh.remove(slot)
    const mask = Uint8Array.from({ length: changed.size }, () => (random() < 0.7 ? 1 : 0))
    for (let run = 0; run < 10; run++) {
      const query = near()
      for (const allowed of [undefined, mask])
        expect(changed.search(query, 100, allowed)).toEqual(fresh.search(query, 100, allowed))
    }
    expect(changed.search(near(), changed.size).slots.length).toBe(changed.size - gone.size)
  })

  it('finds 99 of the nearest 100 among products, though 20,000 of one category came first', () => {
    const products = Array.from(makeProducts(35_000, 'full'), ({ profile, vectors }) => ({
      category: profile.category.slug,
      vector: vectors.full.slice(),
    }))
    const first = products.filter(({ category }) => category === products[0]?.category)
    const large = filled(
      384,
      range(20_100 + products.length).map((slot) =>
        slot < 20_100
          ? blurred(first[slot % first.length]?.vector ?? near(), 0.45, random)
          : (products[slot - 20_100]?.vector ?? near()),
      ),
    )
    // As far from every product as what people ask for: half of one thing and half of another.
    const shorts = Array.from(makeProducts(861, 'all'), ({ vectors }) => vectors.short)
    const queries = range(20).map((n) => {
      const other = shorts[(n * 97 + 400) % shorts.length] ?? near()
      return unit((shorts[n * 43] ?? near()).map((value, dim) => value + (other[dim] ?? 0)))
    })
    const everyFifth = Uint8Array.from({ length: large.size }, (_, slot) => (slot % 5 === 0 ? 1 : 0))
    for (const allowed of [undefined, everyFifth]) {
      const recalls = queries.map((query) => {
        const slots = large.search(query, large.size, allowed).slots.subarray(0, 100)
        return recall(large.search(query, 100, allowed), { slots, scores: new Float32Array(100) })
      })
      expect(recalls.reduce((sum, each) => sum + each) / recalls.length).toBeGreaterThanOrEqual(0.99)
      expect(Math.min(...recalls)).toBeGreaterThanOrEqual(0.95)
    }
  })

  it('is exact while its slots get their signs, and finds a vector that was replaced meanwhile', async () => {
    const growing = filled(
      16,
      range(20_000).map(() => randomVector(16, random)),
    )
    expect(growing.save().signedAt).toBe(0)
    const replaced = range(40).map((n) => {
      growing.add(randomVector(16, random))
      const replacement = randomVector(16, random)
      growing.set(n * 400, replacement)
      expect(growing.search(replacement, 100)).toEqual(bestOf(growing, replacement, 100, () => true))
      return { slot: n * 400, replacement }
    })
    expect(growing.save().signedAt).toBe(20_001)
    // Turns of the event loop sign the rest.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
    const searched = growing.search(replaced[0]?.replacement ?? new Float32Array(16), 100)
    expect(searched.slots[0]).toBe(0)
    for (const { slot, replacement } of replaced)
      expect(slotsOf(growing.search(replacement, 1))).toEqual([slot])
  })

  it('orders equal vectors by slot, however many there are', () => {
    const vector = randomVector(16, random)
    const same = filled(
      16,
      range(20_500).map(() => vector),
    )
    same.remove(1)
    expect(slotsOf(same.search(vector, 4))).toEqual([0, 2, 3, 4])
  })
})
