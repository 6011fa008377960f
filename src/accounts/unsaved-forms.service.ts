/**
 * Forms that were sent after their session had ended. What was typed waits, sealed, until somebody has signed in again and
 * decides about it; nothing of it is done before. It is a table, because a cookie holds 4 KB, a node's memory is not that
 * of the node that answers next, and a page cannot carry it through an emailed link. A form opens for half an hour, in the
 * browser that sent it, and for the account whose session it was. Where that is not known, the browser alone decides.
 *
 * Anybody can send a form without a session, so a network has a limit, and the table as a whole has one.
 */
import { z } from 'zod'
import { isUuid, newId } from '../lib/ids.ts'
import type { AccountsContext, Visit } from './context.ts'
import { deleteUnsavedForm, findUnsavedForm, insertUnsavedForm } from './unsaved-forms.queries.ts'
import { networkOf, takeFromWindow } from './window-limit.service.ts'

const LIFETIME_MS = 30 * 60_000
const OF_A_NETWORK = { count: 60, windowMs: 3_600_000 }
const OF_ALL = 1_000
/** Of names and values together, as they were sent. */
const MOST_BYTES = 64 * 1024

const Form = z.object({
  /** Where it was sent, a path of ours. */
  action: z.string(),
  isMultipart: z.boolean(),
  /** Where it was to lead after signing in. */
  back: z.string(),
  fields: z.array(z.tuple([z.string(), z.string()])),
  /** What is never kept, and has to be given again. */
  missing: z.array(z.object({ name: z.string(), label: z.string(), isFile: z.boolean() })),
  /** What was typed, in words. */
  typed: z.array(z.object({ label: z.string(), value: z.string() })),
})
export type UnsavedForm = z.infer<typeof Form>

const Sealed = z.object({
  id: z.string(),
  browserHash: z.string(),
  account: z.string().nullable(),
  form: Form,
})

type Whose = {
  browserHash: string
  /** As `accountMark` names it; null when it is not known. */
  account: string | null
}
type Context = Pick<AccountsContext, 'db' | 'clock' | 'secrets'>

/** Its id; null when it is too large, or its network has sent too many. */
export async function keepUnsavedForm(
  ctx: Context,
  { form, visit, ...whose }: Whose & { form: UnsavedForm; visit: Pick<Visit, 'ip'> },
): Promise<string | null> {
  const bytes = form.fields.reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0)
  if (bytes > MOST_BYTES) return null
  const taken = await takeFromWindow(ctx, {
    whose: `unsaved form network ${networkOf(visit.ip)}`,
    rate: OF_A_NETWORK,
  })
  if (!taken.allowed) return null
  const id = newId()
  const box = ctx.secrets.unsaved.seal(
    JSON.stringify({ ...whose, id, form } satisfies z.input<typeof Sealed>),
  )
  const now = ctx.clock.now()
  await insertUnsavedForm(ctx.db, { id, box, now, expiresAt: new Date(now.getTime() + LIFETIME_MS) }, OF_ALL)
  return id
}

/** Null when there is none, it has run out, or it is another browser's or another account's. */
export async function findOwnForm(
  ctx: Context,
  { id, browserHash, account }: { id: string; browserHash: string | null; account: string },
): Promise<UnsavedForm | null> {
  if (!isUuid(id)) return null
  const row = await findUnsavedForm(ctx.db, id, ctx.clock.now())
  const sealed = row && Sealed.safeParse(opened(ctx, row.box)).data
  // The box names its row: one that was moved to another opens nothing.
  if (!sealed || sealed.id !== id || sealed.browserHash !== browserHash) return null
  return sealed.account === null || sealed.account === account ? sealed.form : null
}

/** The form that is gone; null when there was none of theirs. */
export async function discardForm(
  ctx: Context,
  whose: Parameters<typeof findOwnForm>[1],
): Promise<UnsavedForm | null> {
  const form = await findOwnForm(ctx, whose)
  return form && (await deleteUnsavedForm(ctx.db, whose.id)) ? form : null
}

/** A box of a secret that is gone, or that another version of this program sealed, is none. */
function opened({ secrets }: Pick<Context, 'secrets'>, box: string): unknown {
  try {
    return JSON.parse(secrets.unsaved.open(box))
  } catch {
    return null
  }
}
