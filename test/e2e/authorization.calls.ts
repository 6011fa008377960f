/**
 * How each route and tool is called, filled in so that who may succeeds: what is refused is refused for who asks. Calls of
 * producers' routes, pages and tools are those of the tables that hold organizations apart.
 */
import { newId } from '../../src/lib/ids.ts'
import { PASSWORD } from '../accounts.ts'
import type { Subject } from './authorization.subjects.ts'
import { requestFor } from './oauth.world.ts'
import { PAGES } from './separation.pages.table.ts'
import { ROUTES } from './separation.table.ts'
import { TOOL_LINES } from './separation.tools.table.ts'

export type Call = {
  /** For the parameters of the path and its `*`, in their order. */
  at?: string[]
  query?: string
  /** A JSON body. */
  body?: Record<string, unknown>
  /** Of a form. */
  fields?: Record<string, string>
  file?: string
}

const split = (slug: string) => slug.split('/')
const slugOf = ({ slug }: Subject) => split(slug)[1] ?? ''
const unusedAddress = () => `${newId()}@people.example`
const rpc = (method: string, params: Record<string, unknown>) => ({ jsonrpc: '2.0', id: 1, method, params })
const askedTools = () => ({ body: rpc('tools/list', {}) })
const browsed = () => ({
  message: {
    messageId: newId(),
    role: 'ROLE_USER',
    parts: [{ text: 'which categories are there?' }],
    metadata: { skill: 'category-browse' },
  },
})
const askedMail = () => ({ fields: { email: unusedAddress() } })
const registered = () => ({ body: { redirect_uris: ['https://client.example/cb'], client_name: 'Made' } })
const consent = ({ client }: Subject) => requestFor(client.id, client.challenge)

/** What is not here takes nothing. */
const CALLS: Record<string, (of: Subject) => Call> = {
  'GET /p/:category/:slug': ({ slug }) => ({ at: split(slug) }),
  'GET /p/:category/:slug/ask': ({ slug }) => ({ at: split(slug), query: 'q=How+loud' }),
  'GET /p/:category/:slug/mistakes': ({ slug }) => ({ at: split(slug) }),
  'POST /p/:category/:slug/mistakes': ({ slug }) => ({
    at: split(slug),
    fields: { kind: 'price', text: 'It costs more.' },
  }),
  'GET /c/:category': () => ({ at: ['shelves'] }),
  'GET /offers/:slug': (of) => ({ at: [`${slugOf(of)}.json`] }),
  'GET /offers/:category/:slug': ({ slug }) => ({ at: split(`${slug}.json`) }),
  'GET /pictures/:category/:file{.+\\.svg}': ({ slug }) => ({ at: split(`${slug}.svg`) }),
  'GET /pictures/:file{.+\\.webp}': () => ({ at: [`${'0'.repeat(40)}.webp`] }),
  'GET /assets/:file': ({ asset }) => ({ at: [asset] }),
  'GET /previews/p/:category/:file{.+\\.png}': ({ slug }) => ({ at: split(`${slug}.png`) }),
  'GET /previews/c/:file{.+\\.png}': () => ({ at: ['shelves.png'] }),
  'GET /go/:id': ({ offerId }) => ({ at: [offerId] }),
  'GET /docs/:name': () => ({ at: ['tools'] }),
  'GET /sitemaps/:part{[0-9]+\\.xml}': () => ({ at: ['1.xml'] }),
  'GET /dev/outbox/:name': () => ({ at: ['any.eml'] }),
  'POST /api/search': () => ({ body: { query: 'a shelf' } }),
  'POST /api/search/click': ({ slug, queryId }) => ({ body: { query_id: queryId, slug } }),
  'GET /api/suggest': () => ({ query: 'q=she' }),
  'POST /catalog/search': () => ({ body: { query: 'a shelf' } }),
  'POST /catalog/lookup': ({ slug }) => ({ body: { ids: [slug] } }),
  'POST /catalog/product': ({ slug }) => ({ body: { id: slug } }),

  'GET /.well-known/oauth-authorization-server/*': () => ({ at: ['elsewhere'] }),
  'GET /.well-known/openid-configuration/*': () => ({ at: ['elsewhere'] }),
  'GET /.well-known/oauth-protected-resource/*': () => ({ at: ['mcp'] }),
  'POST /api/oauth/token': ({ redeemed }) => ({ fields: redeemed }),
  'POST /api/oauth/revoke': () => ({ fields: { token: `souk_at_${'x'.repeat(43)}` } }),
  'POST /api/oauth/register': registered,
  'POST /register': registered,
  'GET /oauth/authorize': (of) => ({ query: String(new URLSearchParams(consent(of))) }),
  'POST /oauth/authorize': (of) => ({ fields: { ...consent(of), decision: 'allow' } }),

  'POST /a2a': () => ({
    body: rpc('message/send', {
      message: {
        kind: 'message',
        messageId: newId(),
        role: 'user',
        parts: [{ kind: 'text', text: 'which categories are there?' }],
      },
    }),
  }),
  'POST /a2a (a task of the token’s person)': ({ tokensTask }) => ({
    body: rpc('tasks/get', { id: tokensTask }),
  }),
  'POST /a2a/:call{message:send}': () => ({ at: ['message:send'], body: browsed() }),
  'POST /a2a/:call{message:stream}': () => ({ at: ['message:stream'], body: browsed() }),
  'GET /a2a/tasks/:id': ({ tokensTask }) => ({ at: [tokensTask] }),
  'POST /a2a/tasks/:id': ({ tokensTask }) => ({ at: [`${tokensTask}:cancel`] }),
  'POST /a2a/tasks/:taskId/pushNotificationConfigs': ({ tokensTask }) => ({
    at: [tokensTask],
    body: { url: 'http://hook.example/' },
  }),
  'GET /a2a/tasks/:taskId/pushNotificationConfigs': ({ tokensTask }) => ({ at: [tokensTask] }),
  'GET /a2a/tasks/:taskId/pushNotificationConfigs/:id': ({ tokensTask }) => ({ at: [tokensTask, 'p'] }),
  'DELETE /a2a/tasks/:taskId/pushNotificationConfigs/:id': ({ tokensTask }) => ({ at: [tokensTask, 'p'] }),
  'ALL /a2a/:rest{.+}': () => ({ at: ['nothing'] }),
  'ALL /mcp': askedTools,
  'ALL /sse': askedTools,
  'ALL /mcp/connector': askedTools,
  'ALL /mcp/shopping': askedTools,
  'ALL /mcp/selling': askedTools,
  'ALL /mcp/readonly': askedTools,

  'POST /auth/signup': () => ({ fields: { email: unusedAddress(), password: PASSWORD, name: 'Ada' } }),
  'POST /auth/signin': ({ account }) => ({ fields: account }),
  'POST /auth/magic': askedMail,
  'POST /auth/verify': askedMail,
  'POST /auth/reset': askedMail,
  'POST /account/name': () => ({ fields: { name: 'Grace' } }),
  'POST /account/sessions/end': ({ sessionId }) => ({ fields: { session_id: sessionId } }),
  'POST /account/password': () => ({ fields: { password: PASSWORD } }),
  'POST /account/delete': () => ({ fields: { confirm: 'delete' } }),
  'GET /unsaved/:id': () => ({ at: [newId()] }),
  'POST /unsaved/:id/discard': () => ({ at: [newId()] }),
  'POST /account/notices': () => ({ fields: { digest: 'daily', time_zone: 'UTC' } }),
  'GET /notices/unsubscribe': ({ unsubscribe }) => ({ query: `token=${unsubscribe}` }),
  'POST /notices/unsubscribe': ({ unsubscribe }) => ({ query: `token=${unsubscribe}` }),
  'POST /account/grants/revoke': ({ grantId }) => ({ fields: { grant_id: grantId } }),
  'POST /account/grants/revoke (another’s)': ({ grantId }) => ({ fields: { grant_id: grantId } }),

  'GET /search': () => ({ query: 'q=shelf' }),
  'GET /compare': ({ slug, waitingSlug }) => ({ query: `p=${slug}&p=${waitingSlug}` }),
  'GET /quotes/new': ({ slug }) => ({ query: `product_slug=${slug}` }),
  'POST /quotes': ({ slug }) => ({ fields: { product_slug: slug } }),
  'GET /quotes/:id': ({ taskId }) => ({ at: [taskId] }),
  'GET /quotes/:id (the consumer’s)': ({ consumersTask }) => ({ at: [consumersTask] }),
  'POST /quotes/:id/choose': ({ taskId, choice }) => ({
    at: [taskId],
    fields: { quote_id: choice.quote_id, total_usd: String(choice.total_usd) },
  }),
  'POST /quotes/:id/choose (the consumer’s, a quote of another)': ({ consumersTask, choice }) => ({
    at: [consumersTask],
    fields: { quote_id: choice.quote_id, total_usd: String(choice.total_usd) },
  }),
  'POST /quotes/:id/shares': ({ taskId }) => ({ at: [taskId], fields: { days: '7' } }),
  'POST /quotes/:id/shares (the consumer’s)': ({ consumersTask }) => ({
    at: [consumersTask],
    fields: { days: '7' },
  }),
  'POST /quotes/:id/shares/:share/revoke': ({ taskId, shareId }) => ({ at: [taskId, shareId] }),
  'POST /quotes/:id/shares/:share/revoke (of another request)': ({ consumersTask, shareId }) => ({
    at: [consumersTask, shareId],
  }),
  'GET /shared-quotes/:share': ({ shareId }) => ({ at: [shareId] }),
  'GET /api/rfq/:id': ({ taskId }) => ({ at: [taskId] }),
  'GET /api/rfq/:id (the consumer’s)': ({ consumersTask }) => ({ at: [consumersTask] }),
  'POST /api/rfq/:id/choose': ({ taskId, choice }) => ({ at: [taskId], body: choice }),
  'POST /api/rfq/:id/choose (the consumer’s, a quote of another)': ({ consumersTask, choice }) => ({
    at: [consumersTask],
    body: choice,
  }),
  'GET /api/rfq/:id/shares': ({ taskId }) => ({ at: [taskId] }),
  'GET /api/rfq/:id/shares (the consumer’s)': ({ consumersTask }) => ({ at: [consumersTask] }),
  'POST /api/rfq/:id/shares': ({ taskId }) => ({ at: [taskId], body: { days: 7 } }),
  'POST /api/rfq/:id/shares (the consumer’s)': ({ consumersTask }) => ({
    at: [consumersTask],
    body: { days: 7 },
  }),
  'DELETE /api/rfq/:id/shares/:share': ({ taskId, shareId }) => ({ at: [taskId, shareId] }),
  'DELETE /api/rfq/:id/shares/:share (of another request)': ({ consumersTask, shareId }) => ({
    at: [consumersTask, shareId],
  }),
  'GET /api/plans/:id': ({ planId }) => ({ at: [planId] }),
  'PATCH /api/plans/:id': ({ planId }) => ({ at: [planId], body: { edits: [{ budget_usd: null }] } }),
  'DELETE /api/plans/:id': ({ planId }) => ({ at: [planId] }),
  'GET /api/plans/:id/share': ({ planId }) => ({ at: [planId] }),
  'POST /api/plans/:id/share': ({ planId }) => ({ at: [planId], body: {} }),
  'DELETE /api/plans/:id/share': ({ planId, planShareId }) => ({
    at: [planId],
    query: `share_id=${planShareId}`,
  }),
  'GET /api/plans/:id/ask': ({ planId }) => ({ at: [planId] }),
  'POST /api/plans/:id/ask': ({ planId }) => ({ at: [planId], body: {} }),
  'GET /api/shared-plans/:share': ({ planShareId }) => ({ at: [planShareId] }),
  'GET /api/shared-rfq/:share': ({ shareId }) => ({ at: [shareId] }),
  'POST /verify-quote': () => ({ fields: { quote: 'aaaa.bbbb.cccc' } }),
  'GET /plans/:id': ({ planId }) => ({ at: [planId] }),
  'POST /plans/:id': ({ planId }) => ({ at: [planId], fields: { do: 'budget', revision: '1' } }),
  'POST /plans/:id/delete': ({ planId }) => ({ at: [planId] }),
  'GET /plans/:id/quotes': ({ planId }) => ({ at: [planId] }),
  'POST /plans/:id/quotes': ({ planId }) => ({ at: [planId] }),
  'POST /plans/:id/shares': ({ planId }) => ({ at: [planId] }),
  'POST /plans/:id/shares/:share/revoke': ({ planId, planShareId }) => ({ at: [planId, planShareId] }),
  'GET /shared-plans/:share': ({ planShareId }) => ({ at: [planShareId] }),
  'GET /saved/add': ({ slug }) => ({ query: `p=${slug}` }),
  'POST /saved': ({ slug }) => ({ fields: { p: slug, list: 'made' } }),
  'POST /saved/add': ({ slug }) => ({ fields: { p: slug } }),
  'POST /saved/remove': ({ slug, saved }) => ({ fields: { p: slug, from: saved.list } }),
  'POST /saved/undo': ({ removed }) => ({ fields: { token: removed } }),
  'GET /org/join': ({ invitationToken }) => ({ query: `token=${invitationToken}` }),
  'POST /org/join': ({ invitation }) => ({ fields: { token: invitation } }),
  'POST /org/join (another’s)': ({ invitationToken }) => ({ fields: { token: invitationToken } }),

  'POST /api/org/invitations/accept': ({ invitation }) => ({ body: { token: invitation } }),
  'POST /api/org/invitations/accept (another’s)': ({ invitationToken }) => ({
    body: { token: invitationToken },
  }),
  'PATCH /api/org': () => ({ body: { name: 'Renamed' } }),
  'PATCH /api/org (its domain)': () => ({ body: { domain: `${newId()}.example` } }),
  'PATCH /api/org/team (unmakes an owner)': ({ coOwner }) => ({
    body: { email: coOwner.email, role: 'none' },
  }),
  'PATCH /api/org/team (makes an owner)': ({ member }) => ({ body: { email: member.email, role: 'owner' } }),
  'POST /dashboard/team/role (makes an owner)': ({ member }) => ({
    fields: { email: member.email, role: 'owner' },
  }),

  'POST /api/admin/enrichments/approve': ({ enrichmentId }) => ({ body: { enrichment_id: enrichmentId } }),
  'POST /api/admin/enrichments/reject': ({ enrichmentId }) => ({
    body: { enrichment_id: enrichmentId, note: 'no' },
  }),
  'GET /admin/enrichments/:id': ({ enrichmentId }) => ({ at: [enrichmentId] }),
  'POST /admin/enrichments/:id/approve': ({ enrichmentId }) => ({
    at: [enrichmentId],
    fields: { seen: '2026-11-01T12:00:00.000Z', part_model: 'on' },
  }),
  'POST /admin/enrichments/:id/reject': ({ enrichmentId }) => ({
    at: [enrichmentId],
    fields: { note: 'no' },
  }),
  'GET /admin/submissions/:id': ({ submissionId }) => ({ at: [submissionId] }),
  'POST /admin/submissions/:id/approve': ({ submissionId }) => ({
    at: [submissionId],
    fields: { version: '1' },
  }),
  'POST /admin/submissions/:id/reject': ({ submissionId }) => ({
    at: [submissionId],
    fields: { version: '1', note: 'no' },
  }),
  'POST /admin/claims/:id/verify': ({ waitingId }) => ({ at: [waitingId] }),
  'POST /admin/claims/:id/refuse': ({ waitingId }) => ({ at: [waitingId], fields: { note: 'no' } }),
  'POST /admin/renames/:id/approve': ({ renameId }) => ({ at: [renameId] }),
  'POST /admin/renames/:id/decline': ({ renameId }) => ({ at: [renameId], fields: { note: 'no' } }),
  'POST /admin/reports/:id/close': ({ reportId }) => ({ at: [reportId], fields: { outcome: 'fixed' } }),
  'GET /admin/users/:id': ({ org }) => ({ at: [org.ownerId] }),
  'POST /admin/users/:id': ({ newcomerId }) => ({ at: [newcomerId], fields: { act: 'verify' } }),
  'GET /admin/organizations/:id': ({ org }) => ({ at: [org.id] }),
  'POST /admin/organizations/:id': ({ org }) => ({ at: [org.id], fields: { act: 'deactivate' } }),
  'GET /admin/find.json': ({ tidy }) => ({ query: `q=${tidy.slug}` }),
  'POST /admin/products/bulk': ({ tidy }) => ({ fields: { act: 'hide', [`pick_${tidy.slug}`]: 'on' } }),
  'GET /admin/products/:id': ({ tidy }) => ({ at: [tidy.slug] }),
  'POST /admin/products/:id': ({ tidy }) => ({
    at: [tidy.slug],
    fields: { title: 'Tidied', slug: tidy.slug, category: tidy.category, seen: tidy.seen },
  }),
  'POST /admin/products/:id/state': ({ tidy }) => ({ at: [tidy.slug], fields: { act: 'hide' } }),
  'POST /admin/products/:id/merge': ({ tidy }) => ({ at: [tidy.slug], fields: { into: tidy.into } }),
  'POST /admin/products/:id/delete': ({ tidy }) => ({ at: [tidy.slug] }),
  'GET /admin/categories/:id': ({ tidy }) => ({ at: [tidy.category] }),
  'POST /admin/categories/:id': ({ tidy }) => ({
    at: [tidy.category],
    fields: { label: 'Tidied', slug: tidy.category, description: '' },
  }),
  'POST /admin/categories/:id/state': ({ tidy }) => ({ at: [tidy.category], fields: { act: 'hide' } }),
  'POST /admin/categories/:id/merge': ({ tidy }) => ({ at: [tidy.category], fields: { into: 'shelves' } }),
  'POST /admin/categories/import': () => ({ fields: {}, file: 'slug,label\nbrought-along,Brought\n' }),
  'POST /admin/brands/import': () => ({ fields: {}, file: 'name\nBrought along\n' }),
  'GET /admin/brands/:id': ({ tidy }) => ({ at: [tidy.brandId] }),
  'POST /admin/brands/:id': ({ tidy }) => ({
    at: [tidy.brandId],
    fields: { name: `Tidied ${tidy.slug}`, domain: '' },
  }),
  'POST /admin/brands/:id/merge': ({ tidy }) => ({
    at: [tidy.brandId],
    fields: { into: `Other ${tidy.slug.slice('tidy-'.length)}` },
  }),
  // It still has a product.
  'POST /admin/brands/:id/delete': ({ tidy }) => ({ at: [tidy.brandId] }),
  'GET /admin/undo/:id': ({ tidy }) => ({ at: [tidy.batch] }),
  'POST /admin/undo/:id': ({ tidy }) => ({ at: [tidy.batch] }),
  'POST /admin/tuning': () => ({ fields: { kind: 'synonym', words: 'rack, shelf', strength: 'hint' } }),
  'POST /admin/tuning/try': () => ({ fields: { kind: 'synonym', words: 'rack, shelf', strength: 'hint' } }),
  'POST /admin/tuning/remove': ({ tidy }) => ({ fields: { id: tidy.ruleId } }),
  'POST /admin/tuning/judged': ({ tidy }) => ({ fields: { lines: `a shelf | ${tidy.slug} | 2` } }),
  'POST /admin/tuning/judged/remove': ({ tidy }) => ({ fields: { query: 'tidy', slug: tidy.slug } }),
  'POST /admin/settings/mail': () => ({ fields: { to: 'somebody@people.example' } }),
  'POST /admin/settings/rates': () => ({ fields: { currency: 'EUR', rate: '1.1' } }),
  'POST /admin/settings/rates/remove': () => ({ fields: { currency: 'SEK' } }),
  'GET /admin/organizations/:org_id/view/performance': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/performance.csv': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/attention': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/products': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/products/:category/:slug': ({ org, slug }) => ({
    at: [org.id, ...split(slug)],
  }),
  'GET /admin/organizations/:org_id/view/offers': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/offers/calendar': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/offers/:id': ({ org, offerId }) => ({ at: [org.id, offerId] }),
  'GET /admin/organizations/:org_id/view/pricing': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/pricing/:category/:slug': ({ org, slug }) => ({
    at: [org.id, ...split(slug)],
  }),
  'GET /admin/organizations/:org_id/view/rfqs': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/rfqs/:id': ({ org, rfqId }) => ({ at: [org.id, rfqId] }),
  'GET /admin/organizations/:org_id/view/agent': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/organization': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/team': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/start': ({ org }) => ({ at: [org.id] }),
  'GET /admin/organizations/:org_id/view/products/found': ({ org }) => ({ at: [org.id] }),
  'POST /admin/jobs/retry': ({ jobId }) => ({ fields: { job: jobId } }),
  'POST /admin/jobs/drop': ({ jobId }) => ({ fields: { job: jobId } }),
  'POST /admin/jobs/run': () => ({ fields: { kind: 'any' } }),
  'POST /admin/imports/new': () => ({ file: 'title,category\nStool,shelves\n' }),
  'GET /admin/imports/new/:id': ({ fileId }) => ({ at: [fileId] }),
  'POST /admin/imports/new/:id': ({ fileId }) => ({
    at: [fileId],
    fields: { step: 'preview', currency: 'SEK' },
  }),
  'POST /admin/imports/new/:id/run': ({ fileId }) => ({ at: [fileId], fields: { step: 'import' } }),
  'POST /admin/imports/new/:id/delete': ({ fileId }) => ({ at: [fileId] }),
  'GET /admin/imports/new/:id/report.csv': ({ fileId }) => ({ at: [fileId] }),
  'GET /admin/imports/:id': ({ batchId }) => ({ at: [batchId] }),
  'GET /admin/imports/:id/undo': ({ batchId }) => ({ at: [batchId] }),
  'POST /admin/imports/:id/undo': ({ batchId }) => ({ at: [batchId] }),
  'POST /admin/sources/new': () => ({
    fields: { name: `Made ${newId()}`, url: 'https://feed.example/', auth: 'none', gone: 'keep' },
  }),
  'GET /admin/sources/:id': ({ operatedId }) => ({ at: [operatedId] }),
  'POST /admin/sources/:id': ({ operatedId }) => ({
    at: [operatedId],
    fields: { name: `Renamed ${newId()}`, auth: 'none', gone: 'keep' },
  }),
  'POST /admin/sources/:id/run': ({ operatedId }) => ({ at: [operatedId], fields: { step: 'pause' } }),
  'POST /admin/sources/:id/file': ({ operatedId }) => ({
    at: [operatedId],
    file: 'title,category\nStool,shelves\n',
  }),
  'POST /admin/sources/:id/delete': ({ operatedId }) => ({ at: [operatedId], fields: { products: 'keep' } }),
  'GET /admin/sources/:id/reading': ({ operatedId }) => ({ at: [operatedId] }),
  'POST /admin/sources/:id/reading': ({ operatedId }) => ({
    at: [operatedId],
    fields: { step: 'preview', currency: 'SEK' },
  }),
}

/**
 * Where it is not the first call of the line in those tables: an offer is only previewed by its first, and
 * set_agent_integration would register a card, at an address where nothing answers.
 */
const WHICH_CALL: Record<string, number> = {
  'POST /dashboard/offers/new': 1,
  set_agent_integration: 1,
  'get_agent_integration (with a test)': 1,
  get_pricing_rules: 1,
}

/** The route or tool of a line that is about one call of it. */
export const withoutNote = (name: string) => name.replace(/ \(.*\)$/, '')

export function callOf(name: string, of: Subject): Call {
  const written = CALLS[name]
  if (written) return written(of)
  const ofRoute = ROUTES[name]?.calls(of)[0]
  if (ofRoute) {
    const { id, query, body } = ofRoute
    return { ...(id !== undefined && { at: [id] }), query, body }
  }
  const { at, query, fields, file } = PAGES[name]?.calls(of)[WHICH_CALL[name] ?? 0] ?? {}
  return { at, query, fields, file }
}

export function toolArguments(name: string, of: Subject): Record<string, unknown> {
  if (name === 'set_team_member (makes an owner)') return { email: of.member.email, role: 'owner' }
  const uses = TOOL_LINES[withoutNote(name)]?.uses(of) ?? []
  const use = uses[WHICH_CALL[name] ?? 0]
  if (!use) throw new Error(`${name} has no line that says how it is called`)
  return use.args
}

/** Lines whose calls are written here. */
export const WRITTEN_CALLS: readonly string[] = [...Object.keys(CALLS), ...Object.keys(WHICH_CALL)]
