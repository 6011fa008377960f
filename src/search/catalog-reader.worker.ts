/** Reads pages of the catalog in a thread of its own, one after the other, while the database sends the next. */
import { parentPort, workerData } from 'node:worker_threads'
import { getTextsBetween } from '../catalog/catalog.service.ts'
import { openDatabase } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import { createLog } from '../lib/log.ts'
import { stepBackThread } from '../lib/step-back.ts'
import type { ReaderAnswer, ReaderData, SlugSpan } from './read-catalog.ts'
import { createProductReader } from './read-product.ts'
import type { ProductVectors } from './vectors/meaning-index.ts'
import { findVectors } from './vectors.queries.ts'

stepBackThread()
const { connection, model } = workerData as ReaderData
const { db } = openDatabase(connection, createLog('error'), { poolSize: 2, readOnly: true })
let work: Promise<void> = Promise.resolve()

parentPort?.on('message', (span: SlugSpan) => {
  const found = awaitLater(find(span))
  work = work.then(async () => {
    try {
      const { texts, vectors } = await found
      const { copies, bytes } = copyTogether(vectors)
      const answer: ReaderAnswer = { products: texts.map(createProductReader()), vectors: copies }
      parentPort?.postMessage(answer, [bytes])
    } catch (error) {
      parentPort?.postMessage({ error: (error as Error).message } satisfies ReaderAnswer)
    }
  })
})

async function find(span: SlugSpan) {
  const texts = await getTextsBetween({ db }, span)
  return {
    texts,
    vectors: await findVectors(
      db,
      model,
      texts.map(({ id }) => id),
    ),
  }
}

/** In one piece of memory, which is handed over rather than copied once more. */
function copyTogether(vectors: ReadonlyMap<string, ProductVectors>): {
  copies: Array<[string, ProductVectors]>
  bytes: ArrayBuffer
} {
  const all = [...vectors.values()]
  const size = ({ full, short, passages: { scales, rows, kinds } }: ProductVectors) =>
    full.byteLength +
    short.byteLength +
    scales.byteLength +
    aligned(rows.byteLength) +
    aligned(kinds.byteLength)
  const bytes = new ArrayBuffer(all.reduce((sum, one) => sum + size(one), 0))
  let at = 0
  const floats = (from: Float32Array): Float32Array => {
    const copy = new Float32Array(bytes, at, from.length)
    copy.set(from)
    at += from.byteLength
    return copy
  }
  const small = <Kind extends Int8Array | Uint8Array>(from: Kind, copy: Kind): Kind => {
    copy.set(from)
    at += aligned(from.byteLength)
    return copy
  }
  const copies = Array.from(vectors, ([id, { full, short, passages }]): [string, ProductVectors] => {
    const { scales, rows, kinds } = passages
    return [
      id,
      {
        full: floats(full),
        short: floats(short),
        passages: {
          scales: floats(scales),
          rows: small(rows, new Int8Array(bytes, at, rows.length)),
          kinds: small(kinds, new Uint8Array(bytes, at, kinds.length)),
        },
      },
    ]
  })
  return { copies, bytes }
}

/** Floats begin at multiples of four. */
function aligned(length: number): number {
  return Math.ceil(length / 4) * 4
}
