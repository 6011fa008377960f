/**
 * UCP as a platform sees it: calls that hold each answer against the published rules, and a
 * platform's own site that serves its profile over TLS on loopback.
 */
import { expect } from 'vitest'
import type { Outbound, OutboundRequest } from '../../src/lib/outbound.ts'
import { createSite } from '../e2e/integration.world.ts'
import type { createTestApp } from '../harness.ts'
import { type UcpForm, ucpProblems } from './schemas.ts'

type Souk = Awaited<ReturnType<typeof createTestApp>>

export type Money = { amount: number; currency: string }
export type SeenVariant = {
  id: string
  title: string
  url: string
  price: Money
  list_price?: Money
  availability?: { available: boolean; status?: string }
  media?: Array<{ url: string; alt_text?: string }>
  metadata?: Record<string, unknown>
  seller?: { name: string; links: Array<{ url: string }> }
  inputs?: Array<{ id: string; match: string }>
}
export type SeenProduct = {
  id: string
  handle: string
  title: string
  description: { plain: string }
  url: string
  categories: Array<{ value: string }>
  price_range: { min: Money; max: Money }
  list_price_range?: { min: Money; max: Money }
  media?: Array<{ url: string; alt_text?: string }>
  variants: [SeenVariant, ...SeenVariant[]]
  rating?: { value: number; scale_max: number; count?: number }
  metadata: Record<string, unknown>
  selected?: unknown[]
}
export type UcpAnswer = {
  status: number
  headers: Headers
  body: {
    ucp: { version: string; status?: string; capabilities: Record<string, Array<{ version: string }>> }
    products: SeenProduct[]
    product: SeenProduct
    pagination: { cursor?: string; has_next_page: boolean; total_count: number }
    messages?: Array<{ type: string; code: string; content: string; severity?: string }>
    code?: string
    content?: string
    continue_url?: string
  }
}

/** Whatever comes back must be one of the forms there are; `operation` decides which with status 200. */
export async function ucp(
  { app }: Pick<Souk, 'app'>,
  operation: 'search' | 'lookup' | 'product',
  body: unknown,
  { headers = {}, path = `/catalog/${operation}` }: { headers?: Record<string, string>; path?: string } = {},
): Promise<UcpAnswer> {
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answer = (await response.json()) as UcpAnswer['body']
  const failed = answer.ucp?.status === 'error'
  const form: UcpForm = response.status !== 200 ? 'refusal' : failed ? 'error' : operation
  expect(ucpProblems(form, answer), JSON.stringify(answer).slice(0, 2_000)).toEqual([])
  return { status: response.status, headers: response.headers, body: answer }
}

export const PLATFORM = 'platform.example'
/** The site is on loopback and the wish for public addresses would end there: it is written down and then let go. */
export async function createPlatform() {
  const site = await createSite([PLATFORM])
  const asked: OutboundRequest[] = []
  const outbound: Outbound = {
    ...site.outbound,
    request(wanted) {
      asked.push(wanted)
      return site.outbound.request({ ...wanted, publicOnly: false })
    },
  }
  let number = 0
  return {
    site,
    outbound,
    asked,
    /** An address nobody asked before, so that no test sees what another one left. */
    freshUrl: () => `https://${PLATFORM}/profiles/${++number}`,
  }
}

export const agent = (profile: string) => ({ 'ucp-agent': `profile="${profile}"` })
