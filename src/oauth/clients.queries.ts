/** SQL of registered clients. */
import type { Db } from '../db/database.ts'
import { changed, one, run } from '../db/rows.ts'

type ClientRow = { name: string; uri: string | null; redirectUris: string[] }

export function findClientRow(db: Db, clientId: string) {
  return one<ClientRow>(db)`
    select client_name as name, client_uri as uri, redirect_uris as "redirectUris"
    from oauth_clients where client_id = ${clientId}`
}

export function insertClient(
  db: Db,
  client: ClientRow & { id: string; metadata: Record<string, unknown>; now: Date },
) {
  return run(db)`
    insert into oauth_clients (client_id, client_name, client_uri, redirect_uris, metadata, created_at)
    values (${client.id}, ${client.name}, ${client.uri}, ${client.redirectUris}, ${JSON.stringify(client.metadata)}::jsonb,
            ${client.now})`
}

/** Once an hour is often enough to know which clients are in use, and spares a write at every refresh. */
export function touchClient(db: Db, clientId: string, now: Date) {
  return run(db)`
    update oauth_clients set last_used_at = ${now}
    where client_id = ${clientId}
      and (last_used_at is null or last_used_at < ${now}::timestamptz - interval '1 hour')`
}

/** Clients nobody has used for so long, and through which nobody is connected. */
export function deleteIdleClients(db: Db, before: Date) {
  return changed(db)`
    delete from oauth_clients c
    where c.created_at < ${before} and coalesce(c.last_used_at, c.created_at) < ${before}
      and not exists (
        select 1 from oauth_grants g where g.client_id = c.client_id::text and g.revoked_at is null)`
}
