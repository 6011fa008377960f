/**
 * One form, and under it the plan it brought: what it is in a few lines, how the money is spent, then a card for each
 * category. The bar is SVG because its lengths are data and the page may carry no inline style; it repeats in length what
 * the list below it says in words, so screen readers are spared it.
 */
import type { Person } from '../../accounts/actor.ts'
import { BUNDLES_A_DAY, type BundleCategory, type BundleResponse } from '../../bundles/bundles.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { formatUsd } from '../../lib/money.ts'
import { MAX_QUERY } from '../../search/search.schema.ts'
import { Picture } from '../components/picture.tsx'
import { ErrorSummary, Field, Form, type FormState } from '../forms/fields.tsx'
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
const FIRST_CARDS = 4

export type ShownBundle = {
  response: BundleResponse
  /** By slug. One that has just been taken out of the catalog is missing. */
  profiles: ReadonlyMap<string, ProductProfile>
}

export type BundlePage = {
  site: Site
  /** Null when nobody is signed in. */
  user: Person | null
  state: FormState
  bundle?: ShownBundle
}

export function renderBundlePage({ site, user, state, bundle }: BundlePage): string {
  const wish = state.values.q ?? ''
  return String(
    <Layout site={site} title={`${TITLE} · Souk`} description={TEXT} path={bundle ? null : BUNDLE_PATH}>
      <header class="page-head">
        <h1>{TITLE}</h1>
        <p class="lead">{TEXT}</p>
      </header>
      <div class="plan">
        <ErrorSummary errors={state.errors} />
        <Form action={BUNDLE_PATH} label="Plan it">
          <Field
            state={state}
            name="q"
            label="What do you need, and for how much?"
            autocomplete="off"
            required
            maxlength={MAX_QUERY}
          />
        </Form>
        <MayPlan user={user} wish={wish} />
        {bundle ? <PlanSection {...bundle} /> : <Examples />}
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
      <Form action="/auth/verify" label="Send the mail again" kind="plain" />
    </div>
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

function PlanSection({ response, profiles }: ShownBundle) {
  const { overview, categories } = response
  return (
    <section aria-labelledby="plan">
      <h2 id="plan">Your plan</h2>
      <p class="lead">{overview}</p>
      {categories.length > 0 && (
        <>
          <Sums {...response} />
          <Spending {...response} />
          <ul class="cards">
            {categories.map((category, index) => (
              <PlanCard
                category={category}
                profile={profiles.get(category.product?.slug ?? '')}
                lazy={index >= FIRST_CARDS}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Sums({ budget, total }: BundleResponse) {
  const left = budget === null ? null : toCents(budget) - toCents(total)
  return (
    <dl class="facts">
      {budget !== null && <Sum name="Budget" cents={toCents(budget)} />}
      <Sum name="Total" cents={toCents(total)} />
      {left !== null && <Sum name={left < 0 ? 'Over budget by' : 'Left over'} cents={Math.abs(left)} />}
    </dl>
  )
}

function Sum({ name, cents }: { name: string; cents: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="price">{formatUsd(cents)}</dd>
    </div>
  )
}

const BAR_LENGTH = 1000
const GAP = 4
const MARK = 8

function Spending({ budget, total, categories }: BundleResponse) {
  const whole = Math.max(total, budget ?? 0)
  if (whole === 0) return null
  const scale = (dollars: number) => Math.round((dollars / whole) * BAR_LENGTH)
  let spent = 0
  const parts = categories.map(({ cost }) => {
    const from = scale(spent)
    spent += cost ?? 0
    return { from, length: Math.max(0, scale(spent) - from - GAP) }
  })
  return (
    <div>
      <svg class="bar spend" viewBox={`0 0 ${BAR_LENGTH} 1`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-track" width={BAR_LENGTH} height="1" />
        {parts.map(({ from, length }, index) => (
          <rect class="bar-fill" x={from} width={length} height="1" fill-opacity={shade(index)} />
        ))}
        {budget !== null && total > budget && (
          <rect class="limit" x={scale(budget) - MARK / 2} width={MARK} height="1" />
        )}
      </svg>
      <ul class="line">
        {categories.map((category, index) => (
          <li>
            <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">
              <rect width="1" height="1" fill-opacity={shade(index)} />
            </svg>
            {category.label} <span class="price">{costOf(category)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Strong and light by turns, so that neighbours differ whichever way the page is coloured. */
function shade(index: number): string {
  return (index % 2 === 0 ? 1 - index * 0.08 : 0.5 - index * 0.04).toFixed(2)
}

type PlanCardProps = { category: BundleCategory; profile: ProductProfile | undefined; lazy: boolean }

function PlanCard({ category, profile, lazy }: PlanCardProps) {
  const { label, product, reasoning, quantity, cost, over_budget } = category
  return (
    <li class="card">
      {profile && <Picture profile={profile} lazy={lazy} decorative />}
      <div class="card-body">
        {over_budget && <p class="badge">Over budget</p>}
        <p class="soft">{quantity > 1 ? `${label} · ${quantity} pieces` : label}</p>
        <h3 class="card-title">
          {product ? <a href={product.url}>{product.title}</a> : 'Nothing to recommend'}
        </h3>
        <p class="card-text">{reasoning}</p>
        {product && (
          <p class="card-facts">
            <span class="price">{cost === null ? 'See sellers' : formatUsd(toCents(cost))}</span>
            <span class="soft">{beside(category)}</span>
          </p>
        )}
      </div>
    </li>
  )
}

/** What a piece sells for; a single price of a single piece would only repeat the cost. */
function beside({ cost, quantity, product }: BundleCategory): string | null {
  const range = product?.price_range ?? null
  if (range === null || (cost !== null && range === formatUsd(toCents(cost)))) return null
  return quantity > 1 ? `${quantity} × ${range}` : range
}

function costOf({ cost, product }: BundleCategory): string {
  if (product === null) return 'nothing chosen'
  return cost === null ? 'price unknown' : formatUsd(toCents(cost))
}

function toCents(dollars: number): number {
  return Math.round(dollars * 100)
}
