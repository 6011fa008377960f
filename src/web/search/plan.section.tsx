/**
 * A bundle plan above the results: the summary, how the budget is spent, then a card for each category. The bar is SVG
 * because the content security policy forbids inline styles. It is hidden from screen readers, because the list below
 * it has the same figures.
 */
import type { BundleCategory, BundleResponse } from '../../bundles/bundles.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { usd } from '../../lib/words.ts'
import { Fact } from '../components/fact.tsx'
import { Picture } from '../components/picture.tsx'

export type ShownPlan = {
  response: BundleResponse
  /** By slug. A product that was just removed from the catalog is missing. */
  profiles: ReadonlyMap<string, ProductProfile>
}

const FIRST_CARDS = 4

export function PlanSection({ response, profiles }: ShownPlan) {
  const { overview, categories } = response
  return (
    <section class="plan" aria-labelledby="plan">
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
                queryId={response.query_id}
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
  const left = budget === null ? null : budget - total
  return (
    <dl class="facts">
      {budget !== null && <Sum name="Budget" dollars={budget} />}
      <Sum name="Total" dollars={total} />
      {left !== null && <Sum name={left < 0 ? 'Over budget by' : 'Left over'} dollars={Math.abs(left)} />}
    </dl>
  )
}

function Sum({ name, dollars }: { name: string; dollars: number }) {
  return (
    <Fact name={name}>
      <span class="price">{usd(dollars)}</span>
    </Fact>
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

/** Alternates dark and light, so that neighbors differ in both themes. */
function shade(index: number): string {
  return (index % 2 === 0 ? 1 - index * 0.08 : 0.5 - index * 0.04).toFixed(2)
}

type PlanCardProps = {
  category: BundleCategory
  queryId: string
  profile: ProductProfile | undefined
  lazy: boolean
}

function PlanCard({ category, queryId, profile, lazy }: PlanCardProps) {
  const { label, product, reasoning, quantity, cost, over_budget } = category
  return (
    <li class="card">
      {profile && <Picture profile={profile} lazy={lazy} decorative />}
      <div class="card-body">
        {over_budget && <p class="badge">Over budget</p>}
        <p class="soft">{quantity > 1 ? `${label} · ${quantity} items` : label}</p>
        <h3 class="card-title">
          {product ? (
            <a href={product.url} data-query-id={queryId} data-slug={product.slug}>
              {product.title}
            </a>
          ) : (
            'No product found'
          )}
        </h3>
        <p class="card-text">{reasoning}</p>
        {product && (
          <p class="card-facts">
            <span class="price">{cost === null ? 'See sellers' : usd(cost)}</span>
            <span class="soft">{beside(category)}</span>
          </p>
        )}
      </div>
    </li>
  )
}

/** The price per item, unless it only repeats the cost. */
function beside({ cost, quantity, product }: BundleCategory): string | null {
  const range = product?.price_range ?? null
  if (range === null || (cost !== null && range === usd(cost))) return null
  return quantity > 1 ? `${quantity} × ${range}` : range
}

function costOf({ cost, product }: BundleCategory): string {
  if (product === null) return 'no product'
  return cost === null ? 'price unknown' : usd(cost)
}
