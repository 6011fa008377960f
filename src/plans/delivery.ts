/** "Must arrive by Friday": what each candidate's sellers state, asked for only where there is a deadline. */
import type { PlanInput, Wish } from '../bundles/bundles.schema.ts'
import type { Db } from '../db/database.ts'
import { DAY_MS } from '../lib/clock.ts'
import { leadDays } from '../pricing/delivery.service.ts'

export async function withDelivery(
  ctx: { db: Db },
  { arriveInDays }: Pick<Wish, 'arriveInDays'>,
  input: PlanInput,
): Promise<PlanInput> {
  if (arriveInDays === null) return input
  const ids = input.categories.flatMap(({ candidates }) => candidates.map(({ product }) => product.id))
  const days = await leadDays(ctx, [...new Set(ids)])
  const categories = input.categories.map((category) => ({
    ...category,
    arriveInDays,
    candidates: category.candidates.map((one) => ({ ...one, days: days.get(one.product.id) ?? null })),
  }))
  return { ...input, categories }
}

/** What is left of a deadline that was named some days ago. */
export function deadlineAfter({ arriveInDays }: Wish, madeAt: Date, now: Date): Pick<Wish, 'arriveInDays'> {
  const past = Math.floor((now.getTime() - madeAt.getTime()) / DAY_MS)
  return { arriveInDays: arriveInDays === null ? null : Math.max(0, arriveInDays - past) }
}
