/** Proposing a product that the catalog does not have. One that it has is shown, to be claimed instead. */
import type { Category } from '../../../catalog/catalog.schema.ts'
import { canonicalSlug } from '../../../catalog/profile.ts'
import type { ProductRef } from '../../../catalog/relationships.service.ts'
import { Field, type FormState, Select, TextArea } from '../../kit/fields.tsx'
import { Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, type Visitor } from '../page.tsx'
import { CLAIM_PATH, claimPath, NEW_PRODUCT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { NEW_LABELS } from './new.form.ts'

type NewPage = {
  site: Site
  visitor: Visitor
  categories: Category[]
  state: FormState
  /** The product of the catalog that this one is. */
  match: ProductRef | null
  /** The proposal that the form was filled in from still waits. */
  editing: boolean
}

export function renderNew({ site, visitor, categories, state, match, editing }: NewPage): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Propose a new product"
      lead={
        <>
          For what the catalog does not have. The operator looks at it before buyers see it. Not sure?{' '}
          <a href={CLAIM_PATH}>Look for it first</a>
        </>
      }
      at={PRODUCTS_PATH}
      errors={state.errors}
    >
      {match && (
        <div class="aside">
          <p>
            The catalog has this product: <strong>{match.title}</strong>. Claim it instead; what you typed
            stays below.
          </p>
          <p>
            <a class="button" href={claimPath(canonicalSlug(match))}>
              Claim {match.title}
            </a>
          </p>
        </div>
      )}
      {editing && (
        <p class="aside">
          This proposal still waits. Sending it replaces what it says, as long as its number, or its brand and
          title, stay the same; otherwise it becomes a second proposal.
        </p>
      )}
      {visitor.may('edit') && <NewForm visitor={visitor} categories={categories} state={state} />}
    </DashboardPage>,
  )
}

function NewForm({ visitor, categories, state }: Pick<NewPage, 'visitor' | 'categories' | 'state'>) {
  const line = { state, autocomplete: 'off' }
  return (
    <Panel title="The product">
      <ActionForm visitor={visitor} action={NEW_PRODUCT_PATH} label="Propose the product">
        <fieldset class="field-group">
          <legend>What it is</legend>
          <Select
            state={state}
            name="category"
            label={NEW_LABELS.category}
            options={[
              ['', 'Choose a category'],
              ...categories.map(({ slug, label }) => [slug, label] as const),
            ]}
          />
          <Field
            {...line}
            name="title"
            label={NEW_LABELS.title}
            maxlength={200}
            hint="Its full name, as you would print it"
            required
          />
          <Field {...line} name="brand" label={NEW_LABELS.brand} maxlength={100} />
          <Field {...line} name="model" label={NEW_LABELS.model} maxlength={200} />
        </fieldset>
        <fieldset class="field-group">
          <legend>Numbers that tell it from others</legend>
          <Field
            {...line}
            name="gtin"
            label={NEW_LABELS.gtin}
            maxlength={30}
            hint="8, 12, 13 or 14 digits: GTIN, EAN, UPC or ISBN"
          />
          <Field {...line} name="mpn" label={NEW_LABELS.mpn} maxlength={100} hint="The maker’s own number" />
        </fieldset>
        <fieldset class="field-group">
          <legend>What buyers read</legend>
          <TextArea
            state={state}
            name="description"
            label={NEW_LABELS.description}
            rows={6}
            maxlength={5_000}
            hint="Plain text"
          />
          <TextArea
            state={state}
            name="specs"
            label={NEW_LABELS.specs}
            rows={6}
            hint="One a line, such as Capacity: 1.7 l"
          />
          <TextArea
            state={state}
            name="image_urls"
            label={NEW_LABELS.image_urls}
            rows={3}
            hint="Addresses that begin with https, one a line, at most 12"
          />
        </fieldset>
        <fieldset class="field-group">
          <legend>Where it is sold</legend>
          <Field
            {...line}
            name="product_url"
            label={NEW_LABELS.product_url}
            type="url"
            maxlength={2_000}
            hint="So that the operator can check what you say"
          />
          <Field
            {...line}
            name="price_usd"
            label={NEW_LABELS.price_usd}
            maxlength={20}
            hint="Such as 49.99"
          />
        </fieldset>
      </ActionForm>
    </Panel>
  )
}
