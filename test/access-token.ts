/** An access token for tools and A2A as the token endpoint would have issued it, but for more than a year. */
import type { Db } from '../src/db/database.ts'
import { run } from '../src/db/rows.ts'
import { hashToken, newToken } from '../src/lib/crypto.ts'
import { newId } from '../src/lib/ids.ts'

const VALID_MS = 400 * 86_400_000

export async function giveAccessToken(
  db: Db,
  to: { userId: string; at: Date; baseUrl: string; clientName: string },
): Promise<string> {
  const { userId, at, baseUrl, clientName } = to
  const token = newToken('souk_at')
  const [grantId, familyId, clientId] = [newId(), newId(), newId()]
  await db
    .insertInto('oauth_grants')
    .values({
      id: grantId,
      user_id: userId,
      client_id: clientId,
      client_name: clientName,
      client_host: 'client.example',
      scope: 'mcp',
      redirect_uris: ['https://client.example/callback'],
      created_at: at,
      last_used_at: at,
      revoked_at: null,
    })
    .execute()
  await db
    .insertInto('oauth_families')
    .values({
      id: familyId,
      grant_id: grantId,
      user_id: userId,
      client_id: clientId,
      scope: 'mcp',
      resource: `${baseUrl}/mcp`,
      created_at: at,
      revoked_at: null,
      revoked_reason: null,
    })
    .execute()
  await run(db)`
    insert into oauth_access_tokens (token_hash, family_id, expires_at)
    values (${hashToken(token)}, ${familyId}, ${new Date(at.getTime() + VALID_MS)})`
  return token
}
