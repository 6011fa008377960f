import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createHolds, openScratchFile } from './scratch-file.ts'

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'souk-scratch-test-'))

test('has no name from the beginning, so nothing is left behind however the process ends', async () => {
  const file = await openScratchFile(dir)
  await file.append(Buffer.from('something'))
  expect(fs.readdirSync(dir)).toEqual([])
  file.letGo()
})

test('what was written is read back from where it was put', async () => {
  const file = await openScratchFile(dir)
  expect(await file.append(Buffer.from('first'))).toBe(0)
  expect(await file.append(Buffer.from('second'))).toBe(5)
  expect(file.size()).toBe(11)
  expect((await file.read(5, 6)).toString()).toBe('second')
  await expect(file.read(8, 10)).rejects.toThrow('is shorter than')
  file.letGo()
})

test('stays open for anyone who holds it, and no longer', async () => {
  const file = await openScratchFile(dir)
  await file.append(Buffer.from('first'))
  const holds = createHolds()
  holds.add(file)
  holds.add(file)
  file.letGo()
  expect((await file.read(0, 5)).toString()).toBe('first')
  holds.letGo()
  await expect(file.read(0, 5)).rejects.toThrow()
  expect(() => createHolds().add(file)).toThrow('closed')
})
