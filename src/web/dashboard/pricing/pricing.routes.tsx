/**
 * /dashboard/pricing: the rules by which Souk answers for an organization, for all products and for each, and what they
 * come to. The two limits of a product are never shown again, not even in a form that was refused.
 */
import { z } from 'zod'
import { type ProductSlug, ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { findProduct } from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { regionName } from '../../../lib/regions.ts'
import { getIntegration } from '../../../orgs/integration.service.ts'
import {
  FLOORS,
  MAX_DAYS,
  ProductRules,
  type ShownRules,
  VolumeDiscounts,
} from '../../../pricing/pricing.schema.ts'
import {
  getPricingRules,
  listProductRules,
  type PricingRules,
  setPricingRules,
  setProductRules,
} from '../../../pricing/pricing.service.ts'
import { listMyProducts, type MyProduct } from '../../../producers/my-products.service.ts'
import { readyToSimulate } from '../../../rfq/simulate.service.ts'
import { capital, countOf } from '../../format.ts'
import type { Page, Seen, Show } from '../../kit/console.tsx'
import { Form, type FormState } from '../../kit/fields.tsx'
import { Fields, type FormSpec, formOf, typedOf } from '../../kit/form.tsx'
import { type Listed, type ListSpec, listPage } from '../../kit/list.tsx'
import { Facts, Panel, State } from '../../kit/parts.tsx'
import { AGENT_SAID, AnsweringAction } from '../agent/agent.routes.tsx'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { type Visitor, WhoMay } from '../page.tsx'
import { AGENT_PATH, PRICING_PATH, PRODUCTS_PATH, pricingPath } from '../paths.ts'
import { READY_WORDS } from '../products/words.ts'
import { RequestForm } from '../request.form.ts'
import { type Simulation, Simulator, shippingWords } from './simulator.tsx'

const VOLUME_PATH = `${PRICING_PATH}/volume`
const PRODUCT_PATH = `${PRICING_PATH}/:category/:slug`
const GLANCE_QUANTITIES = [1, 2, 5, 10, 50]
const MOST_REGIONS = 4
const LIST: ListSpec = {
  ...{ path: PRICING_PATH, noun: 'product', search: 'Search products' },
  ...{ filters: {}, pageSize: 25 },
}

const VOLUME: FormSpec = {
  volume_discounts: {
    ...{ kind: 'rows', label: 'Discounts' },
    parts: {
      min_qty: { label: 'From quantity', kind: 'number', min: 1, step: 1 },
      discount_pct: { label: 'Discount (%)', kind: 'number', min: 0, max: 100, step: 0.01 },
    },
  },
}

const Volume = z.object({
  volume_discounts: VolumeDiscounts.superRefine((tiers, { addIssue }) => {
    for (const [row, { min_qty }] of tiers.entries())
      if (tiers.findIndex((tier) => tier.min_qty === min_qty) < row)
        addIssue({
          code: 'custom',
          path: [row, 'min_qty'],
          message: 'another row already has this quantity',
        })
  }).transform((tiers) => tiers.toSorted((a, b) => a.min_qty - b.min_qty)),
})

const NO_STOCK = 'Not stated (counts as in stock)'
const days = { kind: 'number', min: 0, max: MAX_DAYS, empty: 'null' } as const
const percent = { kind: 'number', min: 0, max: 100, step: 0.01 } as const

const RULES: FormSpec = {
  max_discount_pct: {
    ...{ ...percent, label: 'Maximum discount (%)', empty: 'null' },
    hint: 'Caps volume discounts. Leave empty for no limit.',
  },
  lead_time_days: { ...days, label: 'Delivery time (business days)', hint: 'Monday to Friday.' },
  return_policy_days: { ...days, label: 'Returns (days)', hint: 'Enter 0 if you don’t take returns.' },
  in_stock: {
    ...{ kind: 'choice', label: 'Stock' },
    options: [
      ['', NO_STOCK],
      ['yes', 'In stock'],
      ['no', 'Out of stock (quotes rank last)'],
    ],
  },
  delivery_regions: {
    ...{ kind: 'texts', label: 'Delivers to', empty: 'null' },
    parts: { value: { label: 'Region or country', kind: 'region', max: 60 } },
    hint: 'A state or country, such as California, Ontario or Germany. Leave empty to deliver everywhere.',
  },
  shipping_cost_usd: {
    ...{ kind: 'money', label: 'Shipping per order (USD)', empty: 'null' },
    hint: 'Enter 0 for free shipping.',
  },
}

/** An empty limit is left as it is, since nobody sees what it is; a box removes it. */
const LIMITS: FormSpec = {
  reserve_price_usd: {
    ...{ kind: 'money', label: 'Minimum price (USD)' },
    hint: 'We never quote a unit for less.',
  },
  clear_reserve_price_usd: { kind: 'check', label: 'Remove the minimum price' },
  min_margin_pct: {
    ...{ ...percent, max: 99.99, label: 'Minimum margin (%)' },
    hint: 'The share of each price that must be above your minimum price.',
  },
  clear_min_margin_pct: { kind: 'check', label: 'Remove the minimum margin' },
}

const RulesForm = z
  .record(z.string(), z.string())
  .superRefine((form, { addIssue }) => {
    const refuse = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message })
    for (const name of FLOORS)
      if (form[name]?.trim() && form[`clear_${name}`] === 'on')
        refuse(name, 'Enter a new limit or tick the box to remove it, not both.')
    // "US, CA" would be read as California, like "CA, US".
    for (const [name, typed] of Object.entries(form))
      if (name.startsWith('delivery_regions.') && /;|^\s*\w{2,3}\s*,\s*\w{2,3}\s*$/.test(typed))
        refuse(name, 'Put each region in its own row.')
  })
  .pipe(
    formOf(
      { ...RULES, ...LIMITS },
      z.preprocess((form) => {
        const { in_stock: stock, ...rules } = form as Record<string, unknown>
        const cleared = FLOORS.filter((name) => rules[`clear_${name}`] === true)
        return {
          ...rules,
          ...Object.fromEntries(cleared.map((name) => [name, null])),
          in_stock: stock === undefined ? null : stock === 'yes',
        }
      }, ProductRules),
    ),
  )

type Who = { visitor: Visitor }
type Params = { category?: string; slug?: string }

export function mountPricing(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  const showAll: Show<Who> = listPage(LIST, async ({ visitor, state, asked }): Promise<Listed<MyProduct>> => {
    const { q, limit, offset } = asked
    const [pricing, { agentCardUrl }, { products, total }] = await Promise.all([
      getPricingRules(ctx, visitor, null),
      getIntegration(ctx, visitor),
      listMyProducts(ctx, visitor, {
        ...{ relationshipType: null, verificationStatus: 'verified', hasIssues: null },
        ...{ query: q || null, limit, offset },
      }),
    ])
    const ids = products.map(({ facts }) => facts.id)
    const rules = await listProductRules(ctx, visitor, ids)
    const rulesOf = ({ facts: { id } }: MyProduct) => rulesInShort(rules.get(id)?.effective ?? {})
    return {
      page: {
        title: 'Pricing',
        lead: 'Set the rules Souk uses to answer requests for quotes for you.',
        said: {
          ...{ managed: AGENT_SAID.managed, own: AGENT_SAID.own },
          discounts: 'Volume discounts saved. New quotes use them.',
        },
      },
      above: (
        <>
          <Managed visitor={visitor} isManaged={pricing.isManaged} hasCard={agentCardUrl !== null} />
          <VolumePanel visitor={visitor} pricing={pricing} state={state} />
          <div>
            <h2 id="products">Products</h2>
            <p class="soft">
              Souk quotes products with a verified claim. Open one to set its rules and simulate a quote.
            </p>
          </div>
        </>
      ),
      rows: products,
      total,
      columns: [
        {
          label: 'Product',
          cell: ({ facts: { slug, title } }) => <a href={pricingPath(slug)}>{title}</a>,
          csv: ({ facts }) => facts.slug,
        },
        {
          label: 'Rules',
          cell: (product) => rulesOf(product) || <span class="soft">None</span>,
          csv: rulesOf,
        },
        {
          label: 'Quotes',
          cell: ({ rfq }) => <State tone={READY_WORDS[rfq].tone}>{READY_WORDS[rfq].words}</State>,
          csv: ({ rfq }) => READY_WORDS[rfq].words,
        },
      ],
      empty: (
        <>
          <p>
            You have no verified claim to a product yet. Claim the products you make or sell to set prices.
          </p>
          <a class="button" href={PRODUCTS_PATH}>
            Go to products
          </a>
        </>
      ),
    }
  })

  dashboard.page(PRICING_PATH, 'read', showAll)

  dashboard.action(VOLUME_PATH, {
    ...{ page: showAll, from: PRICING_PATH, schema: formOf(VOLUME, Volume) },
    async act({ act, input: { volume_discounts: tiers } }) {
      const volumeDiscounts = tiers.length === 0 ? null : tiers
      await setPricingRules(ctx, act, { productSlug: null, rules: {}, volumeDiscounts, confirmed: false })
      return `${PRICING_PATH}?done=discounts`
    },
  })

  async function showOne({ c, visitor, state }: Seen<Who>): Promise<Page> {
    const slug = slugOf(c.req.param())
    const [{ product, volumeDiscounts, isManaged }, found, simulation] = await Promise.all([
      getPricingRules(ctx, visitor, slug),
      findProduct(ctx, slug),
      simulate(visitor, slug, c.req.query()),
    ])
    if (!product || !found) throw new AppError('not_found', 'there is no such product')
    const { productSlug, rules } = product
    const path = pricingPath(productSlug)
    const tiers = volumeDiscounts.length
    return {
      title: `Pricing for ${found.title}`,
      lead: 'Set how Souk prices it when we answer buyers for you.',
      at: PRICING_PATH,
      said: { saved: 'Rules saved. New quotes use them.' },
      errors: { ...state.errors, ...simulation?.state.errors },
      status: simulation?.answer === null ? 400 : 200,
      actions: (
        <a class="button plain" href={PRICING_PATH}>
          All products
        </a>
      ),
      body: (
        <div class="side-by-side priced">
          <Panel
            title="Rules"
            lead={
              <>
                We start from your live offer, then your shop’s price, then the list price, and apply{' '}
                <a href={`${PRICING_PATH}#volume-discounts`}>
                  {tiers === 0 ? 'volume discounts (none yet)' : countOf(tiers, 'volume discount')}
                </a>
                .
              </>
            }
          >
            {visitor.may('manage') ? (
              <RulesFields path={path} rules={rules} state={state} />
            ) : (
              <>
                <Facts facts={ruleWords(rules).map(([label, words]) => [label, words])} />
                <WhoMay visitor={visitor} right="manage" />
              </>
            )}
          </Panel>
          {simulation && <Simulator path={path} isManaged={isManaged} simulation={simulation} />}
        </div>
      ),
    }
  }

  dashboard.page(PRODUCT_PATH, 'read', showOne)

  dashboard.action(PRODUCT_PATH, {
    ...{ page: showOne, schema: RulesForm },
    async act({ c, act, input: rules }) {
      const productSlug = slugOf(c.req.param())
      await setProductRules(ctx, act, { productSlug, rules, confirmed: true }).catch(besideTheLimit)
      return `${pricingPath(`${productSlug.category}/${productSlug.slug}`)}?done=saved`
    },
  })

  /** Null when the organization is deactivated, so that nobody asks it. */
  async function simulate(
    visitor: Visitor,
    { category, slug }: ProductSlug,
    typed: Record<string, string>,
  ): Promise<Simulation | null> {
    if (visitor.org.deactivatedAt !== null) return null
    const values = { quantity: '1', ...typed }
    const parsed = RequestForm.safeParse({ ...typed, product_slug: `${category}/${slug}` })
    if (!parsed.success) {
      const errors = Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path[0], message]))
      return { state: { values, errors }, answer: null, glance: [] }
    }
    const request = parsed.data
    const simulated = await readyToSimulate(ctx, visitor, request)
    return {
      state: { values, errors: {} },
      answer: { request, simulated: simulated(request.quantity) },
      glance: GLANCE_QUANTITIES.map((quantity) => ({ quantity, simulated: simulated(quantity) })),
    }
  }
}

type ManagedProps = { visitor: Visitor; isManaged: boolean; hasCard: boolean }

function Managed({ visitor, isManaged, hasCard }: ManagedProps) {
  return (
    <Panel
      title="Managed pricing"
      actions={<State tone={isManaged ? 'good' : 'quiet'}>{isManaged ? 'On' : 'Off'}</State>}
    >
      <p>
        {isManaged
          ? 'Souk answers buyers instantly with the rules below.'
          : hasCard
            ? 'Your own agent answers buyers. Turn on managed pricing to use the rules below instead.'
            : 'Buyers get no answer from you yet. Turn on managed pricing, or register your own agent.'}{' '}
        <a href={AGENT_PATH}>Agent</a>
      </p>
      {visitor.may('manage') && (!isManaged || hasCard) && (
        <AnsweringAction isManaged={!isManaged} from="pricing" />
      )}
      <WhoMay visitor={visitor} right="manage" what="change your pricing" />
    </Panel>
  )
}

type VolumeProps = { visitor: Visitor; pricing: PricingRules; state: FormState }

function VolumePanel({ visitor, pricing: { volumeDiscounts: tiers, otherRules }, state }: VolumeProps) {
  const stored = tiers.map(({ minQty, discountPct }) => ({ min_qty: minQty, discount_pct: discountPct }))
  const unused = Object.keys(otherRules)
  return (
    <Panel
      title="Volume discounts"
      lead="They apply to all your products. Buyers get the best discount for their quantity, up to the product’s maximum."
    >
      {visitor.may('manage') ? (
        <Form action={VOLUME_PATH} label="Save discounts">
          <Fields of={VOLUME} state={filledIn(state, VOLUME, { volume_discounts: stored })} />
        </Form>
      ) : tiers.length === 0 ? (
        <p class="soft">No volume discounts yet.</p>
      ) : (
        <Facts
          facts={tiers.map(({ minQty, discountPct }) => [
            `From ${countOf(minQty, 'unit')}`,
            `${discountPct}%`,
          ])}
        />
      )}
      {unused.length > 0 && (
        <p class="hint">
          Your rules also contain settings that quotes don’t use: <code>{unused.join(', ')}</code>
        </p>
      )}
    </Panel>
  )
}

function RulesFields({ path, rules, state }: { path: string; rules: ShownRules; state: FormState }) {
  const stock = rules.in_stock == null ? null : rules.in_stock ? 'yes' : 'no'
  const typed = filledIn(state, RULES, { ...rules, in_stock: stock })
  const hidden: readonly string[] = FLOORS
  const values = Object.fromEntries(Object.entries(typed.values).filter(([name]) => !hidden.includes(name)))
  return (
    <Form action={path} label="Save rules">
      <Fields of={RULES} state={typed} />
      <fieldset class="fields limits">
        <legend>Limits</legend>
        <p class="hint">
          Stored encrypted and never shown again, not even to you. Leave a field empty to keep its limit.
        </p>
        <Fields of={LIMITS} state={{ ...typed, values }} />
      </fieldset>
    </Form>
  )
}

/** What was typed when the form comes back, else what is stored. */
function filledIn(state: FormState, of: FormSpec, stored: Record<string, unknown>): FormState {
  return Object.keys(state.values).length > 0 ? state : { ...state, values: typedOf(of, stored) }
}

/** What cannot be a product's address is as absent as a product that does not exist. */
function slugOf({ category = '', slug = '' }: Params): ProductSlug {
  const named = ProductSlugInput.safeParse(`${category}/${slug}`)
  if (named.success) return named.data
  throw new AppError('not_found', 'there is no such product')
}

/** The service refuses one limit when the other can no longer be read. */
function besideTheLimit(error: unknown): never {
  if (error instanceof AppError && error.kind === 'conflict' && error.message.includes('limits'))
    throw new AppError(
      'conflict',
      'We can no longer read the limits you set. Enter both again, or tick the boxes to remove them.',
      { code: 'conflict', field: 'reserve_price_usd' },
    )
  throw error
}

/** Each rule with its label, what applies, and what a line says of it where it is set. */
function ruleWords(rules: ShownRules): Array<[label: string, words: string, short: string | false]> {
  const { max_discount_pct: cap, lead_time_days: lead, return_policy_days: returns } = rules
  const { in_stock: stock, delivery_regions, shipping_cost_usd: dollars } = rules
  const places = (delivery_regions ?? []).map(regionName)
  const more = places.length - MOST_REGIONS
  const only = `only ${places.slice(0, MOST_REGIONS).join('; ')}${more > 0 ? ` and ${more} more` : ''}`
  const delivery = lead != null && countOf(lead, 'business day')
  const returning = returns != null && returnWords(returns)
  const shipping = dollars != null && shippingWords(Math.round(dollars * 100))
  return [
    ['Maximum discount', cap == null ? 'No limit' : `${cap}%`, cap != null && `up to ${cap}% off`],
    ['Delivery time', delivery || 'Not stated', delivery],
    ['Returns', capital(returning || 'not stated'), returning],
    ['Shipping', capital(shipping || 'not stated'), shipping && `${shipping} shipping`],
    ['Delivers to', places.join(', ') || 'Everywhere', places.length > 0 && only],
    [
      'Stock',
      stock == null ? NO_STOCK : stock ? 'In stock' : 'Out of stock',
      stock === false && 'out of stock',
    ],
  ]
}

/** Empty when no rule is set. */
function rulesInShort(rules: ShownRules): string {
  const said = ruleWords(rules).flatMap(([, , short]) => short || [])
  return capital(said.join(' · '))
}

function returnWords(days: number): string {
  return days === 0 ? 'no returns' : `returns within ${countOf(days, 'day')}`
}
