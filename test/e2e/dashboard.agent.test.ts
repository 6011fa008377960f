/** The page of a producer's agent: who sees what, and the buttons that say who answers. */
import { describe, expect, test } from 'vitest'
import { recordAnswer } from '../../src/orgs/integration-health.service.ts'
import { createBrowser, PASSWORD, signIn } from '../accounts.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'
import {
  ANSWERING,
  actionsOf,
  createAgentPageWorld,
  fact,
  formsOf,
  PAGE,
  read,
  SECRET,
  UCP,
  URL_OF_CARD,
} from './dashboard.agent.world.ts'

const world = await createAgentPageWorld()
const { acme, database, owner, browserOf, cardForm, answering, unchanged } = world

describe('who sees what', () => {
  test('who is not signed in is asked to, and brought back with what the link filled in', async () => {
    const email = 'not-signed-in-yet@example.com'
    await signIn(world, { email, verified: true })
    const wanted = `${PAGE}?${new URLSearchParams({ agent_card_url: URL_OF_CARD, auth_type: 'hmac' })}`
    const browser = createBrowser(world)
    const answer = await browser.get(wanted)
    const there = `/auth/signin?return_to=${encodeURIComponent(wanted)}`
    expect([answer.status, answer.headers.get('location')]).toEqual([303, there])
    const signedIn = await browser.post('/auth/signin', { email, password: PASSWORD, return_to: wanted })
    expect(signedIn.headers.get('location')).toBe(wanted)
  })

  test('a form sent after the session ended does nothing and keeps all but the secret', async () => {
    const answer = await unchanged(async () =>
      createBrowser(world).post(PAGE, cardForm({ auth_type: 'bearer', secret: SECRET })),
    )
    const location = answer.headers.get('location') ?? ''
    expect(answer.status).toBe(303)
    const [, id] = /^\/auth\/signin\?return_to=%2Funsaved%2F([\da-f-]{36})$/.exec(location) ?? []
    const { rows } = await database.pool.query<{ box: string }>(
      'select box from unsaved_forms where id = $1',
      [id],
    )
    const kept = world.accounts.secrets.unsaved.open(rows[0]?.box ?? '')
    expect(kept).toContain(URL_OF_CARD)
    expect(kept).not.toContain(SECRET)
  })

  test('who belongs to no organization is told what to do', async () => {
    const { browser } = await signIn(world, { verified: true })
    for (const ask of [() => browser.get(PAGE), () => browser.post(PAGE, cardForm())]) {
      const { status, html } = await unchanged(() => read(ask()))
      expect(status).toBe(403)
      expect(html).toContain('You belong to no organization')
      expect(html).toContain('Register yours, or ask an owner to invite you')
      expect(actionsOf(html)).toEqual([])
    }
  })

  test.each(['editor', 'viewer'] as const)(
    'an %s sees the configuration, and nothing to change it by',
    async (role) => {
      await owner.post(PAGE, cardForm({ auth_type: 'bearer', secret: SECRET }))
      const member = browserOf(await addMember(world, acme, role))
      const { status, html } = await read(member.get(PAGE))
      expect([status, fact(html, 'Agent card')]).toEqual([200, URL_OF_CARD])
      expect(html).toContain('An owner or admin of Acme can change this.')
      // To look for the shop's UCP profile changes nothing of how quotes are answered.
      expect(actionsOf(html)).toEqual(role === 'editor' ? [UCP] : [])
      for (const [path, form] of [
        [PAGE, cardForm()],
        [ANSWERING, answering(true, 'clear')],
      ] as const) {
        const answer = await unchanged(() => read(member.post(path, form)))
        expect(answer.status).toBe(403)
        expect(answer.html).toContain('Only an owner or admin of the organization can do this')
      }
    },
  )

  test('an admin may change it', async () => {
    const admin = browserOf(await addMember(world, acme, 'admin'))
    expect((await admin.post(PAGE, cardForm())).headers.get('location')).toBe(`${PAGE}?done=card`)
  })

  test('a deactivated organization is shown, and not changed', async () => {
    const org = await createOrg(world, { name: 'Gone', deactivated: true })
    const browser = browserOf(org.session)
    const { html } = await read(browser.get(PAGE))
    expect(html).toContain('Gone is deactivated')
    expect(actionsOf(html)).toEqual([])
    const form = answering(true, 'keep', org)
    expect((await unchanged(() => browser.post(ANSWERING, form))).status).toBe(403)
  })

  test('an organization without a verified domain is asked to verify it, and may still let Souk answer', async () => {
    for (const [options, words] of [
      [{ domain: 'unproved.example', verified: false }, 'First verify unproved.example.'],
      [{ domain: null, verified: false }, 'First add your domain and verify it.'],
    ] as const) {
      const org = await createOrg(world, options)
      const browser = browserOf(org.session)
      const { html } = await read(browser.get(PAGE))
      expect(html).toContain(words)
      expect(actionsOf(html)).toEqual([ANSWERING])
      const answer = await unchanged(() => read(browser.post(PAGE, cardForm({ org_id: org.id }))))
      expect(answer.status).toBe(403)
      expect(answer.html).toContain('The organization has no verified domain yet')
      expect((await browser.post(ANSWERING, answering(true, 'keep', org))).status).toBe(303)
    }
  })

  test('nobody keeps a copy of the page, frames it or learns its address', async () => {
    for (const answer of [await owner.get(PAGE), await owner.post(PAGE, cardForm({ agent_card_url: 'x' }))]) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('referrer-policy')).toBe('same-origin')
      expect(answer.headers.get('content-security-policy')).toContain(`form-action 'self'`)
      expect(answer.headers.get('x-frame-options')).toBe('DENY')
    }
  })
})

describe('who answers', () => {
  test('the page tells the state of the integration in words', async () => {
    const at = new Date('2026-11-01T11:59:30Z')
    const page = async () => (await read(owner.get(PAGE))).html
    const said = async () => {
      const html = await page()
      return [fact(html, 'Answered by'), fact(html, 'Status')?.split('.')[0], fact(html, 'Last request')]
    }
    expect(await said()).toEqual(['No one yet', 'Not set up', undefined])
    await owner.post(PAGE, cardForm({ auth_type: 'hmac', secret: SECRET }))
    expect(await said()).toEqual(['Your own agent', 'Pending', 'None yet'])
    expect(fact(await page(), 'Authentication')).toBe('HMAC signature')
    await recordAnswer(world.orgs, { orgId: acme.id, ok: true, ms: 1_340, at })
    const last = 'November 1, 2026, 11:59 UTC, last answer took 1.3 s'
    expect(await said()).toEqual(['Your own agent', 'Active', last])
    for (let failures = 0; failures < 3; failures += 1)
      await recordAnswer(world.orgs, { orgId: acme.id, ok: false, ms: null, at })
    expect(await said()).toEqual(['Your own agent', 'Unreachable', last])
  })

  test('one press switches to managed pricing and another back, with the card and its secret kept', async () => {
    await owner.post(PAGE, cardForm({ auth_type: 'hmac', secret: SECRET }))
    const press = async (label: string) => {
      const { html } = await read(owner.get(PAGE))
      const at = html.indexOf(`${label}</button>`)
      const form = formsOf(html.slice(html.lastIndexOf('<form', at)))[0]
      const answer = await owner.post(form?.action ?? '', form?.fields)
      return (await read(owner.get(answer.headers.get('location') ?? ''))).html
    }
    const managed = await press('Turn on managed pricing')
    expect(managed).toContain('Souk now answers buyers for you.')
    expect(fact(managed, 'Answered by')).toBe('Souk, with your pricing rules')
    expect(fact(managed, 'Agent card')).toBe(`${URL_OF_CARD} (saved, not in use)`)
    const own = await press('Use your own agent')
    expect(own).toContain('Your own agent now answers buyers.')
    expect(fact(own, 'Answered by')).toBe('Your own agent')
    const { secret_box: box } = (await world.rowOf(acme)) ?? {}
    expect(world.orgs.integrationSecrets.open(box ?? '')).toBe(SECRET)
    await press('Turn on managed pricing')
    const removed = await press('Remove card')
    expect(removed).toContain('Agent card and secret removed.')
    expect(fact(removed, 'Answered by')).toBe('Souk, with your pricing rules')
    expect(await world.rowOf(acme)).toMatchObject({
      agent_card_url: null,
      secret_box: null,
      is_managed: true,
    })
    expect((await world.auditOf(acme)).at(-1)).toEqual({
      action: 'integration.changed',
      detail: { is_managed: true, managed_rules: 'kept', agent_card: 'cleared' },
      by: 'user',
    })
  })

  test('a card removed while the own agent answers leaves nobody, and pricing rules stay', async () => {
    const rules = { volume_discounts: [{ min_qty: 2, discount_pct: 3 }] }
    const change = { is_managed: false, managed_rules: rules }
    await world.send(acme.session, 'PATCH', '/api/org/agent-integration/', change)
    await owner.post(PAGE, cardForm())
    expect((await read(owner.get(PAGE))).html).toContain('Buyers will get no answer from you.')
    await owner.post(ANSWERING, answering(false, 'clear'))
    const { html } = await read(owner.get(PAGE))
    expect(fact(html, 'Answered by')).toBe('No one yet')
    expect(await world.rowOf(acme)).toMatchObject({ agent_card_url: null, managed_rules: rules })
  })

  test.each<[string, Record<string, string>]>([
    ['no word on who answers', { agent_card: 'clear' }],
    ['another word', { is_managed: 'maybe', agent_card: 'keep' }],
    ['no word on the card', { is_managed: 'true' }],
  ])('%s: 400, and nothing is changed', async (_what, fields) => {
    await owner.post(PAGE, cardForm())
    const send = () => owner.post(ANSWERING, { org_id: acme.id, ...fields })
    expect((await unchanged(send)).status).toBe(400)
  })
})

describe('several organizations', () => {
  test('a form opened for one organization changes no other', async () => {
    const other = await createOrg(world, { name: 'Other & Sons', domain: 'other.example' })
    await database.db
      .insertInto('org_members')
      .values({ org_id: acme.id, user_id: other.ownerId, role: 'owner', created_at: world.clock.now() })
      .execute()
    const browser = browserOf(other.session)
    const select = (org: TestOrg) =>
      world.send(
        other.session,
        'POST',
        '/api/org/select/',
        { org_id: org.id },
        { origin: 'http://souk.test' },
      )
    expect((await select(other)).status).toBe(200)
    const { html } = await read(browser.get(PAGE))
    expect(html).toContain('Set up how Other &amp; Sons answers requests for quotes.')
    expect(html).toContain('Switch organization')
    const forms = formsOf(html).filter(({ action = '' }) => action.startsWith(PAGE))
    expect(forms.map(({ action }) => action)).toEqual([PAGE, ANSWERING, UCP])
    expect((await select(acme)).status).toBe(200)
    for (const { action = '', fields } of [...forms, { action: PAGE, fields: cardForm({ org_id: '' }) }]) {
      const filled = action === PAGE ? { ...fields, agent_card_url: URL_OF_CARD } : fields
      const answer = await unchanged(() => read(browser.post(action, filled)))
      expect(answer.status).toBe(409)
      expect(answer.html).toContain('This form was not opened for Acme')
    }
    expect((await browser.post(PAGE, cardForm())).status).toBe(303)
    expect(await world.rowOf(other)).toBeUndefined()
    expect(await world.rowOf(acme)).toMatchObject({ agent_card_url: URL_OF_CARD })
  })

  test('who leaves the organization while the form is on its way changes no other of theirs', async () => {
    const other = await createOrg(world, { name: 'Stays' })
    world.clock.advance(1_000)
    await database.db
      .insertInto('org_members')
      .values({ org_id: acme.id, user_id: other.ownerId, role: 'owner', created_at: world.clock.now() })
      .execute()
    const waiting = async () =>
      (
        await database.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows.length
    // Not seen by the check of the form, and waited for by the action.
    const answer = await unchanged(async () => {
      const sent = await database.db.transaction().execute(async (tx) => {
        await tx
          .deleteFrom('org_members')
          .where('user_id', '=', other.ownerId)
          .where('org_id', '=', acme.id)
          .execute()
        const post = read(browserOf(other.session).post(ANSWERING, answering(true, 'keep')))
        await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
        return { post }
      })
      return sent.post
    })
    expect(answer.status).toBe(409)
    expect(answer.html).toMatch(/you no longer belong to this organization; nothing was changed/i)
  })
})
