/** People with sessions and access tokens, written straight to the tables. */
import { sql } from 'kysely'
import type { Db } from '../src/db/database.ts'
import { hashToken } from '../src/lib/crypto.ts'
import { newId } from '../src/lib/ids.ts'

/** Somebody who is signed in with this token; answers their id. */
export async function signUp(
  db: Db,
  { token, accountType, isAdmin = false }: { token: string; accountType: string; isAdmin?: boolean },
): Promise<string> {
  const id = newId()
  await sql`
    insert into users (id, email, email_key, email_verified_at, account_type, is_admin)
    values (${id}, 'bench@x.example', 'bench@x.example', now(), ${accountType}, ${isAdmin})`.execute(db)
  await sql`
    insert into sessions (id, token_hash, user_id, expires_at)
    values (${newId()}, ${hashToken(token)}, ${id}, now() + interval '1 day')`.execute(db)
  return id
}

export function tokenOf(n: number): string {
  return `souk_at_${n}`
}

/** A tenth as many people as tokens: each has one client connected and ten tokens alive. */
export async function fillTokens(db: Db, tokens: number): Promise<void> {
  await sql`
    insert into users (id, email, email_key)
    select gen_random_uuid(), n || '@people.example', n || '@people.example'
    from generate_series(1, ${tokens / 10}::int) as n`.execute(db)
  await sql`
    insert into oauth_grants (id, user_id, client_id, client_name, client_host, scope, redirect_uris)
    select gen_random_uuid(), id, 'https://client.example/doc', 'Client', 'client.example', 'mcp',
      array['https://client.example/cb'] from users`.execute(db)
  await sql`
    insert into oauth_families (id, grant_id, user_id, client_id, scope)
    select gen_random_uuid(), id, user_id, client_id, scope from oauth_grants`.execute(db)
  const hashes = Array.from({ length: tokens }, (_, n) => hashToken(tokenOf(n)))
  await sql`
    insert into oauth_access_tokens (token_hash, family_id, expires_at)
    select t.hash, f.id, now() + interval '1 hour'
    from (select hash, (row_number() over () - 1) / 10 as family from unnest(${hashes}::text[]) as hash) as t
    join (select id, row_number() over () - 1 as family from oauth_families) as f using (family)`.execute(db)
  await sql`analyze`.execute(db)
}
