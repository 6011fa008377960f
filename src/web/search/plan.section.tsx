/** A plan above the results: the summary, how the budget is spent, then a row for each thing. */
import type { BundleResponse } from '../../bundles/bundles.schema.ts'
import { PLANS_PATH, planPath } from '../plans/address.ts'
import { type PlanProfiles, PlanRows, SpendingBar, Sums } from '../plans/plan-parts.tsx'

export type ShownPlan = { response: BundleResponse; profiles: PlanProfiles }

export function PlanSection({ response, profiles }: ShownPlan) {
  const { overview, categories } = response
  return (
    <section class="plan" aria-labelledby="plan">
      <h2 id="plan">Your plan</h2>
      <p class="lead">{overview}</p>
      {categories.length > 0 && (
        <>
          <Sums {...response} />
          <SpendingBar {...response} />
          {response.plan_id !== null && (
            <p class="line">
              <a class="button" href={planPath(response.plan_id)}>
                Edit this plan
              </a>
              <a href={PLANS_PATH}>All your plans</a>
            </p>
          )}
          <PlanRows rows={categories} profiles={profiles} queryId={response.query_id} />
        </>
      )}
    </section>
  )
}
