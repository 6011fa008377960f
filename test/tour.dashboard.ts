/** The dashboard's stops: the overview and its figures, the catalog's side of it, and the organization. */
import { ASKED, OFFERED, UNSOLD } from './pages.people.ts'
import { CLAIMED, type TourWorld } from './pages.seeds.ts'
import { opening, type Stop, sending } from './tour.stop.ts'

export function dashboardTour(world: TourWorld): Stop[] {
  const parts = [overview, products, imports, organization]
  return parts.flatMap((part) => part(world))
}

function overview(_world: TourWorld): Stop[] {
  const performance = '/dashboard/performance'
  return [
    { name: 'dashboard', as: 'owner', path: '/dashboard', act: opening('.folded') },
    { name: 'dashboard-sandbox', as: 'owner', path: '/dashboard/agent/sandbox' },
    { name: 'dashboard-start', as: 'fresh', path: '/dashboard' },
    { name: 'dashboard-alone', as: 'newcomer', path: '/dashboard' },
    { name: 'dashboard-alone-page', as: 'newcomer', path: '/dashboard/agent', status: 403 },
    { name: 'dashboard-switch', as: 'domainless', path: '/dashboard', act: opening('.whose details') },
    { name: 'dashboard-attention', as: 'owner', path: '/dashboard/attention' },
    { name: 'dashboard-attention-none', as: 'fresh', path: '/dashboard/attention?severity=critical' },
    { name: 'dashboard-performance', as: 'owner', path: performance },
    { name: 'dashboard-performance-product', as: 'owner', path: `${performance}?by=product&days=7` },
    { name: 'dashboard-performance-agent', as: 'viewer', path: `${performance}?by=agent` },
    { name: 'dashboard-performance-query', as: 'owner', path: `${performance}?by=query` },
    { name: 'dashboard-performance-empty', as: 'fresh', path: performance },
    {
      name: 'dashboard-performance-refused',
      as: 'owner',
      path: `${performance}?from=2026-11-02&to=2026-11-01`,
      status: 400,
    },
  ]
}

function products(_world: TourWorld): Stop[] {
  const list = '/dashboard/products'
  const [claim, create, change] = [`${list}/claim`, `${list}/new`, `${list}/${OFFERED}/change`]
  return [
    { name: 'dashboard-products', as: 'owner', path: list },
    { name: 'dashboard-products-viewer', as: 'viewer', path: list },
    { name: 'dashboard-products-empty', as: 'fresh', path: list },
    { name: 'dashboard-products-none', as: 'owner', path: `${list}?q=zzz` },
    { name: 'dashboard-how', as: 'owner', path: '/dashboard/start' },
    { name: 'dashboard-start-fresh', as: 'fresh', path: '/dashboard/start' },
    { name: 'dashboard-claims-import', as: 'owner', path: `${list}/claims-import` },
    { name: 'dashboard-found', as: 'owner', path: `${list}/found`, skim: 'tbody tr:nth-child(n + 4)' },
    { name: 'dashboard-found-unverified', as: 'fresh', path: `${list}/found` },
    { name: 'dashboard-claim', as: 'owner', path: claim },
    { name: 'dashboard-claim-found', as: 'owner', path: `${claim}?q=espresso+machine` },
    { name: 'dashboard-claim-product', as: 'owner', path: `${claim}?product=${UNSOLD}` },
    { name: 'dashboard-claim-waiting', as: 'owner', path: `${claim}?product=${CLAIMED}` },
    {
      name: 'dashboard-claim-refused',
      as: 'owner',
      path: `${claim}?product=${UNSOLD}`,
      status: 400,
      act: sending(claim, { evidence_url: 'our shop' }),
    },
    { name: 'dashboard-new', as: 'owner', path: create },
    {
      name: 'dashboard-new-refused',
      as: 'owner',
      path: create,
      status: 400,
      act: sending(create, { specs: 'heavy', image_urls: 'a picture', price_usd: 'cheap' }),
    },
    {
      name: 'dashboard-new-known',
      as: 'owner',
      path: create,
      status: 409,
      act: sending(create, {
        category: 'coffee-grinders',
        title: 'Conic 40',
        brand: 'Grindel',
        mpn: 'GR-CN40',
      }),
    },
    {
      name: 'dashboard-product',
      as: 'owner',
      path: `${list}/${OFFERED}`,
      act: opening('#proposals details', '#claims details'),
    },
    { name: 'dashboard-product-viewer', as: 'viewer', path: `${list}/${ASKED}` },
    { name: 'dashboard-product-waiting', as: 'owner', path: `${list}/${CLAIMED}` },
    { name: 'dashboard-change', as: 'owner', path: change },
    {
      name: 'dashboard-change-refused',
      as: 'owner',
      path: change,
      status: 400,
      act: sending(change, { specs: 'no colon here', images: 'nowhere' }),
    },
  ]
}

function imports({ console: { drafts, sellerSource } }: TourWorld): Stop[] {
  const start = '/dashboard/import'
  return [
    { name: 'dashboard-import', as: 'owner', path: start },
    { name: 'dashboard-import-empty', as: 'fresh', path: start },
    { name: 'dashboard-import-refused', as: 'owner', path: start, status: 400, act: sending(start) },
    { name: 'dashboard-import-viewer', as: 'viewer', path: start, status: 403 },
    { name: 'dashboard-import-draft', as: 'owner', path: drafts.unread },
    { name: 'dashboard-import-checked', as: 'owner', path: `${drafts.checked}/result` },
    { name: 'dashboard-import-done', as: 'owner', path: `${drafts.imported}/result` },
    { name: 'dashboard-sources', as: 'owner', path: '/dashboard/sources' },
    { name: 'dashboard-sources-unverified', as: 'fresh', path: '/dashboard/sources' },
    {
      name: 'dashboard-sources-refused',
      as: 'owner',
      path: '/dashboard/sources',
      status: 400,
      act: sending('/dashboard/sources', { name: 'Feed', url: 'http://shop.example/feed' }),
    },
    { name: 'dashboard-source', as: 'owner', path: `/dashboard/sources/${sellerSource}` },
    { name: 'dashboard-import-stopped', as: 'owner', path: `${drafts.stopped}/result` },
  ]
}

function organization(_world: TourWorld): Stop[] {
  const [own, register] = ['/dashboard/organization', '/dashboard/organization/new']
  const [team, tokens, history] = ['/dashboard/team', '/dashboard/tokens', '/dashboard/history']
  return [
    { name: 'dashboard-organization', as: 'owner', path: own, act: opening('main .confirm') },
    { name: 'dashboard-organization-viewer', as: 'viewer', path: own },
    { name: 'dashboard-organization-domainless', as: 'domainless', path: own },
    { name: 'dashboard-organization-checked', as: 'fresh', path: own, act: sending(`${own}/verify`) },
    { name: 'dashboard-register', as: 'newcomer', path: register },
    {
      name: 'dashboard-register-refused',
      as: 'newcomer',
      path: register,
      status: 400,
      act: sending(register, { name: '', domain: 'not a domain', website_url: 'shop' }),
    },
    { name: 'dashboard-register-unverified', as: 'unverified', path: register },
    { name: 'dashboard-team', as: 'owner', path: team, act: opening('main .data .confirm') },
    { name: 'dashboard-team-viewer', as: 'viewer', path: team },
    {
      name: 'dashboard-team-refused',
      as: 'owner',
      path: team,
      status: 400,
      act: sending(`${team}/invite`, { email: 'lin at harbor' }),
    },
    {
      name: 'dashboard-tokens',
      as: 'owner',
      path: tokens,
      act: async (page) => {
        await sending(`${tokens}/create`, { name: 'Shop plugin' })(page)
        await opening('main .confirm')(page)
      },
    },
    { name: 'dashboard-tokens-viewer', as: 'viewer', path: tokens, status: 403 },
    { name: 'dashboard-history', as: 'owner', path: history, act: opening('.act-facts') },
    { name: 'dashboard-history-none', as: 'fresh', path: history },
    {
      name: 'dashboard-history-refused',
      as: 'owner',
      path: `${history}?from=2026-11-02&to=2026-11-01`,
      status: 400,
    },
  ]
}
