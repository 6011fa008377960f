/**
 * What an account is for, in a real browser, each way once with scripts and once without: a new person saves a product
 * and is told when its price has fallen, and an agent is allowed, used, seen and sent away again.
 */
import { createServer } from 'node:http'
import { Client, type OAuthDiscoveryState, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { PASSWORD } from '../accounts.ts'
import { type OpenPage, useBrowser } from '../browser.ts'
import { createPagesWorld } from '../pages.world.ts'

const world = await createPagesWorld()
const browser = useBrowser()
const callback = await listenForCallback()

const opened: OpenPage[] = []
afterEach(async () => {
  for (const { page } of opened.splice(0)) await page.context().close()
})

describe.each([
  {
    way: 'with scripts',
    javaScriptEnabled: true,
    person: 'lin',
    machine: 'brasswick-meridian-duo',
    was: 1399,
  },
  {
    way: 'without scripts',
    javaScriptEnabled: false,
    person: 'noor',
    machine: 'grindel-unison-54',
    was: 649,
  },
])('$way', ({ javaScriptEnabled, person, machine, was }) => {
  async function open(url: string): Promise<OpenPage> {
    const one = await browser.open(url, { javaScriptEnabled })
    one.page.setDefaultTimeout(10_000)
    opened.push(one)
    return one
  }

  test('a new person signs up, opens the mail, saves a product, and is told when the price they wait for is reached', async () => {
    const email = `${person}@people.example`
    const { page, complaints } = await open(`${world.baseUrl}/p/espresso-machines/${machine}`)
    await page.locator('.actions').getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('link', { name: /create (one|an account)/i })
      .first()
      .click()
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Name').fill('Lin')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name: 'outbox' }).waitFor()
    const mail = await world.mailTo(email)
    await page.getByRole('link', { name: 'outbox' }).click()
    await page.getByRole('link', { name: mail.subject }).first().click()
    await page.locator('.letter').getByRole('link').click()

    // What they pressed was not lost on the way through the mail.
    await page.getByRole('heading', { level: 1, name: 'Saved products' }).waitFor()
    expect(await page.getByRole('status').textContent()).toContain('Saved')
    await page.locator('.saved-edit summary').click()
    await page.getByLabel('Target price').fill(`$${was - 100}`)
    await page.getByLabel('Note').fill('For the new kitchen')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('status').filter({ hasText: 'Changes saved.' }).waitFor()
    const entry = page.getByRole('listitem').filter({ hasText: 'For the new kitchen' })
    expect(await entry.textContent()).toContain('$100 to go')
    expect(await entry.textContent()).toContain('No change')

    await world.setPrice(`espresso-machines/${machine}`, { low: was - 150, high: was })
    await page.goto(`${world.baseUrl}/saved`)
    const told = await entry.textContent()
    expect(told).toContain(`Down $150 from`)
    expect(told).toMatch(/Your target of \$[\d,]+ is reached/)
    expect(told).toMatch(/Changed since you saved it/)
    expect(complaints).toEqual([])
  })

  test('an agent is allowed on the page it sends the person to, works, is shown with its last use, and is sent away', async () => {
    const agent = createAgent(`Agent of ${person}`)
    await expect(agent.connect()).rejects.toThrow(/unauthorized/i)
    const { page, complaints } = await open(agent.sentTo())
    await page.getByLabel('Email').fill(world.people.ada.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: `Allow Agent of ${person}?` }).waitFor()
    expect(await page.locator('main').textContent()).toContain(world.people.ada.email)
    const arrived = callback.next()
    await page.getByRole('button', { name: 'Allow' }).click()
    await agent.finish(await arrived)

    const client = await agent.connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('search_products')
    const found = await client.callTool({
      name: 'search_products',
      arguments: { query: 'espresso machine for a narrow counter' },
    })
    expect(found.isError ?? false).toBe(false)
    expect(JSON.stringify(found.content)).toContain('Brasswick')

    await page.goto(`${world.baseUrl}/account`)
    const row = page.getByRole('listitem').filter({ hasText: `Agent of ${person}` })
    expect(await row.textContent()).toMatch(/last used/i)
    await row.getByRole('button', { name: /^Disconnect/ }).click()
    await row.waitFor({ state: 'detached' })
    await expect(client.listTools()).rejects.toThrow(/unauthorized/i)
    await client.close()
    expect(complaints).toEqual([])
  })
})

type Tokens = { access_token: string; token_type: string; refresh_token?: string }

/** A client that we did not write, with the little that an app has to keep for it. */
function createAgent(name: string) {
  const kept: {
    client?: { client_id: string }
    tokens?: Tokens
    verifier?: string
    sentTo?: URL
    discovered?: OAuthDiscoveryState
  } = {}
  const authProvider = {
    redirectUrl: callback.url,
    clientMetadata: {
      client_name: name,
      redirect_uris: [callback.url],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'a-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: { client_id: string }) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: Tokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      kept.sentTo = url
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    discoveryState: () => kept.discovered,
    saveDiscoveryState: (state: OAuthDiscoveryState) => {
      kept.discovered = state
    },
  }
  const transport = () => new StreamableHTTPClientTransport(new URL(`${world.baseUrl}/mcp`), { authProvider })
  return {
    async connect(): Promise<Client> {
      const client = new Client({ name: 'journey', version: '1.0.0' })
      await client.connect(transport())
      return client
    },
    sentTo: () => kept.sentTo?.href ?? '',
    finish: (answer: URLSearchParams) => transport().finishAuth(answer),
  }
}

/** Where an app on the person's own computer waits to be sent the answer. */
async function listenForCallback() {
  let arrive = (_answer: URLSearchParams) => {}
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    response
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end('<title>Connected</title><p>You can go back.')
    if (url.pathname === '/callback') arrive(url.searchParams)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/callback`,
    next: () =>
      new Promise<URLSearchParams>((resolve) => {
        arrive = resolve
      }),
  }
}
