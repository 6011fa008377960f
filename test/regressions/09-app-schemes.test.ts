/**
 * Anybody can register a client, so a redirect to its address is a link that a stranger chose. One to an app's scheme
 * starts a program on the person's device: nobody is sent there unasked, and schemes that the system or another program
 * answers to belong to no client.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../../src/oauth/client-documents.ts'
import {
  type Changes,
  createOauthWorld,
  hiddenFields,
  pkce,
  requestFor,
  withChanges,
} from '../e2e/oauth.world.ts'
import { BASE_URL } from '../harness.ts'
import { unescapeHtml } from '../html.ts'

const world = await createOauthWorld()
const APPS = ['cursor://anysphere.cursor-mcp/oauth/callback', 'com.example.app:/callback']

const requestOf = (clientId: string, redirectUri: string, changes: Changes = {}) =>
  withChanges(requestFor(clientId, pkce().challenge, redirectUri), changes)

/** Nothing leads to the app but a link that names it. */
async function expectPage(answer: Response, redirectUri: string): Promise<URL> {
  const scheme = redirectUri.slice(0, redirectUri.indexOf(':') + 1)
  expect(answer.headers.get('location')).toBeNull()
  expect(answer.headers.get('refresh')).toBeNull()
  const html = await answer.text()
  expect(html).not.toMatch(/http-equiv="refresh"/i)
  expect(html).toContain(`Go back to ${scheme}`)
  const href = [...html.matchAll(/href="([^"]*)"/g)]
    .map(([, way = '']) => unescapeHtml(way))
    .find((way) => way.startsWith(redirectUri))
  return new URL(href ?? 'no:link')
}

describe.each(APPS)('an error for %s', (redirectUri) => {
  test.each<[string, Changes, string]>([
    ['a wrong scope', { scope: 'admin' }, 'invalid_scope'],
    ['no PKCE', { code_challenge: null }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a parameter given twice', { scope: ['mcp', 'mcp'] }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('is a page with a link: %s', async (_what, changes, error) => {
    const clientId = await world.register([redirectUri])
    const { cookie } = await world.addPerson()
    for (const whose of [undefined, cookie]) {
      const answer = await world.authorize(requestOf(clientId, redirectUri, changes), whose)
      expect(answer.status).toBe(400)
      const { searchParams } = await expectPage(answer, redirectUri)
      expect([searchParams.get('error'), searchParams.get('iss')]).toEqual([error, BASE_URL])
    }
  })

  test('is a page when the client asks silently, signed in or not', async () => {
    const clientId = await world.register([redirectUri])
    const { cookie } = await world.addPerson()
    const errors = []
    for (const whose of [undefined, cookie]) {
      const answer = await world.authorize(requestOf(clientId, redirectUri, { prompt: 'none' }), whose)
      errors.push((await expectPage(answer, redirectUri)).searchParams.get('error'))
    }
    expect(errors).toEqual(['login_required', 'consent_required'])
  })

  test('is a page when the person says no, and when the request was spoiled on the consent page', async () => {
    const clientId = await world.register([redirectUri])
    const { cookie } = await world.addPerson()
    const asked = async () =>
      hiddenFields(await (await world.authorize(requestOf(clientId, redirectUri), cookie)).text())
    const no = await asked()
    no.set('decision', 'deny')
    const denied = await world.nothingIssued(() => world.decide(no, cookie))
    const { searchParams } = await expectPage(denied, redirectUri)
    expect(searchParams.get('error')).toBe('access_denied')
    const spoiled = await asked()
    spoiled.set('decision', 'allow')
    spoiled.set('scope', 'admin')
    await expectPage(await world.nothingIssued(() => world.decide(spoiled, cookie)), redirectUri)
  })

  test('goes there at once for who has allowed that client, for nobody else, and no more once it is disconnected', async () => {
    const [clientId, twin] = [await world.register([redirectUri]), await world.register([redirectUri])]
    const [owner, other] = [await world.addPerson(), await world.addPerson()]
    const { challenge } = pkce()
    await world.obtainCode({ clientId, cookie: owner.cookie, challenge, redirectUri })
    const refused = requestOf(clientId, redirectUri, { scope: 'admin' })
    const answer = await world.authorize(refused, owner.cookie)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(redirectUri),
    ])
    await expectPage(await world.authorize(refused, other.cookie), redirectUri)
    await expectPage(await world.authorize(refused), redirectUri)
    const asTwin = requestOf(twin, redirectUri, { scope: 'admin' })
    await expectPage(await world.authorize(asTwin, owner.cookie), redirectUri)
    await world.database.pool.query('update oauth_grants set revoked_at = now() where user_id = $1', [
      owner.id,
    ])
    await expectPage(await world.authorize(refused, owner.cookie), redirectUri)
  })
})

/** What the system, a browser or a well-known program answers to. */
const FOREIGN =
  `ms-appinstaller:?source=https://evil.example/a.appinstaller ms-appinstaller://x ms-msdt:/id ms-word:ofe|u|x
  ms-officecmd:x ms-settings://x ms-quick-assist://x ms-anything-new://x microsoft-edge:https://evil.example
  microsoft.windows.camera://x search-ms:query=x search-ms://x search://x shell://startup powershell://x
  data:text/html,x data://x javascript:alert(1) javascript://x%0aalert(1) vbscript:x livescript://x ecmascript://x
  file:///etc/passwd file://host/share filesystem:https://a.example/x blob:https://a.example/x about:blank
  view-source:https://a.example jar:https://a.example!/x res://x resource://x chrome://settings
  chrome-extension://x moz-extension://x edge://x devtools://x intent://x#Intent intent:x android-app://x
  android.resource://x content://x market://details package:x googlechrome://x itms-services://x itms://x
  itms-apps://x itms-beta://x macappstore://x facetime://x facetime-audio://x x-apple.systempreferences:x
  x-man-page://ls x-web-search://?x prefs:root=x app-settings://x shortcuts://run-shortcut applescript://x help:x
  mailto:a@b.example tel:+1 telprompt://x sms:+1 smsto:+1 callto:x sip:x skype:x geo:0,0 maps://x
  ws://x wss://x ftp://x ftps://x sftp://x ssh://x telnet://x git://x git+ssh://x svn+ssh://x ldap://x smb://x
  nfs://x afp://x vnc://x rdp://x jnlp://x apt:x snap://x appstream://x steam://run/1 steamlink://x zoommtg://x
  zoomus://x teamviewer10://x anydesk:x magnet:?xt=x bitcoin:x web+app://x ext+app:x urn:x:y cid:x mk:@MSITStore:x
  its://x hcp://x mhtml:x wyciwyg://x onenote:x outlook://x msteams://x windowsdefender://x calculator://x
  http://example.com/cb gopher://x c:/windows d://x com.apple.settings:x`
    .split(/\s+/)
    .filter(Boolean)

/** `javascript:x` as `JAVASCRIPT:x`, `JavaScript:x`, and with what parsers may pass over. */
const disguised = (uri: string): string[] => {
  const end = uri.indexOf(':')
  const scheme = uri.slice(0, end)
  const rest = uri.slice(end)
  return [
    scheme.toUpperCase() + rest,
    (scheme[0] ?? '').toUpperCase() + scheme.slice(1) + rest,
    ` ${uri}`,
    `\t${uri}`,
    `${scheme.slice(0, 1)}\n${scheme.slice(1)}${rest}`,
    `${scheme.slice(0, 1)}\t${scheme.slice(1)}${rest}`,
    `\u0001${uri}`,
    `${scheme}\u200b${rest}`,
    `${scheme}%3a${rest.slice(1)}`,
    `${scheme}&colon;${rest.slice(1)}`,
    `\uff4a${uri}`,
  ]
}

async function registration(uris: string[]): Promise<[number, string | undefined]> {
  const answer = await world.postJson('/api/oauth/register/', { redirect_uris: uris })
  const { error } = (await answer.json()) as { error?: string }
  return [answer.status, error]
}

describe('a scheme that is no app’s own', () => {
  test.each(FOREIGN)('%s cannot be registered, in any disguise', async (uri) => {
    for (const one of [uri, ...disguised(uri)])
      expect([one, ...(await registration([one]))]).toEqual([one, 400, 'invalid_redirect_uri'])
    // Nor beside a good one.
    expect(await registration(['https://client.example/cb', uri])).toEqual([400, 'invalid_redirect_uri'])
  })

  test('is passed over in a client’s document', () => {
    const url = 'https://client.example/souk.json'
    const read = (redirect_uris: string[]) =>
      readDocument(url, Buffer.from(JSON.stringify({ client_id: url, client_name: 'App', redirect_uris })))
    for (const uri of FOREIGN) expect(read([uri])).toHaveProperty('problem')
    expect(read([...FOREIGN.slice(0, 20), 'cursor://app/cb'])).toMatchObject({
      client: { redirectUris: ['cursor://app/cb'] },
    })
  })

  test('works no more for a client that has it from before, nor for who allowed it', async () => {
    for (const uri of ['ms-appinstaller://x', 'search-ms:query=x', 'intent:x', 'steam://run/1']) {
      const id = randomUUID()
      await world.database.pool.query(
        "insert into oauth_clients (client_id, client_name, redirect_uris, metadata) values ($1, 'Old app', $2, '{}')",
        [id, [uri]],
      )
      const { id: userId, cookie } = await world.addPerson()
      await world.database.pool.query(
        `insert into oauth_grants (id, user_id, client_id, client_name, client_host, scope, redirect_uris)
         values ($1, $2, $3, 'Old app', 'old', 'mcp', $4)`,
        [randomUUID(), userId, id, [uri]],
      )
      for (const changes of [{}, { scope: 'admin' }, { prompt: 'none' }] as Changes[]) {
        const answer = await world.nothingIssued(() => world.authorize(requestOf(id, uri, changes), cookie))
        const html = await answer.text()
        expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
        expect(html).not.toContain(`href="${uri.split(':')[0]}:`)
        expect(answer.headers.get('content-security-policy')).not.toContain(uri.split(':')[0])
      }
    }
  })
})

test.each([
  'cursor://anysphere.cursor-retrieval/oauth/callback',
  'vscode://vscode.github-authentication/did-authenticate',
  'vscode-insiders://x/cb',
  'vscodium://x/cb',
  'windsurf://x/cb',
  'claude://oauth/cb',
  'goose://x/cb',
  'raycast://oauth?package_name=Extension',
  'zed://x/cb',
  'warp://mcp/oauth2callback',
  'my-app://callback',
  'com.example.app:/callback',
  'com.example.app://callback',
  'com.googleusercontent.apps.123-abc:/oauth2redirect',
])('%s is an app’s own and can be registered', async (uri) => {
  expect((await registration([uri]))[0]).toBe(201)
})
