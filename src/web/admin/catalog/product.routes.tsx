/** /admin/products/:slug: one product with what hangs on it: edit, hide, discontinue, merge, delete. */

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { listCategories } from '../../../catalog/catalog.service.ts'
import { getManaged, type ManagedView } from '../../../catalog/manage-lists.service.ts'
import {
  archiveProducts,
  deleteProducts,
  editProduct,
  hideProducts,
  mergeProducts,
  showProducts,
  toEditRecord,
  unarchiveProducts,
} from '../../../catalog/manage-products.service.ts'
import { productPath } from '../../../catalog/profile.ts'
import { parseSlug } from '../../../catalog/select-products.ts'
import { AppError } from '../../../lib/errors.ts'
import { Ago } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Check, Form, Hidden, UNTOUCHED } from '../../kit/fields.tsx'
import { FieldGroups, type FormSpec, inForm, requestOf, typedOf } from '../../kit/form.tsx'
import { Action, Confirm, Facts, LinkButton, Panel } from '../../kit/parts.tsx'
import { IMAGE_PARTS, PROFILE_FIELDS } from '../../kit/proposal-words.ts'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { PRODUCTS } from '../nav.ts'
import { stateBadge } from './products.routes.tsx'
import { editedAt, editWords, MergeInto, twoForms } from './undo.routes.tsx'

const PRODUCT = `${PRODUCTS}/:id`

/** By the names of the import contract. */
const FORM: FormSpec = {
  title: { ...PROFILE_FIELDS.title, required: true },
  slug: {
    ...{ kind: 'text', label: 'Slug', max: 80, required: true },
    hint: 'The old address leads to the new one.',
  },
  category: { kind: 'text', label: 'Category', max: 80, required: true, list: 'categories-known' },
  brand: { kind: 'text', label: 'Brand', max: 300, empty: 'null' },
  model: { ...PROFILE_FIELDS.model, empty: 'null' },
  description: { ...PROFILE_FIELDS.description, empty: 'null' },
  verdict: { kind: 'long', label: 'Verdict', max: 400, empty: 'null' },
  released: { ...PROFILE_FIELDS.released, empty: 'null' },
  specs: { ...PROFILE_FIELDS.specs, asRecord: true },
  best_for: PROFILE_FIELDS.best_for,
  not_for: PROFILE_FIELDS.not_for,
  price_low: PROFILE_FIELDS.price_low,
  price_high: PROFILE_FIELDS.price_high,
  list_price: { ...PROFILE_FIELDS.list_price, empty: 'null' },
  where_to_buy: PROFILE_FIELDS.where_to_buy,
  images: {
    ...{ kind: 'rows', label: 'Images', ordered: true, hint: 'The first is shown in lists.' },
    parts: IMAGE_PARTS,
  },
  gtin: { ...PROFILE_FIELDS.gtin, empty: 'null' },
  mpn: { ...PROFILE_FIELDS.mpn, empty: 'null' },
  sku: { ...PROFILE_FIELDS.sku, empty: 'null' },
}
const GROUPS = {
  Basics: ['title', 'slug', 'category', 'brand', 'model', 'description', 'verdict', 'released'],
  'What buyers compare': ['specs', 'best_for', 'not_for'],
  'Prices and shops': ['price_low', 'price_high', 'list_price', 'where_to_buy'],
  'Identifiers and images': ['gtin', 'mpn', 'sku', 'images'],
}

const EditForm = z.record(z.string(), z.string())
const ActForm = z.object({ act: z.enum(['hide', 'show', 'archive', 'unarchive']) })
const ACTS = {
  hide: hideProducts,
  show: showProducts,
  archive: archiveProducts,
  unarchive: unarchiveProducts,
}
const MergeForm = z.object({ into: z.string().trim().min(1, 'Choose a product.').max(200) })
const DeleteForm = z.object({ force: z.literal('on').optional() })

function storedOf({ profile }: ManagedView): Record<string, unknown> {
  const record = toEditRecord(profile)
  const { low, high } = (record.price ?? {}) as { low?: number; high?: number }
  return { ...record, price_low: low, price_high: high === low ? undefined : high }
}

/** What the form states, as the import contract has it. */
function statedBy(form: Record<string, string>): Record<string, unknown> {
  const { price_low: low, price_high: high, ...fields } = requestOf(FORM, form)
  const price = low === undefined ? (high === undefined ? null : high) : { low, high: high ?? low }
  const images = (fields.images as Array<{ url: string; alt: string }> | undefined)?.map(({ url, alt }) => ({
    url,
    alt: alt || null,
  }))
  return { ...fields, price, images }
}

export function mountProduct(admin: Admin, { ctx }: AdminDeps): void {
  async function find(slug: string): Promise<ManagedView> {
    const found = await getManaged(ctx, slug)
    if (!found) throw new AppError('not_found', 'We couldn’t find this product.')
    return found
  }

  async function show({ id, state, c }: AdminSeen): Promise<Page> {
    const view = await find(id)
    const { profile, isHidden, updatedAt } = view
    const to = `${PRODUCTS}/${profile.slug}`
    const { isTyped, filled, other } = twoForms(state, FORM, storedOf(view))
    const categories = await listCategories(ctx)
    return {
      title: profile.title,
      lead: stateBadge({ isHidden, discontinued: profile.discontinued }),
      said: editWords(c),
      actions: [
        !isHidden && <LinkButton to={productPath(profile)} label="View as buyers do" />,
        <LinkButton to={PRODUCTS} label="All products" />,
      ],
      body: [
        <div class="side-by-side">
          <Panel title="Product">
            <Facts facts={factsOf(view, ctx.clock.now())} />
          </Panel>
          <Panel title="Actions">
            <Action
              to={`${to}/state`}
              label={isHidden ? 'Show' : 'Hide'}
              fields={{ act: isHidden ? 'show' : 'hide' }}
            />
            <Action
              to={`${to}/state`}
              label={profile.discontinued ? 'Mark as still made' : 'Mark as discontinued'}
              fields={{ act: profile.discontinued ? 'unarchive' : 'archive' }}
            />
            <MergeInto {...{ to, what: 'product', label: 'Slug of the product that stays', state: other }}>
              Claims, offers, requests and saves move to the other product, addresses lead to it, and this
              product is gone. This can’t be undone.
            </MergeInto>
            <Confirm ask="Delete">
              <p>This can’t be undone. Later files of its source skip it.</p>
              <Form action={`${to}/delete`} kind="danger" label="Delete">
                {view.hanging !== null && (
                  <Check
                    state={UNTOUCHED}
                    name="force"
                    label="Also delete what depends on it. If buyers requested quotes for it, it is hidden instead."
                  />
                )}
              </Form>
            </Confirm>
          </Panel>
        </div>,
        <Panel title="Edit" lead="What you change here is your word: files don’t overwrite it.">
          <Form action={to} label="Save">
            <Hidden name="seen" value={isTyped ? state.values.seen : updatedAt.toISOString()} />
            <FieldGroups of={FORM} groups={GROUPS} state={filled} />
            <datalist id="categories-known">
              {categories.map(({ slug, label }) => (
                <option value={slug}>{label}</option>
              ))}
            </datalist>
          </Form>
        </Panel>,
      ],
    }
  }

  admin.page(PRODUCT, show)
  admin.action(PRODUCT, {
    ...{ schema: EditForm, shows: true },
    async act({ id, operator: { by }, input }) {
      const view = await find(id)
      const seenAt = new Date(input.seen ?? '')
      if (Number.isNaN(seenAt.getTime()))
        throw new AppError('invalid', 'open the product again, and edit it there')
      const [was, said] = [statedBy(typedOf(FORM, storedOf(view))), statedBy(input)]
      const fields = Object.fromEntries(
        Object.entries(said).filter(([name, value]) => !isDeepStrictEqual(value, was[name])),
      )
      if (Object.keys(fields).length === 0) return `${PRODUCTS}/${id}?done=unchanged`
      const edited = await editProduct(ctx, { by, slug: id, fields, seenAt }).catch((error: unknown) => {
        throw inForm(FORM, error, (field) => (field === 'price' ? 'price_low' : (field.split('.')[0] ?? '')))
      })
      const undo = edited.batch === null ? '' : `&batch=${edited.batch}`
      return `${PRODUCTS}/${edited.slug}?done=${edited.changed ? 'saved' : 'unchanged'}${undo}`
    },
  })
  admin.action(`${PRODUCT}/state`, {
    ...{ schema: ActForm, shows: true },
    async act({ id, operator: { by }, input: { act } }) {
      const { profile } = await find(id)
      const { batch } = await ACTS[act](ctx, { by, selection: { slugs: [profile.slug] } })
      return editedAt(`${PRODUCTS}/${id}`, batch)
    },
  })
  admin.action(`${PRODUCT}/merge`, {
    ...{ schema: MergeForm, shows: true },
    async act({ id, operator: { by }, input: { into } }) {
      const merged = await mergeProducts(ctx, {
        by,
        from: (await find(id)).profile.slug,
        into: slugIn(into),
      }).catch(besideInto)
      return `${PRODUCTS}/${merged.slug}?done=saved`
    },
  })
  admin.action(`${PRODUCT}/delete`, {
    ...{ schema: DeleteForm, shows: true },
    async act({ id, operator: { by }, input: { force } }) {
      const { profile } = await find(id)
      const { deleted, kept } = await deleteProducts(ctx, {
        by,
        selection: { slugs: [profile.slug] },
        force: force !== undefined,
      })
      const why = kept.map((one) => one.why).join(', ')
      if (kept.length > 0)
        throw new AppError('conflict', `it was kept, because something depends on it: ${why}`)
      return deleted > 0 ? `${PRODUCTS}?done=changed` : `${PRODUCTS}/${id}?done=saved`
    },
  })
}

function slugIn(text: string): string {
  try {
    return parseSlug(text)
  } catch (error) {
    throw new AppError('invalid', 'this is not the slug of a product', { field: 'into', cause: error })
  }
}

function besideInto(error: unknown): never {
  if (!(error instanceof AppError) || error.kind === 'internal') throw error
  throw new AppError(error.kind, error.message, { field: 'into', cause: error })
}

function factsOf(
  { profile, hanging, updatedAt }: ManagedView,
  now: Date,
): Array<[string, string | ReturnType<typeof Ago>]> {
  const count = (label: string, value = 0): Array<[string, string]> =>
    value > 0 ? [[label, formatCount(value)]] : []
  return [
    ['Slug', profile.slug],
    ['Category', profile.category.label],
    ['Changed', <Ago at={updatedAt} now={now} />],
    ['Variants', formatCount(profile.variants.length)],
    ...count('Quote requests', hanging?.rfqs),
    ...count('Claims', hanging?.claims),
    ...count('Offers', hanging?.offers),
    ...count('Pricing rules', hanging?.pricing),
    ...count('Saves', hanging?.saved),
  ]
}
