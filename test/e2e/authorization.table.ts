/**
 * The authorization matrix: every route of the app and every tool, each with its policy. `(…)` behind a route is a call
 * of it that has a line of its own. Held against the router and the registry: what is not here fails, and so does a line
 * without a route.
 */
import { PAGE_POLICIES } from './authorization.table.pages.ts'

const WITHOUT_ORG_404 = 'unverified 404, consumer 404, operator 404'
/** What is refused for the product and not for the caller: the other organization does not sell it. */
const BAD_TOKEN = 'link 401, other-link 401, expired 401, revoked 401'
const UNRELATED = 'other 403, other-link 403'

const PUBLIC_READS: Record<string, string> = {
  'GET /healthz': 'PUBLIC',
  'GET /readyz': 'PUBLIC',
  // For programs on this machine or with the token of SOUK_METRICS_TOKEN; none of these callers is one.
  'ALL /metrics': 'ABSENT',
  'GET /': 'PUBLIC',
  'GET /p/:category/:slug': 'PUBLIC',
  'GET /c/:category': 'PUBLIC',
  'GET /offers/:slug': 'PUBLIC',
  'GET /offers/:category/:slug': 'PUBLIC',
  'GET /pictures/:category/:file{.+\\.svg}': 'PUBLIC',
  // By the hash of its bytes; the world has none.
  'GET /pictures/:file{.+\\.webp}': 'ABSENT',
  'GET /assets/:file': 'PUBLIC',
  'GET /previews/souk.png': 'PUBLIC',
  'GET /previews/p/:category/:file{.+\\.png}': 'PUBLIC',
  'GET /previews/c/:file{.+\\.png}': 'PUBLIC',
  'GET /go/:id': 'PUBLIC',
  'GET /docs': 'PUBLIC',
  'GET /docs/:name': 'PUBLIC',
  'GET /connect': 'PUBLIC',
  'POST /api/search': 'PUBLIC',
  'POST /api/search/click': 'PUBLIC',
  'GET /api/suggest': 'PUBLIC',
  'POST /catalog/search': 'PUBLIC',
  'POST /catalog/lookup': 'PUBLIC',
  'POST /catalog/product': 'PUBLIC',
}

const DISCOVERY: Record<string, string> = {
  'GET /.well-known/jwks.json': 'PUBLIC',
  'GET /.well-known/agent-card.json': 'PUBLIC',
  'GET /.well-known/agent.json': 'PUBLIC',
  'GET /a2a/.well-known/agent-card.json': 'PUBLIC',
  'GET /a2a/.well-known/agent.json': 'PUBLIC',
  'GET /.well-known/ucp': 'PUBLIC',
  'GET /.well-known/mcp.json': 'PUBLIC',
  'GET /mcp/server-card': 'PUBLIC',
  'GET /.well-known/mcp/server-card.json': 'PUBLIC',
  'GET /.well-known/ard.json': 'PUBLIC',
  'GET /.well-known/ai-catalog.json': 'PUBLIC',
  'GET /robots.txt': 'PUBLIC',
  'GET /rates.json': 'PUBLIC',
  'GET /.well-known/security.txt': 'PUBLIC',
  'GET /security.txt': 'PUBLIC',
  'GET /openapi.json': 'PUBLIC',
  'GET /llms.txt': 'PUBLIC',
  'GET /llms-full.txt': 'PUBLIC',
  'GET /feeds/products.jsonl': 'PUBLIC',
  'GET /feeds/google.tsv': 'PUBLIC',
  'GET /sitemap.xml': 'PUBLIC',
  // A catalog this small has no parts.
  'GET /sitemaps/:part{[0-9]+\\.xml}': 'ABSENT',
}

const TOOL_PATHS = ['/mcp', '/sse', '/mcp/connector', '/mcp/shopping', '/mcp/selling', '/mcp/readonly']

const METADATA = ['oauth-authorization-server', 'openid-configuration'].flatMap((name) => [
  [`GET /.well-known/${name}`, 'PUBLIC'],
  [`GET /.well-known/${name}.json`, 'PUBLIC'],
  ...TOOL_PATHS.flatMap((path) => [
    [`GET /.well-known/${name}${path}`, 'PUBLIC'],
    [`GET ${path}/.well-known/${name}`, 'PUBLIC'],
  ]),
  [`GET /.well-known/${name}/*`, 'ABSENT'],
])

const OAUTH: Record<string, string> = {
  ...Object.fromEntries(METADATA),
  'GET /.well-known/oauth-protected-resource': 'PUBLIC',
  'GET /.well-known/oauth-protected-resource.json': 'PUBLIC',
  ...Object.fromEntries(
    TOOL_PATHS.map((path) => [`GET ${path}/.well-known/oauth-protected-resource`, 'PUBLIC']),
  ),
  'GET /.well-known/oauth-protected-resource/*': 'PUBLIC',
  // Clients are public: what lets them in is the code and its verifier, not who sends it.
  'POST /api/oauth/token': 'PUBLIC',
  'POST /api/oauth/revoke': 'PUBLIC',
  'POST /api/oauth/register': 'PUBLIC',
  'POST /register': 'PUBLIC',
  'GET /oauth/authorize': 'SIGNED_IN',
  'POST /oauth/authorize': 'SIGNED_IN',
}

const OWN_TASK = 'ABSENT but token ok, link 401, other-link 401, expired 401, revoked 401'

const AGENTS: Record<string, string> = {
  // A token is optional, but one that is sent must be good; cookies are not looked at.
  'POST /a2a': 'AGENT',
  'POST /a2a (a task of the token’s person)': OWN_TASK,
  'POST /a2a/:call{message:send}': 'AGENT',
  'POST /a2a/:call{message:stream}': 'AGENT',
  'GET /a2a/tasks': 'AGENT',
  'GET /a2a/tasks/:id': OWN_TASK,
  // It has ended, as its own person is told.
  'POST /a2a/tasks/:id': OWN_TASK.replace('token ok', 'token 409'),
  'POST /a2a/tasks/:taskId/pushNotificationConfigs': OWN_TASK.replace('token ok', 'token 400'),
  'GET /a2a/tasks/:taskId/pushNotificationConfigs': OWN_TASK,
  'GET /a2a/tasks/:taskId/pushNotificationConfigs/:id': OWN_TASK.replace('token ok, ', ''),
  'DELETE /a2a/tasks/:taskId/pushNotificationConfigs/:id': OWN_TASK,
  // There is none, for nobody.
  'GET /a2a/extendedAgentCard': 'AGENT_NEVER',
  'ALL /a2a/:rest{.+}': 'ABSENT',
  ...Object.fromEntries(TOOL_PATHS.map((path) => [`ALL ${path}`, 'TOOL_SERVER'])),
}

const ORGANIZATION: Record<string, string> = {
  'POST /api/org/register': 'SESSION but unverified 403',
  'GET /api/org': 'READ',
  // A link token may do what an editor may.
  'PATCH /api/org': 'MANAGE but link 403, other-link 403',
  'PATCH /api/org (its domain)': 'MANAGE but link 403, other-link 403',
  'POST /api/org/select': `SESSION but ${WITHOUT_ORG_404}, other 404`,
  'POST /api/org/verify-domain': 'MANAGE',
  'GET /api/org/audit': 'OVERSEE',
  'GET /api/org/link-tokens': 'SESSION_MANAGE',
  'POST /api/org/link-tokens': 'SESSION_MANAGE',
  'DELETE /api/org/link-tokens': 'SESSION_MANAGE but other 404',
  'GET /api/org/team': 'READ',
  // Who belongs to it is for people to decide, not for a plugin.
  'PATCH /api/org/team': 'MANAGE_ONE but link 403, other-link 403',
  'PATCH /api/org/team (unmakes an owner)': 'MANAGE_ONE but admin 403, link 403, other-link 403',
  // Anyone who is no member of the other organization is invited there.
  'PATCH /api/org/team (makes an owner)': 'MANAGE but admin 403, link 403, other-link 403',
  'POST /api/org/leave': `SESSION but ${WITHOUT_ORG_404}, other 404`,
  // Each is sent the caller's own invitation, and nobody takes another's.
  'POST /api/org/invitations/accept': 'SESSION but unverified 403',
  'POST /api/org/invitations/accept (another’s)': 'OF_ANOTHER',
  'POST /api/org/products/claim': 'EDIT',
  'GET /api/org/products': 'READ',
  'DELETE /api/org/products': 'EDIT_ONE',
  'POST /api/org/enrichment': `EDIT but ${UNRELATED}`,
  'GET /api/org/enrichment': 'READ',
  'DELETE /api/org/enrichment': 'EDIT_ONE',
  'GET /api/org/submissions': 'READ',
  'DELETE /api/org/submissions': 'EDIT_ONE',
  // With the id of a stranger's request anyone may; a token that is sent must be good.
  'GET /api/rfq/:id': `PUBLIC but ${BAD_TOKEN}`,
  'GET /api/rfq/:id (the consumer’s)': `ABSENT but consumer ok, ${BAD_TOKEN}`,
  'POST /api/rfq/:id/choose': `PUBLIC but ${BAD_TOKEN}`,
  'POST /api/rfq/:id/choose (the consumer’s, a quote of another)': `ABSENT but ${BAD_TOKEN}`,
  'GET /api/rfq/:id/shares': `PUBLIC but ${BAD_TOKEN}`,
  'GET /api/rfq/:id/shares (the consumer’s)': `ABSENT but consumer ok, ${BAD_TOKEN}`,
  'POST /api/rfq/:id/shares': `PUBLIC but ${BAD_TOKEN}`,
  'POST /api/rfq/:id/shares (the consumer’s)': `ABSENT but consumer 409, ${BAD_TOKEN}`,
  'DELETE /api/rfq/:id/shares/:share': `PUBLIC but ${BAD_TOKEN}`,
  'DELETE /api/rfq/:id/shares/:share (of another request)': `ABSENT but ${BAD_TOKEN}`,
  'GET /api/shared-rfq/:share': 'PUBLIC',
  'GET /api/plans': 'PERSON',
  'GET /api/plans/:id': 'PERSON_ONE',
  'PATCH /api/plans/:id': 'PERSON_ONE',
  'DELETE /api/plans/:id': 'PERSON_ONE',
  'GET /api/plans/:id/share': 'PERSON_ONE',
  'POST /api/plans/:id/share': 'PERSON_ONE',
  'DELETE /api/plans/:id/share': 'PERSON_ONE',
  'GET /api/plans/:id/ask': 'PERSON_ONE',
  'POST /api/plans/:id/ask': 'PERSON_ONE',
  'GET /api/shared-plans/:share': 'PUBLIC',
  'GET /api/org/rfqs': 'READ',
  'GET /api/org/rfqs/:id': 'READ_ONE',
  'GET /api/org/pricing': 'READ_ONE',
  'GET /api/org/pricing/products': 'READ',
  'PATCH /api/org/pricing': 'MANAGE_ONE but link 403, other-link 403',
  'POST /api/org/pricing/import': 'MANAGE but link 403, other-link 403',
  'POST /api/org/pricing/simulate': 'READ_ONE',
  // Nothing answers at the card's address: who may gets that far. Another's card is outside the verified domain.
  'POST /api/org/register-agent-card': `MANAGE but ${WITHOUT_ORG_404}, admin 422, owner 422, link 422, ${UNRELATED}`,
  'GET /api/org/agent-integration': 'READ',
  'PATCH /api/org/agent-integration': 'MANAGE',
  'POST /api/org/ucp-check': 'SESSION_MANAGE but editor ok',
}

const OFFERS: Record<string, string> = {
  'POST /api/offers/create': `EDIT but ${UNRELATED}`,
  'PATCH /api/offers/edit': `EDIT_ONE but ${WITHOUT_ORG_404}`,
  'PATCH /api/offers/update': `EDIT_ONE but ${WITHOUT_ORG_404}`,
  'GET /api/offers/list': 'READ',
}

const REVIEW: Record<string, string> = {
  'GET /api/admin/enrichments': 'API_OPERATOR',
  'POST /api/admin/enrichments/approve': 'API_OPERATOR',
  'POST /api/admin/enrichments/reject': 'API_OPERATOR',
}

export const ROUTE_POLICIES: Record<string, string> = {
  ...PUBLIC_READS,
  ...DISCOVERY,
  ...OAUTH,
  ...AGENTS,
  ...ORGANIZATION,
  ...OFFERS,
  ...REVIEW,
  ...PAGE_POLICIES,
}

/** People call with an access token of their own here; a cookie alone is the tool server's 401 above. */
export const TOOL_POLICIES: Record<string, string> = {
  search_products: 'TOOL',
  get_product: 'TOOL',
  find_retailers: 'TOOL',
  list_categories: 'TOOL',
  list_category_products: 'TOOL',
  find_similar: 'TOOL',
  product_curator: 'TOOL',
  save_product: 'TOOL',
  list_saved_products: 'TOOL',
  remove_saved_product: 'TOOL',
  list_my_products: 'TOOL_READ',
  claim_product: 'TOOL_EDIT',
  submit_product: 'TOOL_EDIT',
  import_products: 'TOOL_EDIT',
  get_catalog_issues: 'TOOL_READ',
  get_enrichment_status: 'TOOL_READ',
  submit_enrichment: 'TOOL_EDIT but other 403',
  list_offers: 'TOOL_READ',
  create_offer: 'TOOL_EDIT but other 403',
  update_offer: 'TOOL_EDIT_ONE',
  get_pricing_rules: 'TOOL_READ_ONE',
  set_pricing_rules: 'TOOL_MANAGE_ONE',
  simulate_quote: 'TOOL_READ_ONE',
  get_agent_integration: 'TOOL_READ',
  'get_agent_integration (with a test)': 'TOOL_MANAGE',
  set_agent_integration: 'TOOL_MANAGE',
  list_rfqs: 'TOOL_READ',
  get_performance: 'TOOL_READ',
  list_team_members: 'TOOL_READ',
  set_team_member: 'TOOL_MANAGE_ONE',
  'set_team_member (makes an owner)': 'TOOL_MANAGE but admin 403',
}

/** What every request of these paths goes through; nobody is answered by it. */
export const MIDDLEWARE = new Set([
  'ALL /*',
  'ALL /a2a/*',
  'ALL /auth/*',
  'ALL /account',
  'ALL /account/*',
  'ALL /quotes/:id/*',
  'ALL /shared-quotes/:share/*',
  'ALL /api/rfq/:id/*',
  'ALL /api/shared-rfq/:share/*',
  'ALL /shared-plans/:share/*',
  'ALL /api/shared-plans/:share/*',
])
