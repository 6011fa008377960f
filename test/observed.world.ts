/**
 * A whole server in this process, on a database behind a guard that can be shut: what it counts, logs and traces is seen
 * from outside, as an operator would see it, and from inside its log.
 */
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { afterAll, inject } from 'vitest'
import { loadConfig } from '../src/config.ts'
import { connectDatabase } from '../src/db/connect.ts'
import { createSlowQueryLog } from '../src/db/slow-queries.ts'
import { manualClock } from '../src/lib/clock.ts'
import { startServer } from '../src/server.ts'
import { BASE_URL, SECRET } from '../trials/cluster.ts'
import { type People, seedPeople } from '../trials/people.ts'
import { captureLog, createTestDatabase, SILENT } from './harness.ts'
import { addProduct } from './products.ts'
import { type Family, readPrometheusText } from './prometheus-text.ts'
import { tempDataDir } from './server-process.ts'

export type Observed = Awaited<ReturnType<typeof startObserved>>

export async function startObserved(env: Record<string, string> = {}) {
  const direct = await createTestDatabase()
  // Few, because each is embedded; with none, many are brought.
  const ctx = { db: direct.db, clock: manualClock(new Date().toISOString()), log: SILENT }
  for (const slug of ['standing-desk-1', 'quiet-lamp-1'])
    await addProduct(
      { ctx, database: direct },
      { slug, category: 'office', title: slug.replaceAll('-', ' ') },
    )
  const people: People = await seedPeople(direct.db, { shoppers: 1, producers: 2 })
  // An address that is refused before anything is sent.
  await direct.pool.query(
    `update agent_integrations set agent_card_url = 'https://127.0.0.1:1/agent-card.json' where not is_managed`,
  )
  const guard = await openGuard()
  const { user, database } = direct.connection
  const config = loadConfig({
    SOUK_BASE_URL: BASE_URL,
    SOUK_SECRET: SECRET,
    SOUK_CATALOG: 'none',
    SOUK_DATA_DIR: tempDataDir(),
    SOUK_SLOW_QUERY_MS: '150',
    DATABASE_URL: `postgresql://${user}@127.0.0.1:${guard.port}/${database}`,
    PORT: '0',
    ...env,
  })
  const logged = captureLog()
  const connected = await connectDatabase(config, {
    role: 'server',
    log: logged.log,
    onQuery: createSlowQueryLog(logged.log, config.slowQueryMs),
  })
  const server = await startServer(config, { log: logged.log, database: connected })
  afterAll(async () => {
    guard.openAgain()
    await server.stop()
    guard.close()
  })
  const ask = (path: string, init?: RequestInit) => fetch(server.address + path, init)
  return {
    ask,
    people,
    direct,
    guard,
    logged,
    async metrics(): Promise<Map<string, Family>> {
      return readPrometheusText(await (await ask('/metrics')).text())
    },
    call: (name: string, given: object, headers: Record<string, string> = {}) =>
      ask('/mcp', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${people.shoppers[0]?.token}`,
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: given },
        }),
      }),
    /** The access line of an answer. */
    lineOf(answer: Response) {
      const id = answer.headers.get('x-request-id')
      return logged.lines().find((line) => line.requestId === id && line.status !== undefined)
    },
  }
}

/** To the database of all tests by TCP. While it is shut nothing passes and nothing ends, as with a server that hangs. */
async function openGuard() {
  const { host, port } = inject('postgres')
  const sockets = new Set<Socket>()
  let shut = false
  const server = createTcpServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('data', (bytes) => other.write(bytes))
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      if (shut) socket.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    shut() {
      shut = true
      for (const socket of sockets) socket.pause()
    },
    openAgain() {
      shut = false
      for (const socket of sockets) socket.resume()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
