/**
 * Registering an agent's card with its secret on the page: what is kept, what is refused beside which field, and what a
 * link may fill in. Cards come from a server over TLS on loopback.
 */
import { describe, expect, test } from 'vitest'
import {
  ANSWERING,
  attribute,
  createAgentPageWorld,
  fact,
  formsOf,
  PAGE,
  read,
  SECRET,
  URL_OF_CARD,
} from './dashboard.agent.world.ts'

const world = await createAgentPageWorld()
const { acme, site, owner, cardForm, answering, unchanged } = world

const refused = (fields: Record<string, string>) => unchanged(() => read(owner.post(PAGE, cardForm(fields))))

describe('registering a card', () => {
  test.each(['bearer', 'hmac'] as const)(
    'with a secret (%s) seals it, says so, and never shows it',
    async (type) => {
      const [form] = formsOf((await read(owner.get(`${PAGE}/`))).html)
      expect(form).toEqual({ action: PAGE, fields: cardForm({ agent_card_url: '' }) })
      const filled = { ...form?.fields, agent_card_url: ` ${URL_OF_CARD} `, auth_type: type, secret: SECRET }
      const before = (await world.auditOf(acme)).length
      const answer = await read(owner.post(PAGE, filled))
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PAGE}?done=card`])
      const row = await world.rowOf(acme)
      expect(row).toMatchObject({ agent_card_url: URL_OF_CARD, auth_type: type, is_managed: false })
      expect(world.orgs.integrationSecrets.open(row?.secret_box ?? '')).toBe(SECRET)
      expect((await world.auditOf(acme)).slice(before)).toEqual([
        {
          action: 'integration.card_registered',
          detail: { card_host: 'agent.acme.example', auth_type: type },
          by: 'user',
        },
      ])
      const { html } = await read(owner.get(`${PAGE}?done=card`))
      expect(html).toContain('Agent card saved.')
      expect(html).toContain('A secret is stored encrypted.')
      expect(formsOf(html)[0]?.fields).toEqual(cardForm({ auth_type: type }))
      expect(html + answer.html + [...answer.headers]).not.toContain(SECRET)
      expect(world.logged.text()).not.toContain(SECRET)
    },
  )

  test('the secret’s field is a password that browsers do not fill in or keep', async () => {
    const { html } = await read(owner.get(PAGE))
    const [tag = ''] = /<input[^>]* name="secret"[^>]*>/.exec(html) ?? []
    expect([attribute(tag, 'type'), attribute(tag, 'autocomplete')]).toEqual(['password', 'off'])
  })

  test.each<[string, Record<string, string>, string, string]>([
    ['no address', { agent_card_url: '' }, 'agent_card_url', 'is required'],
    [
      'another scheme',
      { agent_card_url: 'http://acme.example/' },
      'agent_card_url',
      'must start with https://',
    ],
    [
      'a long address',
      { agent_card_url: `https://acme.example/${'a'.repeat(2_048)}` },
      'agent_card_url',
      'at most 2048 characters',
    ],
    ['an unknown way', { auth_type: 'basic' }, 'auth_type', 'must be one of none, bearer, hmac'],
    ['no secret', { auth_type: 'bearer' }, 'secret', 'Secret is required.'],
    [
      'a short secret',
      { auth_type: 'hmac', secret: 'short-otter' },
      'secret',
      'Secret must be at least 16 characters.',
    ],
    [
      'a token with a space',
      { auth_type: 'bearer', secret: `${SECRET} x` },
      'secret',
      'must be printable ASCII',
    ],
    ['a long secret', { auth_type: 'hmac', secret: SECRET.repeat(200) }, 'secret', 'at most 4096 characters'],
    ['a secret for nothing', { secret: SECRET }, 'auth_type', 'You entered a secret.'],
  ])('%s is refused beside its field, with the rest kept', async (_what, fields, field, words) => {
    const { status, html } = await refused(fields)
    expect(status).toBe(400)
    const error = new RegExp(`id="field-${field}-error">([^<]*)<`).exec(html)?.[1]
    expect(error).toContain(words)
    expect(html.match(/class="field-error"/g)).toHaveLength(1)
    expect(html).toContain(`<a href="#field-${field}">`)
    const kept = formsOf(html)[0]?.fields
    expect(kept?.agent_card_url).toBe(fields.agent_card_url ?? URL_OF_CARD)
    expect(kept?.auth_type).toBe(fields.auth_type === 'basic' ? '' : (fields.auth_type ?? 'none'))
    expect(kept?.secret).toBe('')
    if (fields.secret) expect(html).not.toContain(fields.secret)
    expect(site.requests).toEqual([])
  })

  test('a card elsewhere, one that cannot be read and one without the skill are refused beside the address', async () => {
    const withSecret = { auth_type: 'bearer', secret: SECRET }
    const elsewhere = await refused({ ...withSecret, agent_card_url: 'https://evil.example/card.json' })
    expect(site.requests).toEqual([])
    site.serving('gone', 404)
    const unread = await refused(withSecret)
    site.serving({ skills: [] })
    const unskilled = await refused(withSecret)
    for (const [{ status, html }, expected, words] of [
      [elsewhere, 403, 'The card must be on acme.example'],
      [unread, 422, 'The card could not be read'],
      [unskilled, 422, 'None of the card&#39;s skills has the id respond-to-rfq.'],
    ] as const) {
      expect(status).toBe(expected)
      expect(/id="field-agent_card_url-error">([^<]*)</.exec(html)?.[1]).toContain(words)
      expect(html).not.toContain(SECRET)
    }
  })

  test('a form from another site, or with a field given twice, does nothing', async () => {
    const elsewhere = { origin: 'https://evil.example' }
    for (const [path, form] of [
      [PAGE, cardForm()],
      [ANSWERING, answering(true, 'clear')],
    ] as const)
      expect((await unchanged(() => owner.post(path, form, elsewhere))).status).toBe(403)
    const twice = new URLSearchParams([...Object.entries(cardForm()), ['agent_card_url', URL_OF_CARD]])
    const headers = { ...acme.session, origin: 'http://souk.test' }
    const send = () => world.app.request(`http://souk.test${PAGE}`, { method: 'POST', headers, body: twice })
    expect((await unchanged(async () => send())).status).toBe(400)
  })
})

describe('a link that fills the form in', () => {
  const filled = (fields: Record<string, string>) => `${PAGE}?${new URLSearchParams(fields)}`

  test('does nothing by itself, and is told from what is configured', async () => {
    await owner.post(PAGE, cardForm({ auth_type: 'bearer', secret: SECRET }))
    site.requests.length = 0
    const next = 'https://acme.example/next.json'
    const path = filled({ agent_card_url: next, auth_type: 'hmac', secret: 'from-the-link-0123456789' })
    const { html } = await unchanged(() => read(owner.get(path)))
    expect(formsOf(html)[0]?.fields).toEqual(cardForm({ agent_card_url: next, auth_type: 'hmac' }))
    expect(fact(html, 'Agent card')).toBe(URL_OF_CARD)
    expect(html).toContain('A link filled in this form.')
    expect(html).not.toContain('from-the-link')
    expect(site.requests).toEqual([])
    expect((await read(owner.get(PAGE))).html).not.toContain('A link filled in')
  })

  test('cannot write anything into the page but the field', async () => {
    const hostile = '"><script>alert(1)</script>'
    const { html } = await read(
      owner.get(filled({ agent_card_url: hostile, auth_type: hostile, done: hostile })),
    )
    expect(html).not.toContain('<script>')
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    for (const done of ['constructor', '__proto__', 'x'])
      expect((await read(owner.get(filled({ done })))).html).not.toContain('role="status"')
  })
})
