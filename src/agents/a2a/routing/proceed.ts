/** What a draft leads to: the skill it is for, or the one thing that is asked next. */
import { isoDay } from '../../../lib/clock.ts'
import type { SkillId } from '../skills/skill.ts'
import { addDays } from './calendar.ts'
import { type Draft, productsOf, slugOf, type Wanted } from './draft.ts'
import { askHowMany, askWhen, askWhichOf, askWhichPlace, askWhichProduct, sayNotFound } from './questions.ts'
import type { Context } from './reading.ts'
import type { Routed } from './route-message.ts'

const SUGGESTED = 5
const SUGGESTED_DAYS = 30

export async function proceed(ctx: Context, wanted: Wanted, draft: Draft): Promise<Routed> {
  const course = { wanted, draft }
  const index = ctx.search.index()
  const found = productsOf(
    index,
    draft.products.map(({ slug }) => slug),
  )
  const [first] = found
  if (first && wanted === 'what-changed' && (draft.several || found.length === 1))
    return skill(wanted, { products: found.map(slugOf), ...(draft.date && { since: draft.date }) })
  if (found.length > 1) return askWhichOf(course, found)
  if (first)
    return wanted === 'request-for-quote' ? quote(ctx, draft, slugOf(first)) : lookUp(wanted, slugOf(first))
  const near = productsOf(index, draft.near ?? [])
  if (near.length > 0) return sayNotFound(course, near)
  if (wanted !== 'request-for-quote')
    return draft.near === null ? askWhichProduct(course, []) : sayNotFound(course, [])
  const suggested = draft.category
    ? await ctx.search.candidates({ query: draft.words, category: draft.category, limit: SUGGESTED })
    : []
  return askWhichProduct(
    course,
    suggested.map(({ product }) => product),
  )
}

function quote(ctx: Context, draft: Draft, slug: string): Routed {
  const course = { wanted: 'request-for-quote', draft } as const
  const { quantity, region, date, doubts } = draft
  if (doubts.place) return askWhichPlace(course, doubts.place)
  if (doubts.quantity) return askHowMany(course, doubts.quantity)
  if (doubts.date) return askWhen(course, doubts.date, isoDay(addDays(ctx.clock.now(), SUGGESTED_DAYS)))
  return skill('request-for-quote', {
    product_slug: slug,
    ...(quantity !== null && { quantity }),
    ...(region && { delivery_region: region }),
    ...(date && { deadline_iso: date }),
  })
}

function lookUp(wanted: Wanted, slug: string): Routed {
  return skill(wanted, { product_slug: slug })
}

export function skill(id: SkillId, params: Record<string, unknown>): Routed {
  return { kind: 'skill', skill: id, params }
}
