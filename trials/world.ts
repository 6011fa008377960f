/**
 * Everything a trial needs, in one call: a mail server, producers' agents, a cluster that knows them, and people.
 *
 *   const world = await openWorld({ nodes: 2 })
 *   const figures = await runTraffic({ ...world, addresses: world.cluster.addresses, concurrency: 8, seed: 1, until })
 *   await world.close()
 */
import { type Agents, startAgents } from './agents.ts'
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts'
import { makeTrialFolder } from './leftovers.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type People, producerDomain, seedPeople } from './people.ts'

export type World = {
  cluster: Cluster
  people: People
  mail: MailServer
  agents: Agents
  close(): Promise<void>
}

const PRODUCERS = 5
const SHOPPERS = 20
/** Short, so that a request whose node died is taken over and ended within a trial. */
const RFQ_DEADLINE_MS = 3_000
/** More than one busy tester needs; the tests of limits set their own. */
const NO_LIMITS = 'search=off,suggest=off,rfq=off,import=off,signup=off,register=off'

export async function openWorld(
  options: ClusterOptions & { shoppers?: number; producers?: number },
): Promise<World> {
  const { shoppers = SHOPPERS, producers = PRODUCERS, env, ...rest } = options
  const folder = makeTrialFolder()
  const mail = await startMailServer()
  const hosts = Array.from({ length: producers }, (_, n) => producerDomain(n + 1))
  const agents = await startAgents({ dir: folder.dir, hosts })
  const closeOthers = async () => {
    await Promise.all([mail.close(), agents.close()])
    folder.remove()
  }
  try {
    const cluster = await startCluster({
      ...rest,
      env: {
        SMTP_URL: mail.url,
        SOUK_RFQ_DEADLINE_MS: String(RFQ_DEADLINE_MS),
        SOUK_LIMITS: NO_LIMITS,
        ...agents.env,
        ...env,
      },
    })
    const close = async () => {
      await cluster.close()
      await closeOthers()
    }
    try {
      return {
        cluster,
        people: await seedPeople(cluster.database.db, { shoppers, producers }),
        mail,
        agents,
        close,
      }
    } catch (error) {
      await cluster.close()
      throw error
    }
  } catch (error) {
    await closeOthers()
    throw error
  }
}
