/** /dashboard/find.json: what the command palette finds for a team member, by the rights of their role. */
import { listTeam } from '../../orgs/team.service.ts'
import { listMyProducts } from '../../producers/my-products.service.ts'
import { pageReceivedRfqs } from '../../rfq/inspector.service.ts'
import { formatDate } from '../format.ts'
import { sendFound } from '../kit/palette.ts'
import type { Dashboard, DashboardDeps } from './guard.tsx'
import { DASHBOARD, ownProductPath, rfqPath, TEAM_PATH, waysFor } from './paths.ts'

const ALL = { relationshipType: null, verificationStatus: null, hasIssues: null, limit: 6, offset: 0 }
/** The latest requests are looked through by their product. */
const RECENT = 100

export function mountFind(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  dashboard.page(`${DASHBOARD}/find.json`, 'read', ({ c, visitor }) =>
    sendFound(c, waysFor(visitor.may), [
      {
        label: 'Products',
        async find(query) {
          const { products } = await listMyProducts(ctx, visitor, { ...ALL, query })
          return products.map(({ facts: { slug, title } }) => ({ label: title, href: ownProductPath(slug) }))
        },
      },
      {
        label: 'Requests',
        async find(words) {
          const { rfqs } = await pageReceivedRfqs(ctx, visitor, { limit: RECENT, offset: 0 })
          return rfqs
            .filter(({ id, productTitle }) => id === words || holds(productTitle, words))
            .map(({ id, productTitle, quantity, askedAt }) => ({
              label: `${quantity} × ${productTitle}`,
              href: rfqPath(id),
              note: formatDate(askedAt),
            }))
        },
      },
      {
        label: 'People',
        async find(words) {
          const { members } = await listTeam(ctx, visitor.caller)
          return members
            .filter(({ name, email }) => holds(`${name} ${email}`, words))
            .map(({ name, email, role }) => ({ label: name || email, href: TEAM_PATH, note: role }))
        },
      },
    ]),
  )
}

function holds(text: string, words: string): boolean {
  return text.toLowerCase().includes(words.toLowerCase())
}
