/**
 * The keys that sign quotes (Ed25519), made by whichever node first needs one and shared by all through the database,
 * the private half sealed. A rotated key signs no more but stays published: what it promised can still be proved.
 */
import { recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { SealedColumn } from '../db/reseal.ts'
import type { Clock } from '../lib/clock.ts'
import { createSecretBox } from '../lib/crypto.ts'
import {
  exportSigningKey,
  importSigningKey,
  newSigningKey,
  type PublicJwk,
  publicJwk,
  type SigningKey,
} from '../lib/jws.ts'
import { findSigningKeys, insertSigningKey, retireSigningKey } from './signing-keys.queries.ts'

export const SIGNING_KEYS: SealedColumn = {
  table: 'signing_keys',
  column: 'private_box',
  key: ['kid'],
  // One that signs no more is never opened again.
  needed: { retired_at: null },
  purpose: 'quote signing',
}

export type SigningKeys = {
  /** Asked of the database at most every so often: after a rotation elsewhere the old key signs a little longer. */
  current(): Promise<SigningKey>
  /** All that ever signed, newest first: what `/.well-known/jwks.json` publishes. */
  published(): Promise<{ keys: PublicJwk[] }>
  rotate(): Promise<{ kid: string }>
}

const LOOK_AGAIN_MS = 10_000

type Context = { db: Db; clock: Clock }

export function createSigningKeys(ctx: Context, secret: string): SigningKeys {
  const box = createSecretBox(secret, SIGNING_KEYS.purpose)
  let known: { kid: string; key: SigningKey; until: number } | null = null

  async function create(db: Db): Promise<string> {
    const key = newSigningKey()
    const made = { kid: key.kid, publicJwk: publicJwk(key), privateBox: box.seal(exportSigningKey(key)) }
    await insertSigningKey(db, { ...made, at: ctx.clock.now() })
    return key.kid
  }

  async function load(): Promise<SigningKey> {
    const [newest] = await findSigningKeys(ctx.db)
    if (!newest || newest.retired_at !== null) {
      await create(ctx.db)
      return load()
    }
    const until = performance.now() + LOOK_AGAIN_MS
    const key = known?.kid === newest.kid ? known.key : importSigningKey(box.open(newest.private_box))
    known = { kid: newest.kid, key, until }
    return key
  }

  return {
    current: async () => (known && performance.now() < known.until ? known.key : load()),
    async published() {
      const rows = await findSigningKeys(ctx.db)
      if (rows.length > 0) return { keys: rows.map((row) => row.public_jwk as unknown as PublicJwk) }
      // Then read, not told: the same text for everybody who asks.
      await load()
      return this.published()
    },
    async rotate() {
      const kid = await ctx.db.transaction().execute(async (tx) => {
        const at = ctx.clock.now()
        await retireSigningKey(tx, at)
        const made = await create(tx)
        const actor = { kind: 'operator', id: null } as const
        await recordAudit(tx, { actor, action: 'quote_key.rotated', at, detail: { kid: made } })
        return made
      })
      known = null
      return { kid }
    },
  }
}
