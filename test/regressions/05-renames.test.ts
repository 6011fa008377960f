/** A verified organization keeps its name until the operator approves another. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { runAdmin } from '../admin-command.ts'
import { createOrgsWorld } from '../e2e/orgs.world.ts'
import { textOf } from '../html.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'

const world = await createOrgsWorld()
const { ask, row, actions } = world
const ORG = '/api/org/'

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

const page = async (who: { cookie: string }, path: string) =>
  textOf(await (await browserOf(who).get(path)).text())
const rename = (org: TestOrg, name: string) => ask(org.session, 'PATCH', ORG, { name })
const nameOf = async (org: TestOrg) => (await row(org.id)).name

async function operator() {
  const person = await world.person(`operator-${Math.random().toString(36).slice(2)}@people.example`)
  await world.database.pool.query('update users set is_admin = true where id = $1', [person.id])
  return person
}

/** The id by which the operator decides. */
async function waiting(org: TestOrg): Promise<string> {
  const { out } = await runAdmin(world, 'renames')
  return (
    out
      .split('\n')
      .find((line) => line.includes(org.id))
      ?.split('\t')[0] ?? ''
  )
}

describe('renaming a verified organization', () => {
  test('waits: the old name stays, the new one is seen by its people and the operator', async () => {
    const org = await createOrg(world, { name: 'Acme', domain: 'waits.example' })
    world.told.calls.length = 0
    const asked = await rename(org, 'Acme (retailer, verified)')
    expect(asked.body).toEqual({
      ok: true,
      verification_status: 'verified',
      pending_name: 'Acme (retailer, verified)',
    })
    expect(await nameOf(org)).toBe('Acme')
    expect(world.told.calls).toEqual([])
    expect((await ask(org.session, 'GET', ORG)).body).toMatchObject({
      name: 'Acme',
      pending_name: 'Acme (retailer, verified)',
    })
    expect(await actions(org.id)).toEqual(['org.rename_requested'])
    const shown = await page(org.session, '/dashboard/organization')
    expect(shown).toContain('The operator reviews your new name “Acme (retailer, verified)”')
    const queue = await page(await operator(), '/admin/renames')
    expect(queue).toContain('waits.example')
    expect(queue).toContain('Acme (retailer, verified)')
  })

  test('is done when the operator approves it, on the page or by the command', async () => {
    const [one, two] = [await createOrg(world, { name: 'One' }), await createOrg(world, { name: 'Two' })]
    await rename(one, 'First')
    await rename(two, 'Second')
    const posted = await browserOf(await operator()).post(`/admin/renames/${await waiting(one)}/approve`)
    expect(posted.headers.get('location')).toBe('/admin/renames?done=approved')
    const { code } = await runAdmin(world, 'approve-rename', await waiting(two))
    expect(code).toBe(0)
    expect([await nameOf(one), await nameOf(two)]).toEqual(['First', 'Second'])
    for (const org of [one, two]) {
      expect(await actions(org.id)).toEqual(['org.rename_requested', 'org.renamed'])
      expect((await ask(org.session, 'GET', ORG)).body).not.toHaveProperty('pending_name')
      expect(await page(org.session, '/dashboard/history')).toContain('The operator')
    }
  })

  test('is refused with a reason that its people read, and may be asked for again', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    await rename(org, 'Apple')
    const { code } = await runAdmin(world, 'decline-rename', await waiting(org), 'That is another company.')
    expect(code).toBe(0)
    expect(await nameOf(org)).toBe('Acme')
    expect((await ask(org.session, 'GET', ORG)).body).not.toHaveProperty('pending_name')
    expect(await page(org.session, '/dashboard/organization')).toContain('That is another company.')
    expect((await rename(org, 'Acme Ltd')).body.pending_name).toBe('Acme Ltd')
    const posted = await browserOf(await operator()).post(`/admin/renames/${await waiting(org)}/decline`, {
      note: 'Not this either.',
    })
    expect(posted.headers.get('location')).toBe('/admin/renames?done=declined')
    expect(await nameOf(org)).toBe('Acme')
  })

  test('is decided as it was seen: a name asked for meanwhile is another request', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    await rename(org, 'Harmless')
    const seen = await waiting(org)
    await rename(org, 'Harmful')
    const browser = browserOf(await operator())
    expect((await browser.post(`/admin/renames/${seen}/approve`)).status).toBe(404)
    expect(await nameOf(org)).toBe('Acme')
  })

  test('of many requests and decisions at once, each request is decided once', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    const other = await addMember(world, org, 'admin')
    for (let round = 0; round < 6; round++) {
      await Promise.all([rename(org, `Name ${round}a`), ask(other, 'PATCH', ORG, { name: `Name ${round}b` })])
      const id = await waiting(org)
      const browser = browserOf(await operator())
      const answers = await Promise.all([
        browser.post(`/admin/renames/${id}/approve`),
        browser.post(`/admin/renames/${id}/approve`),
        browser.post(`/admin/renames/${id}/decline`, { note: 'No.' }),
      ])
      const done = answers.filter(({ status }) => status === 303)
      expect(done).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 404)).toHaveLength(2)
    }
    const decided = (await actions(org.id)).filter((action) => /renamed|rename_declined/.test(action))
    expect(decided).toHaveLength(6)
  })

  test('is withdrawn by asking for the name it has; other changes are made at once', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    await ask(org.session, 'PATCH', ORG, { name: 'Other', website_url: 'https://acme.example/' })
    expect((await row(org.id)).website_url).toBe('https://acme.example/')
    expect((await rename(org, 'Acme')).body).toEqual({ ok: true, verification_status: 'verified' })
    expect((await ask(org.session, 'GET', ORG)).body).not.toHaveProperty('pending_name')
    expect(await actions(org.id)).toEqual(['org.rename_requested', 'org.edited', 'org.rename_withdrawn'])
  })

  test('asking for the same name twice is one request', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    await rename(org, 'Other')
    const first = await waiting(org)
    expect((await rename(org, 'Other')).body.pending_name).toBe('Other')
    expect(await waiting(org)).toBe(first)
    expect(await actions(org.id)).toEqual(['org.rename_requested'])
  })

  test('is not needed while the organization is not verified, and then nothing waits', async () => {
    const org = await createOrg(world, { name: 'Acme', verified: false })
    const { body } = await rename(org, 'Other')
    expect(body).toMatchObject({ ok: true, verification_status: 'pending' })
    expect(body).not.toHaveProperty('pending_name')
    expect(await nameOf(org)).toBe('Other')
  })

  test('is for owners and admins, and its queue for operators', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    const editor = await addMember(world, org, 'editor')
    expect((await ask(editor, 'PATCH', ORG, { name: 'Mine' })).status).toBe(403)
    expect((await ask(org.bearer, 'PATCH', ORG, { name: 'Mine' })).status).toBe(403)
    expect((await browserOf(org.session).get('/admin/renames')).status).toBe(404)
  })
})
