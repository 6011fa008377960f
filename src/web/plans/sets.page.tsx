/**
 * `/sets` explains plans, shows the plan of the day, and has the form for one's own. The form leads to the results page,
 * which shows the plan above the results. Nothing is planned here, so a link to this page uses none of the day's plans.
 */

import type { Person } from '../../accounts/actor.ts'
import { BUNDLES_A_DAY } from '../../bundles/bundles.schema.ts'
import type { LeftToday } from '../../plans/quota.service.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { hasExamples } from '../components/examples.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { SignInWays, VerifyEmail } from '../components/sign-in-ways.tsx'
import { ErrorSummary, Field, type FormState, Hidden } from '../kit/fields.tsx'
import { Submit } from '../kit/parts.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { SETS_PATH, setsPath } from './address.ts'
import { DaySection, type ShownDay } from './day.section.tsx'
import { plansLeftWords } from './plans-left.ts'

const TITLE = 'Plan a bundle'
const TEXT =
  'Tell us what you’re planning and your budget. Souk picks a product for each thing you need, stays within budget and explains each choice.'
const EXAMPLES = [
  'home office setup under $1,200',
  'camping kit for two under $700',
  'espresso machine and coffee grinder for $700',
]

type SetsPage = {
  site: Site
  /** Null if nobody is signed in. */
  user: Person | null
  /** Null for who may not plan yet. */
  left: LeftToday | null
  state: FormState
  /** Null while there is none. */
  day: ShownDay | null
}

export function renderSetsPage({ site, user, left, state, day }: SetsPage): string {
  const wish = state.values.q ?? ''
  return String(
    <Layout site={site} title={`${TITLE} · Souk`} description={TEXT} path={SETS_PATH}>
      <header class="page-head">
        <h1>{TITLE}</h1>
        <p class="lead">{TEXT}</p>
      </header>
      <div class="set-form">
        <ErrorSummary errors={state.errors} />
        <form class="fields" action={SEARCH_PATH}>
          <Hidden name="bundle" value="1" />
          <Field
            state={state}
            name="q"
            label="What do you need, and what’s your budget?"
            autocomplete="off"
            required
            maxlength={MAX_QUERY}
          />
          <Submit line>Plan my bundle</Submit>
        </form>
        {left ? <p class="soft">{plansLeftWords(left)}</p> : <MayPlan user={user} wish={wish} />}
      </div>
      {day && <DaySection {...day} />}
      <div class="set-form">
        <HowItWorks />
        {hasExamples(site) && <Examples />}
      </div>
    </Layout>,
  )
}

function MayPlan({ user, wish }: { user: Person | null; wish: string }) {
  return (
    <div class="aside">
      {user ? (
        <VerifyEmail email={user.email} back={setsPath(wish)} then="plan your bundle" />
      ) : (
        <>
          <p>
            Sign in to plan a bundle. You get {BUNDLES_A_DAY} free plans a day. We’ll keep what you typed.
          </p>
          <SignInWays back={setsPath(wish)} />
        </>
      )}
    </div>
  )
}

function HowItWorks() {
  return (
    <section aria-labelledby="how">
      <h2 id="how">How it works</h2>
      <ul class="plain-list">
        <li>
          List what you need, or just describe the goal. Mention what you already own and we’ll leave it out.
        </li>
        <li>We use the highest shop price, so you’ll never pay more than the total shown.</li>
        <li>Sellers can’t pay to be in a plan.</li>
        <li>Reopening a plan within 10 minutes doesn’t count as a new one.</li>
      </ul>
    </section>
  )
}

function Examples() {
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">Examples</h2>
      <ul class="plain-list">
        {EXAMPLES.map((wish) => (
          <li>
            <a href={setsPath(wish)}>{wish}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
