/**
 * What reading large files takes of the memory, measured in a thread of its own: its heap holds nothing else, so that
 * collecting it takes milliseconds, and what other tests leave behind does not count.
 */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort } from 'node:worker_threads'
import { readRows } from '../src/catalog/import/read-rows.ts'

export type ImportMemory = {
  /** Of the whole file, and the most that was held of it at any look. */
  jsonl: { rows: number; bytes: number; heldBytes: number }
  csv: { rows: number; bytes: number; heldBytes: number }
  endlessProduct: { read: unknown[]; bytes: number; heldBytes: number }
  endlessLine: { read: unknown[]; bytes: number; heldBytes: number }
}

const ROWS = 20_000
const LOOK_EVERY = 5_000
const TEXT = 'A description of ordinary length, as shops write them for people to read. '.repeat(2)

const FILES = {
  jsonl: {
    first: '',
    row: (n: number) =>
      `{"title":"Product ${n}","category":"kettles","description":"${TEXT}","price":{"low":${n},"high":${n}}}\n`,
  },
  csv: {
    first: 'title,category,description,price\n',
    row: (n: number) => `"Product ${n}, new",kettles,"${TEXT}",${n}.50\n`,
  },
}

/** In bytes. Collected twice, because buffers found dead by the first are given back in the background. */
async function used(collectGarbage: () => void): Promise<number> {
  collectGarbage()
  await setImmediate()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function measure(): Promise<ImportMemory> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')

  const readFile = async (format: keyof typeof FILES) => {
    const { first, row } = FILES[format]
    let bytes = 0
    async function* input() {
      yield Buffer.from(first)
      for (let n = 0; n < ROWS; n += 500) {
        const chunk = Buffer.from(Array.from({ length: 500 }, (_, i) => row(n + i)).join(''))
        bytes += chunk.length
        yield chunk
      }
    }
    const before = await used(collectGarbage)
    let heldBytes = 0
    let rows = 0
    for await (const read of readRows(input(), { format })) {
      if (!('product' in read)) throw new Error(JSON.stringify(read))
      rows += 1
      if (rows % LOOK_EVERY === 0) heldBytes = Math.max(heldBytes, (await used(collectGarbage)) - before)
    }
    return { rows, bytes, heldBytes }
  }

  /** Looked at when all but the end has been given. */
  const readEndless = async (
    format: 'jsonl' | 'shopify',
    start: string,
    pieces: Iterable<Buffer>,
    end: string,
  ) => {
    const before = await used(collectGarbage)
    let bytes = 0
    let heldBytes = 0
    async function* input() {
      yield Buffer.from(start)
      for (const piece of pieces) {
        bytes += piece.length
        yield piece
      }
      heldBytes = (await used(collectGarbage)) - before
      yield Buffer.from(end)
    }
    const read: unknown[] = []
    for await (const row of readRows(input(), { format })) read.push(row)
    return { read, bytes, heldBytes }
  }

  function* productRows() {
    for (let n = 0; n < ROWS; n += 500) {
      const rows = Array.from(
        { length: 500 },
        (_, i) => `a,,https://a.example/${n + i}/${TEXT},,${TEXT}${n + i}\n`,
      )
      yield Buffer.from(rows.join('').replaceAll(', ', ' '))
    }
  }
  function* partsOfLine() {
    for (let part = 0; part < 1_000; part++) yield Buffer.alloc(50_000, 'x')
  }

  return {
    jsonl: await readFile('jsonl'),
    csv: await readFile('csv'),
    endlessProduct: await readEndless(
      'shopify',
      'Handle,Title,Image Src,Option1 Name,Option1 Value\na,A,,Color,\n',
      productRows(),
      '',
    ),
    endlessLine: await readEndless('jsonl', '{"title":"', partsOfLine(), '"}\n{"title":"B"}\n'),
  }
}

parentPort?.postMessage(await measure())
