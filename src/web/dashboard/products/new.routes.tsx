/** /dashboard/products/new: proposes a product that the catalog does not have; if it has it, offers to claim it. */
import { z } from 'zod'
import type { ProductImage, Spec } from '../../../catalog/catalog.schema.ts'
import { listCategories } from '../../../catalog/catalog.service.ts'
import { canonicalSlug } from '../../../catalog/profile.ts'
import { findNamedProduct, type ProductRef } from '../../../catalog/relationships.service.ts'
import { SubmitProduct } from '../../../catalog/submissions.schema.ts'
import { getOwnSubmission, submitProduct } from '../../../catalog/submissions.service.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Page } from '../../kit/console.tsx'
import { Form, type FormState } from '../../kit/fields.tsx'
import { FieldGroups, type FormSpec, inForm, inputFields, issueWords, typedOf } from '../../kit/form.tsx'
import { LinkLine, Panel } from '../../kit/parts.tsx'
import { FIELD_WORDS } from '../../kit/proposal-words.ts'
import { wantsJson } from '../../page.http.ts'
import type { Dashboard, DashboardDeps, VisitorSeen } from '../guard.tsx'
import { CLAIM_PATH, claimPath, NEW_PRODUCT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { SPECS_FIELD } from './change.routes.tsx'
import { readProductForm } from './lines.ts'

const FORM: FormSpec = inputFields(SubmitProduct, {
  category: { kind: 'choice', hint: undefined, required: true },
  title: { hint: 'Its full name, as you would print it.' },
  brand: { hint: undefined },
  model: { hint: undefined },
  gtin: { label: FIELD_WORDS.gtin, hint: '8, 12, 13 or 14 digits: GTIN, EAN, UPC or ISBN.' },
  mpn: { label: FIELD_WORDS.mpn, hint: 'The manufacturer’s own number.' },
  description: { kind: 'long', hint: 'Plain text.' },
  specs: { ...SPECS_FIELD, hint: undefined },
  image_urls: {
    ...{ kind: 'rows', label: 'Images', hint: 'Up to 12, the best first.', ordered: true },
    parts: { url: { label: 'Address (https)', kind: 'image' } },
    paste: 'One address per line.',
  },
  product_url: {
    ...{ label: 'Product page on your site', max: 2_000 },
    hint: 'Helps the operator check your proposal.',
  },
  price_usd: { hint: undefined },
})

const GROUPS = {
  Basics: ['category', 'title', 'brand', 'model'],
  Identifiers: ['gtin', 'mpn'],
  'What buyers see': ['description', 'specs', 'image_urls'],
  'Where to buy': ['product_url', 'price_usd'],
}

/** Reports every problem, one for each field. */
const NewForm = z.record(z.string(), z.string()).transform((form, check) => {
  const { values, problems } = readProductForm(FORM, form)
  const specs = (values.specs as Spec[]).map(({ name, value }) => [name, value])
  const images = (values.image_urls as ProductImage[]).map(({ url }) => url)
  const parsed = SubmitProduct.safeParse(
    {
      ...values,
      specs: specs.length === 0 ? undefined : Object.fromEntries(specs),
      image_urls: images.length === 0 ? undefined : images,
    },
    { reportInput: true },
  )
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0] ?? '')
    problems[name] ??= issueWords(issue, FORM, { category: 'Choose a category.', title: 'Enter a title.' })
  }
  for (const [name, message] of Object.entries(problems))
    check.issues.push({ code: 'custom', path: [name], message, input: undefined })
  return parsed.success ? { request: parsed.data, values: form } : z.NEVER
})

export function mountNew(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  type Shown = VisitorSeen

  async function show({ c, visitor, state }: Shown, match: ProductRef | null = null): Promise<Page> {
    const from = Object.keys(state.values).length === 0 ? c.req.query('from') : undefined
    const known = from === undefined ? null : await getOwnSubmission(ctx, visitor, { submissionId: from })
    const filled: FormState = known ? { values: valuesOf(known), errors: {} } : state
    const categories = (await listCategories(ctx)).map(({ slug, label }) => [slug, label] as const)
    const category = { ...FORM.category, options: [['', 'Choose a category'], ...categories] }
    return {
      title: 'Propose a new product',
      lead: (
        <>
          For products that aren’t in the catalog yet. The operator reviews your proposal before buyers see
          it. Not sure? <a href={CLAIM_PATH}>Search first</a>
        </>
      ),
      body: [
        match && (
          <div class="aside">
            <p>
              The catalog already has this product: <strong>{match.title}</strong>. Claim it instead. What you
              typed is still below.
            </p>
            <LinkLine to={claimPath(canonicalSlug(match))} button>
              Claim {match.title}
            </LinkLine>
          </div>
        ),
        known?.status === 'pending' && (
          <p class="aside">
            This proposal is in review. Sending the form updates it if the barcode number, or the brand and
            title, stay the same. Otherwise you create a second proposal.
          </p>
        ),
        visitor.may('edit') && (
          <Panel title="Product details">
            <Form action={NEW_PRODUCT_PATH} label="Send for review">
              <FieldGroups of={{ ...FORM, category } as FormSpec} state={filled} groups={GROUPS} />
            </Form>
          </Panel>
        ),
      ],
    }
  }

  dashboard.page(NEW_PRODUCT_PATH, 'edit', (seen) => show(seen))

  dashboard.action(NEW_PRODUCT_PATH, {
    schema: NewForm,
    async act({ c, act, visitor, input: { request, values } }) {
      try {
        const { created, changed } = await submitProduct(ctx, act, request)
        const done = created ? 'proposed' : changed ? 'proposed_again' : 'proposed_same'
        return `${PRODUCTS_PATH}?done=${done}`
      } catch (error) {
        const [slug] = error instanceof AppError && error.kind === 'conflict' ? (error.valid ?? []) : []
        const match = slug === undefined ? null : await findNamedProduct(ctx, slug)
        if (!match || wantsJson(c)) throw inFormWords(error)
        const page = await show({ c, visitor, state: { values, errors: {} } }, match)
        const errors = { '': 'The catalog already has this product, so we didn’t send your proposal.' }
        return { ...page, errors, status: 409 }
      }
    },
  })
}

/** What an earlier proposal says, to be changed. */
function valuesOf({
  product,
  productUrl,
}: Awaited<ReturnType<typeof getOwnSubmission>>): FormState['values'] {
  const { price, images, ...same } = product as { price?: { low?: number }; images?: ProductImage[] }
  return typedOf(FORM, { ...same, image_urls: images, product_url: productUrl, price_usd: price?.low })
}

/** The service offers a slug to choose; the form has no field for it. */
function inFormWords(error: unknown): unknown {
  const placed = inForm(FORM, error)
  if (!(placed instanceof AppError) || placed.kind !== 'conflict') return placed
  const { kind, code, field, max } = placed
  const message = placed.message.replace(/, or give slug .*$/, '')
  return new AppError(kind, message, { code, field, max, cause: error })
}
