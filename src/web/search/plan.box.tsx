/** The box about a bundle above the results: the plan, or how to get one. */
import { BUNDLES_A_DAY } from '../../bundles/bundles.schema.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { SignInWays, VerifyEmail } from '../components/sign-in-ways.tsx'
import { Hidden } from '../kit/fields.tsx'
import { addressOf, NO_FILTERS, type SearchAddress } from './address.ts'
import { PlanSection } from './plan.section.tsx'
import type { PlanStanding } from './plan.ts'

type PlanBoxProps = { standing: PlanStanding; address: SearchAddress }

export function PlanBox({ standing, address }: PlanBoxProps) {
  switch (standing.kind) {
    case 'none':
      return null
    case 'planned':
      return <PlanSection {...standing.plan} />
    case 'refused':
      return (
        <p class="aside" role="status">
          {standing.text}
        </p>
      )
    case 'unconfirmed':
      return (
        <div class="aside">
          <VerifyEmail email={standing.email} back={planAddress(address)} then="search again for a bundle" />
        </div>
      )
    case 'sign_in':
      return (
        <div class="aside">
          <p>Sign in to plan this as a bundle: one product for each thing you need, within your budget.</p>
          <SignInWays back={planAddress(address)} />
        </div>
      )
    case 'offered':
      return <Offered q={address.q} />
  }
}

/** Shown until the plan arrives; the stylesheet then hides it. */
export function Planning() {
  return (
    <div class="aside planning" slot="plan">
      <p role="status">Planning your bundle…</p>
      <progress aria-label="Planning" />
    </div>
  )
}

/** Page 1 of the query without filters, with the bundle asked for explicitly. */
function planAddress(address: SearchAddress): string {
  return addressOf(address, { ...NO_FILTERS, sort: null, bundle: true })
}

function Offered({ q }: { q: string }) {
  return (
    <form class="aside" action={SEARCH_PATH}>
      <p>We can plan this as a bundle. It counts as one of your {BUNDLES_A_DAY} plans a day.</p>
      <Hidden name="q" value={q} />
      <Hidden name="bundle" value="1" />
      <p>
        <button class="button plain" type="submit">
          Plan this bundle
        </button>
      </p>
    </form>
  )
}
