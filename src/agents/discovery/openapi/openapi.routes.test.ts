/** The description over HTTP. */
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { HttpEnv } from '../../../http/env.ts'
import { writeOpenApi } from './document.ts'
import { mountOpenApi, OPENAPI_PATH as path } from './openapi.routes.ts'

const baseUrl = 'https://shop.example'
const app = new Hono<HttpEnv>()
mountOpenApi(app, { config: { baseUrl } })

test('anybody reads it from anywhere, with the addresses that the operator says', async () => {
  const response = await app.request(path, {
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const text = await response.text()
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(writeOpenApi({ baseUrl }))))
  expect(text).not.toContain('evil.example')
})

test('it is written when first asked for, and only then', async () => {
  let looked = 0
  const config = {
    get baseUrl() {
      looked += 1
      return baseUrl
    },
  }
  const another = new Hono<HttpEnv>()
  mountOpenApi(another, { config })
  expect(looked).toBe(0)
  const first = await (await another.request(path)).text()
  const written = looked
  expect(written).toBeGreaterThan(0)
  expect(await (await another.request(path)).text()).toBe(first)
  expect(looked).toBe(written)
})

test('who has it already is answered with 304, and every encoding has a tag of its own', async () => {
  const plain = (await app.request(path)).headers.get('etag') ?? ''
  const packed = await app.request(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(packed.headers.get('etag')).not.toBe(plain)
  const again = await app.request(path, { headers: { 'if-none-match': plain } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})
