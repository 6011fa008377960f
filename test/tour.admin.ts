/** The operator's stops: the queues, people and organizations, and the service itself. */
import { setRunning } from './imports.ts'
import type { TourWorld } from './pages.seeds.ts'
import { opening, type Stop, sending, submit } from './tour.stop.ts'

export function adminTour(world: TourWorld): Stop[] {
  const parts = [review, catalog, people, system]
  return parts.flatMap((part) => part(world)).map((stop) => ({ as: 'admin', ...stop }))
}

function review({ console: { proposals } }: TourWorld): Stop[] {
  const [enrichments, submissions] = ['/admin/enrichments', '/admin/submissions']
  return [
    { name: 'admin', path: '/admin' },
    { name: 'admin-enrichments', path: enrichments },
    {
      name: 'admin-enrichment',
      path: `${enrichments}/${proposals.pending}`,
      act: opening('main .confirm'),
    },
    { name: 'admin-enrichment-approved', path: `${enrichments}/${proposals.approved}` },
    { name: 'admin-submissions', path: submissions },
    {
      name: 'admin-submission',
      path: `${submissions}/${proposals.submission}`,
      act: opening('main .confirm'),
    },
    { name: 'admin-claims', path: '/admin/claims', act: opening('main .confirm') },
    { name: 'admin-renames', path: '/admin/renames', act: opening('main .confirm') },
    { name: 'admin-reports', path: '/admin/reports', act: opening('main .confirm') },
    { name: 'admin-reports-fixed', path: '/admin/reports?status=fixed' },
  ]
}

function catalog({ console: { tidied } }: TourWorld): Stop[] {
  return [
    { name: 'admin-products', path: '/admin/products' },
    { name: 'admin-products-none', path: '/admin/products?q=zzz' },
    {
      name: 'admin-products-delete',
      path: '/admin/products?q=lumaro',
      act: async (page) => {
        await page.locator('.pick input').first().check()
        await page.locator('[name=act]').selectOption('delete')
        await submit(page, '/admin/products/bulk')
      },
    },
    { name: 'admin-product', path: '/admin/products/lumaro-arc-2', act: opening('main .confirm') },
    {
      name: 'admin-product-refused',
      path: '/admin/products/lumaro-arc-2',
      status: 400,
      act: sending('/admin/products/lumaro-arc-2', { title: '', released: 'soon' }),
    },
    { name: 'admin-categories', path: '/admin/categories' },
    { name: 'admin-category', path: '/admin/categories/desk-lamps', act: opening('main .confirm') },
    { name: 'admin-categories-import', path: '/admin/categories/import' },
    { name: 'admin-brands-import', path: '/admin/brands/import' },
    { name: 'admin-brands', path: '/admin/brands' },
    { name: 'admin-brand', path: `/admin/brands/${tidied.brandId}`, act: opening('main .confirm') },
    { name: 'admin-undo', path: `/admin/undo/${tidied.batch}` },
    { name: 'admin-brands-none', path: '/admin/brands?q=zzz' },
    { name: 'admin-tuning', path: '/admin/tuning' },
    {
      name: 'admin-tuning-refused',
      path: '/admin/tuning',
      status: 400,
      act: sending('/admin/tuning/try', { words: 'lamp' }),
    },
    {
      name: 'admin-tuning-tried',
      path: '/admin/tuning',
      act: sending('/admin/tuning/try', { query: 'desk lamp', name: 'lumaro-arc-2', place: '1' }),
    },
    { name: 'admin-judged', path: '/admin/tuning/judged' },
  ]
}

function people({ console: { people }, people: { admin }, sellers }: TourWorld): Stop[] {
  const [users, organizations] = ['/admin/users', '/admin/organizations']
  return [
    { name: 'admin-users', path: users },
    { name: 'admin-users-none', path: `${users}?q=zzz` },
    {
      name: 'admin-user',
      path: `${users}/${sellers.managed.ownerId}`,
      act: opening('main .confirm'),
    },
    { name: 'admin-user-deactivated', path: `${users}/${people.gone.ownerId}` },
    { name: 'admin-user-oneself', path: `${users}/${admin.userId}` },
    { name: 'admin-organizations', path: organizations },
    {
      name: 'admin-organization',
      path: `${organizations}/${sellers.managed.id}`,
      act: opening('main .confirm'),
    },
    { name: 'admin-support', path: `${organizations}/${sellers.managed.id}/view/products` },
    { name: 'admin-support-rfqs', path: `${organizations}/${sellers.managed.id}/view/rfqs` },
    { name: 'admin-audit', path: '/admin/audit' },
    { name: 'admin-audit-none', path: '/admin/audit?q=zzz' },
    { name: 'admin-organization-unproved', path: `${organizations}/${people.fresh.id}` },
    { name: 'admin-organization-deactivated', path: `${organizations}/${people.gone.id}` },
  ]
}

const SHEET = [
  'title,category,brand,price',
  'Harbor Lamp,desk-lamps,Harbor,49',
  'Sky Boat,hovercrafts,Harbor,900',
  'Fog Lamp,desk-lamps,Harbor,cheap',
]

function system(world: TourWorld): Stop[] {
  const { imports, sources } = world.console
  return [
    { name: 'admin-jobs', path: '/admin/jobs', act: opening('main .confirm') },
    { name: 'admin-search', path: '/admin/search' },
    { name: 'admin-oauth', path: '/admin/oauth' },
    { name: 'admin-health', path: '/admin/health' },
    { name: 'admin-health-history', path: '/admin/health/history' },
    { name: 'admin-settings', path: '/admin/settings' },
    {
      name: 'admin-settings-refused',
      path: '/admin/settings',
      status: 400,
      act: sending('/admin/settings/mail', { to: 'nobody' }),
    },
    { name: 'admin-rates', path: '/admin/settings/rates' },
    { name: 'admin-backups', path: '/admin/backups' },
    { name: 'admin-imports', path: '/admin/imports' },
    { name: 'admin-import-new', path: '/admin/imports/new' },
    { name: 'admin-import-file', path: `/admin/imports/new/${imports.lookedAt}` },
    { name: 'admin-import-checked', path: `/admin/imports/new/${imports.checked}` },
    { name: 'admin-import-done', path: `/admin/imports/new/${imports.done}` },
    {
      name: 'admin-import-read',
      path: '/admin/imports/new',
      act: async (page) => {
        const buffer = Buffer.from(SHEET.join('\n'))
        await page.locator('[name=file]').setInputFiles({ name: 'lamps.csv', mimeType: 'text/csv', buffer })
        await submit(page, '/admin/imports/new')
      },
    },
    {
      name: 'admin-import-running',
      path: `/admin/imports/new/${imports.running}`,
      live: {
        async arrive(page) {
          await setRunning(world, imports.running, true)
          await page.goto(`${world.baseUrl}/admin/imports/new/${imports.running}`, { waitUntil: 'commit' })
          await page.locator('main progress').waitFor()
        },
        end: () => setRunning(world, imports.running, false).catch(() => {}),
      },
    },
    { name: 'admin-import-batch', path: `/admin/imports/${imports.batch}` },
    { name: 'admin-import-undo', path: `/admin/imports/${imports.batch}/undo` },
    { name: 'admin-import-undone', path: `/admin/imports/${imports.undone}` },
    { name: 'admin-sources', path: '/admin/sources' },
    { name: 'admin-source-new', path: '/admin/sources/new' },
    {
      name: 'admin-source-refused',
      path: '/admin/sources/new',
      status: 400,
      act: sending('/admin/sources/new', { name: '', url: 'our feed' }),
    },
    { name: 'admin-source', path: `/admin/sources/${sources.waiting}`, act: opening('main .confirm') },
    { name: 'admin-source-fresh', path: `/admin/sources/${sources.fresh}` },
    { name: 'admin-source-reading', path: `/admin/sources/${sources.waiting}/reading` },
    { name: 'admin-hidden', as: 'owner', path: '/admin', status: 404 },
  ]
}
