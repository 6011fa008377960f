import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { createRandom, folderFor } from '../../../test/stored-index.world.ts'
import { leavePart, readPart, writePart } from './part-files.ts'
import { createRecords, type Records, type SavedRecords } from './records.ts'
import type { Saved } from './saved.ts'

const folder = folderFor('records')
const EACH = 8

const fileFor = () => path.join(folder, randomUUID())

function pieces(random: () => number): Uint8Array[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    Uint8Array.from({ length: Math.floor(random() * 40) }, () => random() * 256),
  )
}

/** What is full goes to files, whose names are returned. */
async function leaveFull(records: Records): Promise<string[]> {
  return Promise.all(
    records.full().map(async (part) => {
      const file = fileFor()
      const { bytes } = await writePart(file, part.save())
      part.leave(await leavePart(file, { bytes, length: part.length }))
      return file
    }),
  )
}

function filled(count: number) {
  const random = createRandom(count)
  const onDamage = vi.fn<() => void>()
  const records = createRecords(EACH, undefined, onDamage)
  const given = Array.from({ length: count }, (_, n) => {
    const some = pieces(random)
    expect(records.add(some)).toBe(n)
    return Buffer.concat(some)
  })
  return { records, given, onDamage }
}

test('what was added is read again, from memory, from files, and after both were saved', async () => {
  const { records, given, onDamage } = filled(53)
  const isAllThere = (some: Records) => {
    for (const [n, bytes] of given.entries()) expect(some.read(n)).toEqual(bytes)
  }
  isAllThere(records)
  const before = records.bytes()
  expect(await leaveFull(records)).toHaveLength(6)
  expect(records.bytes()).toBeLessThan(before)
  isAllThere(records)
  const again = async (tree: Saved) => {
    const file = fileFor()
    return readPart(file, await writePart(file, tree))
  }
  const read = createRecords(EACH, (await again(records.save())) as SavedRecords)
  const parts = records.parts()
  for (const [at, part] of read.parts().entries()) part.load(await again(parts[at]?.save() ?? null))
  isAllThere(read)
  expect(read.add([Uint8Array.of(1, 2)])).toBe(53)
  isAllThere(read)
  expect([...(read.read(53) ?? [])]).toEqual([1, 2])
  expect([read.read(54), onDamage.mock.calls]).toEqual([null, []])
})

test('a group that nobody reads any more takes no room, and what was begun to be saved is still whole', async () => {
  const { records, given } = filled(20)
  const [first] = records.parts()
  const before = records.bytes()
  for (let record = 0; record < EACH; record++) records.drop(record)
  expect(records.bytes()).toBeLessThan(before)
  expect(records.full()).toHaveLength(1)
  expect(records.read(EACH)).toEqual(given[EACH])
  expect(Buffer.from(first?.save() as Uint8Array).includes(given[3] as Buffer)).toBe(true)
})

test('a record that a file does not hold as it was written is never given out', async () => {
  const { records, given, onDamage } = filled(16)
  const [one, other] = (await leaveFull(records)) as [string, string]
  const whole = fs.readFileSync(one)
  const random = createRandom(3)
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(whole)
    const at = Math.floor(random() * bytes.length)
    if (round % 3 === 0) fs.truncateSync(one, at)
    else {
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255))
      fs.writeFileSync(one, round % 3 === 1 ? bytes : fs.readFileSync(other))
    }
    const fresh = createRecords(EACH, records.save(), onDamage)
    const [part] = fresh.full()
    if (!part) throw new Error('no group is full')
    const fd = fs.openSync(one, 'r')
    part.leave({ fd, at: whole.length - part.length, length: part.length })
    for (let record = 0; record < EACH; record++)
      expect([null, given[record]]).toContainEqual(fresh.read(record))
    fs.closeSync(fd)
    fs.writeFileSync(one, whole)
  }
  expect(onDamage.mock.calls.length).toBeGreaterThan(40)
})
