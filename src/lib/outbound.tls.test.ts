/** Certificates are checked against the name in the URL, wherever the allow list sends the connection. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { type Loopback, serve } from '../../test/loopback.ts'
import { reasonOf } from '../../test/rehearse.ts'
import { createTestCa } from '../../test/tls.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import { createOutbound, type Outbound } from './outbound.ts'

const DAY_MS = 86_400_000
const authority = createTestCa()
const opened: (Loopback | Outbound)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((thing) => thing.close()))
})

async function secure(certificate: { cert: string; key: string }) {
  const requests: string[] = []
  const server = await serve((request, response) => {
    const sni = 'servername' in request.socket ? request.socket.servername : undefined
    requests.push(`${sni} ${request.headers.host}${request.url}`)
    response.end('ok')
  }, certificate)
  opened.push(server)
  return { server, requests }
}

function reach(url: string, allow: string, ca: string | undefined = authority.ca) {
  const outbound = createOutbound({ allow: parseOutboundAllow(allow), ca })
  opened.push(outbound)
  return outbound.request({ url, timeoutMs: 5_000, maxBytes: 100 })
}

describe('TLS', () => {
  test('a name is reached at the address and port of the allow list, and proves itself by certificate', async () => {
    const { server, requests } = await secure(authority.certFor(['other.test', 'shop.test']))
    const answer = await reach('https://shop.test/card', `shop.test=127.0.0.1:${server.port}`)
    expect(answer).toMatchObject({ status: 200, address: '127.0.0.1', body: Buffer.from('ok') })
    expect(requests).toEqual(['shop.test shop.test/card'])
  })

  test('a literal address needs a certificate for the address', async () => {
    const good = await secure(authority.certFor(['127.0.0.1']))
    const { port } = good.server
    expect(await reach(`https://127.0.0.1:${port}/`, `127.0.0.1:${port}`)).toMatchObject({ status: 200 })
    const bad = await secure(authority.certFor(['shop.test']))
    const asked = reach(`https://127.0.0.1:${bad.server.port}/`, `127.0.0.1:${bad.server.port}`)
    expect(await reasonOf(asked)).toBe('tls')
    expect(bad.requests).toEqual([])
  })

  test.each([
    ['another name', () => authority.certFor(['other.test'])],
    ['a name above', () => authority.certFor(['test'])],
    ['an unknown authority', () => createTestCa().certFor(['shop.test'])],
    [
      'an expired certificate',
      () => authority.certFor(['shop.test'], { notAfter: new Date(Date.now() - DAY_MS / 2) }),
    ],
    [
      'a certificate of tomorrow',
      () => authority.certFor(['shop.test'], { notBefore: new Date(Date.now() + DAY_MS) }),
    ],
  ])('%s is refused before the request is sent', async (_what, certificate) => {
    const { server, requests } = await secure(certificate())
    expect(await reasonOf(reach('https://shop.test/', `shop.test=127.0.0.1:${server.port}`))).toBe('tls')
    expect(requests).toEqual([])
    expect(server.accepted()).toBe(1)
  })

  test('a server without TLS is refused', async () => {
    const server = await serve((_request, response) => response.end('ok'))
    opened.push(server)
    expect(await reasonOf(reach('https://shop.test/', `shop.test=127.0.0.1:${server.port}`))).toBe('tls')
  })

  test('NODE_EXTRA_CA_CERTS is honoured, NODE_TLS_REJECT_UNAUTHORIZED is not', async () => {
    const { server } = await secure(authority.certFor(['shop.test']))
    const folder = await mkdtemp(join(tmpdir(), 'souk-ca-'))
    const extra = join(folder, 'ca.pem')
    await writeFile(extra, authority.ca)
    const script = `
      const { createOutbound } = await import(${JSON.stringify(new URL('./outbound.ts', import.meta.url).href)})
      const outbound = createOutbound({
        allow: [{ kind: 'pin', host: 'shop.test', address: '127.0.0.1', port: ${server.port} }],
      })
      const request = outbound.request({ url: 'https://shop.test/', timeoutMs: 5000, maxBytes: 100 })
      console.log(await request.then((answer) => answer.status, (error) => error.reason))
      await outbound.close()`
    const run = async (env: Record<string, string>) => {
      const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
      return (await child).stdout.trim()
    }
    try {
      expect(await run({ NODE_EXTRA_CA_CERTS: extra })).toBe('200')
      expect(await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe('tls')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
