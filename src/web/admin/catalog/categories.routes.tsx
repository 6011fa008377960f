/** /admin/categories: edit, hide, merge and delete categories. */
import { z } from 'zod'
import {
  type CATEGORY_COLUMNS,
  deleteCategory,
  editCategory,
  importCategoriesFile,
  mergeCategories,
  setCategoryHidden,
} from '../../../catalog/manage-categories.service.ts'
import { listManagedCategories, type ManagedCategory } from '../../../catalog/manage-lists.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Form, Select } from '../../kit/fields.tsx'
import { FormPanel, type FormSpec, inForm, requestOf } from '../../kit/form.tsx'
import { choice, column, defineList } from '../../kit/list.tsx'
import { Action, Confirm, LinkButton, Panel, State } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { CATEGORIES, PRODUCTS } from '../nav.ts'
import { editedAt, editWords, twoForms } from './undo.routes.tsx'

const LIST = defineList(CATEGORIES, 'category', {
  search: 'Name or slug',
  filters: { state: choice('Status', { shown: 'Shown', hidden: 'Hidden', empty: 'Without products' }) },
})
const FORM: FormSpec = {
  label: { kind: 'text', label: 'Name', max: 100, required: true },
  slug: {
    kind: 'text',
    label: 'Slug',
    max: 80,
    required: true,
    hint: 'The old address leads to the new one.',
  },
  description: { kind: 'long', label: 'Description', max: 2_000, empty: 'text' },
  path: { kind: 'texts', label: 'Above it', hint: 'The names above this category, outermost first.' },
}
const FILE = {
  ...{ path: `${CATEGORIES}/import`, list: CATEGORIES, noun: 'category' },
  title: 'Import categories',
  lead: 'Make and change many categories from a file. You see what would change before you save, and can undo it.',
  columns: {
    slug: 'Which category it is; one that is not there is made.',
    label: 'Its name.',
    description: 'What it holds.',
    path: 'The names above it, such as Home > Kitchen.',
    status: 'shown or hidden, with its products.',
  } satisfies Record<(typeof CATEGORY_COLUMNS)[number], string>,
  href: (slug: string) => `${CATEGORIES}/${slug}`,
}
const ActForm = z.object({ act: z.enum(['hide', 'show', 'delete']) })
const MergeForm = z.object({ into: z.string().min(1, 'Choose a category.').max(100) })

export function mountCategories(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<ManagedCategory, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const found = await listManagedCategories(ctx, { search: q || null, state: filters.state || null })
    return {
      title: 'Categories',
      lead: 'Hidden ones too.',
      actions: <LinkButton to={FILE.path} label="Import a file" />,
      said: { deleted: 'Category deleted.', merged: 'Merged. The old addresses lead to this category’s.' },
      rows: found.slice(offset, offset + limit),
      total: found.length,
      columns: [
        column.link('Name', 'label', ({ slug }) => `${CATEGORIES}/${slug}`),
        column.text('Slug', 'slug'),
        column.text('Above it', ({ path }) => path.join(' > ')),
        { label: 'description', csv: ({ description }) => description },
        column.count('Products', 'products'),
        column.text('Status', ({ isHidden }) => (isHidden ? 'hidden' : 'shown'), badge),
        column.ago('Changed', 'updatedAt', ctx.clock.now()),
      ],
      empty: <p>No categories yet. They come with imported products.</p>,
    }
  })

  async function find(slug: string): Promise<ManagedCategory> {
    const [found] = await listManagedCategories(ctx, { search: null, state: null, slug })
    if (!found) throw new AppError('not_found', 'We couldn’t find this category.')
    return found
  }

  async function show({ id, state, c }: AdminSeen): Promise<Page> {
    const category = await find(id)
    const others = await listManagedCategories(ctx, { search: null, state: null })
    const { filled, other } = twoForms(state, FORM, category)
    const to = `${CATEGORIES}/${category.slug}`
    const products = countOf(category.products, 'product')
    return {
      title: category.label,
      lead: (
        <>
          {badge(category)} <a href={`${PRODUCTS}?category=${category.slug}`}>{products}</a>
        </>
      ),
      said: editWords(c),
      actions: <LinkButton to={CATEGORIES} label="All categories" />,
      body: (
        <div class="side-by-side">
          <FormPanel title="Edit" action={to} label="Save" of={FORM} state={filled} />
          <Panel title="Actions">
            <Action
              to={`${to}/state`}
              fields={{ act: category.isHidden ? 'show' : 'hide' }}
              label={category.isHidden ? 'Show, with its products' : 'Hide, with its products'}
            />
            <Confirm ask="Merge into another category" open={other.errors.into !== undefined}>
              <p>
                Its {products} move there, its addresses lead there, and this category is gone. This can’t be
                undone.
              </p>
              <Form action={`${to}/merge`} kind="danger" label="Merge">
                <Select
                  state={other}
                  name="into"
                  label="Category that stays"
                  options={[
                    ['', 'Choose'],
                    ...others
                      .filter(({ slug }) => slug !== category.slug)
                      .map(({ slug, label }) => [slug, label] as const),
                  ]}
                />
              </Form>
            </Confirm>
            {category.products === 0 ? (
              <Action to={`${to}/state`} fields={{ act: 'delete' }} kind="danger" ask="Delete" label="Delete">
                <p>This can’t be undone.</p>
              </Action>
            ) : (
              <p class="soft">
                To delete it, move its {formatCount(category.products)} products, or merge it.
              </p>
            )}
          </Panel>
        </div>
      ),
    }
  }

  admin.csv(FILE, (wish) => importCategoriesFile(ctx, wish))
  admin.page(`${CATEGORIES}/:id`, show)
  admin.action(`${CATEGORIES}/:id`, {
    ...{ schema: z.record(z.string(), z.string()), shows: true },
    async act({ id, operator: { by }, input }) {
      const fields = requestOf(FORM, input)
      const { slug, batch } = await editCategory(ctx, { by, slug: id, fields }).catch((error: unknown) => {
        throw inForm(FORM, error)
      })
      return editedAt(`${CATEGORIES}/${slug}`, batch)
    },
  })
  admin.action(`${CATEGORIES}/:id/state`, {
    ...{ schema: ActForm, shows: true },
    async act({ id, operator: { by }, input: { act } }) {
      if (act === 'delete') await deleteCategory(ctx, { by, slug: id })
      const batch =
        act === 'delete' ? null : await setCategoryHidden(ctx, { by, slug: id, hide: act === 'hide' })
      if (act === 'delete') return `${CATEGORIES}?done=deleted`
      return editedAt(`${CATEGORIES}/${id}`, batch)
    },
  })
  admin.action(`${CATEGORIES}/:id/merge`, {
    ...{ schema: MergeForm, shows: true },
    async act({ id, operator: { by }, input: { into } }) {
      await mergeCategories(ctx, { by, slug: id, into })
      return `${CATEGORIES}?done=merged&q=${encodeURIComponent(into)}`
    },
  })
}

function badge({ isHidden }: Pick<ManagedCategory, 'isHidden'>) {
  return isHidden ? <State tone="bad">Hidden</State> : <State tone="good">Shown</State>
}
