/** What one listing keeps of the segments. */
import os from 'node:os'
import { expect, test } from 'vitest'
import { addProducts, createListingsWorld, LONG_LINES, smallSplit } from '../../../../test/listings.world.ts'
import { openScratchFile } from '../../../lib/scratch-file.ts'
import { createLiveOffers } from '../../../offers/live-offers.ts'
import { assemble } from './assemble.ts'
import { readParts } from './bytes.ts'
import { createPieceStore } from './pieces.ts'
import { createSegments, type Segment, type Shape } from './segments.ts'

async function createStore(compactBytes: number) {
  const world = await createListingsWorld()
  await addProducts(world, { category: 'lamps', count: 30 })
  const offers = createLiveOffers(world.ctx)
  const site = { baseUrl: 'https://souk.test', mcpUrl: 'https://souk.test/mcp', demo: false }
  const segments = createSegments(world.ctx, 4)
  const store = createPieceStore({ ...world.ctx, site, offers }, LONG_LINES, {
    openFile: () => openScratchFile(os.tmpdir()),
    compactBytes,
  })
  const shape = await segments.settle()
  const all = shape.groups.flatMap((group) => group.segments)
  const make = async () => {
    for (const segment of all) await store.make(segment)
  }
  return { store, shape, all, make, site }
}

async function textOf(shape: Shape, site: Parameters<typeof assemble>[1]): Promise<string> {
  const pieceOf = (segment: Segment) => {
    const piece = segment.pieces.get(LONG_LINES)
    if (!piece) throw new Error('a piece is missing')
    return piece
  }
  const file = assemble(LONG_LINES, site, shape, pieceOf).get('/long.txt')
  if (!file) throw new Error('there is no file')
  let text = ''
  for await (const chunk of readParts(file.parts, { start: 0, end: file.length - 1 })) text += chunk
  return text
}

test('tidying up is wanted when most of a file is of no use, and takes that part back', async () => {
  const { store, shape, all, make, site } = await createStore(200_000)
  await make()
  const whole = await textOf(shape, site)
  expect(store.wantsCompaction(shape)).toBe(false)
  for (let round = 0; round < 2; round++) {
    for (const segment of all) segment.version++
    await make()
  }
  expect(store.wantsCompaction(shape)).toBe(true)
  await store.compact(shape)
  expect(store.wantsCompaction(shape)).toBe(false)
  const sizes = new Set(all.map((segment) => segment.pieces.get(LONG_LINES)?.file.size()))
  const needed = all.reduce((sum, segment) => sum + (segment.pieces.get(LONG_LINES)?.length ?? 0), 0)
  expect([...sizes]).toEqual([needed])
  expect(await textOf(shape, site)).toBe(whole)
  expect(all.every((segment) => store.fresh(segment))).toBe(true)
  store.close()
})

test('a piece in a file that was given up is not taken for fresh', async () => {
  const { store, shape, make } = await createStore(0)
  await make()
  const [given] = shape.groups.flatMap(({ segments }) => segments)
  if (!given) throw new Error('there is no segment')
  const [group] = shape.groups
  await store.compact({ ...shape, groups: group ? [{ ...group, segments: group.segments.slice(1) }] : [] })
  expect(store.fresh(given)).toBeNull()
  expect((await store.make(given)).file.size()).toBeGreaterThan(0)
  store.close()
})

test('a segment that is too large for a part by itself is a part by itself', async () => {
  const { store, shape, make, site } = await createStore(0)
  await make()
  const listing = { ...smallSplit(1), entry: LONG_LINES.entry }
  const pieceOf = (segment: Segment) => segment.pieces.get(LONG_LINES) ?? expect.unreachable()
  const filled = shape.groups
    .flatMap(({ segments }) => segments.map(pieceOf))
    .filter(({ entries }) => entries > 0)
  expect(assemble(listing, site, shape, pieceOf).size).toBe(filled.length + 1)
  store.close()
})
