/** The documents a client finds us by, at every address real clients ask for, and from any origin. */
import { describe, expect, test } from 'vitest'
import { protectedResourceChallenge } from '../../src/oauth/metadata.ts'
import { BASE_URL } from '../harness.ts'
import { createOauthWorld } from './oauth.world.ts'

const { app, oauth } = await createOauthWorld()
const MCP = `${BASE_URL}/mcp`
const both = (path: string) => [path, `${path}/`]

describe('the authorization server', () => {
  test.each(
    [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server.json',
      '/.well-known/oauth-authorization-server/mcp',
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/mcp',
      '/mcp/.well-known/oauth-authorization-server',
      '/mcp/.well-known/openid-configuration',
    ].flatMap(both),
  )('is described at %s', async (path) => {
    const answer = await app.request(path, { headers: { Origin: 'https://inspector.example' } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(await answer.json()).toMatchObject({
      issuer: BASE_URL,
      authorization_endpoint: `${BASE_URL}/oauth/authorize/`,
      token_endpoint: `${BASE_URL}/api/oauth/token/`,
      registration_endpoint: `${BASE_URL}/api/oauth/register/`,
      revocation_endpoint: `${BASE_URL}/api/oauth/revoke/`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      scopes_supported: ['mcp'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  })
})

describe('the tool server', () => {
  test.each([
    ['/.well-known/oauth-protected-resource', MCP],
    ['/.well-known/oauth-protected-resource/', MCP],
    ['/.well-known/oauth-protected-resource.json', MCP],
    ['/.well-known/oauth-protected-resource/mcp', MCP],
    ['/.well-known/oauth-protected-resource/mcp/', `${MCP}/`],
    ['/.well-known/oauth-protected-resource/sse', `${BASE_URL}/sse`],
    ['/mcp/.well-known/oauth-protected-resource', MCP],
  ])('is described at %s as %s', async (path, resource) => {
    const answer = await app.request(path)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      resource,
      authorization_servers: [BASE_URL],
      scopes_supported: ['mcp'],
    })
  })

  test.each(['/mcp', '/mcp/'])('asks at %s for a token and names the document of that path', async (path) => {
    const challenge = protectedResourceChallenge(oauth, path)
    expect(challenge).toBe(
      `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource${path}", scope="mcp"`,
    )
    const error = { code: 'invalid_token' as const, description: 'it has expired' }
    expect(protectedResourceChallenge(oauth, path, error)).toContain('error="invalid_token"')
  })
})

test.each([
  '/.well-known/oauth-authorization-server/other',
  '/.well-known/oauth-protected-resource/other',
  '/.well-known/openid-configuration/other/path',
])('%s is not there, and says so in JSON', async (path) => {
  const answer = await app.request(path)
  expect(answer.status).toBe(404)
  expect(await answer.json()).toEqual({ error: 'not_found', error_description: expect.any(String) })
})

test.each([
  ['/api/oauth/token/', 'POST'],
  ['/api/oauth/register/', 'POST'],
  ['/register', 'POST'],
  ['/api/oauth/revoke/', 'POST'],
  ['/.well-known/oauth-authorization-server', 'GET'],
  ['/.well-known/oauth-protected-resource/mcp', 'GET'],
])('a browser on any origin may ask %s', async (path, method) => {
  const answer = await app.request(path, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://inspector.example',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
    },
  })
  expect(answer.status).toBe(204)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-allow-methods')).toContain(method)
  expect(answer.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version')
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
})

test('the consent page is not for other origins to read', async () => {
  const answer = await app.request('/oauth/authorize/?client_id=x', {
    headers: { Origin: 'https://evil.example' },
  })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})

test('an endpoint asked with another method says which it takes', async () => {
  const answer = await app.request('/api/oauth/token/')
  expect(answer.status).toBe(405)
  expect(answer.headers.get('allow')).toContain('POST')
})
