/** The inspector of requests for quotes: what a producer sees of each, what it never sees, and tests sent from it. */
import { describe, expect, test } from 'vitest'
import { addMember, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { actionsOf, fact, formsOf, read } from './dashboard.agent.world.ts'
import { BEARER, createInspectorWorld, HMAC, LIST, rowsOf, words } from './dashboard.rfqs.world.ts'

const world = await createInspectorWorld()
const { first, second, managed, as, see, orgOf, producerOf, browserOf } = world

describe('the list', () => {
  test('shows each request with its outcome, our price, place and time, newest first', async () => {
    const { status, html, headers } = await see('dearer', LIST)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(rowsOf(html)).toEqual([second, first])
    const text = words(html)
    expect(text).toContain('2 requests')
    expect(text).toContain('2 × Lume One')
    expect(text).toContain('to California')
    expect(text).toMatch(/Lost \$117\.25 \d of 4 \d+ ms Lower price \(\d+–\d+%\)/)
    expect(html).toContain('<a href="/dashboard/agent">Lower price')
    expect(words((await see('cheapest', LIST)).html)).toMatch(/Ranked first \$90\.50 1 of 4/)
    expect(words((await see('choosy', LIST)).html)).toMatch(/Declined – – .* Your answer/)
    expect(words((await see('broken', LIST)).html)).toMatch(/Failed – – .* Your answer/)
    expect(words(await (await browserOf(managed.session).get(LIST)).text())).toContain('Instant')
  })

  test('outcome, product and since narrow it, and are kept in the form and the pages', async () => {
    expect(rowsOf((await see('cheapest', `${LIST}?outcome=first&since=2026-11-02`)).html)).toEqual([second])
    expect(rowsOf((await see('cheapest', `${LIST}?product=desk-lamps/lume-one`)).html)).toHaveLength(2)
    const { html } = await see('cheapest', `${LIST}?outcome=lost&since=2026-11-02`)
    expect(words(html)).toContain('No requests match.')
    expect(formsOf(html)[0]?.fields).toEqual({ q: '', outcome: 'lost', product: '', since: '2026-11-02' })
  })

  test('is taken away as a file, narrowed as the page is', async () => {
    const { html: text, headers } = await see('cheapest', `${LIST}?since=2026-11-02&format=csv`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="souk-requests.csv"')
    const [names, row, ...rest] = text.split('\r\n')
    expect(names).toBe(
      'Request,Asked,Product,Quantity,Deliver to,Outcome,Your price,Place,Response time,Would help most,Variant',
    )
    expect(row).toMatch(new RegExp(`^${second},2026-[^,]+Z,desk-lamps/lume-one,1,,first,90.5,1,\\d+,,$`))
    expect(rest).toEqual([''])
  })

  test.each([
    ['outcome=best', 400, 'Choose one of those listed.'],
    ['since=2026-02-30', 400, 'Must be an ISO 8601 date'],
    ['product=a/b/c', 400, 'Must be a product'],
    ['product=desk-lamps/none', 404, 'There is no such product.'],
  ])('a filter that makes no sense is told beside its field and kept: %s', async (query, status, text) => {
    const [name = '', value = ''] = query.split('=')
    const page = await see('cheapest', `${LIST}?${query}`)
    expect(page.status).toBe(status)
    expect(page.html).toContain(`id="field-${name}-error"`)
    expect(words(page.html)).toContain(text)
    if (name !== 'outcome') expect(formsOf(page.html)[0]?.fields[name]).toBe(value)
  })

  test('who was asked nothing yet is told how requests come', async () => {
    const fresh = await createOrg(world)
    const { html } = await read(browserOf(fresh.session).get(LIST))
    expect(words(html)).toContain('No requests yet.')
    expect(html).toContain('href="/dashboard/agent"')
    expect(actionsOf(html)).toEqual([])
  })
})

describe('one request', () => {
  test('a win is told with the quote as the buyer has it', async () => {
    const text = words((await see('cheapest', `${LIST}/${first}`)).html)
    expect(text).toContain('You rank first of 4 quotes.')
    expect(text).toContain('Needed by December 24, 2026')
    expect(text).toContain('Unit price $90.50 Total for 2 $181')
  })

  test('a loss is told by our own numbers, with what decided it', async () => {
    const { html } = await see('flaky', `${LIST}/${first}`)
    const text = words(html)
    expect(text).toContain('Your quote came 3 of 4.')
    expect(text).toContain('above the winner’s.')
    expect(text).toContain('The lowest total wins')
    expect(text).toMatch(/Lower total \$265 Decided here/)
    expect(text).toContain('Arrives by the deadline Yes, on')
  })

  test('every try is shown with its request, answer, time and what to do', async () => {
    const { html } = await see('flaky', `${LIST}/${first}`)
    const text = words(html)
    expect(text).toMatch(/First try Retried .*503.*Second try Quoted/)
    expect(html.match(/<article/g)).toHaveLength(2)
    expect(html.match(/class="bar-fill/g)).toHaveLength(2)
    expect(html).toContain('POST https://flaky.example/message:send')
    expect(text).toContain('"delivery_region": "CA-US"')
    expect(text).toContain('How to fix it:')
    const broken = (await see('broken', `${LIST}/${first}`)).html
    expect(words(broken)).toContain('Your answer didn’t count.')
    expect(broken).toContain('&lt;i&gt;oops&lt;/i&gt;')
    expect(broken).not.toContain('<i>oops')
    expect(broken).toContain('Send only JSON')
  })

  test('a signature is checked against the secret of today, and never shown whole', async () => {
    const sent = String(producerOf('cheapest').received[0]?.headers['x-service-signature'])
    const show = async () => (await see('cheapest', `${LIST}/${first}`)).html
    const before = await show()
    expect(before).toContain(sent.slice(0, 8))
    expect(before).not.toContain(sent.slice(0, 9))
    expect(words(before)).toContain('Matches your current secret')
    const integration = (secret: string) =>
      world.database.db
        .updateTable('agent_integrations')
        .set({ secret_box: world.rfq.integrationSecrets.seal(secret) })
        .where('org_id', '=', orgOf('cheapest').id)
        .execute()
    await integration('another-secret-since')
    expect(words(await show())).toContain('Signed with a secret you have since replaced')
    await integration(HMAC)
  })

  test('every link into the documents leads to a part that is there', async () => {
    const pages = await Promise.all(world.names.map((name) => see(name, `${LIST}/${first}`)))
    const links = new Set(
      pages.flatMap(({ html }) => [...html.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, to]) => to)),
    )
    expect(links.size).toBeGreaterThan(2)
    for (const link of links) {
      const [path = '', part = ''] = (link ?? '').split('#')
      expect((await read(as('cheapest').get(path))).html).toContain(`id="${part}"`)
    }
  })

  test('no secret is on any page', async () => {
    const bearer = (await see('dearer', `${LIST}/${first}`)).html
    expect(bearer).toContain('Bearer ••••')
    expect(bearer).not.toContain(BEARER)
    expect((await see('cheapest', `${LIST}/${first}`)).html).not.toContain(HMAC)
  })

  test('nobody learns who else quoted, nor at what price, nor holds a signature that tells it', async () => {
    const own: Record<string, string[]> = {
      cheapest: ['90.5'],
      dearer: ['117.25', 'SECRET-TERMS'],
      flaky: ['$130', '"price_usd": 130'],
    }
    for (const name of world.names)
      for (const path of [LIST, `${LIST}/${first}`, `${LIST}/${second}`]) {
        const { html } = await see(name, path)
        for (const [other, facts] of Object.entries(own))
          if (other !== name)
            for (const secret of [...facts, `${other}.example`]) expect(html).not.toContain(secret)
        expect(html).not.toContain('than the next')
        expect(html).not.toContain('than the one above')
        expect(html).not.toMatch(/eyJ[\w-]{20,}/)
      }
  })

  test('who quoted alone holds the signed quote and can have it checked', async () => {
    const product = await addProduct(world, { slug: 'lume-two', category: 'desk-lamps', title: 'Lume Two' })
    await relate(world, orgOf('cheapest'), product)
    const { sessionId } = await world.ask({ product_slug: 'desk-lamps/lume-two' })
    const { html } = await see('cheapest', `${LIST}/${sessionId}`)
    expect(words(html)).toContain('Yours is the only quote.')
    const form = formsOf(html).find(({ action }) => action === '/verify-quote')
    const checked = await read(as('cheapest').post('/verify-quote', form?.fields ?? {}))
    expect(checked.html).toContain('This quote is genuine')
  })

  test('managed answers show the calculation to those who set the rules only', async () => {
    const path = `${LIST}/${first}`
    const owner = words(await (await browserOf(managed.session).get(path)).text())
    expect(owner).toContain('How your rules calculate it now')
    expect(owner).toContain('Base price')
    const viewer = words(await (await browserOf(await addMember(world, managed, 'viewer')).get(path)).text())
    expect(viewer).toContain('Answer we gave for you')
    expect(viewer).not.toContain('Base price')
  })

  test('a request that the organization was not asked is not there', async () => {
    const stranger = browserOf((await createOrg(world)).session)
    for (const id of [first, 'nothing', '00000000-0000-4000-8000-000000000000']) {
      expect((await stranger.get(`${LIST}/${id}`)).status).toBe(404)
    }
  })

  test('one that is still running says so, and tells its end in the same page', async () => {
    const release = world.hold()
    const { sessionId } = await world.submit({ quantity: 7 })
    await expect.poll(() => world.held.length).toBe(1)
    const response = await as('cheapest').get(`${LIST}/${sessionId}`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const opening = String((await reader?.read())?.value)
    expect(opening).toContain('This request is still running.')
    expect(opening).not.toContain('class="ended"')
    release()
    let rest = ''
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
      rest += piece.value
    expect(words(`<main${rest}`)).toContain('You rank first of 4 quotes.')
    expect(rest).toContain('</html>')
  })
})

describe('sending it as a test', () => {
  const formOn = async (browser: ReturnType<typeof as>) =>
    formsOf((await read(browser.get(`${LIST}/${first}`))).html).find(({ action }) =>
      action?.endsWith('/test'),
    )
  const auditOf = () =>
    world.database.db
      .selectFrom('audit_log')
      .select('id')
      .where('action', '=', 'integration.tested')
      .execute()

  test('asks our own agent the same again, signed, and shows both side by side', async () => {
    const owner = as('cheapest')
    const form = await formOn(owner)
    const asked = producerOf('cheapest').received.length
    const { status, html } = await read(owner.post(form?.action ?? '', form?.fields ?? {}))
    expect(status).toBe(200)
    const received = producerOf('cheapest').received
    expect(received).toHaveLength(asked + 1)
    const { quantity, delivery_region, product_slug } = JSON.parse(received.at(-1)?.body ?? '').params.message
      .metadata
    expect({ quantity, delivery_region, product_slug }).toEqual({
      quantity: 2,
      delivery_region: 'CA-US',
      product_slug: 'desk-lamps/lume-one',
    })
    expect(html.match(/<article/g)).toHaveLength(2)
    expect(words(html)).toMatch(/Now Test Quoted .* Then First try Quoted/)
    expect(html).not.toContain(String(received.at(-1)?.headers['x-service-signature']))
    expect(fact(html, 'X-Service-Timestamp')).toMatch(/^\d+$/)
  })

  test('the same for managed answers applies the rules of now and sends nothing', async () => {
    const owner = browserOf(managed.session)
    const form = await formOn(owner)
    const { html } = await read(owner.post(form?.action ?? '', form?.fields ?? {}))
    expect(words(html)).toMatch(/Now Test Quoted .*"price_usd": 130.* Then With your rules Quoted/)
  })

  test('past what an hour allows, the page says when the next is possible and nothing is sent', async () => {
    const owner = as('choosy')
    const form = await formOn(owner)
    const send = () => read(owner.post(form?.action ?? '', form?.fields ?? {}))
    for (let sent = 0; sent < 10; sent++) expect((await send()).html).toContain('class="ended')
    const asked = producerOf('choosy').received.length
    const { html } = await send()
    expect(html).toContain('You can run 10 tests an hour; try again in 60 minutes.')
    expect(html).not.toContain('class="ended')
    expect(producerOf('choosy').received.length).toBe(asked)
  })

  test('with nobody to answer there is nothing to press, but the way to what is missing', async () => {
    const { id } = orgOf('broken')
    await world.database.db.deleteFrom('agent_integrations').where('org_id', '=', id).execute()
    expect(await formOn(as('broken'))).toBeUndefined()
    const { html } = await see('broken', `${LIST}/${first}`)
    expect(html).toContain('Buyers get no answer from you now.')
  })

  test.each(['viewer', 'editor'] as const)(
    'a member who is %s sees who may, and is refused',
    async (role) => {
      const member = browserOf(await addMember(world, orgOf('dearer'), role))
      expect(await formOn(member)).toBeUndefined()
      const { html } = await read(member.get(`${LIST}/${first}`))
      expect(html).toMatch(/An owner or admin of [\w ]+ can send a test\./)
      const before = await auditOf()
      const asked = producerOf('dearer').received.length
      const refused = await member.post(`${LIST}/${first}/test`, { org_id: orgOf('dearer').id })
      expect(refused.status).toBe(403)
      expect([await auditOf(), producerOf('dearer').received.length]).toEqual([before, asked])
    },
  )

  test('a form shown for another organization, or for a request of others, sends nothing', async () => {
    const before = await auditOf()
    const other = await as('cheapest').post(`${LIST}/${first}/test`, { org_id: orgOf('dearer').id })
    expect(other.status).toBe(409)
    const fresh = await createOrg(world)
    const strange = await browserOf(fresh.session).post(`${LIST}/${first}/test`, { org_id: fresh.id })
    expect(strange.status).toBe(404)
    expect(await auditOf()).toEqual(before)
  })
})
