/** What the use cases of the authorization server work with; made once at start. */
import type pg from 'pg'
import type { SessionsContext } from '../accounts/context.ts'
import type { NetworkLimit } from '../accounts/network-limit.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Outbound } from '../lib/outbound.ts'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import { createDocumentLimit } from './document-limit.ts'
import { createRegistrationLimit, type RegistrationLimit } from './registration-limit.ts'
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
  registrations: RegistrationLimit
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
