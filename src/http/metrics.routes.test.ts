import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../test/harness.ts'
import { familiesOf, readPrometheusText } from '../../test/prometheus-text.ts'
import type { HttpEnv } from './env.ts'
import { mountMetrics } from './metrics.routes.ts'
import { everyRequest } from './middleware.ts'

const TOKEN = 'a token of sixteen characters'.replaceAll(' ', '-')

function asker({ metricsToken = null as string | null, trustProxy = false } = {}) {
  const app = new Hono<HttpEnv>({ strict: false })
  app.use(everyRequest({ trustProxy, https: false, log: SILENT }))
  mountMetrics(app, { metricsToken, trustProxy })
  return async (from: string, headers: Record<string, string> = {}, method = 'GET') => {
    const given = { host: 'localhost:3000', ...headers }
    const answer = await app.request(
      '/metrics',
      { method, headers: given },
      { incoming: { socket: { remoteAddress: from } } },
    )
    return {
      status: answer.status,
      text: await answer.text(),
      missing: await (await app.request('/nowhere')).text(),
    }
  }
}

describe('without a token', () => {
  test('a program on this machine that comes straight here may read', async () => {
    const ask = asker()
    for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      const { status, text } = await ask(from)
      expect(status).toBe(200)
      expect(readPrometheusText(familiesOf(text, 'souk_http_requests')).size).toBe(2)
    }
    expect((await ask('127.0.0.1', { host: '[::1]:3000' })).status).toBe(200)
  })

  test('everybody else is told what an unknown path tells', async () => {
    const ask = asker()
    const others: Array<[string, Record<string, string>, string?]> = [
      ['192.0.2.1', {}],
      ['2001:db8::1', {}],
      ['', {}],
      ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }],
      ['127.0.0.1', { forwarded: 'for=127.0.0.1' }],
      ['127.0.0.1', { via: '1.1 proxy' }],
      ['127.0.0.1', { host: 'rebound.example' }],
      ['127.0.0.1', { host: 'localhost.example' }],
      ['127.0.0.1', {}, 'POST'],
      ['127.0.0.1', {}, 'OPTIONS'],
    ]
    for (const [from, headers, method] of others) {
      const { status, text, missing } = await ask(from, headers, method)
      expect([status, text], JSON.stringify([from, headers, method])).toEqual([404, missing])
    }
  })

  test('behind a trusted proxy the address that it names counts', async () => {
    const ask = asker({ trustProxy: true })
    expect((await ask('127.0.0.1', { 'x-forwarded-for': '127.0.0.1, 192.0.2.1' })).status).toBe(404)
    expect((await ask('192.0.2.1', { 'x-forwarded-for': '192.0.2.9' })).status).toBe(404)
    expect((await ask('127.0.0.1')).status).toBe(200)
  })
})

describe('with a token', () => {
  test('anyone who sends it may read, from anywhere', async () => {
    const ask = asker({ metricsToken: TOKEN })
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'souk.example', 'x-forwarded-for': '192.0.2.1' }
    expect((await ask('192.0.2.1', headers)).status).toBe(200)
  })

  test('being on this machine is not enough, nor is a part of it', async () => {
    const ask = asker({ metricsToken: TOKEN })
    const wrong = ['', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`, 'Bearer ', `Basic ${TOKEN}`]
    for (const authorization of wrong) expect((await ask('127.0.0.1', { authorization })).status).toBe(404)
    expect((await ask('127.0.0.1')).status).toBe(404)
  })
})
