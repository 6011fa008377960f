/** The plan of the day: what a plan looks like, for people who have none yet. The same for everybody. */

import type { BundleResponse } from '../../bundles/bundles.schema.ts'
import { getProfiles } from '../../catalog/catalog.service.ts'
import type { Db } from '../../db/database.ts'
import type { DayPlan } from '../../plans/plan-of-day.ts'
import { capital } from '../format.ts'
import { LinkButton } from '../kit/parts.tsx'
import { setsPath } from './address.ts'
import { type PlanProfiles, PlanRows, SpendingBar, Sums } from './plan-parts.tsx'

export type ShownDay = { wish: string; response: BundleResponse; profiles: PlanProfiles }

/** Adds the pictures. Null when a product has just left the catalog. */
export async function showDay(ctx: { db: Db }, day: DayPlan | null): Promise<ShownDay | null> {
  if (day === null) return null
  const { wish, response, products } = day
  const found = await getProfiles(ctx, products)
  if (found.length < response.categories.length) return null
  return { wish, response, profiles: new Map(found.map((profile) => [profile.slug, profile])) }
}

export function DaySection({ wish, response, profiles, about }: ShownDay & { about?: boolean }) {
  return (
    <section class="day-plan" aria-labelledby="day-plan">
      <div class="day-head">
        <div class="day-wish">
          <p class="eyebrow">Plan of the day</p>
          <h2 id="day-plan">{capital(wish)}</h2>
          <p>{response.overview}</p>
          <p class="line">
            <LinkButton to={`${setsPath(wish)}#field-q`} primary label="Make it yours" />
            {about && <a href={setsPath('')}>How plans work</a>}
          </p>
        </div>
        <div class="day-money">
          <Sums {...response} />
          <SpendingBar {...response} />
        </div>
      </div>
      <PlanRows rows={response.categories} profiles={profiles} lazy />
    </section>
  )
}
