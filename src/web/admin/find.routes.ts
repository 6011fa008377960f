/** /admin/find.json: what the command palette finds for an operator. */
import { findPeople } from '../../accounts/admin.service.ts'
import { listManaged, listManagedCategories } from '../../catalog/manage-lists.service.ts'
import { findOrganizations } from '../../orgs/admin.service.ts'
import { sendFound } from '../kit/palette.ts'
import { filterOf } from './catalog/products.routes.tsx'
import type { Admin, AdminDeps } from './guard.ts'
import { ADMIN, adminWays, CATEGORIES, ORGANIZATIONS, PRODUCTS, USERS } from './nav.ts'

const NO_FILTERS = { category: '', brand: '', state: '', source: '' } as const
const PAGE = { order: 'newest', limit: 6, offset: 0 } as const

export function mountFind(admin: Admin, { ctx, accounts }: AdminDeps): void {
  admin.page(`${ADMIN}/find.json`, ({ c, operator }) =>
    sendFound(c, adminWays(operator.waiting), [
      {
        label: 'Products',
        async find(q) {
          const { products } = await listManaged(ctx, filterOf({ q, filters: NO_FILTERS }), PAGE)
          return products.map(({ slug, title, category }) => ({
            ...{ label: title, href: `${PRODUCTS}/${slug}`, note: category.label },
          }))
        },
      },
      {
        label: 'Categories',
        async find(search) {
          const found = await listManagedCategories(ctx, { search, state: null })
          return found.map(({ slug, label }) => ({ label, href: `${CATEGORIES}/${slug}` }))
        },
      },
      {
        label: 'Organizations',
        async find(search) {
          const { orgs } = await findOrganizations(ctx, { search, state: null, before: null })
          return orgs.map(({ id, name, domain }) => ({
            ...{ label: name, href: `${ORGANIZATIONS}/${id}`, note: domain ?? '' },
          }))
        },
      },
      {
        label: 'People',
        async find(search) {
          const { people } = await findPeople(accounts, { search, state: null, before: null })
          return people.map(({ id, email, name }) => ({ label: email, href: `${USERS}/${id}`, note: name }))
        },
      },
    ]),
  )
}
