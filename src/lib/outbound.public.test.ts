/** A stranger who chooses an address and reads the answer must not profit from what the operator opened for the service. */
import { describe, expect, test } from 'vitest'
import { reasonOf, rehearse } from '../../test/rehearse.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import type { OutboundReason } from './outbound.errors.ts'

const PUBLIC = '93.184.216.34'
const names = { 'public.example': [PUBLIC], 'loop.example': ['127.0.0.1'] }

describe('for a request to public addresses only, the allow list opens nothing', () => {
  const allow = parseOutboundAllow(
    '127.0.0.1:4900, nas:8080, shop.example=10.0.0.7:4901, public.example:4902',
  )
  const ask = async (url: string, publicOnly: boolean) => {
    const { outbound, dialled } = rehearse({ allow, names })
    const reason = await reasonOf(outbound.request({ url, publicOnly, timeoutMs: 2_000, maxBytes: 100 }))
    return { reason, dialled }
  }

  test.each<[url: string, reason: OutboundReason]>([
    ['https://127.0.0.1:4900/', 'private_address'],
    ['https://nas:8080/', 'private_address'],
    ['https://loop.example:4900/', 'private_address'],
    ['https://shop.example/', 'dns'],
    ['http://public.example:4902/', 'scheme'],
  ])('%s is not dialled', async (url, reason) => {
    expect(await ask(url, true)).toEqual({ reason, dialled: [] })
  })

  test('a public address is dialled', async () => {
    expect(await ask('https://public.example/', true)).toEqual({
      reason: 'connect',
      dialled: [`${PUBLIC} 443`],
    })
  })
})
