/** A new offer: for one of the products that the organization has a proved claim to. */
import { MOST_OFFERS } from '../../../offers/offers.service.ts'
import { Field, type FormState, Select } from '../../kit/fields.tsx'
import { Empty } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { CLAIM_PATH, NEW_OFFER_PATH, OFFERS_PATH } from '../paths.ts'
import { OfferFields } from './offer.fields.tsx'
import { MOST_CHOICES } from './offers.filter.ts'

type Related = { productSlug: string; title: string }

export type NewPageProps = {
  site: Site
  visitor: Visitor
  /** Those that offers can be made for. */
  products: readonly Related[]
  /** Whether there are as many offers as there may be. */
  full: boolean
  state: FormState
  now: Date
}

export function renderNew({ site, visitor, products, full, state, now }: NewPageProps): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="New offer"
      lead="Nobody sees it until you show it."
      at={OFFERS_PATH}
      errors={state.errors}
    >
      {!visitor.may('edit') ? (
        <Empty>
          <p>No offers can be made for {visitor.org.name} now.</p>
        </Empty>
      ) : products.length === 0 ? (
        <Empty>
          <p>
            You can make offers for products that {visitor.org.name} has a proved claim to. There are none
            yet: claim a product first.
          </p>
          <p>
            <a class="button" href={CLAIM_PATH}>
              Claim a product
            </a>
          </p>
        </Empty>
      ) : full ? (
        <Empty>
          <p>
            {visitor.org.name} has {MOST_OFFERS} offers that have not ended, which is as many as it may have.
            End one that you no longer need, then come back.
          </p>
          <p>
            <a class="button" href={OFFERS_PATH}>
              See your offers
            </a>
          </p>
        </Empty>
      ) : (
        <OfferFields
          visitor={visitor}
          action={NEW_OFFER_PATH}
          state={state}
          now={now}
          product={<ProductField products={products} state={state} />}
          buttons={
            <>
              <button class="button" type="submit" name="save" value="draft">
                Save as draft
              </button>
              <button class="button plain" type="submit" name="save" value="show">
                Save and show
              </button>
            </>
          }
        />
      )}
    </DashboardPage>,
  )
}

function ProductField({ products, state }: Pick<NewPageProps, 'products' | 'state'>) {
  const field = { state, name: 'product_slug', label: 'Product' }
  return (
    <div>
      {products.length > MOST_CHOICES ? (
        <Field
          {...field}
          autocomplete="off"
          required
          hint="The last part of its page's address, such as kettles/gooseneck."
        />
      ) : (
        <Select
          {...field}
          options={[
            ['', 'Choose a product'],
            ...products.map(({ productSlug, title }) => [productSlug, title] as const),
          ]}
        />
      )}
      <p class="row-note">
        Not here? <a href={CLAIM_PATH}>Claim it among your products</a>
      </p>
    </div>
  )
}
