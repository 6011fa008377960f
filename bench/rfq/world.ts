/**
 * A marketplace to measure in: the real engine and job runner in this process, PostgreSQL beside it with fsync on, and
 * all producers in one process of their own, each under a name of its own over TLS.
 */
import fs from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { createAccountsContext } from '../../src/accounts/context.ts'
import { NO_OFFERS } from '../../src/catalog/promoted-offer.ts'
import { loadConfig } from '../../src/config.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { startEmbedded } from '../../src/db/embedded.ts'
import { startListener } from '../../src/db/listen.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSecretBox } from '../../src/lib/crypto.ts'
import { newId } from '../../src/lib/ids.ts'
import { createLog } from '../../src/lib/log.ts'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import { createOutbound, type Outbound } from '../../src/lib/outbound.ts'
import { createOrgsContext, NO_ORG_HOOKS } from '../../src/orgs/context.ts'
import { createRfqContext, type RfqContext } from '../../src/rfq/context.ts'
import { createRfqJob } from '../../src/rfq/run.job.ts'
import { createTestCa } from '../../test/tls.ts'
import { startServer, tempDir } from '../processes.ts'

const SECRET = 'a secret for measuring of at least 32 characters'
const DOMAIN = 'shops.example'

/** A product's slug, and the names of those who sell it. */
export type Shelf = { slug: string; sellers: string[] }

export type Engine = { ctx: RfqContext; outbound: Outbound; stop(): Promise<void> }

export type RfqWorld = {
  db: Db
  hostOf(seller: string): string
  /** With no connection open yet. */
  newOutbound(): Outbound
  startEngine(options: { deadlineMs: number }): Promise<Engine>
  close(): Promise<void>
}

export async function createRfqWorld(shelves: Shelf[]): Promise<RfqWorld> {
  const dir = tempDir()
  const log = createLog('error')
  const authority = createTestCa()
  const { cert, key } = authority.certFor([`*.${DOMAIN}`])
  fs.writeFileSync(path.join(dir, 'cert.pem'), cert)
  fs.writeFileSync(path.join(dir, 'key.pem'), key)
  const producers = await startServer(
    '../rfq/producers.ts',
    path.join(dir, 'cert.pem'),
    path.join(dir, 'key.pem'),
  )
  const postgres = await startEmbedded({ dataDir: path.join(dir, 'data'), role: 'server', log })
  const database = openDatabase(postgres.connection, log)
  await migrate(database.pool)
  await fill(database.db, shelves)
  const hostOf = (seller: string) => `${seller}.${DOMAIN}`
  const sellers = [...new Set(shelves.flatMap((shelf) => shelf.sellers))]
  const pins = sellers.map((seller) => `${hostOf(seller)}=127.0.0.1:${producers.port}`)
  const newOutbound = () => createOutbound({ allow: parseOutboundAllow(pins.join(',')), ca: authority.ca })

  async function startEngine({ deadlineMs }: { deadlineMs: number }): Promise<Engine> {
    const outbound = newOutbound()
    const config = loadConfig({})
    const accounts = createAccountsContext({
      db: database.db,
      clock: systemClock,
      log,
      config,
      secret: SECRET,
    })
    const orgs = createOrgsContext(accounts, {
      outbound,
      resolveTxt: async () => [],
      secret: SECRET,
      orgHooks: NO_ORG_HOOKS,
    })
    const ctx = createRfqContext(orgs, { secret: SECRET, rfqDeadlineMs: deadlineMs, offers: NO_OFFERS })
    await ctx.signingKeys.current()
    const runner = createJobRunner({ db: database.db, log, jobs: [createRfqJob(ctx)] })
    runner.start()
    const listener = startListener(postgres.connection, { jobs: runner.wake, rfqs: ctx.news.tell }, log)
    return {
      ctx,
      outbound,
      async stop() {
        await Promise.all([runner.stop(), listener.close()])
        await outbound.close()
      },
    }
  }

  return {
    db: database.db,
    hostOf,
    newOutbound,
    startEngine,
    async close() {
      await database.close()
      await postgres.stop()
      await producers.stop()
      fs.rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Every seller signs with a secret of its own, which costs the most of the three ways. */
async function fill(db: Db, shelves: Shelf[]): Promise<void> {
  const box = createSecretBox(SECRET, 'integration')
  const sellers = [...new Set(shelves.flatMap((shelf) => shelf.sellers))].map((name) => ({
    id: newId(),
    name,
    domain: `${name}.${DOMAIN}`,
    secretBox: box.seal(`shared with ${name}`),
  }))
  const category = newId()
  await sql`insert into categories (id, slug, label) values (${category}, 'lamps', 'Lamps')`.execute(db)
  await sql`
    insert into orgs (id, name, org_type, domain, verification_status, verified_via, verified_at, verification_token)
    select s.id, s.name, 'retailer', s.domain, 'verified', 'operator', now(), s.name
    from json_to_recordset(${JSON.stringify(sellers)}::json) as s(id uuid, name text, domain text)`.execute(
    db,
  )
  await sql`
    insert into agent_integrations (org_id, agent_card_url, auth_type, secret_box, status)
    select s.id, 'https://' || s.domain || '/.well-known/agent-card.json', 'hmac', s."secretBox", 'active'
    from json_to_recordset(${JSON.stringify(sellers)}::json)
      as s(id uuid, domain text, "secretBox" text)`.execute(db)
  for (const { slug, sellers: names } of shelves) {
    const product = newId()
    await sql`
      insert into products (id, slug, title, category_id, list_price_cents)
      values (${product}, ${slug}, ${slug}, ${category}, 13000)`.execute(db)
    await sql`
      insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_via, verified_at)
      select gen_random_uuid(), o.id, ${product}, 'sells', 'verified', 'operator', now()
      from orgs o where o.name = any(${names})`.execute(db)
  }
  await sql`analyze`.execute(db)
}
