/**
 * What a set is, and the form that asks for one. It leads to the results, where the plan is shown above them: one place
 * for whatever was searched for. Nothing is planned here, so a link to this page costs nobody anything.
 */
import type { Person } from '../../accounts/actor.ts'
import { BUNDLES_A_DAY } from '../../bundles/bundles.schema.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { hasExamples } from '../components/examples.tsx'
import { SEARCH_PATH } from '../components/search-box.tsx'
import { ErrorSummary, Field, Form, type FormState, Hidden } from '../kit/fields.tsx'
import { Layout } from '../layout.tsx'
import { onward } from '../onward.ts'
import type { Site } from '../site.ts'

export const BUNDLE_PATH = '/bundle'

const TITLE = 'Plan a whole set'
const TEXT =
  'Say what it is for and what it may cost. Souk chooses a product for each thing you need, keeps the sum within your budget and says why.'
const EXAMPLES = [
  'home office setup under $1,200',
  'camping kit for two under $700',
  'espresso machine and coffee grinder for $700',
]

export type BundlePage = {
  site: Site
  /** Null when nobody is signed in. */
  user: Person | null
  state: FormState
}

export function renderBundlePage({ site, user, state }: BundlePage): string {
  const wish = state.values.q ?? ''
  return String(
    <Layout site={site} title={`${TITLE} · Souk`} description={TEXT} path={BUNDLE_PATH}>
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
            label="What do you need, and for how much?"
            autocomplete="off"
            required
            maxlength={MAX_QUERY}
          />
          <p>
            <button class="button" type="submit">
              Plan it
            </button>
          </p>
        </form>
        <MayPlan user={user} wish={wish} />
        <HowItWorks />
        {hasExamples(site) && <Examples />}
      </div>
    </Layout>,
  )
}

export function bundlePath(wish: string): string {
  return wish === '' ? BUNDLE_PATH : `${BUNDLE_PATH}?${new URLSearchParams({ q: wish })}`
}

function MayPlan({ user, wish }: { user: Person | null; wish: string }) {
  if (user === null)
    return (
      <div class="aside">
        <p>
          Plans are for people with an account: {BUNDLES_A_DAY} a day, free. What you have typed comes along.
        </p>
        <p class="line">
          <a href={onward('/auth/signin', bundlePath(wish))}>Sign in</a>
          <a href={onward('/auth/signup', bundlePath(wish))}>Create an account</a>
        </p>
      </div>
    )
  if (user.emailVerified) return null
  return (
    <div class="aside">
      <p>
        Your address is not confirmed yet. Open the link in the mail we sent to {user.email}, then plan here.
      </p>
      <Form action="/auth/verify" label="Send the mail again" kind="plain">
        <Hidden name="return_to" value={bundlePath(wish)} />
      </Form>
    </div>
  )
}

function HowItWorks() {
  return (
    <section aria-labelledby="how">
      <h2 id="how">How it works</h2>
      <ul class="plain-list">
        <li>Name the things, or say what it is all for. Say what you have already and it is left out.</li>
        <li>Each price is reckoned at the dearest shop, so the sum holds wherever you buy.</li>
        <li>Nothing can be paid for a place in a plan.</li>
        <li>A plan counts once: coming back to it within ten minutes costs nothing.</li>
      </ul>
    </section>
  )
}

function Examples() {
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">For example</h2>
      <ul class="plain-list">
        {EXAMPLES.map((wish) => (
          <li>
            <a href={bundlePath(wish)}>{wish}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}
