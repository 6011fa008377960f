/**
 * /admin/organizations/:org_id/view: the dashboard as a viewer of an organization sees it, for an operator who helps. It is
 * the operator's own session: nobody is impersonated. Only pages are here, and no form is left in them; each look is in
 * the organization's own history.
 */
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { AppError } from '../../lib/errors.ts'
import { findOrganization, recordSupportView } from '../../orgs/admin.service.ts'
import { viewOrg } from '../../orgs/org.service.ts'
import { type Caller, hasRight, type Right } from '../../orgs/producer.ts'
import type { Visitor } from '../dashboard/guard.tsx'
import { DASHBOARD, waysFor } from '../dashboard/paths.ts'
import { sentence } from '../format.ts'
import { entriesOf, entryAbove, htmlOf, type Page } from '../kit/console.tsx'
import { Panel } from '../kit/parts.tsx'
import type { Admin, AdminDeps, Operator } from './guard.ts'
import { ORGANIZATIONS } from './nav.ts'

const ROLE = 'viewer'
const may = (right: Right) => hasRight(ROLE, right)
/** What the script asks for is not a page. */
const isShown = (path: string) => !/\.(?:events|json)$/.test(path)

const ENTRIES = entriesOf(waysFor(may))

export function viewPath(orgId: string): string {
  return `${ORGANIZATIONS}/${orgId}/view`
}

export function mountSupport(admin: Admin, { ctx, sellerPages }: AdminDeps): void {
  async function visitorFor(
    { actor }: Operator,
    orgId: string,
  ): Promise<{ visitor: Visitor; caller: Caller }> {
    const found = await findOrganization(ctx, orgId)
    if (!found) throw new AppError('not_found', 'We couldn’t find this organization.', { code: 'not_found' })
    const { org } = found
    // Known to be read for this page alone; a write looks at who is a member, and the operator is none.
    const caller: Caller = { ...actor, onlyOrgId: org.id, known: { org, role: ROLE } }
    const { rename, pending } = await viewOrg(ctx, caller)
    return { visitor: { actor, caller, org, role: ROLE, rename, pending, organizations: [], may }, caller }
  }

  for (const { path, right, show } of sellerPages) {
    if (!may(right) || !isShown(path)) continue
    admin.page(
      `${ORGANIZATIONS}/:org_id/view${path.slice(DASHBOARD.length)}`,
      async ({ c, operator, state }) => {
        const orgId = c.req.param('org_id') ?? ''
        const { visitor, caller } = await visitorFor(operator, orgId)
        const page = `${DASHBOARD}${c.req.path.slice(viewPath(orgId).length)}`
        if (c.req.method === 'GET')
          await recordSupportView(ctx, { by: operator.by, visit: operator.visit, orgId, page })
        const shown = await Promise.resolve(show({ c, visitor, state })).catch((error: unknown) => {
          // A page that asks for more than a viewer may see.
          const { kind, message } = error as AppError
          if (!(error instanceof AppError) || kind === 'internal') throw error
          return { title: 'Not shown', at: DASHBOARD, body: <p>{sentence(message)}</p> } satisfies Page
        })
        if ('known' in caller) delete caller.known
        if (shown instanceof Response) return readdressed(shown, orgId)
        return asSupport({ ...shown, at: shown.at ?? entryAbove(page, ENTRIES) }, visitor, orgId)
      },
    )
  }
}

function asSupport({ title, lead, at, actions, body, stream }: Page, { org }: Visitor, orgId: string): Page {
  const plain = (child: Child) => raw(withoutForms(htmlOf(child), orgId))
  // The overview is of the person who looks.
  const ways = waysFor(may).flatMap((group) => group.ways.filter(({ href }) => href !== DASHBOARD))
  return {
    title: `${org.name}: ${title}`,
    at: ORGANIZATIONS,
    lead: lead && plain(lead),
    actions: actions && plain(actions),
    body: [
      <Panel
        title="Support view"
        lead={`You see what a viewer of ${org.name} sees. Nothing can be changed here, and ${org.name} sees in its history that you looked.`}
      >
        <nav class="line" aria-label="Pages of the dashboard">
          {ways.map(({ href, label }) => (
            <a href={readdress(href, orgId)} aria-current={href === at ? 'page' : undefined}>
              {label}
            </a>
          ))}
          <a href={`${ORGANIZATIONS}/${orgId}`}>Back to the organization</a>
        </nav>
      </Panel>,
      stream && (
        <p class="soft">What this page still waits for is not shown here. Reload it to look again.</p>
      ),
      plain(body),
    ],
  }
}

function readdress(href: string, orgId: string): string {
  return href.replace(/^\/dashboard(?=$|[/?#])/, viewPath(orgId))
}

function readdressed(response: Response, orgId: string): Response {
  const location = response.headers.get('location')
  if (location !== null) response.headers.set('location', readdress(location, orgId))
  return response
}

/** What posts is taken out, buttons that belong to it too; links lead to the same page here. */
function withoutForms(html: string, orgId: string): string {
  return html
    .replaceAll(/<form\b[^>]*\bmethod="post"[\s\S]*?<\/form>/gi, '')
    .replaceAll(/<(?:input|select|textarea|button)\b[^>]*\bform="[^"]*"[^>]*>(?:[^<]*<\/button>)?/gi, '')
    .replaceAll(/\sdata-changes="[^"]*"/g, '')
    .replaceAll(
      /(\s(?:href|action)=")(\/dashboard[^"]*)"/g,
      (_, start, href) => `${start}${readdress(href, orgId)}"`,
    )
}
