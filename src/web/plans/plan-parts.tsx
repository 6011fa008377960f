/**
 * What every page with a plan shows alike: the sums, how the budget is spent, and a row for each thing with its picture,
 * its price and why it was chosen. The bar is SVG because the content security policy forbids inline styles. It is hidden
 * from screen readers, because the rows have the same figures.
 */
import type { Child } from 'hono/jsx'
import type { BundleCategory, BundleResponse } from '../../bundles/bundles.schema.ts'
import type { ProductProfile } from '../../catalog/profile.ts'
import { usd } from '../../lib/words.ts'
import { Fact } from '../components/fact.tsx'
import { Picture } from '../components/picture.tsx'
import { Rating } from '../components/product-card.tsx'
import { capital } from '../format.ts'

export type PlanFigures = Pick<BundleResponse, 'budget' | 'total' | 'categories'>
/** By slug. A product that was just removed from the catalog is missing. */
export type PlanProfiles = ReadonlyMap<string, ProductProfile>

export function Sums({ budget, total }: Pick<PlanFigures, 'budget' | 'total'>) {
  const left = budget === null ? null : budget - total
  return (
    <dl class="facts sums">
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

export function SpendingBar({ budget, total, categories }: PlanFigures) {
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
    <svg class="bar spend" viewBox={`0 0 ${BAR_LENGTH} 1`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-track" width={BAR_LENGTH} height="1" />
      {parts.map(({ from, length }, index) => (
        <rect class="bar-fill" x={from} width={length} height="1" fill-opacity={shade(index)} />
      ))}
      {budget !== null && total > budget && (
        <rect class="limit" x={scale(budget) - MARK / 2} width={MARK} height="1" />
      )}
    </svg>
  )
}

/** The color of a row's piece of the bar. */
export function Swatch({ index }: { index: number }) {
  return (
    <svg class="swatch" viewBox="0 0 1 1" aria-hidden="true">
      <rect width="1" height="1" fill-opacity={shade(index)} />
    </svg>
  )
}

/** Alternates dark and light, so that neighbors differ in both themes. */
function shade(index: number): string {
  return (index % 2 === 0 ? 1 - index * 0.08 : 0.5 - index * 0.04).toFixed(2)
}

const FIRST_ROWS = 4

type PlanRowsProps = {
  rows: readonly BundleCategory[]
  profiles: PlanProfiles
  /** The search that made the plan. The script reports clicks with it. */
  queryId?: string
  /** Pictures below the fold are loaded later. */
  lazy?: boolean
}

export function PlanRows({ rows, profiles, queryId, lazy = false }: PlanRowsProps) {
  return (
    <ul class="plan-rows">
      {rows.map((row, index) => (
        <li class="card plan-row">
          <RowPicture profile={profiles.get(row.product?.slug ?? '')} lazy={lazy || index >= FIRST_ROWS} />
          <RowBody row={row} index={index} queryId={queryId}>
            <p class="card-text">{row.reasoning}</p>
          </RowBody>
        </li>
      ))}
    </ul>
  )
}

export function RowPicture({ profile, lazy }: { profile: ProductProfile | undefined; lazy: boolean }) {
  return <div class="plan-picture">{profile && <Picture profile={profile} lazy={lazy} decorative />}</div>
}

type RowBodyProps = {
  row: BundleCategory
  index: number
  queryId?: string
  profile?: ProductProfile
  /** Below the name. */
  children?: Child
}

export function RowBody({ row, index, queryId, profile, children }: RowBodyProps) {
  const { role, product, quantity, over_budget } = row
  return (
    <div class="card-body">
      <div class="plan-row-head">
        <p class="soft">
          <Swatch index={index} />
          {quantity > 1 ? `${capital(role)} · ${quantity} items` : capital(role)}
        </p>
        {over_budget && <p class="badge">Over budget</p>}
        {product && (
          <p class="plan-price">
            <span class="price">{costWords(row)}</span>
            <Each {...row} />
          </p>
        )}
      </div>
      <h3 class="card-title">
        {product ? (
          <a
            href={product.url}
            data-query-id={queryId}
            data-slug={queryId === undefined ? undefined : product.slug}
          >
            {product.title}
          </a>
        ) : (
          'No product found'
        )}
      </h3>
      {profile && <Rating rating={profile.rating} reviewCount={profile.reviewCount} />}
      {children}
    </div>
  )
}

export function costWords({ cost }: Pick<BundleCategory, 'cost'>): string {
  return cost === null ? 'See sellers' : usd(cost)
}

/** The price per item, unless it only repeats the cost. */
function Each({ cost, quantity, product }: BundleCategory) {
  const range = product?.price_range ?? null
  if (range === null || (cost !== null && range === usd(cost))) return null
  return <span class="soft"> {quantity > 1 ? `${quantity} × ${range}` : range}</span>
}
