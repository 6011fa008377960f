/**
 * Renaming a verified organization. Buyers trust the mark beside the name, so a new name waits until an operator
 * approves it; meanwhile the old one stays. A request has an id of its own, and a newer request has another: the
 * operator never approves a name other than the one on the page. Decisions and requests on one organization take turns.
 */
import type { By } from '../accounts/admin.service.ts'
import { recordAudit } from '../accounts/audit.service.ts'
import type { Db } from '../db/database.ts'
import type { Searched } from '../db/like.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppError, notFound } from '../lib/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { OrgHooks } from './context.ts'
import {
  declineWaiting,
  deleteRename,
  findRename,
  listWaitingRenames,
  lockOrg,
  orgOfRename,
  type Rename,
  saveRename,
  updateOrg,
  type WaitingRename,
} from './orgs.queries.ts'
import { type Doing, recordAction } from './producer.ts'

export type { Rename, WaitingRename }

type OperatorContext = { db: Db; clock: Clock; orgHooks: OrgHooks }

const COMMAND_LINE: By = { actor: { kind: 'operator', id: null } }
const LISTED = 1_000

/** The last request of the organization, if it waits or was declined. */
export function lastRename(ctx: { db: Db }, orgId: string): Promise<Rename | null> {
  return findRename(ctx.db, orgId)
}

/** With the organization locked and verified. Asking for the same name again changes nothing. */
export async function requestRename(tx: Db, doing: Doing, name: string): Promise<void> {
  const { org, by } = doing.producer
  const waiting = await findRename(tx, org.id)
  if (waiting?.status === 'pending' && waiting.name === name) return
  const id = newId()
  await saveRename(tx, { id, orgId: org.id, name, requestedBy: by.id, now: doing.at })
  await recordAction(tx, doing, 'org.rename_requested', { name })
}

/** With the organization locked. Nothing waits afterwards; a refusal that was read goes too. */
export async function withdrawRename(tx: Db, doing: Doing): Promise<void> {
  const { org } = doing.producer
  const last = await findRename(tx, org.id)
  if (!last) return
  await deleteRename(tx, org.id)
  if (last.status === 'pending') await recordAction(tx, doing, 'org.rename_withdrawn', { name: last.name })
}

/** The oldest first. */
export function listRenames(ctx: { db: Db }, asked: Searched = { limit: LISTED }): Promise<WaitingRename[]> {
  return listWaitingRenames(ctx.db, asked)
}

export type Decided = { orgId: string; from: string; to: string }

export async function approveRename(ctx: OperatorContext, id: string, by = COMMAND_LINE): Promise<Decided> {
  return decide(ctx, id, async (tx, { orgId, from, to }, at) => {
    await updateOrg(tx, orgId, { name: to }, at)
    await deleteRename(tx, orgId)
    await recordAudit(tx, { ...by, action: 'org.renamed', at, orgId, detail: { from, to } })
    await ctx.orgHooks.changed(tx, orgId, at)
  })
}

/** `note`: its people read it. */
export async function declineRename(
  ctx: OperatorContext,
  id: string,
  note: string,
  by = COMMAND_LINE,
): Promise<Decided> {
  return decide(ctx, id, async (tx, { orgId, to }, at) => {
    await declineWaiting(tx, { orgId, note, now: at })
    await recordAudit(tx, { ...by, action: 'org.rename_declined', at, orgId, detail: { name: to, note } })
  })
}

async function decide(
  ctx: OperatorContext,
  id: string,
  act: (tx: Db, decided: Decided, at: Date) => Promise<void>,
): Promise<Decided> {
  const orgId = isUuid(id) ? await orgOfRename(ctx.db, id) : null
  if (orgId === null) throw noSuchRename()
  return ctx.db.transaction().execute(async (tx) => {
    const org = await lockOrg(tx, orgId)
    const rename = await findRename(tx, orgId)
    if (!org || rename?.id !== id || rename.status !== 'pending') throw noSuchRename()
    const decided = { orgId, from: org.name, to: rename.name }
    await act(tx, decided, ctx.clock.now())
    return decided
  })
}

function noSuchRename(): AppError {
  return notFound('no rename with this id is waiting: it was decided, withdrawn or replaced')
}
