/**
 * Which of several servers takes writes. DATABASE_URL may name a primary and its standbys, as libpq writes it:
 *
 *   postgresql://souk@db1,db2:5433/souk
 *   postgresql://souk@/souk?host=/run/db1,/run/db2
 *
 * Every server is asked every two seconds what it is. New connections go to the primary; when another server is promoted,
 * connections to the old one are broken, because a server that was cut off may not know that it was replaced.
 */
import pg from 'pg'
import { inBackground } from '../lib/background.ts'
import type { Log } from '../lib/log.ts'

export type Primary = {
  /** Names the primary of the moment: it is read anew for each connection. */
  connection: pg.PoolConfig
  /** Waits until the servers were asked once. */
  look(): Promise<void>
  /** Called when the primary is another one. */
  onMove(listener: () => void): void
  /** Why no server takes writes, in words; null while one does. */
  trouble(): string | null
  stop(): void
}

const LOOK_EVERY_MS = 2_000
const ASK_MS = 1_500

export function followPrimary(url: string, log: Log): Primary {
  const urls = serverUrls(url)
  const [first = url] = urls
  const listeners: Array<() => void> = []
  let current = first
  let system: string | null = null
  let looking: Promise<void> | null = null
  let trouble: string | null = null
  let strangers = ''
  let timer: NodeJS.Timeout | undefined

  async function ask(): Promise<void> {
    const servers = await Promise.all(urls.map(askServer))
    const found = choosePrimary(servers, { current, system })
    trouble = found === null ? servers.map(wordsFor).join('; ') : null
    warnOfStrangers(servers)
    if (found === null) return
    system = found.system
    if (found.url === current) return
    log.warn(
      { from: placeOf(current), to: placeOf(found.url) },
      'another database server takes the writes now',
    )
    current = found.url
    for (const listener of listeners) listener()
  }

  /** Two servers that are no copies of each other must never be taken for one database. */
  function warnOfStrangers(servers: Server[]): void {
    const names = servers
      .filter((server) => system !== null && server.state !== 'away' && server.system !== system)
      .map(({ url: its }) => placeOf(its))
      .join(', ')
    if (names !== strangers && names !== '')
      log.error({ servers: names }, 'not a copy of the database in use, so it is never used')
    strangers = names
  }

  const look = () => {
    looking ??= ask().finally(() => {
      looking = null
    })
    return looking
  }
  if (urls.length > 1) {
    timer = setInterval(() => inBackground(log, 'looking for the primary database', look()), LOOK_EVERY_MS)
    timer.unref()
  }
  return {
    connection: {
      get connectionString() {
        return current
      },
    },
    look: async () => {
      if (urls.length > 1) await look()
    },
    onMove: (listener) => listeners.push(listener),
    trouble: () => trouble,
    stop: () => clearInterval(timer),
  }
}

/** Where one command finds the primary; the first server when none is one, whose refusal then says more. */
export async function primaryUrl(url: string): Promise<string> {
  const urls = serverUrls(url)
  if (urls.length < 2) return url
  const found = choosePrimary(await Promise.all(urls.map(askServer)), { current: url, system: null })
  return found?.url ?? urls[0] ?? url
}

/** One URL a server, each as if it stood alone. */
export function serverUrls(url: string): string[] {
  const [, start = '', hosts = '', path = '', query = ''] =
    /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? []
  if (hosts.includes(','))
    return hosts.split(',').map((host) => start + host + url.slice((start + hosts).length))
  const options = new URLSearchParams(query)
  const places = options.get('host')?.split(',') ?? []
  if (places.length < 2) return [url]
  const ports = options.get('port')?.split(',') ?? []
  return places.map((place, n) => {
    options.set('host', place)
    const port = ports[n] ?? ports[0]
    if (port !== undefined) options.set('port', port)
    return `${start}${hosts}${path}?${options}`
  })
}

export type Server =
  | { url: string; state: 'primary'; system: string; timeline: string }
  | { url: string; state: 'standby'; system: string }
  | { url: string; state: 'away'; why: string }

type PrimaryServer = Extract<Server, { state: 'primary' }>

/**
 * A promotion begins a new timeline, so of two that take writes the one on the later is the successor of the other.
 * `current` is left for a later one only.
 */
export function choosePrimary(
  servers: readonly Server[],
  { current, system }: { current: string; system: string | null },
): PrimaryServer | null {
  const able = servers.filter((server): server is PrimaryServer => server.state === 'primary')
  const inUse = able.find(({ url }) => url === current)
  const database = system ?? (inUse ?? able[0])?.system
  const [best] = able
    .filter((server) => server.system === database)
    .sort((a, b) => compare(b.timeline, a.timeline) || Number(b === inUse) - Number(a === inUse))
  return best ?? null
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The name of a piece of the log begins with its timeline, eight hexadecimal digits. */
const QUESTION = `
  select pg_is_in_recovery() as standby,
    (select system_identifier::text from pg_control_system()) as system,
    case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`

async function askServer(url: string): Promise<Server> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `souk look ${process.pid}`,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean; system: string; timeline: string }>(QUESTION)
    const [row] = rows
    if (!row) throw new Error('no answer')
    const { standby, system, timeline } = row
    return standby ? { url, state: 'standby', system } : { url, state: 'primary', system, timeline }
  } catch (error) {
    return { url, state: 'away', why: (error as Error).message || 'no answer' }
  } finally {
    // Not waited for: a server that hangs does not say goodbye.
    client.end().catch(() => {})
  }
}

function wordsFor(server: Server): string {
  const place = placeOf(server.url)
  if (server.state === 'away') return `${place}: ${server.why}`
  return server.state === 'standby' ? `${place} is a standby` : `${place} is another database`
}

/** Host and port, without a password. */
export function placeOf(connection: string | pg.ClientConfig): string {
  const { host, port } = new pg.Client(connection)
  return host.startsWith('/') ? host : `${host}:${port}`
}
