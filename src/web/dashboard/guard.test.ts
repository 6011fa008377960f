/** What a page of the dashboard knows of its reader while it is made, and what is looked up again. */
import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { createOrg } from '../../../test/orgs.ts'
import { findSession } from '../../accounts/sessions.service.ts'
import { type Caller, requireProducer } from '../../orgs/producer.ts'
import { findVisitor, showTo } from './guard.tsx'

const souk = await createTestApp()
const { ctx } = souk

async function removedWhileReading(read: (caller: Caller) => Promise<unknown>): Promise<Caller> {
  const { ownerId, session } = await createOrg(souk)
  const token = session.cookie.slice(session.cookie.indexOf('=') + 1)
  const actor = await findSession(souk.orgs, token)
  const visitor = actor && (await findVisitor(souk.orgs, actor))
  if (!visitor) throw new Error('nobody visits')
  let caller: Caller = visitor.caller
  await showTo(visitor, async (reader) => {
    caller = reader.caller
    await ctx.db.deleteFrom('org_members').where('user_id', '=', ownerId).execute()
    await read(caller)
    return new Response()
  })
  return caller
}

test('a page reads by what was known when it was asked for', async () => {
  await removedWhileReading(async (caller) => {
    expect(await requireProducer(ctx, caller, 'oversee')).toMatchObject({ role: 'owner' })
  })
})

test('who writes is looked up again, whatever is known', async () => {
  await removedWhileReading(async (caller) => {
    await expect(requireProducer(ctx, caller, 'manage')).rejects.toThrow('no longer belong')
  })
})

test('what is read after a page has begun is looked up again', async () => {
  const caller = await removedWhileReading(async () => {})
  await expect(requireProducer(ctx, caller, 'read')).rejects.toThrow('no longer belong')
})
