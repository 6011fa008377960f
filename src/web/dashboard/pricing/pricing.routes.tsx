/**
 * /dashboard/pricing: the rules by which Souk answers for an organization, for all products and for each, and what they
 * come to. The two limits of a product are never shown again, not even in a form that was refused.
 */
import { z } from 'zod'
import type { Variant } from '../../../catalog/catalog.schema.ts'
import { findVariants, MAX_VARIANT } from '../../../catalog/chosen-variant.ts'
import { type ProductSlug, ProductSlugInput } from '../../../catalog/relationships.schema.ts'
import { findProduct } from '../../../catalog/relationships.service.ts'
import { findVariant } from '../../../catalog/variants.ts'
import { AppError, conflict } from '../../../lib/errors.ts'
import { formatUsd } from '../../../lib/money.ts'
import { regionName } from '../../../lib/regions.ts'
import { getIntegration } from '../../../orgs/integration.service.ts'
import {
  FLOORS,
  MAX_DAYS,
  OrgRules,
  ProductRules,
  type ShownRules,
  VolumeDiscounts,
} from '../../../pricing/pricing.schema.ts'
import {
  type FloorFacts,
  getPricingRules,
  listProductRules,
  type OwnRules,
  type PricingRules,
  setPricingRules,
} from '../../../pricing/pricing.service.ts'
import { listMyProducts, type MyProduct } from '../../../producers/my-products.service.ts'
import { readyToSimulate } from '../../../rfq/simulate.service.ts'
import { Moment } from '../../components/moment.tsx'
import { capital, countOf, formatCount } from '../../format.ts'
import type { Page, Seen } from '../../kit/console.tsx'
import { Form, type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { Fields, type FormSpec, filledIn, formOf } from '../../kit/form.tsx'
import { choice, column, defineList, type Listed } from '../../kit/list.tsx'
import { Facts, LinkButton, noted, Panel, State } from '../../kit/parts.tsx'
import { AGENT_SAID, AnsweringAction } from '../agent/agent.routes.tsx'
import { type Dashboard, type DashboardDeps, type Visitor, WhoMay } from '../guard.tsx'
import { AGENT_PATH, PRICE_TABLE_PATH, PRICING_PATH, PRODUCTS_PATH, pricingPath } from '../paths.ts'
import { CLAIM_WORDS, READY_WORDS } from '../products/words.ts'
import { RequestForm } from '../request.form.ts'
import { FILE_PATH, mountFile } from './file.tsx'
import { type Simulation, Simulator, shippingWords } from './simulator.tsx'
import { mountTable } from './table.tsx'

const VOLUME_PATH = `${PRICING_PATH}/volume`
const DEFAULTS_PATH = `${PRICING_PATH}/defaults`
const PRODUCT_PATH = `${PRICING_PATH}/:category/:slug`
const GLANCE_QUANTITIES = [1, 2, 5, 10, 50]
const MOST_REGIONS = 4
const LIST = defineList(PRICING_PATH, 'product', {
  search: 'Search products',
  pageSize: 25,
  filters: { relationship: choice('Relationship', CLAIM_WORDS) },
})

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

/** What may be set for all products and for each. */
const SHARED: FormSpec = {
  lead_time_days: { ...days, label: 'Delivery time (business days)', hint: 'Monday to Friday.' },
  shipping_cost_usd: {
    ...{ kind: 'money', label: 'Shipping per order (USD)', empty: 'null' },
    hint: 'Enter 0 for free shipping.',
  },
  free_shipping_above_usd: {
    ...{ kind: 'money', label: 'Free shipping from (USD)', empty: 'null' },
    hint: 'Orders worth this much or more ship free.',
  },
  shipping_by_region: {
    ...{ kind: 'rows', label: 'Shipping by region' },
    parts: {
      region: { label: 'Region or country', kind: 'region', max: 60 },
      cost_usd: { label: 'Cost (USD)', kind: 'money' },
      lead_time_days: { label: 'Days', kind: 'number', min: 0, max: MAX_DAYS, step: 1 },
    },
    hint: 'The most specific region applies: California before US. Leave the days empty if they don’t differ.',
  },
  delivery_regions: {
    ...{ kind: 'texts', label: 'Delivers to', empty: 'null' },
    parts: { value: { label: 'Region or country', kind: 'region', max: 60 } },
    hint: 'A state or country, such as California, Ontario or Germany. Leave empty to deliver everywhere.',
  },
  return_policy_days: { ...days, label: 'Returns (days)', hint: 'Enter 0 if you don’t take returns.' },
  max_discount_pct: {
    ...{ ...percent, label: 'Maximum discount (%)', empty: 'null' },
    hint: 'Caps volume discounts. Leave empty for no limit.',
  },
}

const RULES: FormSpec = {
  price_usd: {
    ...{ kind: 'money', label: 'Your price (USD)', empty: 'null' },
    hint: 'Quotes start from it. A live offer below it comes first. Leave empty to use your offer, your shop’s price or the list price.',
  },
  stock: {
    ...{ kind: 'number', label: 'Units in stock', min: 0, step: 1, empty: 'null' },
    hint: 'A request for more is quoted as out of stock. Leave empty if you don’t count.',
  },
  in_stock: {
    ...{ kind: 'choice', label: 'Stock' },
    options: [
      ['', NO_STOCK],
      ['yes', 'In stock'],
      ['no', 'Out of stock (quotes rank last)'],
    ],
  },
  variant_prices: {
    ...{ kind: 'rows', label: 'Prices of variants' },
    parts: {
      variant: { label: 'Variant', kind: 'text', max: MAX_VARIANT },
      price_usd: { label: 'Price (USD)', kind: 'money' },
      stock: { label: 'Units in stock', kind: 'number', min: 0, step: 1 },
    },
    hint: 'Name a variant by its options (Red / M), SKU or id. Your price above applies to every variant without a row. Enter 0 units if it is sold out.',
  },
  ...SHARED,
}
const EVERYWHERE: FormSpec = {
  deliver_everywhere: { kind: 'check', label: 'Deliver this product everywhere' },
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

const CONFIRM: FormSpec = { confirm: { kind: 'check', label: 'Save anyway' } }

/** "US, CA" would be read as California, like "CA, US". */
const TWO_REGIONS = /;|^\s*\w{2,3}\s*,\s*\w{2,3}\s*$/
const OneRegionARow = z.record(z.string(), z.string()).superRefine((form, { addIssue }) => {
  for (const [name, typed] of Object.entries(form))
    if (/^(?:delivery_regions|shipping_by_region)\..*(?:value|region)$/.test(name) && TWO_REGIONS.test(typed))
      addIssue({ code: 'custom', path: [name], message: 'Put each region in its own row.' })
})
const noRows = (rows: unknown) => (Array.isArray(rows) && rows.length === 0 ? null : rows)

const DefaultsForm = OneRegionARow.pipe(
  formOf(
    SHARED,
    z.preprocess((form) => {
      const { shipping_by_region: rows, ...rules } = form as Record<string, unknown>
      return { ...rules, shipping_by_region: noRows(rows) }
    }, OrgRules),
  ),
)

const RulesForm = OneRegionARow.superRefine((form, { addIssue }) => {
  for (const name of FLOORS)
    if (form[name]?.trim() && form[`clear_${name}`] === 'on')
      addIssue({
        ...{ code: 'custom', path: [name] },
        message: 'Enter a new limit or tick the box to remove it, not both.',
      })
}).pipe(
  formOf(
    { ...RULES, ...LIMITS, ...EVERYWHERE, ...CONFIRM },
    z.preprocess(
      (form) => {
        const {
          in_stock: stock,
          shipping_by_region: rows,
          variant_prices,
          ...rules
        } = form as Record<string, unknown>
        const cleared = FLOORS.filter((name) => rules[`clear_${name}`] === true)
        return {
          ...rules,
          ...Object.fromEntries(cleared.map((name) => [name, null])),
          ...(rules.deliver_everywhere === true && { delivery_regions: [] }),
          shipping_by_region: noRows(rows),
          variant_prices: noRows(variant_prices),
          in_stock: stock === undefined ? null : stock === 'yes',
        }
      },
      ProductRules.extend({ confirm: z.boolean() }),
    ),
  ),
)

type Who = { visitor: Visitor }
type Params = { category?: string; slug?: string }

export function mountPricing(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps
  dashboard.list<PricedProduct, typeof LIST.filters>(LIST, 'read', async (seen) => {
    const { c, visitor, state, asked } = seen
    const { q, filters, limit, offset } = asked
    const [pricing, { agentCardUrl }, { products, total }] = await Promise.all([
      getPricingRules(ctx, visitor, null),
      getIntegration(ctx, visitor),
      listMyProducts(ctx, visitor, {
        ...{ verificationStatus: 'verified', hasIssues: null },
        relationshipType: filters.relationship || null,
        ...{ query: q || null, limit, offset },
      }),
    ])
    const ids = products.map(({ facts }) => facts.id)
    const rules = await listProductRules(ctx, visitor, ids)
    /** A form that was refused is shown with what was typed into it, the other one as it is stored. */
    const stateOf = (path: string) => (c.req.path === path ? state : UNTOUCHED)
    return {
      title: 'Pricing',
      lead: 'Set the rules Souk uses to answer requests for quotes for you.',
      said: {
        ...{ managed: AGENT_SAID.managed, own: AGENT_SAID.own },
        discounts: 'Volume discounts saved. New quotes use them.',
        defaults: 'Defaults saved. New quotes use them.',
      },
      above: [
        <Managed visitor={visitor} isManaged={pricing.isManaged} hasCard={agentCardUrl !== null} />,
        <VolumePanel visitor={visitor} pricing={pricing} state={stateOf(VOLUME_PATH)} />,
        <DefaultsPanel visitor={visitor} pricing={pricing} state={stateOf(DEFAULTS_PATH)} />,
        <div>
          <h2 id="products">Products</h2>
          <p class="soft">
            Souk quotes products with a verified claim. Open one to set its rules and simulate a quote.
            {visitor.may('manage') && total > 0 && (
              <>
                {' '}
                To change many, edit them in <a href={PRICE_TABLE_PATH}>the price table</a>, or{' '}
                <a href={FILE_PATH}>import prices and stock</a> from a file.
              </>
            )}
          </p>
        </div>,
      ],
      rows: products.flatMap((product) => {
        const own = rules.get(product.facts.id)
        return own ? [{ ...product, own }] : []
      }),
      total,
      columns: columnsFor(visitor),
      empty: [
        <p>
          You have no verified claim to a product yet. Claim the products you make or sell to set prices.
        </p>,
        <LinkButton to={PRODUCTS_PATH} primary label="Go to products" />,
      ],
    }
  })

  dashboard.action(VOLUME_PATH, {
    schema: formOf(VOLUME, Volume),
    async act({ act, input: { volume_discounts: tiers } }) {
      const volumeDiscounts = tiers.length === 0 ? null : tiers
      await setPricingRules(ctx, act, { productSlug: null, rules: {}, volumeDiscounts, confirmed: false })
      return `${PRICING_PATH}?done=discounts`
    },
  })

  dashboard.action(DEFAULTS_PATH, {
    schema: DefaultsForm,
    async act({ act, input: rules }) {
      const change = { productSlug: null, rules, volumeDiscounts: undefined, confirmed: false }
      await setPricingRules(ctx, act, change)
      return `${PRICING_PATH}?done=defaults`
    },
  })

  mountFile(dashboard, ctx)
  mountTable(dashboard, deps)

  async function showOne({ c, visitor, state }: Seen<Who>): Promise<Page> {
    const slug = slugOf(c.req.param())
    const [{ product, defaults, volumeDiscounts, isManaged }, found, simulation] = await Promise.all([
      getPricingRules(ctx, visitor, slug),
      findProduct(ctx, slug),
      simulate(visitor, slug, c.req.query()),
    ])
    if (!product || !found) throw new AppError('not_found', 'there is no such product')
    const variants = (await findVariants(ctx.db, [found.id])).get(found.id) ?? []
    const { productSlug, rules, effective, floors } = product
    const path = pricingPath(productSlug)
    const tiers = volumeDiscounts.length
    return {
      title: `Pricing for ${found.title}`,
      lead: 'Set how Souk prices it when we answer buyers for you.',
      said: { saved: 'Rules saved. New quotes use them.' },
      errors: { ...state.errors, ...simulation?.state.errors },
      status: simulation?.answer === null ? 400 : 200,
      actions: <LinkButton to={PRICING_PATH} label="All products" />,
      body: (
        <div class="side-by-side priced">
          <Panel
            title="Rules"
            lead={
              <>
                We start from your price or a cheaper live offer, else your shop’s price or the list price,
                and apply{' '}
                <a href={`${PRICING_PATH}#volume-discounts`}>
                  {tiers === 0 ? 'volume discounts (none yet)' : countOf(tiers, 'volume discount')}
                </a>
                .
              </>
            }
          >
            {visitor.may('manage') ? (
              <RulesFields {...{ path, rules, defaults, floors, variants, state }} />
            ) : (
              <>
                <Facts facts={ruleWords(effective, rules)} />
                <WhoMay visitor={visitor} right="manage" />
              </>
            )}
          </Panel>
          {simulation && <Simulator {...{ path, isManaged, variants, simulation }} />}
        </div>
      ),
    }
  }

  dashboard.page(PRODUCT_PATH, 'read', showOne)

  dashboard.action(PRODUCT_PATH, {
    schema: RulesForm,
    async act({ c, act, input: { confirm: confirmed, ...rules } }) {
      const productSlug = slugOf(c.req.param())
      const change = { productSlug, rules, volumeDiscounts: undefined, confirmed }
      await setPricingRules(ctx, act, change).catch(besideTheLimit)
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
    const simulated = await readyToSimulate(ctx, visitor, request).catch((error: unknown) => {
      if (error instanceof AppError && error.field === 'variant') return null
      throw error
    })
    if (simulated === null)
      return {
        ...{
          state: { values, errors: { variant: 'Choose one of the variants.' } },
          answer: null,
          glance: [],
        },
      }
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

function DefaultsPanel({ visitor, pricing: { defaults }, state }: VolumeProps) {
  return (
    <Panel title="Defaults" lead="They apply to every product that doesn’t have its own.">
      {visitor.may('manage') ? (
        <Form action={DEFAULTS_PATH} label="Save defaults">
          <Fields of={SHARED} state={filledIn(state, SHARED, defaults)} />
        </Form>
      ) : (
        <Facts facts={sharedWords(defaults, null)} />
      )}
    </Panel>
  )
}

type RulesProps = {
  path: string
  rules: ShownRules
  defaults: OrgRules
  floors: FloorFacts | null
  variants: readonly Variant[]
  state: FormState
}

function RulesFields({ path, rules, defaults, floors, variants, state }: RulesProps) {
  const prices = rules.variant_prices ?? []
  const stock = rules.in_stock == null ? null : rules.in_stock ? 'yes' : 'no'
  const everywhere = (defaults.delivery_regions ?? []).length > 0
  const stored = {
    ...{ ...rules, in_stock: stock, deliver_everywhere: rules.delivery_regions?.length === 0 },
    // By name, where that means this variant alone.
    variant_prices: prices.map(({ variant, name, ...price }) => ({
      ...{ variant: findVariant(variants, name)?.id === variant ? name : variant, ...price },
    })),
  }
  const typed = filledIn(state, { ...RULES, ...EVERYWHERE }, stored)
  const hasVariants = variants.length > 0 || prices.length > 0
  const shown = Object.keys(RULES).filter((name) => name !== 'variant_prices' || hasVariants)
  const hidden: readonly string[] = [...FLOORS, 'confirm']
  const values = Object.fromEntries(Object.entries(typed.values).filter(([name]) => !hidden.includes(name)))
  return (
    <Form action={path} label="Save rules">
      <Fields of={withDefaultHints(defaults)} state={typed} only={shown} />
      {everywhere && <Fields of={EVERYWHERE} state={typed} />}
      <fieldset class="fields limits">
        <legend>Limits</legend>
        <p class="hint">
          Stored encrypted and never shown again, not even to you. Leave a field empty to keep its limit.
        </p>
        {floors && <p>{floorWords(floors)}</p>}
        <Fields of={LIMITS} state={{ ...typed, values }} />
        {state.errors.confirm !== undefined && <Fields of={CONFIRM} state={{ ...typed, values }} />}
      </fieldset>
    </Form>
  )
}

/** What owners and admins see of limits. */
function floorWords({ isSet, setAt, setBy, heldUp, lastHeldUpAt }: FloorFacts) {
  if (!isSet) return 'No limits are set.'
  return (
    <>
      Limits are set{setBy !== null && ` by ${setBy}`}
      {setAt !== null && (
        <>
          {' '}
          on <Moment at={setAt} />
        </>
      )}
      .{' '}
      {lastHeldUpAt === null ? (
        'They held up no request in the last 30 days.'
      ) : (
        <>
          They raised or stopped {countOf(heldUp, 'quote')} in the last 30 days, the last{' '}
          <Moment at={lastHeldUpAt} />.
        </>
      )}
    </>
  )
}

/** The rules' form, where an empty field says what the organization's default is. */
function withDefaultHints(defaults: OrgRules): FormSpec {
  const words = new Map(sharedWords(defaults, null).map(([label, said]) => [label, said]))
  return Object.fromEntries(
    Object.entries(RULES).map(([name, field]) => {
      const value = defaults[name as keyof OrgRules]
      const isSet = Array.isArray(value) ? value.length > 0 : value != null
      const said = words.get(SHARED_LABELS[name as keyof OrgRules])
      return [name, isSet && said ? { ...field, hint: `${field.hint} Your default: ${said}.` } : field]
    }),
  )
}

/** What cannot be a product's address is as absent as a product that does not exist. */
function slugOf({ category = '', slug = '' }: Params): ProductSlug {
  const named = ProductSlugInput.safeParse(`${category}/${slug}`)
  if (named.success) return named.data
  throw new AppError('not_found', 'there is no such product')
}

/** The service refuses one limit when the other can no longer be read, and limits above the price until they are confirmed. */
function besideTheLimit(error: unknown): never {
  if (error instanceof AppError && error.field === 'confirm') {
    const [problem = ''] = error.message.split(' Nothing was saved')
    throw conflict(
      `${problem} Nothing was saved. Change it, or tick “Save anyway” and save again. Enter new limits again: we don’t show them.`,
      { field: 'confirm' },
    )
  }
  if (error instanceof AppError && error.kind === 'conflict' && error.message.includes('limits'))
    throw new AppError(
      'conflict',
      'We can no longer read the limits you set. Enter both again, or tick the boxes to remove them.',
      { code: 'conflict', field: 'reserve_price_usd' },
    )
  throw error
}

const SHARED_LABELS: Record<keyof OrgRules, string> = {
  lead_time_days: 'Delivery time',
  shipping_cost_usd: 'Shipping',
  free_shipping_above_usd: 'Free shipping',
  shipping_by_region: 'Shipping by region',
  delivery_regions: 'Delivers to',
  return_policy_days: 'Returns',
  max_discount_pct: 'Maximum discount',
}

type Words = Array<[label: string, words: string]>

/** Each rule with its label and what applies; `own` marks those that come from the organization's defaults. */
function sharedWords(rules: OrgRules, own: OrgRules | null): Words {
  const { lead_time_days: lead, shipping_cost_usd: flat, free_shipping_above_usd: above } = rules
  const { return_policy_days: returns, max_discount_pct: cap } = rules
  const listed = (rules.shipping_by_region ?? []).map(
    ({ region, cost_usd, lead_time_days: days }) =>
      `${regionName(region)} ${shippingWords(Math.round(cost_usd * 100))}${days === null ? '' : ` in ${countOf(days, 'business day')}`}`,
  )
  const places = (rules.delivery_regions ?? []).map(regionName)
  const words: Record<keyof OrgRules, string> = {
    lead_time_days: lead == null ? 'Not stated' : countOf(lead, 'business day'),
    shipping_cost_usd: flat == null ? 'Not stated' : capital(shippingWords(Math.round(flat * 100))),
    free_shipping_above_usd: above == null ? 'None' : `From ${formatUsd(Math.round(above * 100))}`,
    shipping_by_region: listed.join('; ') || 'None',
    delivery_regions: places.join('; ') || 'Everywhere',
    return_policy_days: returns == null ? 'Not stated' : capital(returnWords(returns)),
    max_discount_pct: cap == null ? 'No limit' : `${cap}%`,
  }
  return Object.entries(SHARED_LABELS).map(([name, label]) => {
    const rule = name as keyof OrgRules
    const inherited = own && own[rule] == null && rules[rule] != null && rules[rule]?.toString() !== ''
    return [label, `${words[rule]}${inherited ? ' (default)' : ''}`]
  })
}

function ruleWords(effective: ShownRules, own: ShownRules): Words {
  const { price_usd: price, stock, in_stock: yes } = own
  return [
    ['Your price', price == null ? 'Not set' : formatUsd(Math.round(price * 100))],
    ...(own.variant_prices ?? []).map(({ name, price_usd }): Words[number] => [
      `Your price, ${name}`,
      formatUsd(Math.round(price_usd * 100)),
    ]),
    ['Units in stock', stock == null ? 'Not counted' : formatCount(stock)],
    ['Stock', yes == null ? NO_STOCK : yes ? 'In stock' : 'Out of stock'],
    ...sharedWords(effective, own),
  ]
}

function returnWords(days: number): string {
  return days === 0 ? 'no returns' : `returns within ${countOf(days, 'day')}`
}

type PricedProduct = MyProduct & { own: OwnRules }

/** What a cell says where nothing is set, and that it is a default where it is one. */
function ruleCell(words: string | false, isDefault: boolean) {
  if (words === false) return <span class="soft">–</span>
  return isDefault ? noted(words, 'default') : words
}

/** The names of the file's columns are those that an import reads: what was downloaded can be changed and uploaded. */
function columnsFor(visitor: Visitor): Listed<PricedProduct>['columns'] {
  const money = (usd: number) => formatUsd(Math.round(usd * 100))
  return [
    {
      label: 'Product',
      cell: ({ facts: { slug, title } }) => <a href={pricingPath(slug)}>{title}</a>,
      csv: ({ facts }) => facts.slug,
    },
    {
      ...{ label: 'Price', kind: 'number' },
      cell: ({ own: { rules } }) => ruleCell(rules.price_usd != null && money(rules.price_usd), false),
      csv: ({ own: { rules } }) => rules.price_usd ?? null,
    },
    {
      ...{ label: 'Stock', kind: 'number' },
      cell: ({ own: { rules } }) =>
        ruleCell(
          rules.in_stock === false ? 'Out of stock' : rules.stock != null && formatCount(rules.stock),
          false,
        ),
      csv: ({ own: { rules } }) => rules.stock ?? null,
    },
    {
      label: 'Shipping',
      cell: ({ own: { rules, effective } }) => {
        const { shipping_cost_usd: flat, free_shipping_above_usd: above } = effective
        const regions = effective.shipping_by_region?.length ?? 0
        const said = [
          flat != null && shippingWords(Math.round(flat * 100)),
          above != null && `free from ${money(above)}`,
          regions > 0 && countOf(regions, 'region'),
        ].filter(Boolean)
        const own = rules.shipping_cost_usd ?? rules.free_shipping_above_usd ?? rules.shipping_by_region
        return ruleCell(said.length > 0 && capital(said.join(', ')), own == null)
      },
      csv: ({ own: { rules } }) => rules.shipping_cost_usd ?? null,
    },
    {
      label: 'Delivery time',
      cell: ({ own: { rules, effective } }) =>
        ruleCell(
          effective.lead_time_days != null && countOf(effective.lead_time_days, 'business day'),
          rules.lead_time_days == null,
        ),
      csv: ({ own: { rules } }) => rules.lead_time_days ?? null,
    },
    {
      label: 'Delivers to',
      cell: ({ own: { rules, effective } }) => {
        const places = (effective.delivery_regions ?? []).map(regionName)
        const more = places.length - MOST_REGIONS
        const some = `${places.slice(0, MOST_REGIONS).join('; ')}${more > 0 ? ` and ${more} more` : ''}`
        return places.length === 0 ? 'Everywhere' : ruleCell(some, rules.delivery_regions == null)
      },
      csv: ({ own: { rules } }) => rules.delivery_regions?.join('; ') ?? null,
    },
    visitor.may('manage') && {
      label: 'Limits',
      cell: ({ own: { floors } }) =>
        floors?.isSet
          ? noted('Set', floors.heldUp > 0 && `held up ${countOf(floors.heldUp, 'quote')}`)
          : ruleCell(false, false),
    },
    column.state('Quotes', ({ rfq }) => READY_WORDS[rfq]),
  ]
}
