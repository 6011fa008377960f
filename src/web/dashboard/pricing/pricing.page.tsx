/** Pricing at large: who answers, the discounts that hold for every product, and the products with their rules. */

import type { ShownRules } from '../../../pricing/pricing.schema.ts'
import type { PricingRules } from '../../../pricing/pricing.service.ts'
import type { MyProduct } from '../../../producers/my-products.service.ts'
import { countOf } from '../../format.ts'
import { Field, type FormState } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { Answering } from '../agent/agent.forms.tsx'
import { DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { AGENT_PATH, PRICING_PATH, PRODUCTS_PATH, pricingPath } from '../paths.ts'
import { READY_WORDS } from '../products/words.ts'
import { rulesInShort } from './rules-words.ts'
import { VolumeFields } from './volume.form.tsx'

type PricingPage = {
  site: Site
  visitor: Visitor
  pricing: PricingRules
  hasCard: boolean
  products: Array<{ product: MyProduct; rules: ShownRules | null }>
  total: number
  query: string
  page: number
  pages: number
  state: FormState
  done: string | null
}

export function renderPricing(props: PricingPage): string {
  const { site, visitor, pricing, state, done } = props
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Pricing"
      lead="By these rules Souk answers requests for quotes for you."
      at={PRICING_PATH}
      done={done}
      errors={state.errors}
    >
      <Managed {...props} />
      <Panel
        title="Volume discounts"
        lead="They hold for all your products. Of those that apply the best one counts, up to the largest discount of the product."
      >
        {visitor.may('manage') ? (
          <VolumeFields visitor={visitor} tiers={pricing.volumeDiscounts} state={state} />
        ) : (
          <Tiers {...props} />
        )}
        <OtherRules rules={pricing.otherRules} />
      </Panel>
      <Products {...props} />
    </DashboardPage>,
  )
}

function Managed({ visitor, pricing, hasCard }: PricingPage) {
  const { isManaged } = pricing
  return (
    <Panel title="Managed pricing" actions={<a href={AGENT_PATH}>Agent</a>}>
      <p>
        <State tone={isManaged ? 'good' : 'quiet'}>{isManaged ? 'On' : 'Off'}</State>
      </p>
      <p>
        {isManaged
          ? 'Souk answers buyers at once, by the rules below.'
          : hasCard
            ? 'Your own agent answers buyers. The rules below count once Souk answers for you.'
            : 'Nobody answers buyers for you yet. Let Souk do it by the rules below, or register your own agent.'}
      </p>
      {visitor.may('manage') && !isManaged && (
        <Answering visitor={visitor} isManaged card="keep" label="Switch to managed pricing" from="pricing" />
      )}
      {visitor.may('manage') && isManaged && hasCard && (
        <Answering
          visitor={visitor}
          isManaged={false}
          card="keep"
          label="Use your own agent"
          from="pricing"
        />
      )}
      <WhoMay visitor={visitor} right="manage" what="change what is on this page" />
    </Panel>
  )
}

function Tiers({ pricing: { volumeDiscounts } }: PricingPage) {
  if (volumeDiscounts.length === 0) return <p class="soft">There are none.</p>
  return (
    <DataTable
      caption="Volume discounts"
      columns={[{ label: 'From quantity' }, { label: 'Discount', kind: 'number' }]}
      rows={volumeDiscounts.map(({ minQty, discountPct }) => [countOf(minQty, 'unit'), `${discountPct}%`])}
    />
  )
}

/** Kept as they were given, whoever gave them; nobody should believe that they do anything. */
function OtherRules({ rules }: { rules: Record<string, unknown> }) {
  const names = Object.keys(rules)
  if (names.length === 0) return null
  return (
    <p class="hint">
      Your rules hold more than discounts, which quotes make no use of: <code>{names.join(', ')}</code>
    </p>
  )
}

function Products(props: PricingPage) {
  const { products, total, query, page, pages } = props
  return (
    <Panel
      title="Products"
      lead="Only products whose claim is proved are quoted. Open one to set its rules and simulate a quote."
    >
      {(total > 0 || query !== '') && (
        <form class="filters" method="get" action={`${PRICING_PATH}#products`}>
          <Field
            state={{ values: { q: query }, errors: {} }}
            name="q"
            label="Find a product"
            type="search"
            autocomplete="off"
            maxlength={100}
          />
          <button class="button plain" type="submit">
            Find
          </button>
        </form>
      )}
      {total === 0 && <NoProducts query={query} />}
      {total > 0 && (
        <>
          <DataTable
            caption="Your products and their rules"
            columns={[{ label: 'Product' }, { label: 'Rules' }, { label: 'Quotes' }]}
            rows={products.map(({ product: { facts, rfq }, rules }) => [
              <a href={pricingPath(facts.slug)}>{facts.title}</a>,
              (rules && rulesInShort(rules)) ?? <span class="soft">None</span>,
              <State tone={READY_WORDS[rfq].tone}>{READY_WORDS[rfq].words}</State>,
            ])}
          />
          <Paging
            page={page}
            pages={pages}
            href={(number) => hrefOf(query, number)}
            label="Pages of products"
          />
        </>
      )}
    </Panel>
  )
}

function hrefOf(query: string, page: number): string {
  const parameters = new URLSearchParams({ ...(query && { q: query }), page: String(page) })
  return `${PRICING_PATH}?${parameters}#products`
}

function NoProducts({ query }: { query: string }) {
  return (
    <Empty>
      {query === '' ? (
        <>
          <p>
            You have no proved claim to a product yet. Claim the products that you make or sell, then price
            them here.
          </p>
          <a class="button" href={PRODUCTS_PATH}>
            Go to products
          </a>
        </>
      ) : (
        <>
          <p>None of the products you have a proved claim to has “{query}” in its name.</p>
          <a href={PRICING_PATH}>Show all</a>
        </>
      )}
    </Empty>
  )
}
