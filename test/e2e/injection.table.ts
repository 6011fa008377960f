/**
 * Every outlet by which texts of strangers leave, and the fields that are to be seen there: a new one is a line. Without
 * its fields a line would pass for an outlet that shows nothing. `each` is asked once for every hostile text.
 */
import type { SourceName } from './injection.sources.ts'
import type { InjectionWorld } from './injection.world.ts'

export type Outlet = {
  /** Where there is `each`, only a name. */
  path: string | ((world: InjectionWorld) => string)
  each?: (world: InjectionWorld, at: number) => string
  /** Of pages that take their time, and show what others do too: every so many'th. */
  step?: number
  by?: keyof InjectionWorld['readers']
  shows: SourceName[]
}

const slug = ({ shops }: InjectionWorld, at: number) => shops[at]?.slug ?? ''
const FORM: SourceName[] = [
  'product title',
  'product verdict',
  'spec name',
  'spec value',
  'theme',
  'theme summary',
]
const PROFILE: SourceName[] = [...FORM, 'product description', 'best for', 'not for', 'shop']
const OFFER: SourceName[] = ['offer headline', 'offer detail', 'promo code', 'organization']

const PUBLIC: Outlet[] = [
  { path: '/', shows: [] },
  { path: '/c/traps', shows: ['product title', 'product verdict'] },
  { path: '/c/traps.md', shows: PROFILE },
  { path: '/p', each: (w, at) => `/p/${slug(w, at)}`, shows: [...PROFILE, ...OFFER, 'product brand'] },
  { path: '/p.md', each: (w, at) => `/p/${slug(w, at)}.md`, shows: [...PROFILE, 'offer headline'] },
  {
    path: '/p.json',
    each: (w, at) => `/p/${slug(w, at)}.json`,
    shows: ['product title', 'product model', 'product brand'],
  },
  { path: '/offers', each: (w, at) => `/offers/${slug(w, at)}.json`, shows: [...OFFER, 'product title'] },
  { path: '/pictures', each: (w, at) => `/pictures/${slug(w, at)}.svg`, shows: [] },
  { path: (w) => `/previews/p/${slug(w, 0)}.png`, shows: [] },
  { path: '/llms.txt', shows: ['product title', 'product verdict'] },
  { path: '/llms-full.txt', shows: PROFILE },
  { path: '/feeds/products.jsonl', shows: ['product title', 'product description', 'product brand'] },
  { path: '/feeds/google.tsv', shows: ['product title', 'product description', 'product brand'] },
  { path: '/sitemap.xml', shows: [] },
  { path: '/search?q=trap', shows: ['product title'] },
  {
    path: (w) => `/compare?p=${slug(w, 3)}&p=${slug(w, 8)}&p=${slug(w, 12)}`,
    shows: ['product title', 'spec name'],
  },
  { path: ({ quoted }) => `/quotes/${quoted.rfqId}`, shows: ['organization', 'quote terms'] },
  { path: ({ failed }) => `/quotes/${failed.rfqId}`, shows: [] },
  { path: ({ invitation }) => invitation, shows: ['organization', 'person'] },
  { path: (w) => `/quotes/new?product_slug=${slug(w, 3)}`, shows: ['product title'] },
]

const OWN: Outlet[] = [
  { path: '/account', by: 'owner', shows: ['person', 'organization', 'client'] },
  { path: '/account/history', by: 'owner', shows: [] },
  { path: '/account/notices', by: 'owner', shows: [] },
  {
    path: '/account/export',
    by: 'owner',
    shows: ['user agent', 'person', 'client', 'saved note', 'saved list', 'mistake report'],
  },
  { path: '/account/delete', by: 'owner', shows: ['organization'] },
  { path: '/saved', by: 'owner', shows: ['saved note', 'saved list', 'product title'] },
  { path: '/saved', by: 'second', shows: ['saved note', 'saved list', 'product title'] },
  {
    path: '/saved/add',
    by: 'owner',
    each: (w, at) => `/saved/add?p=${slug(w, at)}`,
    shows: ['saved note', 'saved list'],
  },
]

const API: Outlet[] = [
  { path: '/api/org/', by: 'owner', shows: ['organization'] },
  { path: '/api/org/audit/', by: 'owner', shows: ['link token'] },
  { path: '/api/org/link-tokens/', by: 'owner', shows: ['link token'] },
  { path: '/api/org/team/', by: 'owner', shows: ['person'] },
  { path: '/api/org/products/?limit=100', by: 'owner', shows: [] },
  {
    path: '/api/org/enrichment/?limit=100',
    by: 'owner',
    shows: ['proposed description', 'proposed spec', 'proposal note'],
  },
  {
    path: '/api/org/submissions/?limit=100',
    by: 'owner',
    shows: ['submitted title', 'submitted description'],
  },
  { path: '/api/org/rfqs/', by: 'owner', shows: [] },
  { path: ({ quoted }) => `/api/org/rfqs/${quoted.sessionId}`, by: 'owner', shows: ['quote terms'] },
  { path: '/api/org/agent-integration/', by: 'owner', shows: ['organization rule'] },
  { path: '/api/offers/list/', by: 'owner', shows: ['offer headline', 'offer detail', 'promo code'] },
  {
    path: '/api/admin/enrichments/?limit=100',
    by: 'operator',
    shows: ['proposed description', 'organization'],
  },
]

const DASHBOARD: Outlet[] = [
  { path: '/dashboard', by: 'owner', shows: ['organization'] },
  { path: '/dashboard/attention', by: 'owner', shows: ['organization'] },
  { path: '/dashboard/performance?by=product', by: 'owner', shows: ['product title'] },
  { path: '/dashboard/performance?by=query', by: 'owner', shows: ['organization'] },
  { path: '/dashboard/performance.csv?by=product', by: 'owner', shows: ['product title'] },
  { path: '/dashboard/performance.csv?by=offer', by: 'owner', shows: [] },
  { path: '/dashboard/performance.csv?by=query', by: 'owner', shows: [] },
  { path: '/dashboard/products', by: 'owner', shows: ['product title', 'submitted title'] },
  { path: '/dashboard/products/claim?q=trap', by: 'owner', shows: ['product title'] },
  {
    path: 'product',
    by: 'owner',
    step: 3,
    each: (w, at) => `/dashboard/products/${slug(w, at)}`,
    shows: ['product title', 'proposed description'],
  },
  {
    path: 'change',
    by: 'owner',
    each: (w, at) => `/dashboard/products/${slug(w, at)}/change`,
    shows: ['product title', 'product description', 'spec value'],
  },
  { path: '/dashboard/import', by: 'owner', shows: [] },
  { path: ({ broughtId }) => `/dashboard/import/${broughtId}`, by: 'owner', shows: ['imported title'] },
  {
    path: ({ broughtId }) => `/dashboard/import/${broughtId}/result`,
    by: 'owner',
    shows: ['imported title'],
  },
  {
    path: ({ broughtId }) => `/dashboard/import/${broughtId}/bad-rows.csv`,
    by: 'owner',
    shows: ['imported title'],
  },
  { path: '/dashboard/offers', by: 'owner', shows: ['offer headline', 'product title'] },
  { path: '/dashboard/offers/calendar', by: 'owner', shows: ['offer headline'] },
  { path: '/dashboard/offers/new', by: 'owner', shows: ['product title'] },
  {
    path: 'offer',
    by: 'owner',
    each: ({ offerIds }, at) => `/dashboard/offers/${offerIds[at]}`,
    shows: ['offer headline', 'offer detail', 'promo code'],
  },
  { path: '/dashboard/pricing', by: 'owner', shows: ['product title'] },
  {
    path: 'pricing',
    by: 'owner',
    step: 8,
    each: (w, at) => `/dashboard/pricing/${slug(w, at)}`,
    shows: ['product title'],
  },
  { path: '/dashboard/rfqs', by: 'owner', shows: ['organization'] },
  { path: ({ quoted }) => `/dashboard/rfqs/${quoted.sessionId}`, by: 'owner', shows: ['quote terms'] },
  { path: '/dashboard/agent', by: 'owner', shows: ['organization'] },
  { path: '/dashboard/organization', by: 'owner', shows: ['organization'] },
  { path: '/dashboard/team', by: 'owner', shows: ['person'] },
  { path: '/dashboard/tokens', by: 'owner', shows: ['link token'] },
  { path: '/dashboard/tokens', by: 'second', shows: ['link token'] },
  { path: '/dashboard/tokens', by: 'operator', shows: ['link token'] },
  { path: '/dashboard/history', by: 'owner', shows: ['link token', 'person'] },
  { path: '/dashboard/history.csv', by: 'owner', shows: ['link token', 'person'] },
  { path: '/dashboard/history.csv', by: 'second', shows: ['link token', 'person'] },
]

const ADMIN: Outlet[] = [
  { path: '/admin', by: 'operator', shows: [] },
  { path: '/admin/enrichments', by: 'operator', shows: ['organization', 'product title'] },
  {
    path: 'enrichment',
    by: 'operator',
    each: ({ enrichmentIds }, at) => `/admin/enrichments/${enrichmentIds[at]}`,
    shows: ['proposed description', 'proposed spec', 'proposal note', 'image alt'],
  },
  { path: '/admin/submissions', by: 'operator', shows: ['organization', 'submitted title'] },
  {
    path: 'submission',
    by: 'operator',
    step: 3,
    each: ({ submissionIds }, at) => `/admin/submissions/${submissionIds[at]}`,
    shows: ['submitted title', 'submitted description'],
  },
  { path: '/admin/claims', by: 'operator', shows: [] },
  { path: '/admin/renames', by: 'operator', shows: ['organization'] },
  { path: '/admin/reports', by: 'operator', shows: ['mistake report', 'product title'] },
  { path: '/admin/reports?format=csv', by: 'operator', shows: ['mistake report', 'product title'] },
  { path: '/admin/users', by: 'operator', shows: ['person'] },
  {
    path: 'user',
    by: 'operator',
    step: 2,
    each: ({ shops }, at) => `/admin/users/${shops[at]?.org.ownerId}`,
    shows: ['person', 'organization'],
  },
  { path: '/admin/organizations', by: 'operator', shows: ['organization'] },
  {
    path: 'organization',
    by: 'operator',
    each: ({ shops }, at) => `/admin/organizations/${shops[at]?.org.id}`,
    shows: ['person', 'organization'],
  },
  { path: '/admin/health', by: 'operator', shows: [] },
  { path: '/admin/health.json', by: 'operator', shows: [] },
  { path: '/admin/jobs', by: 'operator', shows: [] },
  { path: '/admin/search', by: 'operator', shows: ['query'] },
  { path: '/admin/oauth', by: 'operator', shows: [] },
]

export const OUTLETS: Outlet[] = [...PUBLIC, ...OWN, ...API, ...DASHBOARD, ...ADMIN]

export const pathsOf = ({ path, each, step = 1 }: Outlet, world: InjectionWorld, leaving = 1): string[] =>
  each
    ? world.shops.filter(({ at }) => at % (step * leaving) === 0).map(({ at }) => each(world, at))
    : [typeof path === 'string' ? path : path(world)]

/** Without ids, which are others in each run. */
export const nameOf = (outlet: Outlet, world: InjectionWorld) => {
  const [path = ''] = pathsOf(outlet, world)
  const name = path.replace(/[0-9a-f-]{36}/, 'ID').replace(/token=.*/, 'token=…')
  return `${name}${outlet.each ? ' and its like' : ''}${outlet.by ? `, as ${outlet.by}` : ''}`
}
