/** Reads pages of the catalog in a thread of its own, one after the other, while the database sends the next. */
import { parentPort, workerData } from 'node:worker_threads'
import { getTextsBetween } from '../catalog/catalog.service.ts'
import { openDatabase } from '../db/database.ts'
import { awaitLater } from '../lib/background.ts'
import { createLog } from '../lib/log.ts'
import { stepBackThread } from '../lib/step-back.ts'
import { copyVectors } from './copied-vectors.queries.ts'
import type { ReaderAnswer, ReaderData, SlugSpan } from './read-catalog.ts'
import { createProductReader } from './read-product.ts'

stepBackThread()
const { connection, model } = workerData as ReaderData
const { db, pool } = openDatabase(connection, createLog('error'), { poolSize: 2, readOnly: true })
let work: Promise<void> = Promise.resolve()

parentPort?.on('message', (span: SlugSpan) => {
  const found = awaitLater(find(span))
  work = work.then(async () => {
    try {
      const { texts, vectors, bytes } = await found
      const answer: ReaderAnswer = { products: texts.map(createProductReader()), vectors }
      parentPort?.postMessage(answer, [bytes])
    } catch (error) {
      parentPort?.postMessage({ error: (error as Error).message } satisfies ReaderAnswer)
    }
  })
})

async function find(span: SlugSpan) {
  const texts = await getTextsBetween({ db }, span)
  const copied = await copyVectors(
    pool,
    model,
    texts.map(({ id }) => id),
  )
  return { texts, ...copied }
}
