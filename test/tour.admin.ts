/** The operator's stops: the queues, people and organizations, and the service itself. */
import { setRunning } from './imports.ts'
import type { TourWorld } from './pages.seeds.ts'
import { opening, type Stop, submit } from './tour.stop.ts'

export function adminTour(world: TourWorld): Stop[] {
  const parts = [review, people, system]
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
  const { imports } = world.console
  return [
    { name: 'admin-jobs', path: '/admin/jobs', act: opening('main .confirm') },
    { name: 'admin-search', path: '/admin/search' },
    { name: 'admin-oauth', path: '/admin/oauth' },
    { name: 'admin-health', path: '/admin/health' },
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
    { name: 'admin-hidden', as: 'owner', path: '/admin', status: 404 },
  ]
}
