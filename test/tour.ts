/**
 * Every page that a person can see, in its usual state and in those where pages tend to break: empty, refused, full. The
 * check of accessibility and the screenshots walk the same list, and a page of the app that is not on it fails a test,
 * so that a new one cannot be forgotten.
 */
import type { Page } from 'playwright-core'
import { newId } from '../src/lib/ids.ts'
import type { NoticeKind } from '../src/notices/kinds.ts'
import { unsubscribeToken } from '../src/notices/notices.service.ts'
import { PASSWORD } from './accounts.ts'
import { ASKED, OFFERED, REMOVED, UNSOLD } from './pages.people.ts'
import type { TourWorld } from './pages.seeds.ts'
import type { PagesWorld } from './pages.world.ts'
import { adminTour } from './tour.admin.ts'
import { dashboardTour } from './tour.dashboard.ts'
import { sellingTour } from './tour.selling.ts'
import { type Stop, sending, submit, withoutValidation } from './tour.stop.ts'

/** Paths that no person reads as a page, by the route as it is mounted. Each is asked to answer something else. */
export const NOT_PAGES = [
  /^\/api\//,
  /\/\.well-known\//,
  /^\/(healthz|readyz|openapi\.json|rates\.json|robots\.txt|security\.txt|llms\.txt|llms-full\.txt|sitemap\.xml)$/,
  /^\/(feeds|sitemaps|assets|pictures|previews)\//,
  /^\/mcp\/server-card$/,
  /^\/a2a\//,
  /^\/offers\//,
  /^\/account\/(export|me\.json)$/,
  /^\/(dashboard|admin)\/.*\.(csv|json|events)$/,
  // The dashboard's pages, which the tour visits, within the operator's frame: two of them stand for all.
  /^\/admin\/organizations\/:org_id\/view\//,
  /^\/go\/:id$/,
  /^\/bundle$/,
]

export function tourOf(world: TourWorld): Stop[] {
  return [...publicTour(world), ...consoleTour(world)]
}

/** What shoppers and account holders see. */
export function publicTour(world: PagesWorld): Stop[] {
  const parts = [shopping, sets, plans, quotes, signingIn, ownPages, others]
  return parts
    .flatMap((part) => part(world))
    .map((stop) => (stop.name.startsWith('search-') ? { skim: MORE_CARDS, ...stop } : stop))
}

/** The page of search shows all kinds of cards; those that repeat it are about what stands around them. */
const MORE_CARDS = '.card ~ .card ~ .card'

/** What stands around every page of the console: axe looks at it where it differs, and passes over it elsewhere. */
const FRAME = '.site-header, .console-side, .site-footer'
const FRAMED = ['dashboard', 'dashboard-alone', 'dashboard-switch', 'dashboard-products-viewer', 'admin']

/** What producers and the operator see. */
export function consoleTour(world: TourWorld): Stop[] {
  const parts = [dashboardTour, sellingTour, adminTour]
  return parts
    .flatMap((part) => part(world))
    .map((stop) => (FRAMED.includes(stop.name) ? stop : { skim: FRAME, ...stop }))
}

const product = (slug: string) => `/p/${slug}`
const search = (q: string, more: Record<string, string> = {}) =>
  `/search?${new URLSearchParams({ q, ...more })}`
const compare = (...slugs: string[]) =>
  `/compare?${new URLSearchParams(slugs.map((slug): [string, string] => ['p', slug]))}`

function shopping(_world: PagesWorld): Stop[] {
  const machines = ['brasswick-solo-v1', 'copperfen-handpull', 'zorvetti-ragazza'].map(
    (slug) => `espresso-machines/${slug}`,
  )
  return [
    { name: 'home', path: '/' },
    { name: 'category', path: '/c/espresso-machines' },
    {
      name: 'category-filtered',
      path: '/c/espresso-machines?s.portafilter=58+mm&brand=Brasswick&s.colour=red',
      skim: MORE_CARDS,
    },
    { name: 'category-nothing', path: '/c/espresso-machines?max_price=1&rating=4.5' },
    { name: 'category-price-refused', path: '/c/espresso-machines?max_price=cheap', skim: MORE_CARDS },
    { name: 'product', path: product(ASKED) },
    { name: 'product-with-offer', path: product(OFFERED) },
    {
      name: 'product-reporting',
      path: product(ASKED),
      act: (page) => page.locator('.report-mistake > summary').click(),
    },
    { name: 'question', path: `${product(ASKED)}/ask?q=Does+it+have+a+steam+wand` },
    { name: 'mistake', path: `${product(ASKED)}/mistakes` },
    {
      name: 'mistake-refused',
      path: `${product(ASKED)}/mistakes`,
      status: 400,
      act: sending(`${product(ASKED)}/mistakes`, { kind: 'spec', email: 'grace at people' }),
    },
    { name: 'mistake-thanks', path: `${product(ASKED)}/mistakes?done=sent` },
    { name: 'search', path: search('a quiet blender for small smoothies under $80') },
    {
      name: 'search-filtered',
      path: search('espresso', { category: 'espresso-machines', max_price: '500', sort: 'price_asc' }),
    },
    {
      name: 'search-by-spec',
      path: search('espresso', { category: 'espresso-machines', 's.weight': '..8 lb' }),
    },
    { name: 'search-places', path: search('espresso', { available: '1', ships_to: 'CA-US' }) },
    { name: 'search-two-places', path: search('espresso', { ships_to: 'CA' }) },
    { name: 'search-second-page', path: search('Hearthline', { page: '2' }) },
    {
      name: 'search-demands',
      path: search('newest headphones under $300, not Tamrel', { ignore: 'price' }),
    },
    { name: 'search-nothing', path: search('espresso', { max_price: '1' }) },
    { name: 'search-none', path: search('newest dishwasher under $300') },
    { name: 'search-price-refused', path: search('espresso', { max_price: 'cheap' }) },
    { name: 'search-unknown-category', path: search('espresso', { category: 'teapots' }), status: 400 },
    { name: 'search-too-long', path: search('very '.repeat(400)), status: 400 },
    { name: 'search-empty', path: '/search' },
    { name: 'compare', path: compare(ASKED, ...machines.slice(0, 2)) },
    { name: 'compare-four', path: compare(ASKED, ...machines) },
    { name: 'compare-one', path: compare(ASKED) },
    { name: 'compare-unknown', path: compare(ASKED, 'espresso-machines/brasswick-solo-v9') },
    { name: 'compare-adding', path: `${compare(ASKED)}&add=handpull` },
    { name: 'compare-empty', path: '/compare' },
    { name: 'connect', path: '/connect' },
    {
      name: 'docs',
      path: '/docs',
      skim: '.docs-topic ~ .docs-topic .docs-operation, .docs-operation ~ .docs-operation ~ *, .docs-schema ~ .docs-schema ~ *',
    },
    { name: 'docs-guide', path: '/docs/rfq' },
    { name: 'docs-search', path: '/docs?q=offer' },
    { name: 'docs-search-empty', path: '/docs?q=nothing+like+it' },
    { name: 'not-found', path: '/nowhere', status: 404 },
    { name: 'product-removed', path: product(REMOVED), status: 410 },
  ]
}

/** A plan is made when it is asked for here, not when somebody follows an address: so it is asked for. */
function sets({ baseUrl, planner }: PagesWorld): Stop[] {
  const wish = 'home office setup under $1,200'
  let asked = 0
  /** A new one each time: what was planned a moment ago is there at once. */
  const askSlowly = async (page: Page) => {
    asked += 1
    await page.goto(`${baseUrl}/sets?q=camping+kit+for+two+under+%24${700 + asked}`)
    planner.hold()
    await page.getByRole('button', { name: 'Plan my bundle' }).click()
    await page.getByText('Planning your bundle').waitFor()
  }
  return [
    { name: 'set-stranger', path: '/sets' },
    { name: 'set-unverified', as: 'unverified', path: `/sets?q=${wish}` },
    { name: 'search-set-stranger', path: search(wish) },
    { name: 'search-set-unverified', as: 'unverified', path: search(wish) },
    { name: 'search-set-offered', as: 'newcomer', path: search(wish) },
    {
      name: 'search-set',
      as: 'ada',
      path: `/sets?q=${wish}`,
      act: (page) => submit(page, '/search'),
      // On a busy machine the plan comes as late as it may.
      grows: true,
    },
    {
      name: 'search-set-planning',
      as: 'ada',
      path: '/search',
      live: { arrive: askSlowly, end: planner.release },
    },
    {
      name: 'search-set-late',
      as: 'ada',
      path: '/search',
      grows: true,
      live: {
        async arrive(page) {
          await askSlowly(page)
          planner.release()
          await page.waitForLoadState('load')
        },
        end: planner.release,
      },
    },
  ]
}

/** What a person has planned, and changes. */
function plans({ seeds, slow, planCoffee, people, baseUrl }: PagesWorld): Stop[] {
  const path = `/plans/${seeds.planId}`
  const as = 'ada'
  return [
    { name: 'plans', as, path: '/plans' },
    { name: 'plans-empty', as: 'newcomer', path: '/plans' },
    { name: 'plan', as, path },
    {
      name: 'plan-replacing',
      ...{ as, path },
      act: async (page) => {
        await page.getByText('Replace Office chairs').click()
        await page.getByText('Change the budget').click()
      },
    },
    {
      name: 'plan-changed',
      ...{ as, path },
      act: async (page) => {
        await page.getByRole('button', { name: 'Keep Office chairs' }).click()
        await page.getByRole('status').waitFor()
        await page.getByRole('button', { name: 'Remove Monitors' }).click()
        await page.getByText('Removed monitors').waitFor()
      },
    },
    {
      name: 'plan-refused',
      ...{ as, path },
      status: 400,
      act: async (page) => {
        await page.getByLabel('What else do you need?').fill('something to sit at in the evening')
        await page.getByRole('button', { name: 'Add', exact: true }).click()
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'plan-of-another', as: 'newcomer', path, status: 404 },
    { name: 'plan-asked', as, path: `/plans/${seeds.askedPlanId}` },
    { name: 'plan-quotes', as, path: `/plans/${seeds.askedPlanId}/quotes` },
    { name: 'plan-quotes-none', as, path: `${path}/quotes` },
    {
      name: 'plan-quotes-running',
      as,
      path: '/plans/:id/quotes',
      live: {
        async arrive(page) {
          slow.hold()
          await page.goto(`${baseUrl}/plans/${await planCoffee(people.ada.userId)}`)
          const asked = page.getByRole('button', { name: 'Ask all sellers' }).click({ noWaitAfter: true })
          await page.getByRole('heading', { name: 'Asking every seller' }).waitFor()
          await asked
        },
        end: slow.release,
      },
    },
    { name: 'shared-plan', path: `/shared-plans/${seeds.planShareId}` },
    { name: 'shared-plan-gone', path: `/shared-plans/${seeds.planId}`, status: 404 },
  ]
}

function quotes({ seeds, people, slow, ask, baseUrl }: PagesWorld): Stop[] {
  const { quoted, unsold, strangers, chosen } = seeds.tasks
  const signature = quoted.quotes[0]?.signature ?? ''
  const check = (text: string) => async (page: Page) => {
    await page.getByLabel('Quote', { exact: true }).fill(text)
    await submit(page, '/verify-quote')
  }
  return [
    { name: 'quotes', as: 'ada', path: '/quotes' },
    { name: 'quotes-empty', as: 'newcomer', path: '/quotes' },
    { name: 'quotes-stranger', path: '/quotes' },
    { name: 'quotes-ranked', as: 'ada', path: `/quotes/${quoted.rfqId}` },
    { name: 'quotes-ranked-stranger', path: `/quotes/${strangers.rfqId}` },
    { name: 'quotes-chosen', path: `/quotes/${chosen.rfqId}` },
    {
      name: 'quotes-choice-refused',
      path: `/quotes/${chosen.rfqId}`,
      status: 409,
      act: async (page) => {
        await page.evaluate(`{
          const form = document.querySelector('.share form')
          form.action = form.action.replace('shares', 'choose')
          const other = document.querySelectorAll('.quote')[1].querySelector('.proof .row-note')
          const field = (name, value) => form.append(Object.assign(document.createElement('input'), { name, value }))
          field('quote_id', other.textContent.replace('Quote ', ''))
          field('total_usd', '1')
        }`)
        await page.locator('.share form button').first().click()
        await page.getByRole('alert').waitFor()
      },
    },
    { name: 'shared-quotes', path: `/shared-quotes/${seeds.shareId}` },
    {
      name: 'shared-quotes-verified',
      path: `/shared-quotes/${seeds.shareId}`,
      act: async (page) => {
        await page.getByRole('button', { name: 'Verify signatures' }).click()
        await page.getByText(/^\d of \d quotes verified/).waitFor()
      },
    },
    { name: 'shared-quotes-gone', path: `/shared-quotes/${chosen.rfqId}`, status: 404 },
    { name: 'quotes-none', as: 'ada', path: `/quotes/${unsold.rfqId}` },
    { name: 'quotes-of-another', as: 'newcomer', path: `/quotes/${quoted.rfqId}`, status: 404 },
    {
      name: 'quotes-running',
      as: 'ada',
      path: '/quotes/:id',
      live: {
        async arrive(page) {
          slow.hold()
          const { rfqId } = await ask(people.ada.userId)
          await page.goto(`${baseUrl}/quotes/${rfqId}`, { waitUntil: 'commit' })
          await page.getByRole('heading', { name: 'Fernhill Supply' }).waitFor()
        },
        end: slow.release,
      },
    },
    { name: 'ask', path: `/quotes/new?product_slug=${ASKED}&quantity=3` },
    { name: 'ask-nothing', path: '/quotes/new' },
    {
      name: 'ask-refused',
      path: product(ASKED),
      status: 400,
      act: async (page) => {
        await withoutValidation(page)
        await page.getByLabel('Quantity').fill('-1')
        await page.getByLabel('Deliver to').fill('Atlantis')
        await submit(page, '/quotes')
      },
    },
    { name: 'verify-quote', path: '/verify-quote' },
    { name: 'verify-quote-real', path: '/verify-quote', act: check(signature) },
    { name: 'verify-quote-changed', path: '/verify-quote', act: check(`${signature.slice(0, -4)}AAAA`) },
    { name: 'verify-quote-refused', path: '/verify-quote', status: 400, act: check('{"price_usd": 400}') },
  ]
}

function signingIn({ seeds }: PagesWorld): Stop[] {
  const { links } = seeds
  return [
    { name: 'sign-up', path: '/auth/signup' },
    {
      name: 'sign-up-refused',
      path: '/auth/signup',
      status: 400,
      act: async (page) => {
        await withoutValidation(page)
        await page.getByLabel('Email').fill('grace at people')
        await submit(page, '/auth/signup')
      },
    },
    { name: 'sign-in', path: '/auth/signin' },
    {
      name: 'sign-in-refused',
      path: '/auth/signin',
      status: 401,
      act: async (page) => {
        await page.getByLabel('Email').fill('nobody@people.example')
        await page.getByLabel('Password').fill('not the password')
        await submit(page, '/auth/signin')
      },
    },
    { name: 'check-mail', path: '/auth/check-mail' },
    { name: 'ask-for-link', path: '/auth/magic' },
    { name: 'ask-for-reset', path: '/auth/reset' },
    { name: 'new-password', path: links.reset },
    { name: 'confirm-link', as: 'newcomer', path: links.magic },
    { name: 'confirm-sign-up', path: links.verify },
    { name: 'dead-link', path: '/auth/verify?token=souk_verify_gone', status: 400 },
  ]
}

function ownPages({ accounts, people: { ada } }: PagesWorld): Stop[] {
  // Of an account that is gone: the page is the same, and nothing is chosen for anybody.
  const token = (kinds: NoticeKind[]) => unsubscribeToken(accounts, { userId: newId(), kinds })
  return [
    { name: 'account', as: 'ada', path: '/account' },
    { name: 'account-done', as: 'ada', path: '/account?done=name' },
    { name: 'account-new', as: 'newcomer', path: '/account' },
    { name: 'account-unverified', as: 'unverified', path: '/account' },
    { name: 'account-password', as: 'ada', path: '/account/password' },
    { name: 'account-password-dropped', as: 'newcomer', path: '/account/password?done=verified' },
    {
      name: 'account-password-refused',
      as: 'ada',
      path: '/account/password',
      status: 400,
      act: async (page) => {
        await withoutValidation(page)
        await page.locator('[name=password]').fill('short')
        await submit(page, '/account/password')
      },
    },
    { name: 'account-history', as: 'ada', path: '/account/history' },
    { name: 'account-notices', as: 'ada', path: '/account/notices' },
    { name: 'account-notices-seller', as: 'owner', path: '/account/notices?done=saved' },
    {
      name: 'account-notices-refused',
      as: 'owner',
      path: '/account/notices',
      status: 400,
      act: async (page) => {
        await page.locator('[name=quiet_from]').selectOption('22:00')
        await submit(page, '/account/notices')
      },
    },
    { name: 'unsubscribe', path: `/notices/unsubscribe?token=${token(['price_reached'])}` },
    { name: 'unsubscribe-nothing', path: `/notices/unsubscribe?token=${token([])}` },
    {
      name: 'signed-out',
      as: 'ada',
      path: `/saved/add?p=${UNSOLD}`,
      endsOn: '/unsaved/id',
      act: async (page) => {
        await page.context().clearCookies({ name: 'souk_session' })
        await page.getByLabel('Note').fill('Measure the shelf first: 38 cm at most.\nAsk about the grinder.')
        await page.getByLabel('Target price').fill('249.50')
        await submit(page, '/saved')
        await page.getByLabel('Email').fill(ada.email)
        await page.getByLabel('Password').fill(PASSWORD)
        await submit(page, '/auth/signin')
      },
    },
    { name: 'account-delete', as: 'ada', path: '/account/delete' },
    { name: 'account-delete-owner', as: 'owner', path: '/account/delete' },
    { name: 'saved', as: 'ada', path: '/saved' },
    { name: 'saved-changed', as: 'ada', path: '/saved?changed=1' },
    { name: 'saved-empty', as: 'newcomer', path: '/saved' },
    { name: 'saved-stranger', path: '/saved' },
    { name: 'saved-add', as: 'ada', path: `/saved/add?p=${UNSOLD}` },
    {
      name: 'saved-add-refused',
      as: 'ada',
      path: `/saved/add?p=${UNSOLD}`,
      status: 400,
      act: async (page) => {
        await page.getByLabel('Target price').fill('cheap')
        await submit(page, '/saved')
      },
    },
    { name: 'saved-edit', as: 'ada', path: `/saved/add?p=${ASKED}` },
  ]
}

function others({ seeds }: PagesWorld): Stop[] {
  return [
    { name: 'consent', as: 'ada', path: seeds.consent },
    { name: 'consent-organization', as: 'owner', path: seeds.consent },
    { name: 'consent-refused', path: '/oauth/authorize/?client_id=nobody', status: 400 },
    { name: 'join', as: 'newcomer', path: seeds.links.invitation },
    { name: 'join-stranger', path: seeds.links.invitation },
    { name: 'join-gone', path: '/org/join?token=souk_invite_gone', status: 404 },
    { name: 'demo-operator-gone', path: '/demo/operator?token=souk_demo_gone', status: 404 },
    { name: 'outbox', path: '/dev/outbox' },
    { name: 'outbox-mail', path: `/dev/outbox/${seeds.mail}` },
  ]
}
