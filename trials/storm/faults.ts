/**
 * What can go wrong, each as a pair: it begins, and it is healed by what an operator would do (start a process, free the
 * disk), never by fixing the service. How long it lasts in between is for the storm to say.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { MailMood } from '../mail-server.ts'
import type { TrialNode } from '../node.ts'
import { WAYS } from '../pair.ts'
import { pickFrom, type Random } from '../random.ts'
import type { World } from '../world.ts'

export type FaultName =
  | 'kill-node'
  | 'kill-postgres'
  | 'kill-both'
  | 'full-disk'
  | 'hanging-database'
  | 'no-connections'
  | 'locked-table'
  | 'clock-jump'
  | 'mail-refuses'
  | 'stop-node'
  | 'fail-over'

export type Begun = {
  /** What exactly, for the line of the round. */
  what: string
  heal(): Promise<void>
}

export type Fault = {
  name: FaultName
  /** The database is touched: then answers may be a 500 where nothing better can be said. */
  ofDatabase: boolean
  /** May cost a caller units of a quota that were taken in a block. */
  losesBlocks: boolean
  /** How much longer than others it takes to be felt. */
  lasts?: number
  /** Only where the database has a standby. */
  ofPair?: boolean
  begin(world: World, random: Random): Promise<Begun>
}

const HOUR_MS = 3_600_000
const MOST_LOG_MB = 64
/** What nodes are left with when an outsider has taken the connections. */
const LEFT_CONNECTIONS = 2
/** Tables that many requests write. */
const HOT_TABLES = ['jobs', 'audit_log', 'tool_days', 'changes']

const aNode = ({ cluster }: World, random: Random): TrialNode => pickFrom(random, cluster.nodes)

export const FAULTS: readonly Fault[] = [
  {
    name: 'kill-node',
    ofDatabase: false,
    losesBlocks: true,
    async begin(world, random) {
      const node = aNode(world, random)
      await node.kill()
      return { what: `kill -9 ${node.name}`, heal: () => node.start() }
    },
  },
  {
    name: 'kill-postgres',
    ofDatabase: true,
    losesBlocks: true,
    async begin({ cluster }) {
      await cluster.postgres.kill()
      return { what: 'kill -9 PostgreSQL', heal: () => cluster.postgres.start() }
    },
  },
  {
    name: 'kill-both',
    ofDatabase: true,
    losesBlocks: true,
    async begin(world, random) {
      const node = aNode(world, random)
      await Promise.all([node.kill(), world.cluster.postgres.kill()])
      return {
        what: `kill -9 PostgreSQL and ${node.name}`,
        async heal() {
          await world.cluster.postgres.start()
          await node.start()
        },
      }
    },
  },
  {
    name: 'full-disk',
    ofDatabase: true,
    losesBlocks: true,
    async begin({ cluster: { postgres } }, random) {
      postgres.disk.fill()
      // What is there already can be written over for a while; without room for its log, PostgreSQL goes down at once.
      const down = random() < 0.5
      if (down) await useUpLog(postgres.connection)
      return {
        what: `the disk is full (by ${postgres.disk.way})${down ? ', and no room is left for the log' : ''}`,
        async heal() {
          postgres.disk.free()
          // It may have given up on its log of writes, and recovers now that there is room.
          await postgres.start()
        },
      }
    },
  },
  {
    name: 'hanging-database',
    ofDatabase: true,
    losesBlocks: true,
    lasts: 2,
    async begin({ cluster: { postgres } }) {
      postgres.hang()
      return { what: 'PostgreSQL hangs', heal: async () => postgres.goOn() }
    },
  },
  {
    name: 'no-connections',
    ofDatabase: true,
    losesBlocks: true,
    async begin({ cluster: { postgres, nodes } }) {
      const taken = await takeConnections(postgres.connection)
      for (const client of taken.splice(0, LEFT_CONNECTIONS)) await client.end().catch(() => {})
      // What nodes hold already they keep; a node that comes anew finds the house full.
      const node = nodes.at(-1)
      await node?.kill()
      await node?.start()
      return {
        what: `an outsider has ${taken.length} connections, and a node starts`,
        async heal() {
          await Promise.all(taken.map((client) => client.end().catch(() => {})))
          await node?.start()
        },
      }
    },
  },
  {
    name: 'locked-table',
    ofDatabase: true,
    losesBlocks: true,
    lasts: 2,
    async begin({ cluster: { postgres } }, random) {
      const table = pickFrom(random, HOT_TABLES)
      const client = new pg.Client(postgres.connection)
      client.on('error', () => {})
      await client.connect()
      await client.query(`begin; lock table ${table} in access exclusive mode`)
      return { what: `somebody has locked ${table}`, heal: () => client.end().catch(() => {}) }
    },
  },
  {
    name: 'clock-jump',
    ofDatabase: false,
    // At midnight the day changes with the clock, and units of the other day are not given back.
    losesBlocks: true,
    async begin(world, random) {
      const [first, ...others] = random() < 0.5 ? world.cluster.nodes : world.cluster.nodes.toReversed()
      first?.shiftClock(HOUR_MS)
      for (const other of others) other.shiftClock(-HOUR_MS)
      return {
        what: `${first?.name} is an hour ahead, the others an hour behind`,
        async heal() {
          for (const node of world.cluster.nodes) node.shiftClock(0)
        },
      }
    },
  },
  {
    name: 'mail-refuses',
    ofDatabase: false,
    losesBlocks: false,
    async begin({ mail }, random) {
      const mood = pickFrom<MailMood>(random, ['tempfail', 'refuse', 'hang-up', 'absent'])
      await mail.mood(mood)
      return { what: `the mail server: ${mood}`, heal: () => mail.mood('well') }
    },
  },
  {
    name: 'stop-node',
    ofDatabase: false,
    losesBlocks: false,
    async begin(world, random) {
      const node = aNode(world, random)
      const how = await node.stop()
      if (how !== 0) throw new Error(`${node.name} was asked to stop and ended with ${how}`)
      return { what: `${node.name} is stopped politely`, heal: () => node.start() }
    },
  },
  {
    name: 'fail-over',
    ofDatabase: true,
    losesBlocks: true,
    ofPair: true,
    lasts: 2,
    async begin({ cluster: { pair } }, random) {
      if (!pair) throw new Error('there is no standby')
      const way = pickFrom(random, WAYS)
      await pair.failOver(way)
      return { what: `the primary is ${way}, and the standby promoted`, heal: pair.repair }
    },
  },
]

async function useUpLog(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    for (let n = 0; n < MOST_LOG_MB; n++)
      await client.query(`select pg_logical_emit_message(false, 'trial', repeat('x', 1000000))`)
  } catch {
    // It is used up.
  }
  await client.end().catch(() => {})
}

/** Until there are no more. */
async function takeConnections(connection: pg.ClientConfig): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      taken.push(client)
    } catch {
      await client.end().catch(() => {})
      await sleep(0)
      return taken
    }
  }
}
