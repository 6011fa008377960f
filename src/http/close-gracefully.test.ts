import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { closeGracefully } from './close-gracefully.ts'

async function serve(listener: RequestListener) {
  const http = createServer({ keepAliveTimeout: 60_000 }, listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return { http, address: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}

describe('stopping', () => {
  test('lets a request under way finish, refuses new ones, and does not wait for idle connections', async () => {
    const { http, address } = await serve((_, response) => void setTimeout(() => response.end('whole'), 300))
    const underWay = fetch(address)
    await sleep(100)
    const started = Date.now()
    const closed = closeGracefully(http)
    await expect(fetch(address)).rejects.toThrow()
    expect(await (await underWay).text()).toBe('whole')
    await closed
    expect(Date.now() - started).toBeLessThan(5_000)
  })

  test('cuts what is still running at the limit', async () => {
    const { http, address } = await serve(() => {})
    const hanging = fetch(address).catch((error: Error) => error)
    await sleep(50)
    await closeGracefully(http, 100)
    expect(await hanging).toBeInstanceOf(Error)
  })
})
