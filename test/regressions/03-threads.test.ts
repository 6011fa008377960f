/** Threads that read files: few of them, a line before them, and an end in words for every file, whatever it does to its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createFileReaders, type ReaderOptions, readOnce } from '../../src/catalog/file-readers.ts'

const LONG_MS = 60_000
const options: Partial<ReaderOptions> = {
  script: new URL('./threads/misbehaving.worker.ts', import.meta.url),
  threads: 2,
  waiting: 3,
  waitingEach: 2,
  waitMs: LONG_MS,
  silentMs: LONG_MS,
}
const ask = { source: 'csv', mapping: { given: {} }, count: false, categories: [], now: new Date(0) } as const

function createReaders(more: Partial<ReaderOptions> = {}) {
  const read = createFileReaders({ ...options, ...more })
  return (fileName: string, who = 'org', signal?: AbortSignal, workMs?: number): Promise<unknown> =>
    readOnce(
      read(
        'look',
        nothing,
        { ...ask, fileName },
        { who, ...(signal && { signal }), ...(workMs && { workMs }) },
      ),
    )
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

test('one that says nothing for too long is ended with words, and the next file is read', async () => {
  const read = createReaders({ silentMs: 500 })
  await expect(read('hangs')).rejects.toMatchObject({
    kind: 'too_large',
    message: expect.stringContaining('takes too much time; split it'),
  })
  await expect(createReaders()('hangs', 'org', undefined, 500)).rejects.toMatchObject({ kind: 'too_large' })
  expect(await createReaders()('fine')).toBe('read')
})

test('one that needs more memory than it may have is ended with words, and the next file is read', async () => {
  const read = createReaders({ memoryMb: 16 })
  await expect(read('fills')).rejects.toMatchObject({
    kind: 'too_large',
    message: expect.stringContaining('takes too much memory; split it'),
  })
  expect(await read('fine')).toBe('read')
})

test.each(['dies', 'throws'])('one that %s is told as cut off, and the next file is read', async (how) => {
  const read = createReaders()
  await expect(read(how)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 })
  expect(await read('fine')).toBe('read')
})

test('files of one are read one after the other, and those of others meanwhile', async () => {
  const read = createReaders()
  const gone = new AbortController()
  const first = read('waits', 'one', gone.signal)
  let second: unknown = null
  const waiting = read('fine', 'one').then((result) => {
    second = result
  })
  expect(await read('fine', 'other')).toBe('read')
  expect(second).toBe(null)
  gone.abort()
  await expect(first).rejects.toMatchObject({ kind: 'unavailable' })
  await waiting
  expect(second).toBe('read')
})

test('the line before the threads has an end, for each and for all, and anyone who leaves it makes room', async () => {
  const read = createReaders()
  const gone = new AbortController()
  const running = ['a', 'b'].map((who) => read('waits', who, gone.signal).catch(() => 'gone'))
  const left = new AbortController()
  const waiting = [read('fine', 'a', left.signal), read('fine', 'a')]
  await expect(read('fine', 'a')).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringContaining('many files are being read'),
    retryAfterSeconds: 60,
  })
  const last = read('fine', 'c')
  await expect(read('fine', 'd')).rejects.toMatchObject({ kind: 'unavailable' })
  left.abort()
  await expect(waiting[0]).rejects.toMatchObject({ kind: 'unavailable' })
  const after = read('fine', 'd')
  gone.abort()
  expect(await Promise.all([...running, waiting[1], last, after])).toEqual([
    'gone',
    'gone',
    'read',
    'read',
    'read',
  ])
})

test('anyone who waits too long is told to come back', async () => {
  const read = createReaders({ waitMs: 200 })
  const gone = new AbortController()
  const running = read('waits', 'a', gone.signal)
  await expect(read('fine', 'a')).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 60 })
  gone.abort()
  await expect(running).rejects.toMatchObject({ kind: 'unavailable' })
})

test('what goes wrong while the bytes are fetched is told as it is', async () => {
  const read = createFileReaders({ threads: 1 })
  const broken = read(
    'look',
    async function* () {
      yield Buffer.from('title,category\nx,y\n')
      await sleep(1)
      throw new Error('the database is unavailable')
    },
    { ...ask, fileName: 'x.csv', count: true },
    { who: 'org' },
  )
  await expect(readOnce(broken)).rejects.toThrow('the database is unavailable')
})
