/** The rules of redirect addresses, on invented ones: nothing is allowed that is not registered, but for a loopback port. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAllowedRedirect, redirectHost, redirectKind, redirectUriProblem } from './redirect-uris.ts'

const address = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom('http://127.0.0.1', 'http://[::1]', 'http://localhost', 'cursor://app', 'com.example.app:'),
  fc
    .tuple(
      fc.constantFrom('http://127.0.0.1', 'http://localhost', 'https://a.example', 'https://A.example'),
      fc.constantFrom('', ':80', ':8080', ':0', ':70000', '@evil.example'),
      fc.constantFrom('', '/', '/cb', '/CB', '/%63b', '/cb/', '/cb?x=1', '/cb#', '\\cb'),
    )
    .map((parts) => parts.join('')),
)

const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+/, '$1')

describe('isAllowedRedirect', () => {
  test('an address is allowed exactly when it is registered and acceptable, the port of loopback aside', () => {
    fc.assert(
      fc.property(fc.array(address, { maxLength: 4 }), address, (registered, asked) => {
        const expected =
          redirectUriProblem(asked) === null &&
          registered.some((uri) => uri === asked || withoutPort(uri) === withoutPort(asked))
        expect(isAllowedRedirect(registered, asked)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('whatever is acceptable leads where it seems to lead', () => {
    fc.assert(
      fc.property(fc.oneof(address, fc.string()), (uri) => {
        if (redirectUriProblem(uri) !== null) return
        const { protocol, host } = new URL(uri)
        expect(uri.startsWith(protocol)).toBe(true)
        if (redirectKind(uri) === 'app') expect(redirectHost(uri)).toBe(protocol)
        else expect(redirectHost(uri)).toBe(host)
        expect(['javascript:', 'data:', 'file:', 'blob:', 'vbscript:', 'about:']).not.toContain(protocol)
      }),
      { numRuns: 2_000 },
    )
  })
})

test.each([
  'javascript:x',
  'search-ms:query=x',
  'ms-msdt:/id',
  'shell:startup',
  'itms-services://x',
  'mk:@MSITStore:x',
])('%s is no address an app can own: the system opens it itself', (uri) => {
  expect(redirectUriProblem(uri)).toContain('is not a scheme an app can own')
})

test.each(['cursor://anysphere.cursor-mcp/oauth', 'vscode://vscode.github-authentication/did-authenticate'])(
  '%s is an app’s own',
  (uri) => {
    expect(redirectUriProblem(uri)).toBeNull()
  },
)
