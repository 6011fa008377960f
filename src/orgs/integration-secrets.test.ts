/** Rotation of the key that seals producers' secrets, on a real database. */
import { beforeEach, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { createOrg } from '../../test/orgs.ts'
import { createSecretBox } from '../lib/crypto.ts'
import { newId } from '../lib/ids.ts'
import { resealSecrets } from './integration.service.ts'

const [OLD, NEW, GONE] = ['old', 'new', 'gone'].map(
  (name) => `the ${name} secret which has 32 characters or more`,
)
const box = (secrets: string) => createSecretBox(secrets, 'integration')
const souk = await createTestApp()
const { db } = souk.database
const rotating = { ...souk.orgs, integrationSecrets: box(`${NEW},${OLD}`) }

beforeEach(async () => {
  await db.deleteFrom('agent_integrations').execute()
})

/** Written in bulk: what is tested is the number of boxes, not how organizations are made. */
async function seal(count: number, secrets: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  const template = await db
    .selectFrom('orgs')
    .selectAll()
    .where('id', '=', (await createOrg(souk)).id)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('orgs')
    .values(ids.map((id) => ({ ...template, id, domain: null })))
    .execute()
  const rows = ids.map((id) => ({
    org_id: id,
    agent_card_url: 'https://acme.example/',
    auth_type: 'hmac' as const,
    secret_box: box(secrets).seal(`secret of ${id}`),
  }))
  await db.insertInto('agent_integrations').values(rows).execute()
  return ids
}

const boxes = () =>
  db.selectFrom('agent_integrations').select(['org_id', 'secret_box']).orderBy('org_id').execute()

test('every box of an older key is sealed anew, over many batches, and then the older key can go', async () => {
  const ids = await seal(23, OLD ?? '')
  expect(await resealSecrets(rotating, { batch: 5 })).toEqual({ resealed: 23, lost: [] })
  const found = await boxes()
  expect(found.length).toBe(ids.length)
  for (const { org_id, secret_box } of found)
    expect(box(NEW ?? '').open(secret_box ?? '')).toBe(`secret of ${org_id}`)
})

test('boxes of the newest key are left as they are, so a second run has nothing to do', async () => {
  await seal(3, NEW ?? '')
  await seal(2, OLD ?? '')
  expect(await resealSecrets(rotating, { batch: 2 })).toEqual({ resealed: 2, lost: [] })
  const before = await boxes()
  expect(await resealSecrets(rotating, { batch: 2 })).toEqual({ resealed: 0, lost: [] })
  expect(await boxes()).toEqual(before)
})

test('boxes that cannot be opened are counted and kept, and hold up none of the others', async () => {
  const lost = [...(await seal(4, GONE ?? ''))]
  await seal(3, OLD ?? '')
  lost.push(...(await seal(2, GONE ?? '')))
  const before = await boxes()
  const result = await resealSecrets(rotating, { batch: 2 })
  expect(result).toEqual({ resealed: 3, lost: lost.toSorted() })
  const after = await boxes()
  const kept = (all: typeof before) => all.filter(({ org_id }) => lost.includes(org_id))
  expect(kept(after)).toEqual(kept(before))
})

test('a box that was tampered with counts as lost', async () => {
  const [id] = await seal(1, OLD ?? '')
  const [found] = await boxes()
  const broken = `${found?.secret_box?.slice(0, -4)}AAAA`
  await db.updateTable('agent_integrations').set({ secret_box: broken }).execute()
  expect(await resealSecrets(rotating)).toEqual({ resealed: 0, lost: [id] })
})

test('a secret that its producer sets during the run is not overwritten', async () => {
  const [id] = await seal(1, OLD ?? '')
  const meanwhile = box(NEW ?? '').seal('the newer one')
  let reads = 0
  const racing = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      // Between reading the boxes and writing the first of them.
      if (++reads === 1) await db.updateTable('agent_integrations').set({ secret_box: meanwhile }).execute()
      return result
    },
  })
  expect(await resealSecrets({ ...rotating, db: racing })).toEqual({ resealed: 0, lost: [] })
  expect(await boxes()).toEqual([{ org_id: id, secret_box: meanwhile }])
})

test('each run leaves one record of the operator, with counts and nothing else', async () => {
  await seal(2, OLD ?? '')
  await db.deleteFrom('audit_log').execute()
  await resealSecrets(rotating)
  const records = await db.selectFrom('audit_log').select(['actor_kind', 'action', 'detail']).execute()
  const detail = { resealed: 2, lost: 0 }
  expect(records).toEqual([{ actor_kind: 'operator', action: 'integration.secrets_resealed', detail }])
})
