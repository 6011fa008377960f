/**
 * A real PostgreSQL with pgvector inside this process (PGlite), reached by the real driver: its bytes go to the database's
 * own protocol in place of a socket. It has one session, so the pool has one connection.
 */
import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { type Database, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { SILENT } from './harness.ts'

export type VectorDatabase = Database & {
  /** From now on its answers do not come, until what is returned is called. */
  hang(): () => void
}

/** Migrated, with the extension at hand but not created. */
export async function createVectorDatabase(): Promise<VectorDatabase> {
  const pglite = await PGlite.create({ extensions: { vector } })
  let gate = Promise.resolve()
  const opened = openDatabase(
    { user: 'postgres', database: 'postgres', stream: () => protocolStream(pglite, () => gate) },
    SILENT,
    { poolSize: 1 },
  )
  await migrate(opened.pool)
  return {
    ...opened,
    hang() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    async close() {
      await opened.close()
      await pglite.close()
    },
  }
}

function protocolStream(pglite: PGlite, gate: () => Promise<void>): Duplex {
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      gate()
        .then(() => pglite.execProtocolRaw(new Uint8Array(chunk)))
        .then((answer) => {
          if (answer.length > 0) stream.push(Buffer.from(answer))
          done()
        }, done)
    },
    final(done) {
      stream.push(null)
      done()
    },
  })
  return Object.assign(stream, {
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
    connect: () => {
      queueMicrotask(() => stream.emit('connect'))
      return stream
    },
  })
}
