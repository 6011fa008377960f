/** What stands above the results about a set: the plan, or how to come by one. Nothing where the words ask for none. */
import { BUNDLES_A_DAY } from '../../bundles/bundles.schema.ts'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { Form, Hidden } from '../kit/fields.tsx'
import { onward } from '../onward.ts'
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
      return <Unconfirmed email={standing.email} back={planAddress(address)} />
    case 'sign_in':
      return <SignIn back={planAddress(address)} />
    case 'offered':
      return <Offered q={address.q} />
  }
}

/** Comes at once where the plan itself takes a while; the style takes it away when the plan is there. */
export function Planning() {
  return (
    <div class="aside planning" slot="plan">
      <p role="status">Planning a set for your words…</p>
      <progress aria-label="Planning" />
    </div>
  )
}

/** The first page of the words alone, with the set asked for outright. */
function planAddress(address: SearchAddress): string {
  return addressOf(address, { ...NO_FILTERS, sort: null, bundle: true })
}

function SignIn({ back }: { back: string }) {
  return (
    <div class="aside">
      <p>Sign in to have this planned as a set: one product for each thing, within your budget.</p>
      <ul class="line">
        <li>
          <a href={onward('/auth/signin', back)}>Sign in</a>
        </li>
        <li>
          <a href={onward('/auth/signup', back)}>Create an account</a>
        </li>
      </ul>
    </div>
  )
}

function Unconfirmed({ email, back }: { email: string; back: string }) {
  return (
    <div class="aside">
      <p>
        This can be planned as a set once your address is confirmed. Open the link in the mail we sent to{' '}
        {email}, then search again.
      </p>
      <Form action="/auth/verify" label="Send the mail again" kind="plain">
        <Hidden name="return_to" value={back} />
      </Form>
    </div>
  )
}

function Offered({ q }: { q: string }) {
  return (
    <form class="aside" action={SEARCH_PATH}>
      <p>This can be planned as a set. It counts as one of your {BUNDLES_A_DAY} plans a day.</p>
      <Hidden name="q" value={q} />
      <Hidden name="bundle" value="1" />
      <p>
        <button class="button plain" type="submit">
          Plan it as a set
        </button>
      </p>
    </form>
  )
}
