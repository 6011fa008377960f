/**
 * Taking a removal back. What was removed is carried, sealed, by the page that tells of it: nothing of it is kept here, a
 * note never stands readable in an address, and nobody puts back what was not theirs or makes up a date and a price.
 */
import { z } from 'zod'
import type { AccountsContext } from '../../accounts/context.ts'
import { type SavedEntry, savedTitle } from '../../saved/saved.schema.ts'
import type { RemovedEntry } from '../../saved/saved.service.ts'

type Context = Pick<AccountsContext, 'secrets' | 'clock'>

const LIFETIME_MS = 30 * 60_000
const cents = z.int().nullable()

const Sealed = z.object({
  userId: z.string(),
  until: z.number(),
  title: z.string(),
  category: z.string(),
  slug: z.string(),
  list: z.string(),
  note: z.string().nullable(),
  targetPriceCents: cents,
  variant: z.object({ id: z.string(), name: z.string() }).nullable().default(null),
  was: z.object({ priceLowCents: cents, priceHighCents: cents }),
  savedAt: z.coerce.date(),
})

export function sealRemoved({ secrets, clock }: Context, userId: string, entry: SavedEntry): string {
  const { product, list, note, targetPriceCents, variant, was, savedAt } = entry
  const { category, slug } = product
  const until = clock.now().getTime() + LIFETIME_MS
  const removed: z.input<typeof Sealed> = {
    ...{
      userId,
      until,
      title: savedTitle(entry),
      category,
      slug,
      list,
      note,
      targetPriceCents,
      was,
      savedAt,
    },
    variant: variant && { id: variant.id, name: variant.name },
  }
  return secrets.undo.seal(JSON.stringify(removed))
}

/** Null when it is not a sealed removal, of another person, or expired. */
export function openRemoved(
  { secrets, clock }: Context,
  userId: string,
  token: string,
): (RemovedEntry & { title: string }) | null {
  const removed = Sealed.safeParse(open(() => secrets.undo.open(token))).data
  if (!removed || removed.userId !== userId || removed.until <= clock.now().getTime()) return null
  return removed
}

/** A box that was tampered with throws; one that another version of this program sealed may hold anything. */
function open(read: () => string): unknown {
  try {
    return JSON.parse(read())
  } catch {
    return null
  }
}
