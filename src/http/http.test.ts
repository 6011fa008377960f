import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestApp } from '../../test/harness.ts'
import { AppError } from '../lib/errors.ts'
import { readJson } from './body.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
const Body = z.object({ name: z.string().min(1).max(5), kind: z.enum(['a', 'b']).optional() })

beforeAll(async () => {
  souk = await createTestApp({
    mount: (app) => {
      app.post('/api/echo', async (c) => c.json(await readJson(c, Body)))
      app.get('/api/echo', (c) => c.json({}))
      app.get('/api/fault', () => {
        throw new Error('password=hunter2 at /internal/path')
      })
      for (const path of ['/api/away', '/away'])
        app.get(path, () => {
          throw Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' })
        })
      app.get('/api/busy', () => {
        throw new AppError('unavailable', 'come back later', {
          code: 'search_unavailable',
          retryAfterSeconds: 3,
        })
      })
    },
  })
})

const post = (body: string | Uint8Array<ArrayBuffer>, path = '/api/echo/') =>
  souk.app.request(path, { method: 'POST', body })

describe('every request', () => {
  test('carries a request id and the security headers, on success and on failure', async () => {
    for (const path of ['/healthz', '/nowhere', '/api/nowhere', '/api/fault']) {
      const { headers } = await souk.app.request(path)
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
      expect(headers.get('content-security-policy')).toContain(`default-src 'none'`)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('a page says more: no framing, no referrer beyond the origin, its own window', async () => {
    for (const path of ['/', '/nowhere']) {
      const { headers } = await souk.app.request(path, { headers: { accept: 'text/html' } })
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    }
  })

  test('answers with and without the trailing slash, never with a redirect', async () => {
    for (const path of ['/healthz', '/healthz/', '/readyz', '/readyz/'])
      expect((await souk.app.request(path)).status).toBe(200)
    for (const path of ['/api/echo', '/api/echo/'])
      expect((await post('{"name":"x"}', path)).status).toBe(200)
  })

  test('is logged once, without its query string', async () => {
    await souk.app.request('/healthz?token=planted-secret')
    expect(souk.logged.text()).not.toContain('planted-secret')
    expect(souk.logged.lines().at(-1)).toMatchObject({ method: 'GET', path: '/healthz', status: 200 })
  })
})

describe('errors', () => {
  test('an unknown API path is a 404 envelope, another path a plain 404', async () => {
    const api = await souk.app.request('/api/nowhere')
    expect(api.status).toBe(404)
    expect(await api.json()).toEqual({ error: 'nothing was found at this path', code: 'not_found' })
    const page = await souk.app.request('/nowhere')
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/plain; charset=UTF-8'])
  })

  test('a wrong method is 405 with Allow, and OPTIONS says what is allowed', async () => {
    const wrong = await souk.app.request('/api/echo/', { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    const asked = await souk.app.request('/api/echo', { method: 'OPTIONS' })
    expect([asked.status, asked.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  })

  test('a fault of ours is a 500 that tells nothing of the inside; the log tells all', async () => {
    const response = await souk.app.request('/api/fault')
    expect(response.status).toBe(500)
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'internal' })
    expect(text).not.toMatch(/hunter2|internal\/path/)
    expect(souk.logged.text()).toContain('at /internal/path')
  })

  test('an unavailable service says when to come back', async () => {
    const response = await souk.app.request('/api/busy')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3'])
    expect(await response.json()).toEqual({ error: 'come back later', code: 'search_unavailable' })
  })

  test('a database that is away is 503 with Retry-After in every form, and nothing of it is told', async () => {
    const inForms = { '/api/away': 'application/json', '/away': 'text/html' }
    for (const [path, accept] of Object.entries(inForms)) {
      const response = await souk.app.request(path, { headers: { accept } })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      const body = await response.text()
      expect(body).toMatch(/try again shortly/)
      expect(body).not.toContain('ECONNREFUSED')
    }
    expect(souk.logged.text()).toContain('connect ECONNREFUSED')
  })
})

describe('bodies', () => {
  test.each([
    ['not JSON', '{', 'the body is not valid JSON', undefined],
    ['empty', '', 'the body is empty; JSON is expected', undefined],
    ['an array', '[]', 'the body must be a JSON object', undefined],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'the body is not valid JSON', undefined],
    ['without a required field', '{}', 'name: is required', 'name'],
    ['with a wrong type', '{"name":1}', 'name: must be a string', 'name'],
    ['with an empty text', '{"name":""}', 'name: must not be empty', 'name'],
  ])('a body that is %s is a 400 that says so', async (_, body, error, field) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error, ...(field && { field }) })
  })

  test('a value over its limit names the limit, a value outside a list names the list', async () => {
    expect(await (await post('{"name":"toolong"}')).json()).toMatchObject({ field: 'name', max: 5 })
    expect(await (await post('{"name":"x","kind":"c"}')).json()).toMatchObject({
      field: 'kind',
      valid: ['a', 'b'],
    })
  })

  test('a body over 256 KB is 413, whether its length is announced or not', async () => {
    const large = new Uint8Array(256 * 1024 + 1)
    const announced = await post(large)
    expect(announced.status).toBe(413)
    expect(await announced.json()).toMatchObject({ code: 'body_too_large', max: 262144 })
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(large)
        controller.close()
      },
    })
    const streamed = await souk.app.request('/api/echo', {
      method: 'POST',
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(streamed.status).toBe(413)
  })
})

describe('readiness', () => {
  test('says why it is not ready', async () => {
    const { app } = await createTestApp({
      database: souk.database,
      notReady: async () => 'the database does not answer',
    })
    const response = await app.request('/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ status: 'not ready', reason: 'the database does not answer' })
    expect((await app.request('/healthz')).status).toBe(200)
  })
})
