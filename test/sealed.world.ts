/** One sealed box of a kind, written straight to its table: what belongs to it is not needed to see whether it opens. */
import { createSecretBox } from '../src/lib/crypto.ts'
import { newId } from '../src/lib/ids.ts'
import type { SealedKind } from '../src/sealed.ts'
import type { TestDatabase } from './harness.ts'

type Insert = (box: string) => { text: string; values: unknown[] }

const INSERTS: Record<string, Insert> = {
  agent_integrations: (box) => ({
    text: `insert into agent_integrations (org_id, auth_type, secret_box) values ($1, 'hmac', $2)`,
    values: [newId(), box],
  }),
  product_pricing: (box) => ({
    text: 'insert into product_pricing (org_id, product_id, floors_box) values ($1, $2, $3)',
    values: [newId(), newId(), box],
  }),
  rfq_pushes: (box) => ({
    text: `insert into rfq_pushes (rfq_id, id, url, protocol, secrets_box)
           values ($1, 'p', 'https://a.example', '1.0', $2)`,
    values: [newId(), box],
  }),
  a2a_questions: (box) => ({
    text: `insert into a2a_questions (id, context_id, said, reply, push_box) values ($1, $2, 'hi', '{}', $3)`,
    values: [newId(), newId(), box],
  }),
  signing_keys: (box) => ({
    text: `insert into signing_keys (kid, public_jwk, private_box) values ($1, '{}', $2)`,
    values: [newId(), box],
  }),
  sources: (box) => ({
    text: `insert into sources (id, name, key, kind, url, auth, credentials_box, created_at, updated_at)
           values ($1, $3, $3, 'url', 'https://shop.example/feed', 'bearer', $2, now(), now())`,
    values: [newId(), box, newId()],
  }),
  jobs: (box) => ({
    text: `insert into jobs (id, kind, payload, max_attempts, run_at)
           values ($1, 'mail.send', jsonb_build_object('sealed', $2::text), 15, now() + interval '1 day')`,
    values: [newId(), box],
  }),
}

export async function sealOne(database: TestDatabase, { column }: SealedKind, secret: string): Promise<void> {
  const insert = INSERTS[column.table]?.(createSecretBox(secret, column.purpose).seal('{}'))
  if (!insert) throw new Error(`how to insert into ${column.table}?`)
  const client = await database.pool.connect()
  try {
    // Without the rows that it belongs to.
    await client.query('set session_replication_role = replica')
    await client.query(insert)
  } finally {
    client.release(true)
  }
}
