/** The rules of one product with the simulator beside them. Who may not change rules reads them. */
import type { PricingRules } from '../../../pricing/pricing.service.ts'
import { countOf } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { PRICING_PATH, pricingPath } from '../paths.ts'
import { RulesFields } from './rules.form.tsx'
import { rulesInFull } from './rules-words.ts'
import { type Simulation, Simulator } from './simulator.tsx'

type ProductPricingPage = {
  site: Site
  visitor: Visitor
  title: string
  pricing: PricingRules & { product: NonNullable<PricingRules['product']> }
  state: FormState
  /** Null when the organization is not asked for quotes at all. */
  simulation: Simulation | null
  done: string | null
}

export function renderProductPricing(page: ProductPricingPage): string {
  const { site, visitor, title, pricing, state, simulation, done } = page
  const { productSlug, rules } = pricing.product
  const path = pricingPath(productSlug)
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={`Pricing of ${title}`}
      lead="How Souk prices it when it answers buyers for you."
      at={PRICING_PATH}
      done={done}
      errors={{ ...state.errors, ...simulation?.state.errors }}
      actions={
        <a class="button plain" href={PRICING_PATH}>
          All products
        </a>
      }
    >
      <div class="side-by-side priced">
        <Panel title="Rules" lead={startWords(pricing.volumeDiscounts.length)}>
          {visitor.may('manage') ? (
            <RulesFields visitor={visitor} action={path} rules={rules} state={state} />
          ) : (
            <>
              <table class="specs">
                <caption class="hidden">The rules as they are</caption>
                <tbody>
                  {rulesInFull(rules).map(([label, words]) => (
                    <tr>
                      <th scope="row">{label}</th>
                      <td>{words}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <WhoMay visitor={visitor} right="manage" />
            </>
          )}
        </Panel>
        {simulation && <Simulator path={path} isManaged={pricing.isManaged} simulation={simulation} />}
      </div>
    </DashboardPage>,
  )
}

function startWords(discounts: number) {
  return (
    <>
      A price starts from your offer that is shown, else your shop’s listed price, else the list price. Then{' '}
      <a href={`${PRICING_PATH}#volume-discounts`}>
        {discounts === 0 ? 'volume discounts' : countOf(discounts, 'volume discount')}
      </a>{' '}
      {discounts === 0 ? 'would count; there are none.' : 'may apply.'}
    </>
  )
}
