/** What the use cases of the authorization server work with; made once at start. */
import type pg from 'pg'
import type { SessionsContext } from '../accounts/context.ts'
import { createNetworkLimit, type NetworkLimit } from '../accounts/network-limit.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Outbound } from '../lib/outbound.ts'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import { toolServerResource } from './resources.ts'
import { createTrace, type Trace } from './trace.service.ts'

export type OauthContext = SessionsContext & {
  log: Log
  pool: pg.Pool
  config: Pick<Config, 'adminEmails' | 'baseUrl' | 'trustProxy'>
  /** The tool server's address without trailing slash: the one audience of our tokens. */
  resource: string
  documents: ClientDocuments
  documentFetches: NetworkLimit
  registrations: NetworkLimit
  trace: Trace
}

export function createOauthContext(deps: {
  db: Db
  pool: pg.Pool
  clock: Clock
  log: Log
  config: Config
  outbound: Outbound
}): OauthContext {
  const { db, pool, clock, log, config, outbound } = deps
  return {
    db,
    pool,
    clock,
    log,
    config,
    resource: toolServerResource(config.mcpUrl),
    documents: createClientDocuments({ outbound, clock }),
    documentFetches: createDocumentLimit(clock),
    registrations: createRegistrationLimit(clock, config),
    trace: createTrace({ db, clock, log }),
  }
}

export const FETCHES_AN_HOUR = 360

/**
 * How many client documents one network may make us fetch. A stranger who opens the authorization page names
 * the address, signed in or not, and one host has any number of them: without a limit, strangers would decide where and
 * how often we ask. Only fetches count: a document that is remembered, as that of an app in use is, holds nobody up.
 */
function createDocumentLimit(clock: Clock): NetworkLimit {
  const rate = { count: FETCHES_AN_HOUR, windowMs: 3_600_000 }
  const words = { one: 'client document', many: 'client documents', done: 'fetched' }
  return createNetworkLimit({ name: 'documents', rate, clock, words })
}

/**
 * How many clients one network may register. Registration is open to everybody and leaves a row, so it is bounded; but
 * the limit is wide, because the servers of a large assistant register a client for each of its users from a few
 * addresses. Kept in memory: it guards each node's own work, and the sweep removes what nobody uses.
 */
function createRegistrationLimit(clock: Clock, { limits }: Pick<Config, 'limits'>): NetworkLimit {
  const words = { one: 'client', many: 'clients', done: 'registered' }
  return createNetworkLimit({ name: 'register', rate: limits.register, clock, words })
}
