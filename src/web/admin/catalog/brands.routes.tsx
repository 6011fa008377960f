/** /admin/brands: edit, bring from a file, merge and delete brands. A domain says who the manufacturer is, so it is edited with care. */
import { z } from 'zod'
import {
  type BRAND_COLUMNS,
  BrandEdit,
  deleteBrand,
  editBrand,
  importBrandsFile,
  mergeBrands,
} from '../../../catalog/manage-brands.service.ts'
import {
  type BrandView,
  getBrand,
  listManagedBrands,
  type ManagedBrand,
} from '../../../catalog/manage-lists.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { FormPanel, type FormSpec, formOf, inForm } from '../../kit/form.tsx'
import { choice, column, defineList, uncounted } from '../../kit/list.tsx'
import { Action, LinkButton, Panel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { BRANDS, PRODUCTS } from '../nav.ts'
import { editedAt, editWords, MergeInto, twoForms } from './undo.routes.tsx'

const LIST = defineList(BRANDS, 'brand', {
  search: 'Name or domain',
  filters: {
    state: choice('Show', {
      with_domain: 'With a domain',
      without_domain: 'Without a domain',
      empty: 'Without products',
    }),
  },
})
const FORM: FormSpec = {
  name: { kind: 'text', label: 'Name', max: 300, required: true },
  domain: {
    ...{ kind: 'text', label: 'Domain', max: 200, empty: 'null' },
    hint: 'Where the brand lives, such as acme.example. Who proves this domain is its manufacturer.',
  },
}
const FILE = {
  ...{ path: `${BRANDS}/import`, list: BRANDS, noun: 'brand' },
  title: 'Import brands',
  lead: 'Names and domains of many brands from a file. You see what would change before you save, and can undo it.',
  columns: {
    id: 'The brand to rename; without it, the name says which brand it is, or makes a new one.',
    name: 'Its name.',
    domain: 'Where it lives, such as acme.example. Who proves this domain is its manufacturer.',
  } satisfies Record<(typeof BRAND_COLUMNS)[number], string>,
}
const MergeForm = z.object({ into: z.string().trim().min(1, 'Write the name of a brand.').max(300) })

export function mountBrands(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<ManagedBrand, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const found = await listManagedBrands(
      ctx,
      { search: q || null, state: filters.state || null },
      { limit: limit + 1, offset },
    )
    return {
      title: 'Brands',
      said: { deleted: 'Brand deleted.' },
      actions: <LinkButton to={FILE.path} label="Import a file" />,
      ...uncounted(found, asked),
      order: 'By name',
      columns: [
        { label: 'id', csv: ({ id }) => id },
        column.link('Name', 'name', ({ id }) => `${BRANDS}/${id}`),
        column.text('Domain', 'domain'),
        column.count('Products', 'products'),
        column.ago('Since', 'createdAt', ctx.clock.now()),
      ],
      empty: <p>No brands yet. They come with imported products.</p>,
    }
  })

  async function find(id: string): Promise<BrandView> {
    const brand = await getBrand(ctx, id)
    if (!brand) throw new AppError('not_found', 'We couldn’t find this brand.')
    return brand
  }

  async function show({ id, state, c }: AdminSeen): Promise<Page> {
    const brand = await find(id)
    const { filled, other } = twoForms(state, FORM, brand)
    const to = `${BRANDS}/${brand.id}`
    return {
      title: brand.name,
      lead: (
        <a href={`${PRODUCTS}?${new URLSearchParams({ brand: brand.name })}`}>
          {countOf(brand.products, 'product')}
        </a>
      ),
      said: {
        ...editWords(c),
        merged: `Merged. Its products are ${brand.name}’s now.`,
      },
      actions: <LinkButton to={BRANDS} label="All brands" />,
      body: (
        <div class="side-by-side">
          <FormPanel title="Edit" action={to} label="Save" of={FORM} state={filled} />
          <Panel title="Actions">
            <MergeInto {...{ to, what: 'brand', label: 'Name of the brand that stays', state: other }}>
              Its {formatCount(brand.products)} products become the other brand’s, and this brand is gone.
              This can’t be undone.
            </MergeInto>
            {brand.products === 0 && (
              <Action to={`${to}/delete`} kind="danger" ask="Delete" label="Delete">
                <p>This can’t be undone.</p>
              </Action>
            )}
          </Panel>
        </div>
      ),
    }
  }

  admin.csv(FILE, (wish) => importBrandsFile(ctx, wish))
  admin.page(`${BRANDS}/:id`, show)
  admin.action(`${BRANDS}/:id`, {
    ...{ schema: formOf(FORM, BrandEdit), shows: true },
    async act({ id, operator: { by }, input }) {
      const { batch } = await editBrand(ctx, { by, id, ...input }).catch((error: unknown) => {
        throw inForm(FORM, error)
      })
      return editedAt(`${BRANDS}/${id}`, batch)
    },
  })
  admin.action(`${BRANDS}/:id/merge`, {
    ...{ schema: MergeForm, shows: true },
    async act({ id, operator: { by }, input: { into } }) {
      const [target] = (
        await listManagedBrands(ctx, { search: into, state: null }, { limit: 200, offset: 0 })
      ).filter(({ name }) => name.toLowerCase() === into.toLowerCase())
      if (!target) throw new AppError('invalid', `no brand is called ${into}`, { field: 'into' })
      await mergeBrands(ctx, { by, id, into: target.id })
      return `${BRANDS}/${target.id}?done=merged`
    },
  })
  admin.action(`${BRANDS}/:id/delete`, {
    done: `${BRANDS}?done=deleted`,
    act: ({ id, operator: { by } }) => deleteBrand(ctx, { by, id }),
  })
}
