/**
 * /admin/products: all products, hidden ones too, and what the operator does to many of them at once. What cannot be
 * undone, and what concerns everything that matches, is said and confirmed before it is done.
 */
import { z } from 'zod'
import { listCategories } from '../../../catalog/catalog.service.ts'
import {
  listManaged,
  type ManagedProduct,
  MOST_MANAGED,
  type ProductFilter,
  type ProductOrder,
  slugsOfManaged,
} from '../../../catalog/manage-lists.service.ts'
import {
  archiveProducts,
  deleteProducts,
  hideProducts,
  type Managed,
  moveProducts,
  showProducts,
  unarchiveProducts,
} from '../../../catalog/manage-products.service.ts'
import { brandKey } from '../../../catalog/product-identity.ts'
import { AppError } from '../../../lib/errors.ts'
import { centsToDollars } from '../../../lib/money.ts'
import { usd } from '../../../lib/words.ts'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Check, Form, Hidden, Select } from '../../kit/fields.tsx'
import { type Asked, choice, column, defineList, pickedIn, readAsked, typed } from '../../kit/list.tsx'
import { LinkButton, LinkLine, Panel, State, Submit } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen, Operator } from '../guard.ts'
import { IMPORTS, PRODUCTS } from '../nav.ts'
import { UndoLink } from './undo.routes.tsx'

type Find = Asked<typeof LIST.filters>

const STATE_WORDS = { shown: 'Shown', hidden: 'Hidden', discontinued: 'Discontinued' }
const LIST = defineList(PRODUCTS, 'product', {
  search: 'Title, slug, brand or number',
  sorts: [
    ['newest', 'Newest first'],
    ['changed', 'Changed last first'],
    ['title', 'Title'],
  ],
  filters: {
    category: 'text',
    brand: typed('Brand'),
    state: choice('Status', STATE_WORDS),
    source: typed('Source'),
  },
})
const ACTS = {
  hide: { label: 'Hide', done: 'hidden', run: hideProducts },
  show: { label: 'Show', done: 'shown', run: showProducts },
  archive: { label: 'Mark as discontinued', done: 'marked as discontinued', run: archiveProducts },
  unarchive: { label: 'Mark as still made', done: 'marked as still made', run: unarchiveProducts },
  move: { label: 'Move to the category', done: 'moved', run: null },
  delete: { label: 'Delete', done: 'deleted', run: null },
}
const ACT_NAMES = ['hide', 'show', 'archive', 'unarchive', 'move', 'delete'] as const
const NAMED_FIRST = 10

const BulkForm = z
  .looseObject({
    act: z.enum(ACT_NAMES, 'Choose what to do.'),
    to: z.string().max(100).default(''),
    all: z.literal('on').optional(),
    force: z.literal('on').optional(),
    sure: z.literal('yes').optional(),
  })
  .transform((form) => ({ ...form, picked: pickedIn(form as Record<string, string>) }))
  .refine(({ picked, all }) => all !== undefined || picked.length > 0, {
    message: 'Select at least one product.',
    path: [''],
  })
  .refine(({ act, to }) => act !== 'move' || to !== '', {
    message: 'Choose a category.',
    path: ['to'],
  })
type BulkForm = z.output<typeof BulkForm>

export function filterOf({ q, filters }: Pick<Find, 'q' | 'filters'>): ProductFilter {
  const { category, brand, state, source } = filters
  return {
    ...{ search: q || null, category: category || null, state: state || null, source: source || null },
    brand: brand === '' ? null : brandKey(brand),
  }
}

export function mountProducts(admin: Admin, { ctx }: AdminDeps): void {
  const list = admin.list<ManagedProduct, typeof LIST.filters>(LIST, async ({ asked, c, state }) => {
    const { sort, limit, offset } = asked
    const order = (sort || 'newest') as ProductOrder
    const { products, total } = await listManaged(ctx, filterOf(asked), { order, limit, offset })
    const categories = (await listCategories(ctx)).map(({ slug, label }) => [slug, label] as const)
    const batch = c.req.query('batch')
    return {
      title: 'Products',
      lead: 'The whole catalog, hidden products too.',
      said: {
        changed: <>Done. {batch !== undefined && <UndoLink batch={batch} />}</>,
        unchanged: 'Nothing to change: they were like this already.',
      },
      actions: <LinkButton to={IMPORTS} label="Import products" />,
      rows: products,
      total,
      order: total >= MOST_MANAGED ? 'and more' : undefined,
      filters: { category: { label: 'Category', options: categories } },
      columns: [
        column.link('Title', 'title', ({ slug }) => `${PRODUCTS}/${slug}`),
        { label: 'Slug', csv: ({ slug }) => slug },
        { label: 'Category', csv: ({ category }) => category.slug, cell: ({ category }) => category.label },
        column.text('Brand', 'brand'),
        {
          ...{ label: 'Price', kind: 'number' },
          cell: ({ priceLowCents: cents }) => (cents === null ? '–' : usd(centsToDollars(cents))),
          csv: ({ priceLowCents: cents }) => (cents === null ? null : centsToDollars(cents)),
        },
        {
          label: 'Status',
          cell: stateBadge,
          csv: (product) => (product.isHidden ? 'hidden' : product.discontinued ? 'discontinued' : 'shown'),
        },
        column.ago('Changed', 'updatedAt', ctx.clock.now()),
      ],
      bulk: {
        action: `${PRODUCTS}/bulk`,
        key: ({ slug }) => slug,
        name: ({ title }) => title,
        buttons: [
          <AskedFields asked={asked} />,
          <Select
            state={state}
            name="act"
            label="With the selected"
            options={ACT_NAMES.map((act) => [act, ACTS[act].label])}
          />,
          <Select
            state={state}
            name="to"
            label="Category to move to"
            options={[['', 'Choose'], ...categories]}
          />,
          <Check
            state={state}
            name="all"
            label={`All ${formatCount(total)} that match, not only the selected`}
          />,
          <Submit kind="plain">Apply</Submit>,
        ],
      },
      empty: (
        <p>
          No products yet. <a href={IMPORTS}>Import a file</a> to begin.
        </p>
      ),
    }
  })
  const page = (seen: AdminSeen) => list(seen, new URLSearchParams(seen.state.values))

  admin.action(`${PRODUCTS}/bulk`, {
    ...{ schema: BulkForm, page, shows: true },
    async act({ operator, input }) {
      const asked = readAsked(LIST, new URLSearchParams(plainFields(input)))
      const slugs = input.all ? await slugsOfManaged(ctx, filterOf(asked)) : input.picked
      if (!input.sure && (input.all || input.act === 'delete')) return confirmPage(input, slugs)
      if (input.act === 'delete') {
        const ask = { by: operator.by, selection: { slugs }, force: input.force !== undefined }
        const deleted = await deleteProducts(ctx, ask)
        return deletedPage(deleted)
      }
      const { changed, batch } = await apply(operator, input, slugs)
      return `${PRODUCTS}?done=${changed > 0 ? 'changed' : 'unchanged'}${batch === null ? '' : `&batch=${batch}`}`
    },
  })

  function apply({ by }: Operator, { act, to }: BulkForm, slugs: string[]): Promise<Managed> {
    const ask = { by, selection: { slugs } }
    if (act === 'move') return moveProducts(ctx, { ...ask, to }).catch(besideCategory)
    const { run } = ACTS[act]
    if (!run) throw new Error(`${act} is done elsewhere`)
    return run(ctx, ask)
  }
}

function besideCategory(error: unknown): never {
  if (!(error instanceof AppError) || error.field !== 'category') throw error
  throw new AppError(error.kind, error.message, { field: 'to', cause: error })
}

export function stateBadge({ isHidden, discontinued }: Pick<ManagedProduct, 'isHidden' | 'discontinued'>) {
  if (isHidden) return <State tone="bad">Hidden</State>
  return discontinued ? <State tone="quiet">Discontinued</State> : <State tone="good">Shown</State>
}

/** So that a refused form shows the same list again, and "all that match" means what was seen. */
function AskedFields({ asked: { q, filters } }: { asked: Find }) {
  return (
    <>
      {Object.entries({ q, ...filters }).map(([name, value]) => (
        <Hidden name={name} value={value} />
      ))}
    </>
  )
}

function plainFields(input: BulkForm): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

function confirmPage(input: BulkForm, slugs: string[]): Page {
  const { act } = input
  const isDelete = act === 'delete'
  const title = `${ACTS[act].label}: ${countOf(slugs.length, 'product')}`
  return {
    title,
    body: (
      <Panel title="Are you sure?">
        <p>
          {slugs.slice(0, NAMED_FIRST).join(', ')}
          {slugs.length > NAMED_FIRST && ` and ${formatCount(slugs.length - NAMED_FIRST)} more`}
        </p>
        {slugs.length >= MOST_MANAGED && (
          <p>These are the first {formatCount(MOST_MANAGED)} that match. Repeat it for the rest.</p>
        )}
        {isDelete && (
          <p>
            This can’t be undone. Products with claims, offers, requests or saves are kept. Later files of
            their sources skip the deleted ones.
          </p>
        )}
        <Form action={`${PRODUCTS}/bulk`} kind={isDelete ? 'danger' : 'primary'} label={title}>
          {Object.entries(plainFields(input)).map(([name, value]) => (
            <Hidden name={name} value={value} />
          ))}
          <Hidden name="sure" value="yes" />
          {isDelete && (
            <Check
              state={{ values: {}, errors: {} }}
              name="force"
              label="Also delete claims, offers and saves of these products. Those with quote requests are hidden instead."
            />
          )}
        </Form>
        <LinkLine to={PRODUCTS}>Cancel</LinkLine>
      </Panel>
    ),
  }
}

function deletedPage({ deleted, hidden, kept }: Awaited<ReturnType<typeof deleteProducts>>): Page {
  return {
    title: `${countOf(deleted, 'product')} deleted`,
    body: (
      <Panel title="Result" actions={<LinkButton to={PRODUCTS} label="All products" />}>
        {hidden.length > 0 && <p>Hidden, because buyers requested quotes for them: {hidden.join(', ')}</p>}
        {kept.length === 0 ? <p>Nothing was kept.</p> : <p>Kept, because something depends on them:</p>}
        <ul>
          {kept.slice(0, 50).map(({ slug, why }) => (
            <li>
              <a href={`${PRODUCTS}/${slug}`}>{slug}</a>: {why}
            </li>
          ))}
        </ul>
        {kept.length > 50 && <p class="soft">{formatCount(kept.length - 50)} more.</p>}
      </Panel>
    ),
  }
}
